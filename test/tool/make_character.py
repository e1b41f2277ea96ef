"""Write a small character as glTF: a head that nods or walks, with an ear of spring bones, a skinned ribbon over it and a collider.
usage: make_character.py FILE [calm|wild|bald]: an ear that comes to rest, one that hardly does, none"""
import base64
import json
import math
import struct
import sys

chunks, views, accessors = [], [], []


def add(values, kind, component, form, **more):
    data = b"".join(struct.pack("<" + form, *row) for row in values)
    offset = sum(len(c) for c in chunks)
    chunks.append(data + b"\0" * (-len(data) % 4))
    views.append({"buffer": 0, "byteOffset": offset, "byteLength": len(data)})
    accessors.append({"bufferView": len(views) - 1, "componentType": component, "count": len(values), "type": kind, **more})
    return len(accessors) - 1


def turn(axis, angle):
    s = math.sin(angle / 2)
    return (axis[0] * s, axis[1] * s, axis[2] * s, math.cos(angle / 2))


# Nodes: 0 body, 1 head, 2 … 6 the ear, 7 the mesh.
nodes = [
    {"name": "body", "children": [1, 7]},
    {"name": "head", "translation": [0, 1.5, 0], "children": [2]},
]
for k in range(5):
    nodes.append({"name": f"ear.{k + 1}", "translation": [0.1 if k == 0 else 0.06, 0.0 if k == 0 else 0.05, 0]})
    if k < 4:
        nodes[-1]["children"] = [3 + k]
nodes.append({"name": "ribbon", "mesh": 0, "skin": 0})

points, joints, weights, triangles = [], [], [], []
for k in range(5):
    for z in (-0.01, 0.01):
        points.append((0.1 + 0.06 * k, 1.5 + 0.05 * k, z))
        joints.append((k + 1, 0, 0, 0))
        weights.append((1.0, 0.0, 0.0, 0.0))
for k in range(4):
    a = 2 * k
    triangles += [(a,), (a + 1,), (a + 2,), (a + 1,), (a + 3,), (a + 2,)]
low, high = [min(p[i] for p in points) for i in range(3)], [max(p[i] for p in points) for i in range(3)]
low, high = ([struct.unpack("<f", struct.pack("<f", v))[0] for v in side] for side in (low, high))
primitive = {
    "attributes": {"POSITION": add(points, "VEC3", 5126, "3f", min=low, max=high), "JOINTS_0": add(joints, "VEC4", 5123, "4H"),
                   "WEIGHTS_0": add(weights, "VEC4", 5126, "4f")},
    "indices": add(triangles, "SCALAR", 5123, "H"),
}
places = [(0, 1.5, 0)] + [(0.1 + 0.06 * k, 1.5 + 0.05 * k, 0) for k in range(5)]
inverse = add([(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -x, -y, -z, 1) for x, y, z in places], "MAT4", 5126, "16f")

# nod: one second, ends as it begins. walk: moves on by a metre while it nods.
times = [0.0, 0.25, 0.5, 0.75, 1.0]
clock = add([(t,) for t in times], "SCALAR", 5126, "f", min=[0.0], max=[1.0])
nods = add([turn((0, 0, 1), 0.4 * math.sin(2 * math.pi * t)) for t in times], "VEC4", 5126, "4f")
way = add([(t, 0, 0) for t in times], "VEC3", 5126, "3f")


def animation(name, *tracks):
    samplers = [{"input": clock, "output": output} for output, _, _ in tracks]
    return {"name": name, "samplers": samplers,
            "channels": [{"sampler": i, "target": {"node": node, "path": path}} for i, (_, node, path) in enumerate(tracks)]}


gltf = {
    "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": nodes,
    "meshes": [{"primitives": [primitive]}], "skins": [{"joints": [1, 2, 3, 4, 5, 6], "inverseBindMatrices": inverse}],
    "animations": [animation("nod", (nods, 1, "rotation")), animation("walk", (nods, 1, "rotation"), (way, 0, "translation"))],
}
kind = sys.argv[2] if len(sys.argv) > 2 else "calm"
if kind != "bald":
    stiffness, drag = (1.0, 0.4) if kind == "calm" else (0.05, 0.005)
    gltf["extensionsUsed"] = ["VRMC_springBone"]
    gltf["extensions"] = {"VRMC_springBone": {
        "specVersion": "1.0",
        "colliders": [{"node": 1, "shape": {"sphere": {"offset": [0, 0, 0], "radius": 0.05}}}],
        "colliderGroups": [{"colliders": [0]}],
        "springs": [{"name": "ear", "colliderGroups": [0],
                     "joints": [{"node": 2 + k, "hitRadius": 0.01, "stiffness": stiffness, "dragForce": drag, "gravityPower": 0.2} for k in range(5)]}],
    }}
if kind == "calm":
    # Seen from the side (+X) the ear leans forward.
    gltf["extensionsUsed"].append("PLIANT_rod_examples")
    gltf["extensions"]["PLIANT_rod_examples"] = {"specVersion": "1.0", "chains": [{"root": 2, "examples": [
        {"name": "side", "direction": [1, 0, 0], "extent": 0.8, "joints": [{"node": 3, "rotation": list(turn((1, 0, 0), 0.5))}]}]}]}
data = b"".join(chunks)
gltf.update({"buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}],
             "bufferViews": views, "accessors": accessors})
json.dump(gltf, open(sys.argv[1], "w"))
