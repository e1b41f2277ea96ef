#!/bin/bash
# ctest: cli
# Conversion keeps everything or says what it loses (exit 3): a glTF file becomes a GLB file whole, other formats get what they can hold.
. "$(dirname "$0")/begin.sh"
# Two triangles with split vertices along their edge, texture coordinates, a material with a picture next to the file, painted weights, and a node.
python3 - <<'END'
import base64, json, struct
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
END
expect 0 convert in.gltf whole.glb --scale 2
[ ! -s err ] || fail "a whole copy warns"
for word in '"name":"leaf"' '"kind":"oak"' '"name":"green"' TEXCOORD_0 _PAINT '"mimeType":"image/png"'; do
  grep -aq -- "$word" whole.glb || fail "$word is lost"
done
"$PLIANT" info whole.glb >out
grep -q '^max  *2 2 0 m' out || fail "--scale"
grep -q '^points  *4$' out || fail "points"
expect 3 convert in.gltf thin.obj
for word in "texture coordinates, materials" "vertex groups" "6 vertices .* become 4 points"; do grep -q "$word" err || fail "no warning of $word"; done
# Formats that hold groups keep the painted weights.
for ending in vtu vtk; do
  expect 3 convert in.gltf kept.$ending
  ! grep -q "vertex groups" err || fail "groups are lost in .$ending"
  expect 0 convert kept.$ending kept.glb
  "$PLIANT" info kept.glb >out
  grep -q '^groups  *1: PAINT' out || fail "no group after .$ending and .glb"
done
expect 3 convert in.obj out.ply
grep -q "left out of 'in.obj': normals, texture coordinates, materials" err || fail "losses of OBJ"
