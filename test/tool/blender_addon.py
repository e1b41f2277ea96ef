"""Runs inside Blender: from an empty scene to a baked cache with the add-on, and the mistakes that artists make. See test_blender_addon.sh.

blender -b --python blender_addon.py -- ADDON.zip PROGRAM
"""
import json
import math
import os
import struct
import sys
import time

import bpy
from mathutils import Vector

ZIP, PROGRAM = sys.argv[sys.argv.index("--") + 1 :][:2]
TOLERANCE = 1e-5  # metres: both sides have 32-bit numbers
FRAMES = 30


def ok(claim):
    print(f"ok {claim}", flush=True)


def fail(text):
    raise SystemExit(f"not ok {text}")


def expect_error(claim, words):
    """A bake must fail with an error that has these words."""
    try:
        result = bpy.ops.pliant.bake()
    except RuntimeError as error:
        if words not in str(error):
            fail(f"{claim}: {error}")
        ok(claim)
        return
    fail(f"{claim}: no error but {result}")


def shown(thing):
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [evaluated.matrix_world @ v.co for v in evaluated.to_mesh().vertices]


def world_rest(thing):
    keys = thing.data.shape_keys
    points = [p.co for p in keys.key_blocks[0].data] if keys else [v.co for v in thing.data.vertices]
    return [thing.matrix_world @ p for p in points]


def farthest(a, b):
    if len(a) != len(b):
        fail(f"{len(a)} points for {len(b)}")
    return max((p - q).length for p, q in zip(a, b))


def read_world(path):
    """Frames of a run, turned to Blender's axes."""
    data = open(path, "rb").read()
    points, _, _, frames = struct.unpack_from("<iffi", data, 16)
    n = struct.unpack_from(f"<{3 * points * frames}f", data, 32)
    all_points = [Vector((n[i], -n[i + 2], n[i + 1])) for i in range(0, len(n), 3)]
    return [all_points[points * f : points * (f + 1)] for f in range(frames)]


# --- installed from the zip, from an empty scene ---
bpy.ops.preferences.addon_install(filepath=ZIP)
bpy.ops.preferences.addon_enable(module="pliant_blender")
preferences = bpy.context.preferences.addons["pliant_blender"].preferences
from pliant_blender import export, files, operators, preview, program, properties  # noqa: E402

bpy.ops.object.select_all(action="SELECT")
bpy.ops.object.delete()
scene = bpy.context.scene
scene.frame_start, scene.frame_end = 5, 5 + FRAMES - 1
scene.render.fps = 25
bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath("test.blend"))
ok("add-on installed from its zip")

# --- mistakes before anything is there ---
preferences.program = "/nowhere/pliant"
expect_error("a program that is not there", "There is no program at /nowhere/pliant")
with open("old", "w") as file:
    file.write('#!/bin/sh\necho "pliant 0.0.9"\n')
os.chmod("old", 0o755)
preferences.program = os.path.abspath("old")
expect_error("a program of another version", "the program is too old")
with open("other", "w") as file:
    file.write('#!/bin/sh\necho "something else"\n')
os.chmod("other", 0o755)
preferences.program = os.path.abspath("other")
expect_error("another program", "is not the program pliant")
preferences.program = PROGRAM
expect_error("no soft body", "No object is a soft body")

# --- a soft body with everything ---
bpy.ops.mesh.primitive_cube_add(size=0.6, location=(0.3, -0.2, 1.2), rotation=(0.4, 0.1, 0.7))
cube = bpy.context.object
cube.name = "Soft Cube ä"
cube.scale = (1.2, 0.8, 1)
bpy.ops.object.mode_set(mode="EDIT")
bpy.ops.mesh.subdivide(number_cuts=5)
bpy.ops.object.mode_set(mode="OBJECT")
cube.shape_key_add(name="Basis")
squash = cube.shape_key_add(name="squash")
for point in squash.data:
    point.co.z *= 0.6
bend = cube.shape_key_add(name="bend")
for point in bend.data:
    point.co.x += 0.5 * point.co.z**2
top = cube.vertex_groups.new(name="top")
corner = max(range(len(cube.data.vertices)), key=lambda i: (cube.matrix_world @ cube.data.vertices[i].co).z)
high = (cube.matrix_world @ cube.data.vertices[corner].co).z
held = [v.index for v in cube.data.vertices if (cube.matrix_world @ v.co).z > high - 0.25]
top.add(held, 1.0, "ADD")
subdivision = cube.modifiers.new("Subdivision", "SUBSURF")
subdivision.levels = 0
cube.pliant.enabled = True
cube.pliant.points = 300
cube.pliant.solid.stiffness = 0.25

cube.pliant.pin_group = "tpo"
expect_error("a pin that names no group", "no vertex group called tpo")
cube.pliant.pin_group = ""
scene.frame_end = scene.frame_start
expect_error("a scene of one frame", "one frame only")
scene.frame_end = scene.frame_start + FRAMES - 1
bpy.ops.mesh.primitive_plane_add(location=(3, 0, 1))
plane = bpy.context.object
plane.pliant.enabled = True
expect_error("an open surface as a solid", "is open, so nothing can fill it")
plane.pliant.enabled = False

# --- bake: it falls, in its place, in its order ---
if bpy.ops.pliant.bake() != {"FINISHED"}:
    fail("bake")
document = json.load(open("pliant_cache/Scene/scene.json"))
body = document["bodies"][0]
if body["solid"] != {"stiffness": 0.25, "examples": ["squash", "bend"]}:
    fail(f"parameters and examples: {body['solid']}")
ok("only parameters that were changed are written, shape keys are examples")
cache = cube.modifiers[0]
if (cache.name, cache.type, cube.modifiers[1].name) != ("Pliant", "MESH_CACHE", "Subdivision"):
    fail("the cache is not the first modifier")
ok("the cache is the first modifier")
frames = read_world(f"pliant_cache/Scene/run/{files.safe_name(cube.name)}.pc2")
scene.frame_set(scene.frame_start)
worst = farthest(shown(cube), world_rest(cube))
if worst > TOLERANCE:
    fail(f"the first frame is {worst} m away from the object")
ok(f"the first frame is the object ({worst:.1e} m)")
for i in range(FRAMES):
    scene.frame_set(scene.frame_start + i)
    worst = farthest(shown(cube), frames[i])
    if worst > TOLERANCE:
        fail(f"frame {i} is {worst} m off")
ok("every frame is where Pliant put it")
drop = sum(p.z for p in frames[0]) - sum(p.z for p in frames[-1])
if drop / len(frames[0]) < 0.3 or min(p.z for p in frames[-1]) < -0.01:
    fail("the body does not fall onto the ground")
ok("it falls along Z onto the ground")

# --- bake again, with pins and a collider that stands still ---
cube.pliant.pin_group = "top"
colliders = bpy.data.collections.new("Walls")
scene.collection.children.link(colliders)
bpy.ops.mesh.primitive_uv_sphere_add(radius=0.3, location=(0.3, -0.2, 0.35))
ball = bpy.context.object
colliders.objects.link(ball)
scene.pliant.colliders = colliders
if bpy.ops.pliant.bake() != {"FINISHED"}:
    fail("bake with pins")
if len([m for m in cube.modifiers if m.type == "MESH_CACHE"]) != 1:
    fail("a second bake adds a second cache")
scene.frame_set(scene.frame_end)
end, rest = shown(cube), world_rest(cube)
if (end[corner] - rest[corner]).length > 0.02:
    fail(f"the pin moved by {(end[corner] - rest[corner]).length} m")
if farthest(end, rest) < 0.01:
    fail("what is not held does not move")
ok("a vertex group holds the body")
colliders.objects.link(cube)
expect_error("a soft body among the colliders", "is a soft body and a collider")
colliders.objects.unlink(cube)

# --- a collider that moves ---
cube.pliant.pin_group = ""
ball.location.z = -0.5
ball.keyframe_insert("location", frame=scene.frame_start)
ball.location.z = 1.4
ball.keyframe_insert("location", frame=scene.frame_end)
if export.schema.supports(properties.SCHEMA, "body", "kinematic"):
    scene.gravity = (0, 0, 0)
    scene.pliant.use_ground = False
    if bpy.ops.pliant.bake() != {"FINISHED"}:
        fail("bake with a moving collider")
    scene.frame_set(scene.frame_end)
    if sum(p.z for p in shown(cube)) / len(rest) < sum(p.z for p in rest) / len(rest) + 0.1:
        fail("the moving collider does not push")
    ok("a moving collider pushes")
    scene.gravity = (0, 0, -9.81)
    scene.pliant.use_ground = True
else:
    expect_error("a moving collider without support", "which this version of Pliant does not support")
scene.pliant.colliders = None

# --- live preview: the running program moves the object in the 3D view; stopped, the object is as it was ---
def wait_for(claim, done):
    """Look at what has come, as the timer of a window does, until `done()`."""
    end = time.monotonic() + 600
    while not done():
        if time.monotonic() > end:
            fail(f"{claim}: nothing came")
        if preview.current is None or not preview.current.update():
            fail(f"{claim}: {preview.current and preview.current.problem}")
        time.sleep(0.02)


def kept_of(thing):
    return [tuple(v.co) for v in thing.data.vertices], [(m.name, m.type, m.show_viewport) for m in thing.modifiers], len(thing.data.shape_keys.key_blocks)


scene.frame_set(scene.frame_start)
before, before_shown = kept_of(cube), shown(cube)
rest = world_rest(cube)
height = sum(p.z for p in rest) / len(rest)
if bpy.ops.pliant.preview() != {"FINISHED"} or preview.current is None:
    fail("the preview does not start")
running = preview.current
wait_for("preview", lambda: preview.MODIFIER in cube.modifiers and sum(p.z for p in shown(cube)) / len(rest) < height - 0.2)
if min(p.z for p in shown(cube)) < -0.02 or farthest(shown(cube), rest) > 3:
    fail("the preview is not in its place")
if cube.modifiers[0].name != preview.MODIFIER or cube.modifiers["Pliant"].show_viewport:
    fail("the preview is not what is shown")
ok("the object falls in the 3D view")
fallen = running.step
bpy.ops.pliant.restart_preview()
wait_for("restart", lambda: running.step < fallen and sum(p.z for p in shown(cube)) / len(rest) > height - 0.15)
ok("the preview begins again")
# The newest points of the program are those that are shown, to the precision of the file.
running.viewer.send("pause")
names = {thing.name: name for name, thing in running.written.objects.items()}
wait_for("pause", lambda: running.viewer.step >= 0)
time.sleep(0.3)
running.update()
sent = files.read_frames(running.path_of(names[cube.name]))[0]
if farthest(shown(cube), [cube.matrix_world @ Vector(sent[3 * i : 3 * i + 3]) for i in range(len(rest))]) > TOLERANCE:
    fail("what is shown is not what was sent")
bpy.ops.pliant.preview()
if preview.current is not None or running.viewer.process.poll() is None or os.path.exists(running.path_of(names[cube.name])):
    fail("the preview does not stop")
if kept_of(cube) != before or farthest(shown(cube), before_shown) > 0:
    fail("the object is not as it was before the preview")
ok("stopped, the object is as it was")
bpy.ops.pliant.preview()
wait_for("second preview", lambda: preview.MODIFIER in cube.modifiers)
bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath("test.blend"))
if preview.current is not None or kept_of(cube) != before:
    fail("a saved file has a preview in it")
ok("what is saved has no preview in it")
bpy.ops.pliant.preview()
running = preview.current
running.viewer.process.kill()
running.viewer.process.wait()
running.viewer.reader.join()
if preview.tick() is not None or preview.current is not None or "ended" not in running.problem or kept_of(cube) != before:
    fail(f"a program that dies leaves something behind: {running.problem}")
ok("a program that dies ends the preview")
cube.pliant.solid.stiffness = 0.25
preferences.program = "/nowhere/pliant"
try:
    bpy.ops.pliant.preview()
    fail("a preview without a program")
except RuntimeError as error:
    if "There is no program" not in str(error):
        fail(str(error))
preferences.program = PROGRAM
ok("a preview without a program says so")

# --- an object that is animated itself: the result is in the world ---
cube.keyframe_insert("location", frame=scene.frame_start)
cube.location.x += 1
cube.keyframe_insert("location", frame=scene.frame_end)
if bpy.ops.pliant.bake() != {"FINISHED"}:
    fail("bake of an animated object")
frames = read_world(f"pliant_cache/Scene/run/{files.safe_name(cube.name)}.pc2")
scene.frame_set(scene.frame_end)
worst = farthest(shown(cube), frames[-1])
if worst > TOLERANCE:
    fail(f"the result of an animated object is {worst} m off")
ok("the result of an animated object is in its place")
cube.animation_data_clear()

# --- examples by direction ---
bpy.context.view_layer.objects.active = cube
cube.active_shape_key_index = 1
bpy.ops.pliant.add_view_example(direction=(0, -1, 0))
expect_error("a shape key without a direction", "none for the shape key bend")
cube.active_shape_key_index = 2
bpy.ops.pliant.add_view_example(direction=(1, 0, 0))
export.write(bpy.context, "exported")
driver = json.load(open("exported/scene.json"))["bodies"][0]["driver"]
if driver["kind"] != "view" or [v["direction"] for v in driver["views"]] != [[0, 0, 1], [1, 0, 0]]:
    fail(f"view examples: {driver}")
bpy.ops.pliant.remove_view_example(index=1)
bpy.ops.pliant.remove_view_example(index=0)
cube.active_shape_key_index = 0
try:
    bpy.ops.pliant.add_view_example(direction=(1, 0, 0))
    fail("the rest shape as an example")
except RuntimeError as error:
    if "Make a shape key" not in str(error):
        fail(str(error))
ok("view examples")

# --- maps ---
cube.vertex_groups.active = top
bpy.ops.pliant.add_map()
cube.pliant.maps[0].stiffness = 4
export.write(bpy.context, "exported")
maps = json.load(open("exported/scene.json"))["bodies"][0]["solid"]["maps"]
if maps != [{"group": "top", "stiffness": 4, "density": 1, "fidelity": 1, "plasticity": 1}]:
    fail(f"maps: {maps}")
if bpy.ops.pliant.bake() != {"FINISHED"}:
    fail("bake with a map")
cube.pliant.maps[0].group = "tpo"
expect_error("a map that names no group", "no vertex group called tpo")
bpy.ops.pliant.remove_map(index=0)
ok("a vertex group is a map of stiffness")

# --- a shell, and a rigid body ---
plane.pliant.enabled = True
plane.pliant.method = "fem"
plane.pliant.fem.material = "shell"
plane.pliant.fem.thickness = 0.01
cube.pliant.method = "rigid"
if bpy.ops.pliant.bake() != {"FINISHED"}:
    fail("bake of a shell and a rigid body")
scene.frame_set(scene.frame_end)
if sum(p.z for p in shown(plane)) / 4 > 0.9:
    fail("the shell does not fall")
ok("a shell and a rigid body")
plane.pliant.enabled = False
cube.pliant.method = "solid"

# --- progress and cancel ---
scene.frame_end = 100000
bake = operators.Bake(bpy.context)
seen = 0.0
while seen == 0.0 and not bake.run.done:
    seen = bake.run.progress
if bake.run.done:
    fail(f"the long run ended: {bake.run.lines}")
bake.run.cancel()
if not bake.run.done or bake.run.problem != "cancelled" or os.path.exists(os.path.join(bake.results, "pliant.frames")):
    fail("cancel")
ok("progress and cancel")
scene.frame_end = scene.frame_start + FRAMES - 1

# --- parameters of the project's tables ---
schema = json.load(open(os.path.join(os.path.dirname(properties.__file__), "scene.schema.json")))
for method in properties.schema.METHODS:
    for parameter in properties.PARAMETERS[method]:
        value = getattr(getattr(ball.pliant, method), parameter.key)
        wanted = schema["$defs"][method]["properties"][parameter.key]["default"]
        if isinstance(wanted, float) and not math.isclose(value, wanted, rel_tol=1e-6, abs_tol=1e-30) or isinstance(wanted, (str, bool)) and value != wanted:
            fail(f"default of {method}.{parameter.key}: {value} for {wanted}")
if len(properties.PARAMETERS["solid"]) < 10 or len(properties.PARAMETERS["fem"]) < 15:
    fail("parameters are missing")
ok("parameters have the names and defaults of the project's tables")

bpy.ops.pliant.clear()
if any(m.type == "MESH_CACHE" for m in cube.modifiers):
    fail("clear")
bpy.ops.preferences.addon_disable(module="pliant_blender")
if hasattr(bpy.types.Object, "pliant"):
    fail("disabling leaves something behind")
ok("cleared and disabled")
print("ok done", flush=True)
