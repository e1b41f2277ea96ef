"""A Blender scene as a scene of Pliant: meshes in the order of their vertices, in the world, with +Y up."""
import array
import json
import math
import os

import bpy
from mathutils import Vector

from . import files, properties, schema


class SceneError(Exception):
    """What is wrong with the scene, in words for an artist."""


class Export:
    """What was written: the folder, the scene file, and the objects by the names of their bodies."""

    def __init__(self, folder):
        self.folder = folder
        self.scene_path = os.path.join(folder, "scene.json")
        self.objects = {}
        self.inverses = {}  # by body: for each frame the inverse of the object's placement, or one for all
        self.names = set()

    def name_for(self, thing):
        """A name for the body or collider of an object that is also a name for files, and that no other has."""
        name, number = files.safe_name(thing.name), 1
        while name.lower() in self.names:
            number += 1
            name = f"{files.safe_name(thing.name)}_{number}"
        self.names.add(name.lower())
        return name


def soft_objects(context):
    return [thing for thing in context.view_layer.objects if thing.type == "MESH" and thing.pliant.enabled]


def frames_of(scene):
    return range(scene.frame_start, scene.frame_end + 1)


def frame_rate(scene):
    return scene.render.fps / scene.render.fps_base


def choose_step(rate):
    """A step near 1/240 s that divides a frame."""
    return 1 / (rate * math.ceil(240 / rate - 1e-9))


def is_animated(thing):
    """Whether the object may move or deform: only then are all frames evaluated."""
    while thing is not None:
        data = thing.data if thing.type == "MESH" else None
        keys = data.shape_keys if data is not None else None
        moved = [thing.animation_data, data.animation_data if data else None, keys.animation_data if keys else None]
        deforms = any(m.type not in ("SUBSURF", "TRIANGULATE", "MIRROR", "BEVEL", "SOLIDIFY", "DECIMATE", "REMESH") for m in thing.modifiers)
        if any(moved) or deforms or thing.constraints or thing.rigid_body:
            return True
        thing = thing.parent
    return False


def triangles_of(mesh):
    mesh.calc_loop_triangles()
    return [tuple(t.vertices) for t in mesh.loop_triangles]


def world_points(matrix, coordinates):
    return [files.to_pliant(matrix @ c) for c in coordinates]


def vertex_groups(thing):
    """Weights of all vertices, by vertex group; and the channels of colour attributes."""
    count = len(thing.data.vertices)
    groups = {group.index: (group.name, array.array("f", bytes(4 * count))) for group in thing.vertex_groups}
    for vertex in thing.data.vertices:
        for element in vertex.groups:
            if element.group in groups:
                groups[element.group][1][vertex.index] = min(max(element.weight, 0.0), 1.0)
    found = list(groups.values())
    for colors in thing.data.color_attributes:
        if colors.domain != "POINT":
            continue
        for channel, name in enumerate(("red", "green", "blue", "alpha")):
            weights = array.array("f", (min(max(item.color[channel], 0.0), 1.0) for item in colors.data))
            found.append((f"{colors.name}.{name}", weights))
    return found


def shape_keys(thing):
    """Names and coordinates of the shape keys besides the first, which is the rest shape."""
    keys = thing.data.shape_keys
    if keys is None:
        return []
    return [(key.name, [point.co for point in key.data]) for key in keys.key_blocks[1:] if not key.mute]


def rest_coordinates(thing):
    keys = thing.data.shape_keys
    return [point.co for point in keys.key_blocks[0].data] if keys else [vertex.co for vertex in thing.data.vertices]


def given(thing, method):
    """Parameters of the method that are not at their defaults."""
    settings, values = getattr(thing.pliant, method), {}
    for parameter in properties.PARAMETERS[method]:
        value = getattr(settings, parameter.key)
        if settings.is_property_set(parameter.key) and value != parameter.default:
            values[parameter.key] = value
    return values


def check_object(thing):
    mesh = thing.data
    if thing.mode == "EDIT":
        raise SceneError(f"{thing.name} is in Edit Mode; leave it before the bake")
    if len(mesh.polygons) == 0:
        raise SceneError(f"{thing.name} has no faces to simulate")
    if abs(thing.matrix_world.determinant()) < 1e-12:
        raise SceneError(f"{thing.name} has a scale of zero")
    group = thing.pliant.pin_group
    if group and group not in thing.vertex_groups:
        raise SceneError(f"{thing.name} has no vertex group called {group}, which its pin names")
    if group and not any(element.group == thing.vertex_groups[group].index and element.weight >= 0.5 for v in mesh.vertices for element in v.groups):
        raise SceneError(f"No vertex of {thing.name} has a weight of 0.5 or more in the group {group}, which its pin names")
    for item in thing.pliant.maps if thing.pliant.method == "solid" else ():
        if item.group not in thing.vertex_groups:
            raise SceneError(f"{thing.name} has no vertex group called {item.group}, which a map names")
    names = {key for key, _ in shape_keys(thing)}
    for example in thing.pliant.view_examples:
        if example.key not in names:
            raise SceneError(f"{thing.name} has no shape key called {example.key}, which a view example names")


def is_open(mesh):
    """Whether the surface has too many edges of one face to enclose anything."""
    counts = {}
    for polygon in mesh.polygons:
        for key in polygon.edge_keys:
            counts[key] = counts.get(key, 0) + 1
    return sum(1 for count in counts.values() if count == 1) > 0.05 * max(len(counts), 1)


def add_body(export, document, thing):
    check_object(thing)
    settings, mesh, name = thing.pliant, thing.data, export.name_for(thing)
    matrix = thing.matrix_world.copy()
    poses = shape_keys(thing) if settings.use_examples and settings.method != "rigid" else []
    file = name + ".vtu"
    files.write_mesh(
        os.path.join(export.folder, file),
        world_points(matrix, rest_coordinates(thing)),
        triangles_of(mesh),
        [(key, world_points(matrix, points)) for key, points in poses],
        vertex_groups(thing),
    )
    document["meshes"][name] = {"file": file}
    values = given(thing, settings.method)
    body = {"name": name, "mesh": name, "method": settings.method, settings.method: values}
    shell = settings.method == "fem" and values.get("material") == "shell"
    if settings.method == "rigid":
        values.setdefault("shape", "mesh")
    elif not shell:
        if is_open(mesh):
            raise SceneError(f"{thing.name} is open, so nothing can fill it. Close it, or use the method Finite elements with the material Shell")
        body["tets"] = {"points": settings.points}
    if settings.method == "solid" and len(settings.maps) > 0:
        values["maps"] = [{"group": item.group, **{p.key: getattr(item, p.key) for p in properties.MAP_PARAMETERS}} for item in settings.maps]
    if poses:
        values["examples"] = [key for key, _ in poses]
    if len(settings.view_examples) > 0 and poses:
        views = {example.key: example for example in settings.view_examples}
        missing = [key for key, _ in poses if key not in views]
        if missing:
            raise SceneError(f"{thing.name} has view examples, but none for the shape key {missing[0]}; add one, or mute the shape key")
        body["driver"] = {
            "kind": "view",
            "views": [{"direction": list(files.to_pliant(views[key].direction)), "extent": views[key].extent} for key, _ in poses],
        }
    if settings.pin_group:
        body["pins"] = [{"group": settings.pin_group, **({"stiffness": settings.pin_stiffness} if settings.pin_stiffness > 0 else {})}]
    if settings.method == "rigid" and settings.pin_group:
        raise SceneError(f"{thing.name} is rigid, and rigid bodies have no pins")
    document["bodies"].append(body)
    export.objects[name] = thing
    export.inverses[name] = [matrix.inverted()]


def evaluated_points(context, thing):
    """Points of an object as it is shown, with all its modifiers, and its triangles."""
    evaluated = thing.evaluated_get(context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    points, triangles = world_points(evaluated.matrix_world, [v.co for v in mesh.vertices]), triangles_of(mesh)
    evaluated.to_mesh_clear()
    return points, triangles


def add_collider(context, export, document, thing, moving):
    points, triangles = evaluated_points(context, thing)
    if not triangles:
        raise SceneError(f"The collider {thing.name} has no faces")
    name = file = export.name_for(thing)
    friction = context.scene.pliant.friction
    files.write_mesh(os.path.join(export.folder, file + ".vtu"), points, triangles)
    document["meshes"][name] = {"file": file + ".vtu"}
    if thing not in moving:
        document["colliders"].append({"name": name, "shape": "mesh", "mesh": name, "friction": friction})
        return
    if not schema.supports(properties.SCHEMA, "body", "kinematic"):
        raise SceneError(f"The collider {thing.name} moves or deforms, which this version of Pliant does not support; apply its motion")
    frames = moving[thing]
    if any(len(frame) != 3 * len(points) for frame in frames):
        raise SceneError(f"The number of vertices of the collider {thing.name} changes with time; take out the modifier that does so")
    files.write_frames(os.path.join(export.folder, file + "_motion.pc2"), frames)
    body = {"name": name, "mesh": name, "method": "kinematic", "kinematic": {"cache": file + "_motion.pc2", "frame_rate": frame_rate(context.scene)}}
    if schema.supports(properties.SCHEMA, "kinematic", "friction"):
        body["kinematic"]["friction"] = friction
    document["bodies"].append(body)


def sample_frames(context, things, inverses):
    """Play the scene once: points of moving colliders, and placements of soft objects that are animated."""
    scene, now = context.scene, context.scene.frame_current
    moving = {thing: [] for thing in things}
    for frame in frames_of(scene):
        scene.frame_set(frame)
        for thing, frames in moving.items():
            frames.append(array.array("f", (c for p in evaluated_points(context, thing)[0] for c in p)))
        for thing, list_of in inverses.items():
            list_of.append(thing.matrix_world.inverted())
    scene.frame_set(now)
    return moving


def write(context, folder):
    """Write the scene and its meshes into `folder`. Raises SceneError."""
    scene, settings = context.scene, context.scene.pliant
    things = soft_objects(context)
    if not things:
        raise SceneError("No object is a soft body. Select a mesh and switch Soft body on in Properties › Physics › Pliant")
    if scene.frame_end <= scene.frame_start:
        raise SceneError("The scene has one frame only; set its start and end in Properties › Output")
    os.makedirs(folder, exist_ok=True)
    now = scene.frame_current
    scene.frame_set(scene.frame_start)
    rate = frame_rate(scene)
    gravity = tuple(scene.gravity) if scene.use_gravity else (0, 0, 0)
    document = {
        "pliant": 1,
        "name": files.safe_name(scene.name),
        "description": f"Written by Blender {bpy.app.version_string}.",
        "time": {"frames": len(frames_of(scene)), "frame_rate": rate, "step": choose_step(rate)},
        "gravity": list(files.to_pliant(gravity)),
        "meshes": {},
        "bodies": [],
        "colliders": [],
    }
    export = Export(folder)
    for thing in things:
        add_body(export, document, thing)
    colliders = [c for c in (settings.colliders.all_objects if settings.colliders else []) if c.type == "MESH"]
    for thing in colliders:
        if thing in things:
            raise SceneError(f"{thing.name} is a soft body and a collider; soft bodies touch each other anyway, so take it out of the collection")
    animated = {thing: [] for thing in things if is_animated(thing)}
    moving = [c for c in colliders if is_animated(c)]
    sampled = sample_frames(context, moving, animated) if moving or animated else {}
    for name, thing in export.objects.items():
        export.inverses[name] = animated.get(thing) or export.inverses[name]
    scene.frame_set(scene.frame_start)
    for thing in colliders:
        add_collider(context, export, document, thing, sampled)
    if settings.use_ground:
        document["colliders"].append({"name": "ground", "shape": "half_space", "position": [0, settings.ground, 0], "friction": settings.friction})
    if scene.camera is not None:
        document["camera"] = camera_of(scene)
    scene.frame_set(now)
    with open(export.scene_path, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
    return export


def camera_of(scene):
    matrix = scene.camera.matrix_world
    eye = matrix.translation
    ahead = matrix.to_3x3() @ Vector((0, 0, -1))
    return {"eye": list(files.to_pliant(eye)), "target": list(files.to_pliant(eye + ahead))}


def load_results(export, results, frame_start):
    """Motions of all bodies into Mesh Caches of their objects. Returns the objects."""
    done = []
    for name, thing in export.objects.items():
        frames = files.read_frames(os.path.join(results, name + ".pc2"))
        if len(frames[0]) != 3 * len(thing.data.vertices):
            raise SceneError(f"The result of {thing.name} has {len(frames[0]) // 3} points for {len(thing.data.vertices)} vertices; bake again")
        inverses = export.inverses[name]
        placed = [files.place(frame, inverses[min(i, len(inverses) - 1)]) for i, frame in enumerate(frames)]
        path = os.path.join(export.folder, name + ".pc2")
        files.write_frames(path, placed, float(frame_start))
        add_cache(thing, path, frame_start)
        done.append(thing)
    return done


MODIFIER = "Pliant"


def find_cache(thing):
    modifier = thing.modifiers.get(MODIFIER)
    return modifier if modifier is not None and modifier.type == "MESH_CACHE" else None


def add_cache(thing, path, frame_start):
    cache = find_cache(thing)
    if cache is None:
        cache = thing.modifiers.new(MODIFIER, "MESH_CACHE")
        move_first(thing, cache)
    cache.cache_format = "PC2"
    cache.filepath = bpy.path.relpath(path) if bpy.data.filepath else path
    cache.time_mode = "FRAME"
    cache.play_mode = "SCENE"
    cache.frame_start = frame_start
    cache.frame_scale = 1
    cache.interpolation = "LINEAR"
    cache.deform_mode = "OVERWRITE"
    # The points are in the frame of the object: no axes to turn.
    cache.forward_axis, cache.up_axis = "POS_Y", "POS_Z"
    cache.show_viewport = cache.show_render = True


def move_first(thing, modifier):
    """First in the stack, so that subdivision and the like act on the result."""
    if hasattr(thing.modifiers, "move"):
        thing.modifiers.move(len(thing.modifiers) - 1, 0)
        return
    with bpy.context.temp_override(object=thing):
        bpy.ops.object.modifier_move_to_index(modifier=modifier.name, index=0)
