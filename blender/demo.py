"""A scene with the add-on, from nothing to a picture, as an artist would do it by hand: a soft cube with a shape key falls onto a ball.

blender -b --factory-startup --python blender/demo.py -- ADDON.zip PROGRAM PICTURE.png
"""
import math
import os
import sys

import bpy

ADDON, PROGRAM, PICTURE = sys.argv[sys.argv.index("--") + 1 :][:3]

bpy.ops.preferences.addon_install(filepath=ADDON)
bpy.ops.preferences.addon_enable(module="pliant_blender")
bpy.context.preferences.addons["pliant_blender"].preferences.program = PROGRAM
bpy.ops.object.select_all(action="SELECT")
bpy.ops.object.delete()
scene = bpy.context.scene
scene.frame_start, scene.frame_end = 1, 40
scene.pliant.folder = bpy.app.tempdir


def material(name, color, checks=False):
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    nodes, links = made.node_tree.nodes, made.node_tree.links
    shader = nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = color
    shader.inputs["Roughness"].default_value = 0.35
    if checks:
        texture = nodes.new("ShaderNodeTexChecker")
        texture.inputs["Color1"].default_value = color
        texture.inputs["Color2"].default_value = (1, 0.9, 0.75, 1)
        texture.inputs["Scale"].default_value = 8
        links.new(nodes.new("ShaderNodeTexCoord").outputs["UV"], texture.inputs["Vector"])
        links.new(texture.outputs["Color"], shader.inputs["Base Color"])
    return made


# The soft body: a rounded cube whose shape key says how it may be squashed.
bpy.ops.mesh.primitive_cube_add(size=0.8, location=(0.12, 0, 1.25), rotation=(0.2, 0.35, 0.3))
cube = bpy.context.object
bpy.ops.object.mode_set(mode="EDIT")
bpy.ops.mesh.subdivide(number_cuts=7, smoothness=0)
bpy.ops.object.mode_set(mode="OBJECT")
for vertex in cube.data.vertices:
    vertex.co = vertex.co.lerp(vertex.co.normalized() * 0.5, 0.35)
for polygon in cube.data.polygons:
    polygon.use_smooth = True
cube.data.materials.append(material("jelly", (0.85, 0.12, 0.16, 1), checks=True))
cube.shape_key_add(name="Basis")
squash = cube.shape_key_add(name="squash")
for point in squash.data:
    point.co = (point.co.x * 1.35, point.co.y * 1.35, point.co.z * 0.55)
cube.pliant.enabled = True
cube.pliant.points = 1500
cube.pliant.solid.stiffness = 0.5
smooth = cube.modifiers.new("Subdivision", "SUBSURF")
smooth.levels = smooth.render_levels = 1

# What it falls on.
walls = bpy.data.collections.new("Colliders")
scene.collection.children.link(walls)
bpy.ops.mesh.primitive_uv_sphere_add(radius=0.3, location=(-0.35, 0, 0.3), segments=48, ring_count=24)
ball = bpy.context.object
for polygon in ball.data.polygons:
    polygon.use_smooth = True
ball.data.materials.append(material("stone", (0.12, 0.3, 0.55, 1)))
walls.objects.link(ball)
scene.pliant.colliders = walls
bpy.ops.mesh.primitive_plane_add(size=30)
bpy.context.object.data.materials.append(material("floor", (0.5, 0.5, 0.48, 1)))

bpy.ops.pliant.bake()

# Light, camera, and the frame in which it lies over the ball.
bpy.ops.object.light_add(type="SUN", rotation=(0.7, 0.2, 0.5))
bpy.context.object.data.energy, bpy.context.object.data.angle = 1.6, 0.15
scene.world.node_tree.nodes["Background"].inputs[0].default_value = (0.75, 0.85, 1, 1)
scene.world.node_tree.nodes["Background"].inputs[1].default_value = 0.45
bpy.ops.object.camera_add(location=(1.9, -3.4, 1.6), rotation=(math.radians(71), 0, math.radians(29)))
scene.camera = bpy.context.object
scene.camera.data.lens = 50
scene.render.engine = "CYCLES"
scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = "CPU", 32, False
scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 960, 540, 100
scene.view_settings.view_transform = "Standard"
scene.frame_set(15)
scene.render.filepath = os.path.abspath(PICTURE)
scene.render.image_settings.file_format = "PNG"
scene.render.image_settings.color_mode = "RGB"
bpy.ops.render.render(write_still=True)
