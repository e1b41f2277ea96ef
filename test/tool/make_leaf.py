"""Write in.gltf: two triangles with split vertices along their edge, texture coordinates, a material with a picture next to the file, painted weights and a
named node; and in.obj with texture coordinates, normals and a material."""
import base64
import json
import struct

positions = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0]
data = struct.pack("<18f", *positions) + struct.pack("<12f", *[i / 12 for i in range(12)]) + struct.pack("<6f", 0, 0.25, 0.5, 0, 0.5, 1)
views = [{"buffer": 0, "byteLength": 72}, {"buffer": 0, "byteOffset": 72, "byteLength": 48}, {"buffer": 0, "byteOffset": 120, "byteLength": 24}]
accessors = [{"bufferView": i, "componentType": 5126, "count": 6, "type": t} for i, t in enumerate(("VEC3", "VEC2", "SCALAR"))]
accessors[0] |= {"min": [0, 0, 0], "max": [1, 1, 0]}
open("in.gltf", "w").write(json.dumps({
    "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0, "name": "leaf", "extras": {"kind": "oak"}}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1, "_PAINT": 2}, "material": 0}]}],
    "materials": [{"name": "green", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
    "textures": [{"source": 0}], "images": [{"uri": "leaf.png"}], "accessors": accessors, "bufferViews": views,
    "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}]}))
open("leaf.png", "wb").write(base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="))
open("in.obj", "w").write("v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nusemtl wood\nf 1/1/1 2/1/1 3/1/1\n")
