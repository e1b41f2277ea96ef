#!/usr/bin/env python3
"""scripts/make_characters.py: the animated characters of scenes/walker and scenes/hand-squeeze, with what belongs to them.

Skins are modelled by `build/pliant` as unions of capsules, tied to bones by distance, and written with a key-framed animation as GLB. Writes walker.glb, skirt.obj
and scene.json of the walker (her strands of hair are part of the scene), and hand.glb of the hand.
"""
import json
import math
import os
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RATE = 30  # keys per second


# --- vectors and rotations

def add(a, b):
    return [x + y for x, y in zip(a, b)]


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def scale(a, s):
    return [x * s for x in a]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def turn(axis, degrees):
    half = math.radians(degrees) / 2
    return [c * math.sin(half) for c in axis] + [math.cos(half)]


def multiply(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return [aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz]


X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)


# --- a modelled surface

def model(shape, triangles):
    """Points and triangles of a shape, as the program models it."""
    scene = {"pliant": 1, "name": "model", "time": {"frames": 1}, "meshes": {"skin": {"triangles": triangles, "shape": shape}},
             "bodies": [{"name": "skin", "mesh": "skin", "method": "rigid"}]}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scene.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(scene, file)
        subprocess.run([os.path.join(ROOT, "build/pliant"), "run", path, "--format", "obj", "--no-tables", "-o", folder], check=True, stdout=subprocess.DEVNULL)
        name = next(n for n in sorted(os.listdir(folder)) if n.endswith(".obj"))
        points, faces = [], []
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            for line in file:
                words = line.split()
                if words[:1] == ["v"]:
                    points.append([float(w) for w in words[1:4]])
                elif words[:1] == ["f"]:
                    faces.append([int(w.split("/")[0]) - 1 for w in words[1:4]])
        return points, faces


def capsule(a, b, radius, end_radius=0):
    return {"kind": "capsule", "from": a, "to": b, "radius": radius, "end_radius": end_radius}


def segment_distance(p, a, b):
    d = sub(b, a)
    n = dot(d, d)
    t = min(1, max(0, dot(sub(p, a), d) / n)) if n > 0 else 0
    return math.dist(p, add(a, scale(d, t)))


def skin(points, bones, softness):
    """Four bones and weights per point: those whose surface is nearest, faded over `softness` metres. A bone is (from, to, radius, side); a point of one side does not follow limbs of the other."""
    joints, weights = [], []
    for p in points:
        found = []
        for number, (a, b, radius, side) in enumerate(bones):
            if side * p[0] < -1e-3 * abs(side):
                continue
            found.append((segment_distance(p, a, b) - radius, number))
        found.sort()
        nearest = found[0][0]
        chosen = [(math.exp(-((d - nearest) / softness) ** 2), n) for d, n in found[:4]]
        total = sum(w for w, _ in chosen)
        chosen += [(0, 0)] * (4 - len(chosen))
        joints.append([n for _, n in chosen])
        weights.append([w / total for w, _ in chosen])
    return joints, weights


# --- GLB

class Glb:
    def __init__(self):
        self.bytes = bytearray()
        self.views, self.accessors = [], []

    def put(self, values, kind, code, component, target=None, limits=False):
        flat = [x for v in values for x in v] if values and isinstance(values[0], (list, tuple)) else list(values)
        while len(self.bytes) % 4:
            self.bytes.append(0)
        start = len(self.bytes)
        self.bytes += struct.pack("<%d%s" % (len(flat), code), *flat)
        view = {"buffer": 0, "byteOffset": start, "byteLength": len(self.bytes) - start}
        if target:
            view["target"] = target
        self.views.append(view)
        accessor = {"bufferView": len(self.views) - 1, "componentType": component, "count": len(values), "type": kind}
        if limits:
            columns = list(zip(*values)) if isinstance(values[0], (list, tuple)) else [values]
            single = [[struct.unpack("<f", struct.pack("<f", x))[0] for x in c] for c in columns]
            accessor["min"] = [min(c) for c in single]
            accessor["max"] = [max(c) for c in single]
        self.accessors.append(accessor)
        return len(self.accessors) - 1

    def save(self, path, document):
        while len(self.bytes) % 4:
            self.bytes.append(0)
        document.update(buffers=[{"byteLength": len(self.bytes)}], bufferViews=self.views, accessors=self.accessors)
        text = json.dumps(document, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        with open(path, "wb") as file:
            file.write(struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(text) + 8 + len(self.bytes)))
            file.write(struct.pack("<I4s", len(text), b"JSON") + text)
            file.write(struct.pack("<I4s", len(self.bytes), b"BIN\0") + bytes(self.bytes))


def write_character(path, name, joints, surface, skinning, animation, extensions=None):
    """joints: list of (name, parent, position). animation: name, seconds and a function of time that gives {joint: (rotation, shift)}."""
    glb = Glb()
    points, faces = surface
    bones, weights = skinning
    attributes = {"POSITION": glb.put(points, "VEC3", "f", 5126, 34962, True), "JOINTS_0": glb.put(bones, "VEC4", "B", 5121, 34962),
                  "WEIGHTS_0": glb.put(weights, "VEC4", "f", 5126, 34962)}
    indices = glb.put([i for f in faces for i in f], "SCALAR", "I", 5125, 34963)
    nodes, world = [], {}
    for number, (joint, parent, position) in enumerate(joints):
        world[number] = position
        nodes.append({"name": joint, "translation": sub(position, world[parent]) if parent >= 0 else list(position)})
        if parent >= 0:
            nodes[parent].setdefault("children", []).append(number)
    inverse = [[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -p[0], -p[1], -p[2], 1] for _, _, p in joints]
    skin_index = {"joints": list(range(len(joints))), "skeleton": 0, "inverseBindMatrices": glb.put(inverse, "MAT4", "f", 5126)}
    nodes.append({"name": name, "mesh": 0, "skin": 0})
    title, seconds, pose = animation
    count = int(round(seconds * RATE)) + 1
    times = glb.put([i / RATE for i in range(count)], "SCALAR", "f", 5126, None, True)
    frames = [pose(i / RATE) for i in range(count)]
    channels, samplers = [], []
    for number, (joint, _, _) in enumerate(joints):
        if joint not in frames[0]:
            continue
        samplers.append({"input": times, "output": glb.put([f[joint][0] for f in frames], "VEC4", "f", 5126)})
        channels.append({"sampler": len(samplers) - 1, "target": {"node": number, "path": "rotation"}})
        if frames[0][joint][1] is not None:
            rest = nodes[number]["translation"]
            samplers.append({"input": times, "output": glb.put([add(rest, f[joint][1]) for f in frames], "VEC3", "f", 5126)})
            channels.append({"sampler": len(samplers) - 1, "target": {"node": number, "path": "translation"}})
    document = {"asset": {"version": "2.0", "generator": "scripts/make_characters.py"}, "scene": 0,
                "scenes": [{"nodes": [0, len(nodes) - 1]}], "nodes": nodes,
                "meshes": [{"name": name, "primitives": [{"attributes": attributes, "indices": indices}]}],
                "skins": [skin_index], "animations": [{"name": title, "channels": channels, "samplers": samplers}]}
    if extensions:
        document.update(extensions)
    glb.save(path, document)


# --- the walker

WALKER_JOINTS = [
    ("hips", -1, [0, 0.95, 0]), ("spine", 0, [0, 1.05, 0]), ("chest", 1, [0, 1.22, 0]), ("neck", 2, [0, 1.43, 0]), ("head", 3, [0, 1.5, 0]),
    ("leftUpperLeg", 0, [0.095, 0.9, 0]), ("leftLowerLeg", 5, [0.095, 0.5, 0]), ("leftFoot", 6, [0.095, 0.09, -0.01]),
    ("rightUpperLeg", 0, [-0.095, 0.9, 0]), ("rightLowerLeg", 8, [-0.095, 0.5, 0]), ("rightFoot", 9, [-0.095, 0.09, -0.01]),
    ("leftUpperArm", 2, [0.19, 1.37, 0]), ("leftLowerArm", 11, [0.44, 1.37, 0]), ("leftHand", 12, [0.67, 1.37, 0]),
    ("rightUpperArm", 2, [-0.19, 1.37, 0]), ("rightLowerArm", 14, [-0.44, 1.37, 0]), ("rightHand", 15, [-0.67, 1.37, 0]),
]
HEAD = [0, 1.62, 0.015]


def walker_shape():
    parts = [capsule([-0.06, 0.94, 0], [0.06, 0.94, 0], 0.115), capsule([0, 0.98, 0], [0, 1.2, 0], 0.115, 0.12),
             capsule([-0.08, 1.3, 0], [0.08, 1.3, 0], 0.11), capsule([0, 1.38, 0], [0, 1.52, 0.005], 0.055, 0.05),
             {"kind": "ellipsoid", "size": [0.1, 0.125, 0.115], "position": HEAD}]
    for side in (1, -1):
        parts += [capsule([0.095 * side, 0.9, 0], [0.095 * side, 0.5, 0], 0.088, 0.06), capsule([0.095 * side, 0.5, 0], [0.095 * side, 0.09, -0.01], 0.058, 0.04),
                  capsule([0.095 * side, 0.045, -0.03], [0.1 * side, 0.035, 0.13], 0.042, 0.034),
                  capsule([0.17 * side, 1.37, 0], [0.44 * side, 1.37, 0], 0.056, 0.042), capsule([0.44 * side, 1.37, 0], [0.67 * side, 1.37, 0], 0.041, 0.032),
                  capsule([0.67 * side, 1.37, 0], [0.78 * side, 1.37, 0], 0.038, 0.03)]
    return {"kind": "union", "smoothness": 0.04, "children": parts}


def walker_bones():
    """From, to, radius and side of the bone of each joint."""
    at = {name: p for name, _, p in WALKER_JOINTS}
    bones = []
    for name, _, p in WALKER_JOINTS:
        side = 1 if name.startswith("left") else -1 if name.startswith("right") else 0
        plain = name.replace("left", "").replace("right", "")
        prefix = name[:len(name) - len(plain)]
        ends = {"hips": ([0, 0.9, 0], [0, 1.0, 0], 0.12), "spine": (p, at["chest"], 0.12), "chest": (p, [0, 1.38, 0], 0.13), "neck": (p, at["head"], 0.055),
                "head": ([0, 1.56, 0.01], HEAD, 0.1), "Foot": (p, [p[0], 0.035, 0.13], 0.04), "Hand": (p, [0.78 * side, 1.37, 0], 0.035)}
        following = {"UpperLeg": ("LowerLeg", 0.075), "LowerLeg": ("Foot", 0.05), "UpperArm": ("LowerArm", 0.05), "LowerArm": ("Hand", 0.037)}
        if plain in following:
            end, radius = following[plain]
            bones.append((p, at[prefix + end], radius, side))
        else:
            a, b, radius = ends[plain]
            bones.append((a, b, radius, side))
    return bones


def walk(time):
    """A walk of one and a half metres per second that starts from standing, and stops after four seconds."""
    begin, end, ramp = 0.3, 3.7, 0.5

    def smooth(t):
        t = min(1, max(0, t))
        return t * t * (3 - 2 * t)

    def integral(t):
        t = min(1, max(0, t))
        return t ** 3 - t ** 4 / 2

    def moved(t):
        """Integral of the strength over time."""
        way = ramp * integral((t - begin) / ramp) + max(0, t - begin - ramp)
        return way - ramp * integral((t - end) / ramp) - max(0, t - end - ramp)

    strength = smooth((time - begin) / ramp) * (1 - smooth((time - end) / ramp))
    way = 1.25 * moved(time)
    phase = 2 * math.pi * way / 1.3
    s = strength
    pose = {"hips": (multiply(turn(Y, 6 * s * math.sin(phase)), turn(Z, 3 * s * math.cos(phase))),
                     [0.012 * s * math.cos(phase), 0.014 * s * (math.cos(2 * phase) - 1), way]),
            "spine": (turn(Y, -4 * s * math.sin(phase)), None), "chest": (multiply(turn(Y, -8 * s * math.sin(phase)), turn(X, 2 * s)), None),
            "head": (turn(Y, 5 * s * math.sin(phase)), None)}
    for side, name, shift in ((1, "left", 0), (-1, "right", math.pi)):
        p = phase + shift
        thigh = -27 * s * math.sin(p)
        knee = s * (8 + 52 * max(0, math.cos(p)) ** 2)
        pose[name + "UpperLeg"] = (turn(X, thigh - 4 * s), None)
        pose[name + "LowerLeg"] = (turn(X, knee), None)
        pose[name + "Foot"] = (turn(X, -0.45 * (thigh + knee) * s), None)
        pose[name + "UpperArm"] = (multiply(turn(X, 24 * s * math.sin(p)), turn(Z, -58 * side)), None)
        pose[name + "LowerArm"] = (turn(Y, -side * (12 + 16 * s)), None)
    return pose


def write_skirt(path):
    """A cone from the waist to the knees; the first ring is the waistband."""
    rings, around = 8, 32
    with open(path, "w", encoding="utf-8") as file:
        file.write("# by scripts/make_characters.py\n")
        for r in range(rings):
            t = r / (rings - 1)
            wide, deep = 0.205 + 0.13 * t, 0.152 + 0.155 * t
            for k in range(around):
                angle = 2 * math.pi * (k + 0.5 * (r % 2)) / around
                file.write("v %.6f %.6f %.6f\n" % (wide * math.sin(angle), 1.02 - 0.42 * t, deep * math.cos(angle)))
        for r in range(rings - 1):
            for k in range(around):
                a, b = r * around + k, r * around + (k + 1) % around
                c, d = a + around, b + around
                faces = [(a, c, b), (b, c, d)] if r % 2 == 0 else [(a, c, d), (a, d, b)]
                for f in faces:
                    file.write("f %d %d %d\n" % tuple(i + 1 for i in f))


def hair_chains():
    """Strands from the top and the back of the head, down to the waist."""
    chains = []
    rows = [(0.35, 9), (0.75, 13), (1.15, 15)]  # angle from the top, strands
    for row, (polar, count) in enumerate(rows):
        for k in range(count):
            # Around the back, from temple to temple.
            around = math.pi + (k / (count - 1) - 0.5) * math.radians(250)
            n = [math.sin(polar) * math.sin(around), math.cos(polar), math.sin(polar) * math.cos(around)]
            root = add(HEAD, [0.099 * n[0], 0.124 * n[1], 0.114 * n[2]])
            points, at, steps = [root], root, 11
            for i in range(1, steps + 1):
                out = max(0, 1 - i / 3.5)
                d = [n[0] * out + 0.1 * n[0], out * n[1] - (1 - out) - 0.15, n[2] * out + 0.1 * n[2]]
                length = math.sqrt(dot(d, d))
                at = add(at, scale(d, 0.055 / length))
                points.append(at)
            chains.append({"name": "hair_%d_%02d" % (row, k), "points": [[round(c, 5) for c in p] for p in points], "radius": 0.012, "tip_radius": 0.006})
    return chains


def walker_scene():
    return {
        "pliant": 1,
        "name": "walker",
        "description": "A character walks: her soft belly has squash examples, and skirt and hair touch her moving body.",
        "time": {"step": 0.008333333333, "frames": 270, "pre_roll": 0.6},
        "air": {"density": 1.2},
        "meshes": {
            "skirt": {"file": "skirt.obj"},
            "belly": {"shape": {"kind": "ellipsoid", "size": [0.1, 0.095, 0.085]}, "triangles": 900,
                      "poses": [{"name": "squash", "scale": [1.12, 0.8, 1.12]}, {"name": "stretch", "scale": [0.94, 1.2, 0.94]}]},
        },
        "bodies": [
            {"name": "girl", "method": "kinematic", "color": "#e3b39a", "appearance": "skin", "kinematic": {"character": "walker.glb", "animation": "walk", "friction": 0.3}},
            {"name": "belly", "mesh": "belly", "color": "#e3b39a", "appearance": "skin", "tets": {"points": 220}, "position": [0, 1.09, 0.085],
             "solid": {"examples": ["squash", "stretch"], "stiffness": 0.25, "damping": 2, "density": 700}, "collision_layers": 2, "collision_mask": 4},
            {"name": "skirt", "mesh": "skirt", "method": "fem", "color": "#5b4b8a", "appearance": "cloth", "collision_layers": 4,
             "fem": {"material": "shell", "thickness": 0.004, "young": 60000, "density": 250, "mass_damping": 0.8, "stiffness_damping": 0.004, "contact_radius": 0.004,
                     "friction": 0.3, "scheme": "implicit-euler", "max_newton_iterations": 6, "newton_tolerance": 0.005}},
            {"name": "hair", "method": "rod", "color": "#3a2a1c",
             "rod": {"joints": [{"name": "head", "position": [0, 1.5, 0], "body": "girl", "node": "head"}], "chains": hair_chains(), "stiffness": 0.01, "damping": 2, "friction": 0.2}},
        ],
        "attachments": [
            {"a": "belly", "b": "girl", "node": "spine", "within": {"min": [-1, 0, -1], "max": [1, 2, 0.085]}},
            {"a": "skirt", "b": "girl", "node": "hips", "within": {"min": [-1, 1.015, -1], "max": [1, 1.2, 1]}},
        ],
        "colliders": [{"name": "ground", "shape": "half_space"}],
        "camera": {"eye": [3.1, 1.5, 2.4], "target": [0, 0.92, 0.2], "field_of_view": 29, "follow": "girl"},
    }


# --- the hand

FINGERS = [("index", 0.075, [0.1, 0.05, 0.042, 0.03]), ("middle", 0.025, [0.105, 0.055, 0.046, 0.033]), ("ring", -0.025, [0.1, 0.05, 0.042, 0.03]), ("little", -0.075, [0.09, 0.04, 0.033, 0.026])]
SIZE = 1.6


def hand_joints():
    """Palm up, fingers along z, the thumb at +x."""
    joints = [("palm", -1, [0, 0, 0])]
    for name, x, lengths in FINGERS:
        z, parent = lengths[0], 0
        for k, length in enumerate(lengths[1:]):
            joints.append(("%s%d" % (name, k + 1), parent, [x * SIZE, 0, z * SIZE]))
            parent = len(joints) - 1
            z += length
    at, parent = [0.1, 0.0, -0.03], 0
    for k, step in enumerate(([0.05, 0.012, 0.03], [0.03, 0.01, 0.035], [0.02, 0.008, 0.03])):
        joints.append(("thumb%d" % (k + 1), parent, scale(at, SIZE)))
        parent = len(joints) - 1
        at = add(at, step)
    return joints


def hand_segments():
    """From, to and radius of each joint's bone, and the shape around all."""
    segments, shapes = [([0, 0, -0.02 * SIZE], [0, 0, 0.06 * SIZE], 0.055 * SIZE)], []
    shapes.append({"kind": "box", "size": [0.2 * SIZE, 0.05 * SIZE, 0.19 * SIZE], "radius": 0.024 * SIZE})
    for name, x, lengths in FINGERS:
        z = lengths[0]
        for k, length in enumerate(lengths[1:]):
            a, b = [x * SIZE, 0, z * SIZE], [x * SIZE, 0, (z + length) * SIZE]
            radius = (0.0235 - 0.002 * k) * SIZE
            segments.append((a, b, radius))
            shapes.append(capsule(a, b, radius, radius - 0.002 * SIZE))
            z += length
        shapes.append(capsule([x * SIZE, 0, 0.06 * SIZE], [x * SIZE, 0, lengths[0] * SIZE], 0.025 * SIZE))
    at = [0.1, 0.0, -0.03]
    for k, step in enumerate(([0.05, 0.012, 0.03], [0.03, 0.01, 0.035], [0.02, 0.008, 0.03])):
        a, b = scale(at, SIZE), scale(add(at, step), SIZE)
        radius = (0.027 - 0.002 * k) * SIZE
        segments.append((a, b, radius))
        shapes.append(capsule(a, b, radius, radius - 0.002 * SIZE))
        at = add(at, step)
    shapes.append(capsule([0, 0, -0.08 * SIZE], [0, -0.005 * SIZE, -0.24 * SIZE], 0.05 * SIZE, 0.045 * SIZE))
    return segments, {"kind": "union", "smoothness": 0.012, "children": shapes}


def grip(time):
    """Closes, holds, opens a little and closes again, and opens."""
    keys = [(0, 0.12), (0.4, 0.12), (1.1, 1), (1.6, 1), (2.0, 0.62), (2.4, 1.04), (3.0, 1.04), (3.7, 0.12), (4.2, 0.12)]
    closed = keys[-1][1]
    for (t0, a), (t1, b) in zip(keys, keys[1:]):
        if t0 <= time <= t1:
            t = (time - t0) / (t1 - t0)
            closed = a + (b - a) * t * t * (3 - 2 * t)
            break
    pose = {"palm": (turn(X, 0), None)}
    for name, x, _ in FINGERS:
        spread = turn(Y, 30 * x)
        for k, degrees in enumerate((62, 60, 40)):
            bend = turn(X, -degrees * closed)
            pose["%s%d" % (name, k + 1)] = (multiply(spread, bend) if k == 0 else bend, None)
    # The thumb turns over the palm.
    pose["thumb1"] = (multiply(turn(Z, 55 * closed), turn(Y, -38 * closed)), None)
    pose["thumb2"] = (turn(Z, 42 * closed), None)
    pose["thumb3"] = (turn(Z, 34 * closed), None)
    return pose


def main():
    folder = os.path.join(ROOT, "scenes/walker")
    surface = model(walker_shape(), 2600)
    write_character(os.path.join(folder, "walker.glb"), "body", WALKER_JOINTS, surface, skin(surface[0], walker_bones(), 0.05), ("walk", 4.5, walk))
    write_skirt(os.path.join(folder, "skirt.obj"))
    with open(os.path.join(folder, "scene.json"), "w", encoding="utf-8") as file:
        json.dump(walker_scene(), file, indent=1)
        file.write("\n")
    segments, shape = hand_segments()
    surface = model(shape, 3600)
    bones = [(a, b, radius, 0) for a, b, radius in segments]
    write_character(os.path.join(ROOT, "scenes/hand-squeeze/hand.glb"), "hand", hand_joints(), surface, skin(surface[0], bones, 0.018), ("grip", 4.2, grip))
    return 0


if __name__ == "__main__":
    sys.exit(main())
