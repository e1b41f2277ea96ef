#!/usr/bin/env python3
"""Write the scenes and recipes of the detail gallery (scenes/detail-*): bodies, tools and the ways they go follow from a few numbers.

  scripts/make_detail_scenes.py            writes the JSON files
  scripts/make_detail_scenes.py --record   also records the sets of examples with `pliant detail record` ($PLIANT, or build/pliant); some minutes
"""
import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

from tree import ROOT

PILLOW = {"kind": "intersection", "smoothness": 0.02, "children": [
    {"kind": "ellipsoid", "size": [0.27, 0.11, 4]},
    {"kind": "ellipsoid", "size": [4, 0.11, 0.27]},
    {"kind": "box", "size": [2, 0.3, 2], "position": [0, 0.115, 0]}]}
FINGER, DEPTH = 0.045, 0.05


def text(value, indent=0):
    """JSON with short things on one line."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= 150 or not isinstance(value, (dict, list)):
        return line
    pad = " " * (indent + 2)
    if isinstance(value, list):
        return "[\n" + ",\n".join(pad + text(item, indent + 2) for item in value) + "\n" + " " * indent + "]"
    return "{\n" + ",\n".join(f"{pad}{json.dumps(key)}: {text(item, indent + 2)}" for key, item in value.items()) + "\n" + " " * indent + "}"


def write(name, file, scene):
    folder = ROOT / "scenes" / name
    folder.mkdir(exist_ok=True)
    (folder / file).write_text(text({"pliant": 1, **scene}) + "\n")


def fem(young=10000, poisson=0.05, friction=0.5, **more):
    return {"material": "neo-hookean", "young": young, "poisson": poisson, "density": 50, "scheme": "implicit-euler", "max_newton_iterations": 30,
            "contact_stiffness": 5e6, "friction": friction, **more}


def body(name, mesh, cell, at, pin, **more):
    """`pin`: everything of the body below this height is held."""
    return {"name": name, "mesh": mesh, "method": "fem", "tets": {"cell_size": cell, **more.pop("tets", {})}, "fem": more.pop("fem", fem()), "position": at,
            "pins": [{"within": {"min": [at[0] - 1, -1, at[2] - 1], "max": [at[0] + 1, pin, at[2] + 1]}}], **more}


def cover(mesh, fold, strain, foundation, friction=0.5):
    """A shell that folds at the length `fold` when it is compressed by more than `strain`, on springs of `foundation` (N/m^3), at the origin.

    Buckling of a plate of bending stiffness D = E t^3 / 12 (1 - nu^2) on an elastic foundation K: length 2 pi (D / K)^(1/4), strain 2 sqrt(K D) / (E t)."""
    poisson = 0.3
    part = (fold / (2 * math.pi)) ** 2  # sqrt(D / K)
    thickness = math.sqrt(strain * part * 6 * (1 - poisson ** 2))
    young = foundation * part * part * 12 * (1 - poisson ** 2) / thickness ** 3
    return {"name": "skin", "mesh": mesh, "method": "fem", "fem": {
        "material": "shell", "young": float(f"{young:.3g}"), "poisson": poisson, "thickness": float(f"{thickness:.3g}"), "density": 500, "scheme": "implicit-euler",
        "max_newton_iterations": 30, "contact_stiffness": 2e7, "friction": friction}}


def unit(v):
    length = math.sqrt(sum(c * c for c in v))
    return [c / length for c in v]


def pillow_top(x, z, scale=1.0):
    """Place and normal of the pillow's upper side."""
    x, z = x / scale, z / scale
    a, h = 0.27, 0.11
    across = max(abs(x), abs(z))
    y = h * math.sqrt(1 - (across / a) ** 2)
    slope = h * h / (a * a) / y
    normal = unit([x * slope, 1, 0] if abs(x) > abs(z) else [0, 1, z * slope] if abs(z) > abs(x) else [x * slope / 2, 1, z * slope / 2])
    # The edges where the two forms meet are rounded, which lowers them.
    y -= 0.25 * 0.02 * max(0, 1 - abs(y - h * math.sqrt(1 - (min(abs(x), abs(z)) / a) ** 2)) / 0.02) ** 2
    return [x * scale, y * scale, z * scale], normal


class Way:
    """Keys of a tool that goes from place to place."""

    def __init__(self, radius, shift=(0, 0, 0), start=0.0):
        self.radius, self.shift, self.time, self.keys = radius, shift, start, []

    def key(self, place, normal, height, seconds):
        self.time += seconds
        self.keys.append({"time": round(self.time, 4), "position": [round(p + (self.radius + height) * n + s, 5) for p, n, s in zip(place, normal, self.shift)]})

    def press(self, place, normal, depth, clearance=0.03, drags=(), slow=1.0, hold=0.15):
        self.key(place, normal, clearance, 0.25 if self.keys else 0)
        self.key(place, normal, -depth, 0.3 * slow)
        for drag in drags:
            place = [p + d for p, d in zip(place, drag)]
            self.key(place, normal, -depth, 0.3 * slow)
        self.key(place, normal, -depth, hold)
        self.key(place, normal, clearance, 0.2)

    def collider(self, name, color="#5c6b73"):
        return {"name": name, "shape": "sphere", "radius": self.radius, "friction": 0.5, "color": color, "keys": self.keys}


def recording(touches, **more):
    return {"fine": "fine", "coarse": "coarse", "tools": [{"name": "finger", "shape": "sphere", "radius": FINGER}], "touches": touches, "steps": 4, "settle": 30, **more}


HELD_OUT = [(0.03, 0.1), (0.15, -0.13), (-0.08, 0.19), (-0.12, 0.02), (-0.05, -0.12)]
COMPARED = 0  # the one of them that compare.json shows


def pillow_touches():
    sites = [(0, 0), (0.17, 0.06), (0.12, 0.12), (0.06, 0), (0.12, 0), (0.17, 0.17), (0.06, 0.06), (0.17, 0), (0.12, 0.06), (0.17, 0.12), (0.09, 0.03),
             (0.145, 0.09), (0.09, 0.09)]
    return [{"label": f"{x:g} {z:g}", "at": [x, 0.2, z], "depth": DEPTH, **more}
            for places, more in ((sites, {}), (HELD_OUT, {"held_out": True})) for x, z in places]


LIGHT = [-1, 0.45, 0.4]  # low, so that folds throw shadows
GROUND = {"name": "ground", "shape": "half_space", "position": [0, -0.045, 0]}
STILL = {"gravity": [0, 0, 0]}
PRESSES = [(0, 0), (0.1, 0.03), (-0.07, 0.12), (0.16, -0.1), (-0.15, -0.14), (0.03, -0.17), (-0.18, 0.05), (0.13, 0.15)]
BLUE, RED, GREEN = "#3d78b8", "#c8553d", "#4f9d69"


def pillow_scenes():
    meshes = {"pillow": {"triangles": 18000, "shape": PILLOW}}
    write("detail-pillow", "recipe.json", {
        "name": "detail-pillow-recipe", "description": "A fine pillow with a cover that folds and a coarse one, pressed by a finger at thirteen places of one eighth; five more judge the examples.",
        **STILL, "time": {"step": 0.05, "frames": 2}, "meshes": meshes,
        "bodies": [body("fine", "pillow", 0.03, [-1, 0, 0], -0.03), body("coarse", "pillow", 0.06, [1, 0, 0], -0.03), cover("pillow", 0.0386, 0.0109, 2.6e5)],
        "recording": recording(pillow_touches(), skin="skin", skin_stiffness=2.6e5, window_radius=0.1, stamp_radius=0.5, stamp_resolution=128, stamp_border=0.08, mirror=True)})

    def write_scene(name, file, description, kinds, frames, presses=PRESSES, hold=0.15):
        ways = [Way(FINGER, (x, 0, 0)) for x, *_ in kinds]
        for way in ways:
            for x, z in presses:
                way.press(*pillow_top(x, z), DEPTH, hold=hold)
        bodies = [body(kind, "pillow", cell, [x, 0, 0], -0.03, color=color, **({"detail": {"set": "pillow.pldetail", "tools": [f"finger-{kind}"]}} if kind == "enriched" else {}))
                  for x, kind, cell, color in kinds if kind != "fine"]
        # The fine body is what was recorded: nothing else has a skin.
        bodies += [{"name": kind, "mesh": "pillow", "method": "kinematic", "position": [x, 0, 0], "color": color, "kinematic": {"cache": "fine.pc2", "frame_rate": 1 / 0.3}}
                   for x, kind, cell, color in kinds if kind == "fine"]
        write(name, file, {"name": name, "description": description, **STILL, "time": {"step": 1 / 60, "frames": frames}, "meshes": meshes, "bodies": bodies,
                           "colliders": [GROUND] + [{**way.collider(f"finger-{kind}"), **({"visible": False} if len(kinds) == 3 else {})} for way, (_, kind, *_) in zip(ways, kinds)],
                           "camera": {"eye": [0, 0.85, 1.0], "target": [0, 0.02, 0.02], "field_of_view": 34 if len(kinds) == 2 else 38, "light": LIGHT}})

    write_scene("detail-pillow", "scene.json", "A finger presses a pillow at eight places. Left the coarse simulation alone, right with dents from thirteen recorded examples.",
          [(-0.3, "coarse", 0.06, BLUE), (0.3, "enriched", 0.06, RED)], 420)
    write_scene("detail-pillow", "compare.json", "Coarse and enriched simulation next to the fine pillow with its cover, pressed where no example was recorded by fingers that are not drawn.",
          [(-0.58, "coarse", 0.06, BLUE), (0, "enriched", 0.06, RED), (0.58, "fine", 0.025, GREEN)], 60, [HELD_OUT[COMPARED]], hold=1)

    half = 0.5
    way = Way(FINGER * half)
    for x, z in PRESSES:
        way.press(*pillow_top(x * half, z * half, half), DEPTH * half, 0.02)
    write("detail-pillow-small", "scene.json", {
        "name": "detail-pillow-small", "description": "A pillow of half the size shows the large pillow's examples at half their size.", **STILL,
        "time": {"step": 1 / 60, "frames": 420}, "meshes": {"pillow": {**meshes["pillow"], "scale": half}},
        "bodies": [body("pillow", "pillow", 0.06 * half, [0, 0, 0], -0.03 * half, color=RED, detail={"set": "../detail-pillow/pillow.pldetail", "scale": half, "reach": 0.0005})],
        "colliders": [{**GROUND, "position": [0, -0.0225, 0]}, way.collider("finger")], "camera": {"eye": [0.12, 0.42, 0.5], "target": [0, 0.01, 0], "field_of_view": 32, "light": LIGHT}})

    ways = [Way(FINGER), Way(FINGER)]
    for shift in (0.13, 0.09, 0.065, 0.045):
        for way, sign in zip(ways, (-1, 1)):
            way.press(*pillow_top(sign * shift, 0.02), DEPTH, slow=1.3)
    write("detail-two-tools", "scene.json", {
        "name": "detail-two-tools", "description": "Two fingers press a pillow at a time, closer together each time; their stamps share the surface and do not add up.", **STILL,
        "time": {"step": 1 / 60, "frames": 260}, "meshes": meshes,
        "bodies": [body("pillow", "pillow", 0.06, [0, 0, 0], -0.03, color=RED, detail={"set": "../detail-pillow/pillow.pldetail"})],
        "colliders": [GROUND, ways[0].collider("left"), ways[1].collider("right")], "camera": {"eye": [0.25, 0.8, 0.9], "target": [0, 0.02, 0], "field_of_view": 32, "light": LIGHT}})

    way = Way(FINGER)
    for x, z in ((0, 0), (0.06, 0.03), (-0.05, 0.08), (0.09, -0.06), (-0.08, -0.08)):
        way.press([x, 0.1, z], [0, 1, 0], DEPTH)
    for y, x in ((0.04, 0.0), (0.06, 0.06)):
        way.press([x, y, 0.18], [0, 0, 1], DEPTH)
    write("detail-cube", "scene.json", {
        "name": "detail-cube", "description": "A block shows the pillow's examples on its top and on its side.", **STILL, "time": {"step": 1 / 60, "frames": 380},
        "meshes": {"cube": {"triangles": 9000, "shape": {"kind": "box", "size": [0.36, 0.2, 0.36], "radius": 0.03}}},
        "bodies": [body("cube", "cube", 0.06, [0, 0, 0], -0.08, color=RED, detail={"set": "../detail-pillow/pillow.pldetail"})],
        "colliders": [{**GROUND, "position": [0, -0.1, 0]}, way.collider("finger")], "camera": {"eye": [0.35, 0.55, 0.85], "target": [0, 0.0, 0], "field_of_view": 32, "light": LIGHT}})


# --- skin ------------------------------------------------------------------------------------------------------------

SKIN_DEPTH, SKIN_DRAG = 0.012, 0.03


def skin_scenes():
    meshes = {"skin": {"triangles": 18000, "shape": {"kind": "box", "size": [0.32, 0.06, 0.32], "radius": 0.012}}}
    soft = fem(young=8000, poisson=0.3, friction=2)
    touches = []
    for x, z in ((0, 0), (0.06, 0), (0.09, 0.09)):
        touches.append({"label": f"press {x:g} {z:g}", "at": [x, 0.03, z], "toward": [0, -1, 0], "depth": SKIN_DEPTH})
        for degrees in ((0,) if x == 0 else (0, 120, 240)):
            c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
            touches.append({"label": f"drag {x:g} {z:g} to {degrees}", "at": [x, 0.03, z], "toward": [0, -1, 0], "depth": SKIN_DEPTH,
                            "drag": [round(SKIN_DRAG * c, 5), 0, round(SKIN_DRAG * s, 5)]})
    for x, z, degrees in ((0.02, -0.03, 30), (-0.06, 0.02, 200)):
        c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        touches.append({"label": f"held out {x:g} {z:g} to {degrees}", "at": [x, 0.03, z], "toward": [0, -1, 0], "depth": SKIN_DEPTH,
                        "drag": [round(SKIN_DRAG * c, 5), 0, round(SKIN_DRAG * s, 5)], "held_out": True})
    tool = {"name": "finger", "shape": "sphere", "radius": 0.025, "friction": 2}
    write("detail-skin", "recipe.json", {
        "name": "detail-skin-recipe", "description": "A fine piece of flesh with a skin that folds and a coarse one, pressed and sheared by a finger that sticks.", **STILL, "time": {"step": 0.05, "frames": 2},
        "meshes": meshes, "bodies": [body("fine", "skin", 0.02, [-1, 0, 0], -0.022, fem=soft), body("coarse", "skin", 0.0267, [1, 0, 0], -0.022, fem=soft),
                                     cover("skin", 0.028, 0.0092, 4.6e5, friction=2)],
        "recording": {**recording(touches, skin="skin", skin_stiffness=4.6e5, window_radius=0.03, stamp_radius=0.2, stamp_resolution=88, stamp_border=0.1, mirror=True), "tools": [tool],
                      "steps": 6}})
    ways = [Way(0.025, (x, 0, 0)) for x in (-0.19, 0.19)]
    for way in ways:
        for x, z, degrees in ((0, 0, 0), (0.02, 0.03, 130), (-0.05, -0.02, 250), (0.06, -0.04, 60)):
            c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
            way.press([x, 0.03, z], [0, 1, 0], SKIN_DEPTH, drags=[(SKIN_DRAG * c, 0, SKIN_DRAG * s), (-2 * SKIN_DRAG * c, 0, -2 * SKIN_DRAG * s)], slow=1.2)
    write("detail-skin", "scene.json", {
        "name": "detail-skin", "description": "A finger that sticks, and is not drawn, shears skin to and fro. Left the coarse simulation alone, right with recorded detail.", **STILL,
        "time": {"step": 1 / 60, "frames": 360}, "meshes": meshes,
        "bodies": [body("coarse", "skin", 0.0267, [-0.19, 0, 0], -0.022, color="#e0a886", fem=soft),
                   body("enriched", "skin", 0.0267, [0.19, 0, 0], -0.022, color="#e0a886", fem=soft, detail={"set": "skin.pldetail", "tools": ["finger-enriched"]})],
        "colliders": [{**GROUND, "position": [0, -0.03, 0]}] + [{**way.collider(name), "friction": 2, "visible": False} for way, name in zip(ways, ("finger-coarse", "finger-enriched"))],
        "camera": {"eye": [0, 0.5, 0.42], "target": [0, 0.0, 0.01], "field_of_view": 36, "light": [-1, 0.35, 0.3]}})


# --- meniscus --------------------------------------------------------------------------------------------------------

RIM = 0.105  # where the thin rim is probed, from the middle
MENISCUS_DEPTH = 0.02


def meniscus(side):
    """A wedge around the middle, thin inside, open towards -z; one horn is slimmer than the other. `side` -1 is the mirror image."""
    inside = [[0.092, 0.007], [0.089, 0], [0.092, -0.007]]
    outside = [[round(0.19 + 0.03 * math.cos(a), 5), round(0.045 * math.sin(a), 5)] for a in (math.radians(d) for d in range(-90, 91, 15))]
    parts = [{"kind": "revolved", "outline": inside + [[0.13, -0.0145]] + outside + [[0.13, 0.0145]]},
             {"kind": "box", "size": [0.2, 0.3, 0.4], "position": [0, 0, -0.26]},
             {"kind": "ellipsoid", "size": [0.05, 0.2, 0.1], "position": [side * 0.085, 0, -0.13]}]
    return {"triangles": 14000, "shape": {"kind": "difference", "smoothness": 0.004, "children": parts}}


def rim_position(degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return [round(RIM * c, 5), 0.0105, round(RIM * s, 5)]


def meniscus_scenes():
    material = fem(young=30000, poisson=0.2)
    touches = [{"label": f"rim {degrees}", "at": rim_position(degrees), "toward": [0, -1, 0], "depth": MENISCUS_DEPTH} for degrees in (-12, 20, 52, 85, 120, 158, 195)]
    touches += [{"label": f"held out {degrees}", "at": rim_position(degrees), "toward": [0, -1, 0], "depth": MENISCUS_DEPTH, "held_out": True} for degrees in (0, 70, 140, 180)]
    tool = {"name": "probe", "shape": "sphere", "radius": 0.015, "friction": 0.3}
    meshes = {"meniscus": meniscus(1)}
    write("detail-meniscus", "recipe.json", {
        "name": "detail-meniscus-recipe", "description": "A fine meniscus with a cover that folds and a coarse one, probed at seven places of the thin rim; four more judge the examples.", **STILL,
        "time": {"step": 0.05, "frames": 2}, "meshes": meshes,
        "bodies": [body("fine", "meniscus", 0.0115, [-1, 0, 0], -0.022, fem=material), body("coarse", "meniscus", 0.02, [1, 0, 0], -0.022, fem=material),
                   cover("meniscus", 0.02, 0.0115, 1.4e6)],
        "recording": {**recording(touches, skin="skin", skin_stiffness=1.4e6, window_radius=0.04, stamp_radius=0.21, stamp_resolution=88, stamp_border=0.1, mirror=True), "tools": [tool]}})

    def write_scene(name, mesh, description, degrees, set_file, **more):
        ways = [Way(0.015, (x, 0, 0)) for x in (-0.27, 0.27)]
        for way in ways:
            for d in degrees:
                way.press(rim_position(d), [0, 1, 0], MENISCUS_DEPTH)
        bodies = [body(kind, "meniscus", 0.02, [x, 0, 0], -0.022, fem=material, color=color, **({"tets": more} if more else {}),
                       **({"detail": {"set": set_file, "tools": ["probe-enriched"]}} if kind == "enriched" else {}))
                  for x, kind, color in ((-0.27, "coarse", BLUE), (0.27, "enriched", RED))]
        write(name, "scene.json", {"name": name, "description": description, **STILL, "time": {"step": 1 / 60, "frames": 54 * len(degrees)}, "meshes": {"meniscus": mesh}, "bodies": bodies,
                                   "colliders": [{**GROUND, "position": [0, -0.046, 0]}] + [w.collider(f"probe-{k}") for w, k in zip(ways, ("coarse", "enriched"))],
                                   "camera": {"eye": [0, 0.52, 0.62], "target": [0, 0, 0.03], "field_of_view": 44, "light": LIGHT}})

    write_scene("detail-meniscus", meniscus(1), "A probe presses the thin rim of a meniscus. Left the coarse simulation alone, right with seven recorded examples.",
          (5, 35, 70, 100, 140, 180), "meniscus.pldetail")
    write_scene("detail-meniscus-mirror", meniscus(-1), "The mirror image of the meniscus shows the same seven examples.", (0, 40, 80, 110, 145, 175), "../detail-meniscus/meniscus.pldetail")
    write_scene("detail-meniscus-cut", meniscus(1), "A meniscus with a cut through its rim: the same examples end at the cut.", (76, 102, 84, 96, 40, 140),
          "../detail-meniscus/meniscus.pldetail", cuts=[{"hilts": [[0, -0.2, 0], [0, -0.2, 0.15]], "tips": [[0, 0.2, 0], [0, 0.2, 0.15]]}])


# --- foam, from captured geometry -----------------------------------------------------------------------------------

FOAM_TOP, FOAM_DEPTH, FOAM_FINGER = 0.04, 0.022, 0.04
FOAM_PLACES = [(0, 0), (0.05, 0), (0.1, 0), (0.05, 0.05), (0.1, 0.05), (0.1, 0.1)]
FOAM_HELD_OUT = (0.075, 0.03)
FOAM_MESHES = {"foam": {"triangles": 9000, "shape": {"kind": "box", "size": [0.3, 0.08, 0.3], "radius": 0.012}}}


def foam_finger(name, x, z, **more):
    up, down = FOAM_TOP + FOAM_FINGER + 0.01, FOAM_TOP + FOAM_FINGER - FOAM_DEPTH
    return {"name": name, "shape": "sphere", "radius": FOAM_FINGER, "friction": 0.5, "keys": [{"time": 0, "position": [x, up, z]}, {"time": 1, "position": [x, down, z]}], **more}


def foam_file(place):
    return "dent-%g-%g.ply" % tuple(1000 * c for c in place)


def foam_scenes():
    material = fem(young=30000, poisson=0.1)
    write("detail-captured", "filmed.json", {
        "name": "detail-captured-filmed", "description": "A piece of foam, pressed by a ball of glass that depth cameras see through.", **STILL,
        "time": {"step": 1 / 40, "frame_rate": 10, "frames": 15}, "meshes": FOAM_MESHES, "bodies": [body("foam", "foam", 0.015, [0, 0, 0], -0.03, fem=material)],
        "colliders": [foam_finger("finger", *FOAM_HELD_OUT, visible=False)], "camera": {"eye": [0.2, 0.4, 0.5], "target": [0, 0, 0], "field_of_view": 40, "light": LIGHT}})
    touches = [{"label": "%g %g" % place, "at": [place[0], FOAM_TOP, place[1]], "toward": [0, -1, 0], "depth": FOAM_DEPTH, "surface": foam_file(place),
                **({"held_out": True} if place == FOAM_HELD_OUT else {})} for place in FOAM_PLACES + [FOAM_HELD_OUT]]
    tool = {"name": "finger", "shape": "sphere", "radius": FOAM_FINGER, "friction": 0.5}
    write("detail-captured", "recipe.json", {
        "name": "detail-captured-recipe", "description": "Dents that were captured by depth cameras; the coarse body is pressed in the same way.", **STILL,
        "time": {"step": 0.05, "frames": 2}, "meshes": FOAM_MESHES, "bodies": [body("coarse", "foam", 0.05, [0, 0, 0], -0.03, fem=material)],
        "recording": {"coarse": "coarse", "tools": [tool], "window_radius": 0.05, "stamp_radius": 0.12, "stamp_resolution": 64, "stamp_border": 0.1, "mirror": True, "steps": 6, "touches": touches}})
    x, z = FOAM_HELD_OUT
    kinds = ((-0.34, "coarse", BLUE), (0, "enriched", RED), (0.34, "captured", GREEN))
    bodies = [body(kind, "foam", 0.05, [at, 0, 0], -0.03, fem=material, color=color,
                   **({"detail": {"set": "foam.pldetail", "tools": ["finger-enriched"]}} if kind == "enriched" else {})) for at, kind, color in kinds if kind != "captured"]
    bodies += [{"name": kind, "mesh": "foam", "method": "kinematic", "position": [at, 0, 0], "color": color, "kinematic": {"cache": "captured.pc2", "frame_rate": 1}}
               for at, kind, color in kinds if kind == "captured"]
    write("detail-captured", "scene.json", {
        "name": "detail-captured", "description": "Foam pressed where nothing was filmed: coarse, with six dents captured by depth cameras, and as it was captured there.", **STILL,
        "time": {"step": 1 / 60, "frames": 90}, "meshes": FOAM_MESHES, "bodies": bodies,
        "colliders": [{**GROUND, "position": [0, -0.04, 0]}] + [foam_finger(f"finger-{kind}", at + x, z, visible=False) for at, kind, _ in kinds],
        "camera": {"eye": [0, 0.55, 0.62], "target": [0, 0, 0.01], "field_of_view": 47, "light": LIGHT}})


def cache_of(path):
    """Frames of a PC2 file."""
    data = path.read_bytes()
    points, = struct.unpack_from("<i", data, 16)
    frames, = struct.unpack_from("<i", data, 28)
    return [struct.unpack_from(f"<{3 * points}f", data, 32 + 12 * points * k) for k in range(frames)]


def write_points(path, points):
    """A binary PLY file without faces."""
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points) // 3}\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
    path.write_bytes(head.encode() + struct.pack(f"<{len(points)}f", *points))


def film(tool, folder):
    """What cameras see of the foam at every place becomes the surfaces of the recipe."""
    for place in FOAM_PLACES + [FOAM_HELD_OUT]:
        with tempfile.TemporaryDirectory() as scratch:
            film, track = pathlib.Path(scratch) / "film", pathlib.Path(scratch) / "track"
            moves = [option for k, key in enumerate(foam_finger("", *place)["keys"]) for option in ("--set", f"colliders[0].keys[{k}].position={json.dumps(key['position'])}")]
            subprocess.run([tool, "sense", folder / "filmed.json", "-o", film, "--cameras", "4", "--elevation", "55", "--rate", "10", "--size", "320x240",
                            "--noise", "0.0003", "--quantum", "0.0003", "--outliers", "0.01", *moves], check=True)
            subprocess.run([tool, "track", film, film / "static.vtu", "--surface", film / "surface.ply", "--hold", film / "held.csv", "-o", track,
                            "--young", "300", "--poisson", "0.1", "--density", "50", "--noise", "0.001", "--detail", "0.002", "--max-points", "80000"], check=True)
            frames = cache_of(track / "track_surface.pc2")
            write_points(folder / foam_file(place), frames[-1])
            if place == FOAM_HELD_OUT:
                write_cache(folder / "captured.pc2", [frames[0], frames[-1], frames[-1]])


def points_of(path):
    """Points of a binary PLY file with doubles, as `pliant detail record --surfaces` writes it."""
    head, data = path.read_bytes().split(b"end_header\n", 1)
    count = next(int(line.split()[2]) for line in head.decode().split("\n") if line.startswith("element vertex"))
    return struct.unpack_from(f"<{3 * count}d", data)


def write_cache(path, frames):
    """A PC2 file."""
    with open(path, "wb") as out:
        out.write(b"POINTCACHE2\0" + struct.pack("<iiffi", 1, len(frames[0]) // 3, 0, 1, len(frames)))
        for points in frames:
            out.write(struct.pack(f"<{len(points)}f", *points))


def record():
    tool = os.environ.get("PLIANT", str(ROOT / "build/pliant"))
    film(tool, ROOT / "scenes/detail-captured")
    for name, set_name in (("pillow", "pillow"), ("skin", "skin"), ("meniscus", "meniscus"), ("captured", "foam")):
        folder = ROOT / "scenes" / f"detail-{name}"
        with tempfile.TemporaryDirectory() as scratch:
            prefix = pathlib.Path(scratch) / name
            done = subprocess.run([tool, "detail", "record", str(folder / "recipe.json"), "-o", str(folder / f"{set_name}.pldetail"), "--surfaces", str(prefix)])
            if done.returncode not in (0, 3):
                sys.exit(done.returncode)
            if name == "pillow":
                number = len(pillow_touches()) - len(HELD_OUT) + COMPARED
                write_cache(folder / "fine.pc2", [points_of(prefix.with_name(f"{name}-rest.ply")), points_of(prefix.with_name(f"{name}-{number:02d}-fine.ply"))])


def main():
    pillow_scenes()
    skin_scenes()
    meniscus_scenes()
    foam_scenes()
    if "--record" in sys.argv[1:]:
        record()


if __name__ == "__main__":
    main()
