"""Runs inside Blender: does what "In Blender" of docs/formats.md says and compares every frame with the PC2 file. See test_blender.sh.

blender -b --python follow_blender_recipe.py -- docs/formats.md    in a folder with own.obj, own.glb, run/first.pc2 and run/first.glb
"""
import re
import struct
import sys

import bpy
import numpy

# Blender 3.4 of Debian 12 has an importer of glTF that asks for this old name, and a numpy that no longer has it.
if "bool" not in numpy.__dict__:
    numpy.bool = bool

FRAME_RATE = 50  # of small_scene.sh
START_FRAME = 3  # any number
TOLERANCE = 1e-5  # metres: both sides have 32-bit numbers

# The axes are taken from the page, so that what it says is what is tried.
page = open(sys.argv[sys.argv.index("--") + 1], encoding="utf-8").read()
axes = re.search(r"\*\*Forward Axis\*\* (−?[XYZ]) and \*\*Up Axis\*\* (−?[XYZ])", page)
forward, up = (("NEG_" if axis.startswith("−") else "POS_") + axis[-1] for axis in axes.groups())


def read_frames(path):
    data = open(path, "rb").read()
    points, _, _, frames = struct.unpack_from("<iffi", data, 16)
    numbers = struct.unpack_from(f"<{3 * points * frames}f", data, 32)
    # +Y up to +Z up: a quarter turn around X.
    turned = [(numbers[i], -numbers[i + 2], numbers[i + 1]) for i in range(0, len(numbers), 3)]
    return [turned[f * points : (f + 1) * points] for f in range(frames)]


def shown_points(thing):
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [tuple(evaluated.matrix_world @ vertex.co) for vertex in evaluated.to_mesh().vertices]


def check(claim, thing, frames, first_frame):
    for number, wanted in enumerate(frames):
        bpy.context.scene.frame_set(first_frame + number)
        shown = shown_points(thing)
        if len(shown) != len(wanted):
            raise SystemExit(f"not ok {claim}: {len(shown)} vertices for {len(wanted)} points")
        worst = max(abs(a - b) for p, q in zip(shown, wanted) for a, b in zip(p, q))
        if worst > TOLERANCE:
            raise SystemExit(f"not ok {claim}: frame {number} is {worst} m off")
    print(f"ok {claim}", flush=True)


def clear():
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()


def imported():
    return next(thing for thing in bpy.context.selected_objects if thing.type == "MESH")


def import_obj(path):
    # Blender 3.3 and newer have an importer of their own, older ones an add-on.
    if hasattr(bpy.ops.wm, "obj_import"):
        bpy.ops.wm.obj_import(filepath=path)
    else:
        bpy.ops.import_scene.obj(filepath=path, split_mode="OFF")
    return imported()


def import_gltf(path):
    bpy.ops.import_scene.gltf(filepath=path)
    return imported()


def add_mesh_cache(thing):
    bpy.context.view_layer.objects.active = thing
    bpy.ops.object.transform_apply(location=True, rotation=True, scale=True)
    cache = thing.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format = "PC2"
    cache.filepath = bpy.path.abspath("run/first.pc2")
    cache.time_mode = "FRAME"
    cache.frame_start = START_FRAME
    cache.forward_axis = forward
    cache.up_axis = up


frames = read_frames("run/first.pc2")
assert len(frames) > 5
bpy.context.scene.render.fps = FRAME_RATE
for load, path in (import_obj, "own.obj"), (import_gltf, "own.glb"):
    clear()
    thing = load(path)
    add_mesh_cache(thing)
    check(f"Mesh Cache on {path}", thing, frames, START_FRAME)
clear()
thing = import_gltf("run/first.glb")
first = thing.data.shape_keys.animation_data
# Imported animations are put on a track; either way they begin at the frame of time 0.
action = first.action or first.nla_tracks[0].strips[0].action
check("first.glb by itself", thing, frames, round(action.frame_range[0]))
