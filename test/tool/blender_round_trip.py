"""Runs inside Blender: exports an object with shape keys, textures and painted weights, and compares what comes back from a run with it. See
test_blender_round_trip.sh.

blender -b --python blender_round_trip.py -- export    writes ball.glb
blender -b --python blender_round_trip.py -- compare   reads ball.glb, run/ball.glb and run/ball.pc2
"""
import struct
import sys

import bpy
import numpy

# Blender 3.4 of Debian 12 has an importer of glTF that asks for this old name, and a numpy that no longer has it.
if "bool" not in numpy.__dict__:
    numpy.bool = bool

FRAME_RATE = 24
TOLERANCE = 1e-5  # metres: both sides have 32-bit numbers


def fail(text):
    raise SystemExit(f"not ok {text}")


def clear():
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()


def make_ball():
    """An object with everything that must survive: placement, smooth and flat faces, UV seams, two materials with a texture, a shape key, colours,
    vertex numbers and a property."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=16, ring_count=10, radius=0.3, location=(0.2, 0.1, 1.0), rotation=(0.3, 0.2, 0.1))
    ball = bpy.context.object
    ball.name = "Ball"
    ball.scale = (1, 1.3, 0.8)
    ball["softness"] = 3.5
    mesh = ball.data
    for polygon in mesh.polygons:
        polygon.use_smooth = polygon.index % 5 != 0
        polygon.material_index = polygon.index % 2
    ball.shape_key_add(name="Basis")
    squash = ball.shape_key_add(name="squash")
    for i, vertex in enumerate(mesh.vertices):
        squash.data[i].co = (vertex.co.x * 1.3, vertex.co.y * 1.3, vertex.co.z * 0.6)
    picture = bpy.data.images.new("checks", 16, 16)
    picture.generated_type = "COLOR_GRID"
    picture.pack()
    for name in "red", "blue":
        material = bpy.data.materials.new(name)
        material.use_nodes = True
        texture = material.node_tree.nodes.new("ShaderNodeTexImage")
        texture.image = picture
        material.node_tree.links.new(texture.outputs[0], material.node_tree.nodes["Principled BSDF"].inputs[0])
        mesh.materials.append(material)
    mesh.color_attributes.new("paint", "FLOAT_COLOR", "POINT")
    mesh.attributes.new("_VERTEX_ID", "FLOAT", "POINT")
    mesh.attributes.new("top", "FLOAT", "POINT")
    for i, vertex in enumerate(mesh.vertices):
        mesh.color_attributes["paint"].data[i].color = (1 if vertex.co.z > 0.2 else 0, 0.5, 0, 1)
        mesh.attributes["_VERTEX_ID"].data[i].value = i
        mesh.attributes["top"].data[i].value = 1 if vertex.co.z > 0.29 else 0
    return ball


def read_frames(path):
    data = open(path, "rb").read()
    points, _, _, frames = struct.unpack_from("<iffi", data, 16)
    numbers = numpy.frombuffer(data, "<f4", 3 * points * frames, 32).reshape(frames, points, 3).astype(float)
    # +Y up to +Z up: a quarter turn around X.
    return numpy.stack([numbers[..., 0], -numbers[..., 2], numbers[..., 1]], axis=-1)


def shown(thing):
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return numpy.array([tuple(evaluated.matrix_world @ vertex.co) for vertex in evaluated.to_mesh().vertices])


def import_gltf(path):
    bpy.ops.import_scene.gltf(filepath=path)
    return next(thing for thing in bpy.context.selected_objects if thing.type == "MESH")


def uvs(mesh):
    values = numpy.empty(2 * len(mesh.loops), dtype=numpy.float32)
    mesh.uv_layers[0].data.foreach_get("uv", values)
    return values


def normals(mesh):
    mesh.calc_normals_split()
    values = numpy.empty(3 * len(mesh.loops), dtype=numpy.float32)
    mesh.loops.foreach_get("normal", values)
    return values


def check_near(claim, a, b, tolerance=TOLERANCE):
    if a.shape != b.shape:
        fail(f"{claim}: {a.shape} for {b.shape}")
    worst = float(numpy.abs(a - b).max())
    if not worst <= tolerance:
        fail(f"{claim}: {worst} off")
    print(f"ok {claim} ({worst:.1e})", flush=True)


def check_equal(claim, a, b):
    if a != b:
        fail(f"{claim}: {a!r} for {b!r}")
    print(f"ok {claim}", flush=True)


def export():
    clear()
    make_ball()
    bpy.ops.export_scene.gltf(filepath="ball.glb", export_extras=True, export_attributes=True)


def compare():
    frames = read_frames("run/ball.pc2")
    bpy.context.scene.render.fps = FRAME_RATE
    clear()
    source = import_gltf("ball.glb")
    rest = shown(source)
    wanted = (len(source.data.vertices), [tuple(p.vertices) for p in source.data.polygons], [p.material_index for p in source.data.polygons])
    wanted_uvs, wanted_normals = uvs(source.data), normals(source.data)
    wanted_materials = [material.name for material in source.data.materials]
    wanted_picture = [node.image.size[:] for node in source.data.materials[0].node_tree.nodes if node.type == "TEX_IMAGE"]
    clear()
    for material in list(bpy.data.materials):
        bpy.data.materials.remove(material)
    back = import_gltf("run/ball.glb")
    check_equal("count and order of vertices, faces and materials", (len(back.data.vertices), [tuple(p.vertices) for p in back.data.polygons], [p.material_index for p in back.data.polygons]), wanted)
    check_equal("names of object, property and materials", (back.name.split(".")[0], back["softness"], [m.name for m in back.data.materials]), ("Ball", 3.5, wanted_materials))
    check_equal("texture", [node.image.size[:] for node in back.data.materials[0].node_tree.nodes if node.type == "TEX_IMAGE"], wanted_picture)
    check_near("texture coordinates", uvs(back.data), wanted_uvs, 0)
    check_near("normals at the start", normals(back.data), wanted_normals, 2e-3)  # Blender rounds them to 16 bits
    animation = back.data.shape_keys.animation_data
    action = animation.action or animation.nla_tracks[0].strips[0].action
    start = round(action.frame_range[0])
    bpy.context.scene.frame_set(start)
    check_near("start of the GLB is where the object was", shown(back), rest)
    # Vertices of the file are those of Blender's own mesh, split along seams.
    own = make_ball()
    at_rest = shown(own)
    number = numpy.array([int(numpy.argmin(((at_rest - p) ** 2).sum(axis=1))) for p in rest])
    check_equal("points are those of Blender's own mesh", frames.shape[1], len(at_rest))
    check_near("start of the PC2 is where the object was", frames[0], at_rest)
    for i, frame in enumerate(frames):
        bpy.context.scene.frame_set(start + i)
        points = shown(back)
        if numpy.abs(points - frame[number]).max() > TOLERANCE:
            fail(f"frame {i} of GLB and PC2 differ by {numpy.abs(points - frame[number]).max()}")
    print("ok GLB and PC2 are the same motion", flush=True)
    if not frames[-1][:, 2].mean() < frames[0][:, 2].mean() - 0.1:
        fail("the ball did not fall along Blender's z")
    print("ok upright", flush=True)
    # On Blender's own object, as it is before the export: in its place, with its shape keys gone and the transform applied.
    own.shape_key_clear()
    bpy.context.view_layer.objects.active = own
    bpy.ops.object.transform_apply(location=True, rotation=True, scale=True)
    cache = own.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format, cache.time_mode, cache.frame_start = "PC2", "FRAME", start
    cache.filepath = bpy.path.abspath("run/ball.pc2")
    cache.forward_axis, cache.up_axis = "POS_Z", "NEG_Y"
    for i, frame in enumerate(frames):
        bpy.context.scene.frame_set(start + i)
        if numpy.abs(shown(own) - frame).max() > TOLERANCE:
            fail(f"frame {i} of the Mesh Cache is {numpy.abs(shown(own) - frame).max()} off")
    print("ok Mesh Cache on Blender's own object", flush=True)


{"export": export, "compare": compare}[sys.argv[-1]]()
print("ok done", flush=True)
