#!/usr/bin/env python3
"""scripts/make_bipeds.py: the two-legged character of scenes/fem-biped, solid-crowd and solid-muscles, with its ten poses.

The character is modelled as a union of capsules and ellipsoids, 1.3 m high. A pose is a list of turns of limbs; the joint of a forearm or a shank is where the turn of
the limb before it has taken it. Writes the scene.json of the three scenes.
"""
import json
import math
import os

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def rotate(axis, degrees, v):
    """v turned about a unit axis."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    d = sum(a * b for a, b in zip(axis, v))
    cross = [axis[1] * v[2] - axis[2] * v[1], axis[2] * v[0] - axis[0] * v[2], axis[0] * v[1] - axis[1] * v[0]]
    return [c * v[i] + s * cross[i] + (1 - c) * d * axis[i] for i in range(3)]


def rounded(v):
    return [round(x, 4) + 0.0 for x in v]


# --- the character

SHOULDER, ELBOW, HAND = (0.17, 0.93, 0), (0.38, 0.84, 0), (0.56, 0.77, 0.02)
HIP, KNEE, FOOT = (0.15, 0.55, 0), (0.185, 0.32, 0.01), (0.2, 0.09, 0)


def mirrored(p, side):
    return [side * p[0], p[1], p[2]]


def capsule(a, b, radius, end_radius):
    return {"kind": "capsule", "from": rounded(a), "to": rounded(b), "radius": radius, "end_radius": end_radius}


def ellipsoid(position, size):
    return {"kind": "ellipsoid", "size": list(size), "position": rounded(position)}


def character(scale=1):
    parts = [ellipsoid((0, 0.62, 0), (0.19, 0.16, 0.15)), ellipsoid((0, 0.84, 0), (0.18, 0.19, 0.14)),
             capsule((0, 0.95, 0), (0, 1.05, 0.01), 0.09, 0.09), ellipsoid((0, 1.17, 0.02), (0.16, 0.15, 0.16)),
             ellipsoid((0, 1.15, 0.18), (0.035, 0.035, 0.04))]
    for side in (1, -1):
        parts += [capsule(mirrored(SHOULDER, side), mirrored(ELBOW, side), 0.075, 0.062),
                  capsule(mirrored(ELBOW, side), mirrored(HAND, side), 0.062, 0.052),
                  ellipsoid(mirrored(HAND, side), (0.075, 0.08, 0.07)),
                  capsule(mirrored(HIP, side), mirrored(KNEE, side), 0.095, 0.075),
                  capsule(mirrored(KNEE, side), mirrored(FOOT, side), 0.075, 0.065),
                  {"kind": "box", "size": [0.16, 0.09, 0.26], "radius": 0.035, "position": rounded(mirrored((0.2, 0.045, 0.015), side))},
                  ellipsoid(mirrored((0.14, 1.24, 0.01), side), (0.045, 0.06, 0.03))]
    shape = {"kind": "union", "smoothness": 0.03, "children": parts}
    return scaled(shape, scale) if scale != 1 else shape


def scaled(item, s):
    """Every length of a shape or a pose times s; directions, angles and names stay."""
    if isinstance(item, list):
        return [scaled(i, s) for i in item]
    if not isinstance(item, dict):
        return round(item * s, 5) if isinstance(item, (int, float)) and not isinstance(item, bool) else item
    return {k: v if k in ("rotation", "toward", "scale") else scaled(v, s) for k, v in item.items()}


# --- poses

def turn(around, toward, reach, radius, axis, degrees):
    return {"around": rounded(around), "toward": rounded(toward), "reach": reach, "radius": radius,
            "rotation": {"axis": rounded(axis), "degrees": degrees}}


def limb(root, middle, end, reach, radius, side, turns):
    """Turns of a limb at its root, (axis, degrees) each, and of its lower part at the middle: ((axis, degrees), ...), ((axis, degrees), ...)."""
    root, middle, end = mirrored(root, side), mirrored(middle, side), mirrored(end, side)
    made = []
    for axis, degrees in turns[0]:
        made.append(turn(root, sub(end, root), reach, radius, mirrored_axis(axis, side), degrees))
        for_limb = mirrored_axis(axis, side)
        middle, end = [add(root, rotate(for_limb, degrees, sub(p, root))) for p in (middle, end)]
    for axis, degrees in turns[1]:
        axis = mirrored_axis(axis, side)
        made.append(turn(middle, sub(end, middle), 0.8 * reach, radius, axis, degrees))
        end = add(middle, rotate(axis, degrees, sub(end, middle)))
    return made


def mirrored_axis(axis, side):
    """A turn of the right limb (side 1) as that of the left."""
    return [axis[0], side * axis[1], side * axis[2]]


def arm(side, upper, lower=()):
    return limb(SHOULDER, ELBOW, HAND, 0.16, 0.12, side, (upper, lower))


def leg(side, upper, lower=()):
    return limb(HIP, KNEE, FOOT, 0.2, 0.16, side, (upper, lower))


def waist(axis, degrees):
    return [turn((0, 0.62, 0), (0, 1, 0), 0.3, 0.6, axis, degrees)]


def head(axis, degrees):
    return [turn((0, 1.0, 0), (0, 1, 0), 0.1, 0.3, axis, degrees)]


def poses():
    made = {
        "cheer": arm(1, [(Z, 85)]) + arm(-1, [(Z, 85)]) + head(X, -12),
        "wave": arm(1, [(Z, 40)], [(Z, 60)]) + head(Z, -10),
        "akimbo": arm(1, [(Z, -30)], [(Z, -80)]) + arm(-1, [(Z, -30)], [(Z, -80)]),
        "reach": arm(1, [(Y, -75)]) + arm(-1, [(Y, -75)]),
        "squat": leg(1, [(X, -60)], [(X, 90)]) + leg(-1, [(X, -60)], [(X, 90)]) + arm(1, [(Y, -60)]) + arm(-1, [(Y, -60)]),
        "kick": leg(1, [(X, -65)]) + arm(1, [(Y, 35)]) + arm(-1, [(Y, -35)]),
        "stride": leg(1, [(X, -35)], [(X, 15)]) + leg(-1, [(X, 30)], [(X, 20)]) + arm(1, [(Y, 35)]) + arm(-1, [(Y, -35)]),
        "bow": arm(1, [(Y, -25)]) + arm(-1, [(Y, -25)]) + head(X, 25) + waist(X, 55),
        "look": head(Y, 60) + waist(Y, 25),
        "star": arm(1, [(Z, 35)]) + arm(-1, [(Z, 35)]) + leg(1, [(Z, 22)]) + leg(-1, [(Z, 22)]),
    }
    return [{"name": name, "turns": turns, "fit": True} for name, turns in made.items()]


NAMES = [p["name"] for p in poses()]


def write(name, scene):
    folder = os.path.join(ROOT, "scenes", name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "scene.json"), "w", encoding="utf-8") as file:
        json.dump(scene, file, indent=2)
        file.write("\n")


def weights_of(names, **weights):
    return [weights.get(n, 0) for n in names]


def keys(names, *moments):
    return [{"time": time, "weights": weights_of(names, **weights)} for time, weights in moments]


# --- three that stand: one is led through its poses, one is pushed, one is dropped

def biped():
    body = {"mesh": "biped", "method": "fem", "tets": {"points": 1000},
            "fem": {"material": "fast", "young": 1500000, "density": 500, "mass_damping": 2, "friction": 1, "examples": NAMES, "fidelity": 0.9}}
    guided = dict(body, name="led", color="#3d7ea6", position=[-1.5, 0, 0])
    guided["driver"] = {"kind": "curve", "smooth": True, "keys": keys(NAMES, (0, {}), (0.5, {}), (1, {"wave": 1}), (1.6, {"wave": 1}), (2.2, {"akimbo": 1}),
                                                                   (2.8, {"akimbo": 1}), (3.4, {"cheer": 1}), (4, {"cheer": 1}), (4.6, {}))}
    pushed = dict(body, name="pushed", color="#c8553d", position=[0, 0, 0],
                  pushes=[{"within": {"min": [-1, 0.8, -1], "max": [1, 2, 1]}, "force": [0, 0, -100], "from": 1.5, "until": 1.7}])
    dropped = dict(body, name="dropped", color="#6a994e", position=[1.5, 0.5, 0])
    return {"pliant": 1, "name": "fem-biped",
            "description": "A two-legged character with ten poses: one is led through three of them, one is pushed and recovers, one is dropped and lands on its feet.",
            "time": {"step": 1 / 120, "frames": 300},
            "meshes": {"biped": {"triangles": 8000, "shape": character(), "poses": poses()}},
            "bodies": [guided, pushed, dropped],
            "colliders": [{"shape": "half_space", "friction": 1}],
            "camera": {"eye": [0.6, 1.6, 5.2], "target": [0, 0.65, 0]}}


# --- a hundred of them, small, that know how to crouch

def crowd():
    small = 0.3
    mesh = {"triangles": 600, "shape": character(small),
            "poses": [{"name": "crouch", "scale": [1.15, 0.62, 1.15]}, scaled(poses()[NAMES.index("star")], small)]}
    body = {"name": "small", "mesh": "small", "tets": {"points": 110},
            "solid": {"young": 65000, "damping": 6, "friction": 0.8, "density": 300, "examples": ["crouch", "star"], "fidelity": 0.9},
            "position": [-2.025, 0.2, -1.8], "repeat": {"counts": [10, 1, 10], "spacing": [0.45, 0, 0.4], "jitter": 0.02}}
    ball = {"name": "ball", "mesh": "ball", "method": "rigid", "rigid": {"density": 500}, "color": "#f2f2ee", "position": [-3.6, 0.45, 0], "velocity": [3, 0, 0]}
    return {"pliant": 1, "name": "solid-crowd",
            "description": "A crowd of a hundred small characters drops to the ground, lands in a crouch and stands; then a ball rolls through it.",
            "time": {"step": 1 / 480, "frames": 180}, "seed": 3,
            "meshes": {"small": mesh, "ball": {"triangles": 1500, "shape": {"kind": "ellipsoid", "size": [0.4, 0.4, 0.4]}}},
            "bodies": [dict(body, color="#d8a24a"), ball],
            "colliders": [{"shape": "half_space", "friction": 0.8}],
            "camera": {"eye": [-3.2, 2.6, 4.6], "target": [0, 0.1, 0]}}


# --- muscles that swell as the arms bend, and a squash that is known

def bulge(side):
    """The muscle between shoulder and elbow, swollen to the front and upwards, before the arm turns."""
    middle = mirrored((0.27, 0.885, 0), side)
    front = {"around": rounded(add(middle, (0, 0, 0.01))), "toward": [0, 0, 1], "reach": 0.05, "radius": 0.08, "shift": [0, 0, 0.07]}
    top = {"around": rounded(add(middle, (0, 0.01, 0))), "toward": [0.38 * side, 0.92, 0], "reach": 0.05, "radius": 0.08, "shift": [0, 0.09, 0]}
    return [front, top]


def muscles():
    flex = {"name": "flex", "fit": True, "turns": bulge(1) + bulge(-1) + arm(1, [(Z, 20)], [(Z, 85)]) + arm(-1, [(Z, 20)], [(Z, 85)])}
    slim = {"name": "slim", "fit": True, "turns": arm(1, [(Z, 20)], [(Z, 85)]) + arm(-1, [(Z, 20)], [(Z, 85)])}
    squash = {"name": "squash", "scale": [1.25, 0.6, 1.25]}
    stretch = {"name": "stretch", "scale": [0.9, 1.2, 0.9]}
    solid = {"young": 300000, "density": 500, "damping": 4, "friction": 1}
    guided = {"kind": "curve", "smooth": True, "keys": [{"time": 0.2, "weights": [0]}, {"time": 0.8, "weights": [1]}]}
    feet = [{"within": {"min": [-9, -1, -1], "max": [9, 0.1, 1]}}]
    strong = {"name": "strong", "mesh": "biped", "color": "#c8553d", "tets": {"points": 700}, "solid": dict(solid, examples=["flex"]), "driver": guided,
              "pins": feet, "gravity_scale": 0, "position": [-2.3, 0, 0]}
    weak = dict(strong, name="slim", color="#e0b38a", solid=dict(solid, examples=["slim"]), position=[-0.9, 0, 0])
    knows = {"name": "knows", "mesh": "biped", "color": "#3d7ea6", "tets": {"points": 500}, "position": [0.75, 0.9, 0],
             "solid": {"young": 150000, "density": 500, "damping": 2, "friction": 1, "examples": ["squash", "stretch"], "fidelity": 0.97}}
    plain = {"name": "plain", "mesh": "biped", "color": "#8d99a6", "tets": {"points": 500}, "position": [2.25, 0.9, 0],
             "solid": {"young": 150000, "density": 500, "damping": 2, "friction": 1}}
    return {"pliant": 1, "name": "solid-muscles",
            "description": "Two characters bend their arms, one with muscles that swell; two are dropped, one of which knows how to squash and stretch.",
            "time": {"step": 1 / 720, "frames": 100},
            "meshes": {"biped": {"triangles": 8000, "shape": character(), "poses": [flex, slim, squash, stretch]}},
            "bodies": [strong, weak, knows, plain],
            "colliders": [{"shape": "half_space", "friction": 1}],
            "camera": {"eye": [0.2, 1.5, 5.6], "target": [0.1, 0.8, 0], "field_of_view": 36}}


if __name__ == "__main__":
    write("fem-biped", biped())
    write("solid-crowd", crowd())
    write("solid-muscles", muscles())
