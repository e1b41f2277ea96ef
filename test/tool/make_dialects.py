#!/usr/bin/env python3
"""make_dialects.py FOLDER: one rigged and animated tube as many exporters would write it. All files describe the same surface and the same motion, in metres, Y up; so whatever is made
of them must agree.

plain        TRS nodes, 32-bit floats, 16-bit indices
fbx2gltf     a root of scale 0.01 over centimetres, nodes by matrices, two primitives with shared accessors, 32-bit indices, names with | and :
blender      node names with dots and unicode, an armature above the root that is turned, extras, 8-bit indices
mixamo       names with mixamorig:, a mesh node beside the skeleton that is placed elsewhere (a skin ignores it)
sparse       positions as sparse accessors without a base
interleaved  all attributes in one buffer view with a stride
quantized    KHR_mesh_quantization: positions of 16 bits, undone by the inverse bind matrices; normals of 8 bits
unbound      a skin without inverse bind matrices: points in the frames of their joints
mirrored     a mirrored node above a mirrored surface
cubic        CUBICSPLINE key frames with the tangents of straight lines
scenes       three scenes, of which the second counts; the others have a box
names        nodes with names that are equal, empty or missing
strips       a triangle strip and a fan in place of triangles, without indices
"""
import json
import math
import os
import struct
import sys

RINGS, AROUND, BONES = 7, 6, 3
TURN = math.radians(40)
FORMS = {5120: "b", 5121: "B", 5122: "h", 5123: "H", 5125: "I", 5126: "f"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def tube():
    """Points of rings along Y, each with the bone it follows, and triangles."""
    points, bones, triangles = [], [], []
    for j in range(RINGS):
        for i in range(AROUND):
            a = 2 * math.pi * i / AROUND
            points.append((0.2 * math.cos(a) + 0.03 * j, 0.2 * j, 0.15 * math.sin(a)))
            bones.append(min(BONES - 1, j * BONES // RINGS))
    for j in range(RINGS - 1):
        for i in range(AROUND):
            a, b, k = j * AROUND + i, (j + 1) * AROUND + i, (i + 1) % AROUND
            triangles += [(a, b, j * AROUND + k), (j * AROUND + k, b, (j + 1) * AROUND + k)]
    for i in range(1, AROUND - 1):
        triangles += [(0, i, i + 1), ((RINGS - 1) * AROUND, (RINGS - 1) * AROUND + i + 1, (RINGS - 1) * AROUND + i)]
    return points, bones, triangles


# Where the bones begin; each is the child of the one before.
PLACES = [(0.0, 0.0, 0.0), (0.06, 0.45, 0.0), (0.12, 0.9, 0.0)]
TIMES = [0.0, 0.25, 0.5, 1.0]


def turn(angle):
    return (0.0, 0.0, math.sin(angle / 2), math.cos(angle / 2))


def rotations(bone):
    """Key frames: the upper bones bend to the side and back."""
    return [turn(TURN * bone * s) for s in (0, 0.5, 1, 0)]


class File:
    def __init__(self):
        self.binary = bytearray()
        self.json = {"asset": {"version": "2.0", "generator": "test"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [], "meshes": [], "skins": [], "animations": [], "accessors": [],
                     "bufferViews": [], "buffers": [{}]}

    def view(self, data, **more):
        self.binary += b"\0" * (-len(self.binary) % 4)
        self.json["bufferViews"].append({"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(data), **more})
        self.binary += data
        return len(self.json["bufferViews"]) - 1

    def entry(self, view, count, kind, component, values=None, **more):
        entry = {"bufferView": view, "componentType": component, "count": count, "type": kind, **more}
        if view is None:
            del entry["bufferView"]
        if values:
            entry["min"], entry["max"] = [min(v[c] for v in values) for c in range(len(values[0]))], [max(v[c] for v in values) for c in range(len(values[0]))]
        self.json["accessors"].append(entry)
        return len(self.json["accessors"]) - 1

    def accessor(self, rows, kind, component, bounds=False, **more):
        rows = [row if isinstance(row, (tuple, list)) else (row,) for row in rows]
        if component == 5126:
            rows = [tuple(struct.unpack("<f", struct.pack("<f", c))[0] for c in row) for row in rows]
        width = struct.calcsize(FORMS[component]) * WIDTHS[kind]
        pad = b"\0" * (-width % 4) if kind != "SCALAR" else b""
        data = b"".join(struct.pack(f"<{WIDTHS[kind]}{FORMS[component]}", *row) + pad for row in rows)
        view = self.view(data, **({"byteStride": width + len(pad)} if pad else {}))
        return self.entry(view, len(rows), kind, component, rows if bounds else None, **more)

    def animation(self, nodes, cubic=False):
        clock = self.accessor(TIMES, "SCALAR", 5126, True)
        samplers, channels = [], []
        for bone, node in enumerate(nodes):
            keys = rotations(bone)
            if cubic:
                rows = []
                for k, key in enumerate(keys):
                    def slope(a, b):
                        return tuple((q - p) / (TIMES[b] - TIMES[a]) for p, q in zip(keys[a], keys[b]))
                    before = slope(k - 1, k) if k > 0 else (0,) * 4
                    after = slope(k, k + 1) if k + 1 < len(keys) else (0,) * 4
                    rows += [before, key, after]
                output = self.accessor(rows, "VEC4", 5126)
            else:
                output = self.accessor(keys, "VEC4", 5126)
            samplers.append({"input": clock, "output": output, "interpolation": "CUBICSPLINE" if cubic else "LINEAR"})
            channels.append({"sampler": bone, "target": {"node": node, "path": "rotation"}})
        self.json["animations"].append({"name": "bend", "samplers": samplers, "channels": channels})

    def save(self, path):
        self.json["buffers"][0]["byteLength"] = len(self.binary)
        text = json.dumps({key: value for key, value in self.json.items() if value != []}, ensure_ascii=False).encode()
        text += b" " * (-len(text) % 4)
        data = bytes(self.binary) + b"\0" * (-len(self.binary) % 4)
        with open(path, "wb") as file:
            file.write(struct.pack("<III", 0x46546C67, 2, 28 + len(text) + len(data)))
            file.write(struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x004E4942) + data)


def inverse(place, scale=1.0, offset=(0, 0, 0)):
    """Inverse bind matrix of a joint that only moves: positions times scale plus offset, less its place; column by column."""
    return (scale, 0, 0, 0, 0, scale, 0, 0, 0, 0, scale, 0, *(o - p for o, p in zip(offset, place)), 1)


def write(dialect, path):
    out = File()
    points, bones, triangles = tube()
    unit, names = 1.0, ["hips", "chest", "head"]
    binds = [inverse(place) for place in PLACES]
    places = PLACES
    index_kind = 5123
    if dialect == "fbx2gltf":
        unit, names, index_kind = 100.0, ["Char|Hips", "Char|Spine:1", "Char|Head/top"], 5125
        points = [tuple(unit * c for c in p) for p in points]
        places = [tuple(unit * c for c in p) for p in PLACES]
        binds = [inverse(place) for place in places]
    if dialect == "blender":
        names, index_kind = ["Hüfte.001", "胸", "Kopf 😀"], 5121
    if dialect == "mixamo":
        names = ["mixamorig:Hips", "mixamorig:Spine", "mixamorig:Head"]
    if dialect == "names":
        names = ["bone", "bone", None]
    if dialect == "unbound":
        points = [tuple(c - o for c, o in zip(p, PLACES[b])) for p, b in zip(points, bones)]
        binds = None
    if dialect == "mirrored":
        points = [(-x, y, z) for x, y, z in points]
        places = [(-x, y, z) for x, y, z in PLACES]
        binds = [inverse(place) for place in places]
        triangles = [(a, c, b) for a, b, c in triangles]
    if dialect == "quantized":
        low, size = (-0.5, 0.0, -0.5), 1.5 / 65535
        binds = [inverse(place, size * 65535, low) for place in PLACES]
        whole = [tuple(round((c - o) / size) for c, o in zip(p, low)) for p in points]
        # What 16 bits can hold: the same numbers in all other dialects would differ by less than 12 micrometres.
        out.json["extensionsUsed"] = out.json["extensionsRequired"] = ["KHR_mesh_quantization"]

    joints, weights = [(b, 0, 0, 0) for b in bones], [(1.0, 0.0, 0.0, 0.0)] * len(points)
    count = len(points)
    attributes = {}
    if dialect == "interleaved":
        data = b"".join(struct.pack("<3f4B4f", *p, *j, *w) for p, j, w in zip(points, joints, weights))
        view = out.view(b"\xee" * 12 + data, byteStride=32)
        floats = [tuple(struct.unpack("<f", struct.pack("<f", c))[0] for c in p) for p in points]
        attributes = {"POSITION": out.entry(view, count, "VEC3", 5126, floats, byteOffset=12), "JOINTS_0": out.entry(view, count, "VEC4", 5121, byteOffset=24),
                      "WEIGHTS_0": out.entry(view, count, "VEC4", 5126, byteOffset=28)}
    elif dialect == "sparse":
        where = [i for i, p in enumerate(points) if any(p)]
        floats = [tuple(struct.unpack("<f", struct.pack("<f", c))[0] for c in p) for p in points]
        places_view = out.view(struct.pack(f"<{len(where)}B", *where))
        values_view = out.view(b"".join(struct.pack("<3f", *points[i]) for i in where))
        sparse = {"count": len(where), "indices": {"bufferView": places_view, "componentType": 5121}, "values": {"bufferView": values_view}}
        attributes["POSITION"] = out.entry(None, count, "VEC3", 5126, floats, sparse=sparse)
    elif dialect == "quantized":
        attributes["POSITION"] = out.accessor(whole, "VEC3", 5123, True, normalized=True)
        out.json["accessors"][-1]["min"] = [min(p[c] for p in whole) for c in range(3)]
        attributes["NORMAL"] = out.accessor([(0, 127, 0)] * count, "VEC3", 5120, normalized=True)
    else:
        attributes["POSITION"] = out.accessor(points, "VEC3", 5126, True)
    attributes.setdefault("JOINTS_0", out.accessor(joints, "VEC4", 5121) if "JOINTS_0" not in attributes else 0)
    if "WEIGHTS_0" not in attributes:
        byte = dialect in ("blender", "mixamo")
        attributes["WEIGHTS_0"] = out.accessor([(255, 0, 0, 0)] * count, "VEC4", 5121, normalized=True) if byte else out.accessor(weights, "VEC4", 5126)
    if dialect == "fbx2gltf":
        half = len(triangles) // 2
        pieces = [triangles[:half], triangles[half:]]
        primitives = [{"attributes": attributes, "indices": out.accessor([i for t in piece for i in t], "SCALAR", index_kind)} for piece in pieces]
    else:
        primitives = [{"attributes": attributes, "indices": out.accessor([i for t in triangles for i in t], "SCALAR", index_kind)}]
    out.json["meshes"].append({"name": "tube", "primitives": primitives})

    local = [tuple(c - o for c, o in zip(place, before)) for place, before in zip(places, [(0, 0, 0)] + list(places[:-1]))]
    nodes = out.json["nodes"]
    above = {"name": "root"}
    if dialect == "fbx2gltf":
        above = {"name": "RootNode", "matrix": [0.01, 0, 0, 0, 0, 0.01, 0, 0, 0, 0, 0.01, 0, 0, 0, 0, 1]}
    if dialect == "mirrored":
        above = {"name": "root", "scale": [-1, 1, 1]}
    if dialect == "blender":
        # An armature that stands on its side, and a skeleton that undoes it.
        above = {"name": "Armature", "rotation": [math.sin(math.pi / 4), 0, 0, math.cos(math.pi / 4)], "extras": {"kept": [1, 2, {"deep": None}]}}
        local[0] = (local[0][0], local[0][2], -local[0][1])
    nodes.append({**above, "children": [1, 4]})
    for i in range(BONES):
        node = {"translation": list(local[i])}
        if names[i] is not None:
            node["name"] = names[i]
        if dialect == "fbx2gltf":
            node["translation"] = list(local[i])
        if i < BONES - 1:
            node["children"] = [i + 2]
        nodes.append(node)
    mesh_node = {"name": "tube", "mesh": 0, "skin": 0}
    if dialect == "mixamo":
        mesh_node["translation"] = [3, 4, 5]
    if dialect == "names":
        mesh_node["name"] = ""
    nodes.append(mesh_node)
    skin = {"joints": [1, 2, 3]}
    if binds:
        skin["inverseBindMatrices"] = out.accessor(binds, "MAT4", 5126)
    out.json["skins"].append(skin)
    if dialect == "blender":
        quarter = [-math.sin(math.pi / 4), 0, 0, math.cos(math.pi / 4)]
        nodes[1]["rotation"] = quarter
        out.animation([2, 3])
        # The first bone has no key frames here: its turn is 0 in all of them.
        animation = out.json["animations"][0]
        for channel, sampler, bone in zip(animation["channels"], animation["samplers"], (1, 2)):
            sampler["output"] = out.accessor(rotations(bone), "VEC4", 5126)
    else:
        mirrored = dialect == "mirrored"
        out.animation([1, 2, 3], cubic=dialect == "cubic")
        if mirrored:
            for bone, sampler in enumerate(out.json["animations"][0]["samplers"]):
                sampler["output"] = out.accessor([(x, y, -z, w) for x, y, z, w in rotations(bone)], "VEC4", 5126)
    if dialect == "scenes":
        box = [(x, y, z) for x in (5, 6) for y in (0, 1) for z in (0, 1)]
        faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
        out.json["meshes"].append({"primitives": [{"attributes": {"POSITION": out.accessor(box, "VEC3", 5126, True)}, "indices": out.accessor([i for f in faces for i in f], "SCALAR", 5123)}]})
        nodes.append({"name": "box", "mesh": 1})
        out.json["scenes"], out.json["scene"] = [{"nodes": [5]}, {"nodes": [0]}, {"nodes": [5, 0]}], 1
    if dialect == "strips":
        del primitives[:]
        for j in range(RINGS - 1):
            band = [p for i in range(AROUND + 1) for p in (j * AROUND + i % AROUND, (j + 1) * AROUND + i % AROUND)]
            strip = {name: out.accessor([rows[i] for i in band], kind, component, name == "POSITION") for name, rows, kind, component in
                     (("POSITION", points, "VEC3", 5126), ("JOINTS_0", joints, "VEC4", 5121), ("WEIGHTS_0", weights, "VEC4", 5126))}
            primitives.append({"attributes": strip, "mode": 5})
        for first, order in ((0, range(AROUND)), ((RINGS - 1) * AROUND, range(0, -AROUND, -1))):
            ring = [first + i % AROUND for i in order]
            fan = {name: out.accessor([rows[i] for i in ring], kind, component, name == "POSITION") for name, rows, kind, component in
                   (("POSITION", points, "VEC3", 5126), ("JOINTS_0", joints, "VEC4", 5121), ("WEIGHTS_0", weights, "VEC4", 5126))}
            primitives.append({"attributes": fan, "mode": 6})
    out.save(path)


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    for dialect in ("plain", "fbx2gltf", "blender", "mixamo", "sparse", "interleaved", "quantized", "unbound", "mirrored", "cubic", "scenes", "names", "strips"):
        write(dialect, os.path.join(sys.argv[1], dialect + ".glb"))
