"""Pliant for Blender: deformable bodies by example.

Panel Physics › Pliant of a mesh object; the program `pliant` simulates in the background, and the result is a Mesh Cache on the object itself. See
docs/blender.md of the project.
"""
bl_info = {
    "name": "Pliant",
    "author": "The Pliant authors",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "Properties › Physics › Pliant",
    "description": "Deformable bodies by example: shape keys as examples, vertex groups as pins and maps",
    "category": "Physics",
}

try:
    import bpy
except ImportError:  # files.py, schema.py and viewer.py are used and tested without Blender too
    bpy = None

if bpy is not None:
    from . import operators, panel, preview, properties

    MODULES = (properties, preview, operators, panel)

    def register():
        for module in MODULES:
            module.register()

    def unregister():
        for module in reversed(MODULES):
            module.unregister()
