#!/usr/bin/env python3
"""make_textured.py DIALECT FILE: a mascot with a painted face, as another exporter would write it.

blender  GLB: JPEG in a buffer view, vertices split along the seam of the texture, metallic-roughness, a mask of alpha on its hair
maps     GLB: the same with normal, metallic-roughness, occlusion and emission maps, and the leaf mixed by alpha
unlit    GLB: the same with KHR_materials_unlit and vertex colours (normalized bytes) instead of the texture
vroid    VRM 1.0: VRMC_materials_mtoon with shade texture, rim and outline; springs absent
vrm0     VRM 0.x: materialProperties of VRM/MToon
"""
import json
import math
import struct
import subprocess
import sys
import zlib

WIDE, HIGH = 256, 128


def face_pixel(u, v):
    """Painted face: the middle of the texture looks at +z."""
    x, y = (u - 0.5) * 2 * math.pi, (0.5 - v) * math.pi
    for side in (-1, 1):
        dx, dy = x - side * 0.38, y - 0.12
        if dx * dx + dy * dy * 0.5 < 0.012:
            return (30, 30, 40)
        if dx * dx + dy * dy * 0.5 < 0.03:
            return (250, 250, 250)
        if (x - side * 0.62) ** 2 + (y + 0.25) ** 2 * 2 < 0.02:
            return (240, 150, 140)
    if abs(x) < 0.28 and abs(y + 0.32 - 0.9 * x * x) < 0.035:
        return (150, 40, 40)
    if y > 0.62 + 0.12 * math.sin(9 * x):
        return (90, 50, 30)
    return (250, 205, 160)


def pixels(shade=1.0):
    return bytes(int(c * shade) for j in range(HIGH) for i in range(WIDE) for c in face_pixel((i + 0.5) / WIDE, (j + 0.5) / HIGH))


def png(rgb, wide, high, channels=3):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + rgb[channels * wide * j:channels * wide * (j + 1)] for j in range(high))
    head = struct.pack(">IIBBBBB", wide, high, 8, 2 if channels == 3 else 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def jpeg(rgb, wide, high):
    command = ["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{wide}x{high}", "-i", "-", "-frames:v", "1", "-q:v", "2", "-f", "mjpeg", "-"]
    return subprocess.run(command, input=rgb, capture_output=True, check=True).stdout


def leaf_alpha():
    """A strand of three leaves: opaque inside, transparent outside."""
    out = bytearray()
    for j in range(64):
        for i in range(64):
            x, y = (i + 0.5) / 64 * 2 - 1, (j + 0.5) / 64
            inside = abs(x - 0.5 * math.sin(5 * y)) < 0.35 * (1 - y) + 0.05
            out += bytes((70, 130, 60, 255 if inside else 0))
    return bytes(out)


def bumps():
    """Normals of a field of round bumps."""
    out = bytearray()
    for j in range(HIGH):
        for i in range(WIDE):
            x, y = (i + 0.5) / 16 % 1 * 2 - 1, (j + 0.5) / 16 % 1 * 2 - 1
            inside = x * x + y * y < 0.7
            nx, ny = (0.8 * x, -0.8 * y) if inside else (0, 0)
            out += bytes(round(127.5 + 127.5 * c) for c in (nx, ny, math.sqrt(max(0, 1 - nx * nx - ny * ny))))
    return bytes(out)


def surface_bytes():
    """Occlusion, roughness, metallic: bands of polished metal around the body, dark at the lower end."""
    return b"".join(bytes((255 if j < 0.7 * HIGH else 80, 60 if j // 8 % 2 else 230, 255 if j // 8 % 2 else 0)) * WIDE for j in range(HIGH))


def glow():
    """Light of its own: the eyes."""
    return b"".join(bytes((90, 220, 255)) if face_pixel((i + 0.5) / WIDE, (j + 0.5) / HIGH) == (30, 30, 40) else bytes(3) for j in range(HIGH) for i in range(WIDE))


def sphere(rings=24, around=32, radius=0.5):
    """Points, normals, texture coordinates and triangles, with a seam at the back as exporters make it."""
    points, normals, uvs, triangles = [], [], [], []
    for j in range(rings + 1):
        for i in range(around + 1):
            u, v = i / around, j / rings
            a, b = (u - 0.5) * 2 * math.pi, (0.5 - v) * math.pi
            n = (math.sin(a) * math.cos(b), math.sin(b), math.cos(a) * math.cos(b))
            if i == around:  # bit for bit the point at the other side of the seam
                n = normals[-around]
            points.append([radius * c for c in n])
            normals.append(n)
            uvs.append((u, v))
    for j in range(rings):
        for i in range(around):
            a, b = j * (around + 1) + i, (j + 1) * (around + 1) + i
            if j > 0:
                triangles.append((a, b, a + 1))
            if j < rings - 1:
                triangles.append((a + 1, b, b + 1))
    return points, normals, uvs, triangles


def card():
    """A leaf on top of the head, seen from both sides."""
    points = [(-0.2, 0.45, 0.05), (0.2, 0.45, 0.05), (-0.2, 0.95, -0.05), (0.2, 0.95, -0.05)]
    return points, [(0, 0.1, 1)] * 4, [(0, 0), (1, 0), (0, 1), (1, 1)], [(0, 1, 3), (0, 3, 2)]


class File:
    def __init__(self):
        self.binary = bytearray()
        self.json = {"asset": {"version": "2.0", "generator": "test"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0, "name": "mascot"}],
                     "meshes": [{"primitives": []}], "accessors": [], "bufferViews": [], "buffers": [{}], "materials": [], "textures": [], "images": [], "samplers": []}

    def view(self, data):
        while len(self.binary) % 4:
            self.binary.append(0)
        self.json["bufferViews"].append({"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(data)})
        self.binary += data
        return len(self.json["bufferViews"]) - 1

    def accessor(self, values, kind, component, form, **more):
        flat = [c for v in values for c in (v if isinstance(v, (list, tuple)) else (v,))]
        entry = {"bufferView": self.view(struct.pack(f"<{len(flat)}{form}", *flat)), "componentType": component, "count": len(values), "type": kind, **more}
        if kind == "VEC3" and component == 5126:
            entry["min"], entry["max"] = [min(v[c] for v in values) for c in range(3)], [max(v[c] for v in values) for c in range(3)]
        self.json["accessors"].append(entry)
        return len(self.json["accessors"]) - 1

    def texture(self, data, mime):
        self.json["images"].append({"bufferView": self.view(data), "mimeType": mime})
        self.json["samplers"].append({"wrapS": 10497, "wrapT": 33071})
        self.json["textures"].append({"source": len(self.json["images"]) - 1, "sampler": len(self.json["samplers"]) - 1})
        return len(self.json["textures"]) - 1

    def primitive(self, shape, material, colors=None):
        points, normals, uvs, triangles = shape
        attributes = {"POSITION": self.accessor(points, "VEC3", 5126, "f"), "NORMAL": self.accessor(normals, "VEC3", 5126, "f"),
                      "TEXCOORD_0": self.accessor(uvs, "VEC2", 5126, "f")}
        if colors:
            attributes["COLOR_0"] = self.accessor(colors, "VEC4", 5121, "B", normalized=True)
        self.json["meshes"][0]["primitives"].append({"attributes": attributes, "material": material,
                                                     "indices": self.accessor([i for t in triangles for i in t], "SCALAR", 5123, "H")})

    def save(self, path):
        self.json["buffers"][0]["byteLength"] = len(self.binary)
        text = json.dumps({key: value for key, value in self.json.items() if value != []}).encode()
        text += b" " * (-len(text) % 4)
        data = bytes(self.binary) + b"\0" * (-len(self.binary) % 4)
        with open(path, "wb") as file:
            file.write(struct.pack("<III", 0x46546C67, 2, 28 + len(text) + len(data)))
            file.write(struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x004E4942) + data)


def write(dialect, path):
    out = File()
    ball = sphere()
    leaf = {"name": "leaf", "alphaMode": "MASK", "alphaCutoff": 0.5, "doubleSided": True, "pbrMetallicRoughness": {"metallicFactor": 0, "roughnessFactor": 0.9}}
    if dialect == "unlit":
        def linear(c):
            return round(255 * ((c / 255 + 0.055) / 1.055) ** 2.4)
        colors = [tuple(linear(c) for c in face_pixel(u, v)) + (255,) for u, v in ball[2]]
        out.json["extensionsUsed"] = ["KHR_materials_unlit"]
        out.json["materials"] = [{"name": "skin", "pbrMetallicRoughness": {"baseColorFactor": [1, 1, 1, 1]}, "extensions": {"KHR_materials_unlit": {}}}]
        out.primitive(ball, 0, colors)
        out.save(path)
        return
    face = out.texture(jpeg(pixels(), WIDE, HIGH), "image/jpeg") if dialect == "blender" else out.texture(png(pixels(), WIDE, HIGH), "image/png")
    leaves = out.texture(png(leaf_alpha(), 64, 64, 4), "image/png")
    leaf["pbrMetallicRoughness"]["baseColorTexture"] = {"index": leaves}
    skin = {"name": "skin", "doubleSided": dialect == "blender",
            "pbrMetallicRoughness": {"baseColorTexture": {"index": face}, "metallicFactor": 0, "roughnessFactor": 0.5}}
    out.json["materials"] = [skin, leaf]
    if dialect == "maps":
        surface, glows = out.texture(png(surface_bytes(), WIDE, HIGH), "image/png"), out.texture(png(glow(), WIDE, HIGH), "image/png")
        skin["pbrMetallicRoughness"].update({"metallicRoughnessTexture": {"index": surface}, "metallicFactor": 1, "roughnessFactor": 1})
        skin.update({"normalTexture": {"index": out.texture(png(bumps(), WIDE, HIGH), "image/png")}, "occlusionTexture": {"index": surface, "strength": 0.9},
                     "emissiveTexture": {"index": glows}, "emissiveFactor": [1, 1, 1]})
        leaf.update({"alphaMode": "BLEND"})
    if dialect == "vroid":
        shade = out.texture(png(pixels(0.75), WIDE, HIGH), "image/png")
        skin["extensions"] = {"KHR_materials_unlit": {}, "VRMC_materials_mtoon": {
            "specVersion": "1.0", "shadeColorFactor": [1, 0.75, 0.72], "shadeMultiplyTexture": {"index": shade}, "shadingShiftFactor": -0.05,
            "shadingToonyFactor": 0.95, "parametricRimColorFactor": [0.2, 0.25, 0.4], "parametricRimFresnelPowerFactor": 4,
            "outlineWidthMode": "worldCoordinates", "outlineWidthFactor": 0.012, "outlineColorFactor": [0.1, 0.03, 0.02]}}
        out.json["extensionsUsed"] = ["KHR_materials_unlit", "VRMC_materials_mtoon", "VRMC_vrm"]
        out.json["extensions"] = {"VRMC_vrm": {"specVersion": "1.0", "meta": {"name": "mascot", "authors": ["test"]}, "humanoid": {"humanBones": {}}}}
    if dialect == "vrm0":
        out.json["extensionsUsed"] = ["VRM"]
        properties = {"name": "skin", "shader": "VRM/MToon", "renderQueue": 2000, "keywordMap": {}, "tagMap": {},
                      "floatProperties": {"_ShadeShift": -0.1, "_ShadeToony": 0.9, "_OutlineWidthMode": 1, "_OutlineWidth": 1.2, "_CullMode": 2, "_BlendMode": 0},
                      "vectorProperties": {"_Color": [1, 1, 1, 1], "_ShadeColor": [0.85, 0.6, 0.6, 1], "_OutlineColor": [0.25, 0.1, 0.1, 1], "_MainTex": [0, 0, 1, 1]},
                      "textureProperties": {"_MainTex": face, "_ShadeTexture": face}}
        out.json["extensions"] = {"VRM": {"specVersion": "0.0", "materialProperties": [properties, {"name": "leaf", "shader": "VRM_USE_GLTFSHADER"}]}}
    out.primitive(ball, 0)
    out.primitive(card(), 1)
    out.save(path)


if __name__ == "__main__":
    write(sys.argv[1], sys.argv[2])
