"""Settings of objects and scenes. Those of the methods are made from the project's own tables of parameters."""
import bpy
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, FloatProperty, FloatVectorProperty, IntProperty, PointerProperty, StringProperty

from . import schema

SCHEMA = schema.load()
# By method: the parameters that its panel shows.
PARAMETERS = {method: schema.parameters(SCHEMA, method) for method in schema.METHODS}


def make_property(parameter):
    """A property of Blender for a parameter."""
    common = {"name": parameter.label, "description": parameter.about}
    if parameter.kind == "boolean":
        return BoolProperty(default=parameter.default, **common)
    if parameter.kind == "choice":
        items = [(word, word.replace("-", " ").replace("_", " ").capitalize(), "") for word in parameter.choices]
        return EnumProperty(items=items, default=parameter.default, **common)
    limits = {"default": parameter.default}
    big = 1e30 if parameter.kind == "number" else 2**31 - 1
    if parameter.min is not None:
        limits["min"] = max(parameter.min, -big)
    if parameter.max is not None:
        limits["max"] = min(parameter.max, big)
    if parameter.kind == "integer":
        return IntProperty(**{key: int(value) for key, value in limits.items()}, **common)
    return FloatProperty(precision=4, **limits, **common)


def make_group(method):
    """The property group of a method."""
    name = f"Pliant{method.capitalize()}Settings"
    return type(name, (bpy.types.PropertyGroup,), {"__annotations__": {p.key: make_property(p) for p in PARAMETERS[method]}})


METHOD_GROUPS = {method: make_group(method) for method in schema.METHODS}

# What a vertex group changes of a solid: factors on its stiffness and density.
MAP_PARAMETERS = schema.parameters(SCHEMA, "solid_map")
PliantMap = type(
    "PliantMap",
    (bpy.types.PropertyGroup,),
    {"__annotations__": {"group": StringProperty(name="Vertex group"), **{p.key: make_property(p) for p in MAP_PARAMETERS}}},
)


class PliantViewExample(bpy.types.PropertyGroup):
    """A direction from which a shape key is the right shape."""

    key: StringProperty(name="Shape key")
    direction: FloatVectorProperty(name="Direction", description="From the object to the viewer, in the world", size=3)
    extent: FloatProperty(name="Extent", description="Angle in degrees at which its influence has fallen to 1/e", default=60, min=1, max=180)


class PliantObjectSettings(bpy.types.PropertyGroup):
    enabled: BoolProperty(name="Soft body", description="Simulate this object with Pliant", default=False)
    method: EnumProperty(
        name="Method",
        items=[
            ("solid", "Solid", "Shape matching with example poses: fast, stable, for everything thick"),
            ("fem", "Finite elements", "Implicit finite elements, or a shell of triangles: exact materials, cloth"),
            ("rigid", "Rigid", "A body of one piece"),
        ],
        default="solid",
    )
    points: IntProperty(name="Particles", description="Particles that fill the surface, about", default=1000, min=8, max=2000000)
    use_examples: BoolProperty(name="Shape keys as examples", description="The body deforms towards the shape keys of the object", default=True)
    pin_group: StringProperty(name="Pin", description="Vertex group that stays in its place, where its weight is 0.5 or more")
    pin_stiffness: FloatProperty(name="Pin stiffness (N/m)", description="Spring per particle; 0 holds exactly", default=0, min=0)
    view_examples: CollectionProperty(type=PliantViewExample)
    maps: CollectionProperty(type=PliantMap)
    solid: PointerProperty(type=METHOD_GROUPS["solid"])
    fem: PointerProperty(type=METHOD_GROUPS["fem"])
    rigid: PointerProperty(type=METHOD_GROUPS["rigid"])


class PliantSceneSettings(bpy.types.PropertyGroup):
    colliders: PointerProperty(name="Colliders", description="Collection of objects that bodies collide with; they may move and deform", type=bpy.types.Collection)
    use_ground: BoolProperty(name="Ground", description="A level ground", default=True)
    ground: FloatProperty(name="Height", description="Height of the ground along Z", default=0, unit="LENGTH")
    friction: FloatProperty(name="Friction", description="Of ground and colliders", default=0.5, min=0, max=1000)
    folder: StringProperty(name="Folder", description="Folder of the results; // is the folder of the .blend file", default="//pliant_cache", subtype="DIR_PATH")
    progress: FloatProperty(name="Progress", default=-1, min=-1, max=1, options={"SKIP_SAVE"})


class PliantPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    program: StringProperty(name="Program", description="Path of the program pliant; empty: the one on the PATH", subtype="FILE_PATH")

    def draw(self, context):
        from . import program

        self.layout.prop(self, "program")
        try:
            path = program.check(self.program)
            self.layout.label(text=f"{path} fits this add-on", icon="CHECKMARK")
        except program.ProgramError as error:
            self.layout.label(text=str(error), icon="ERROR")


CLASSES = (*METHOD_GROUPS.values(), PliantMap, PliantViewExample, PliantObjectSettings, PliantSceneSettings, PliantPreferences)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)
    bpy.types.Object.pliant = PointerProperty(type=PliantObjectSettings)
    bpy.types.Scene.pliant = PointerProperty(type=PliantSceneSettings)


def unregister():
    del bpy.types.Scene.pliant
    del bpy.types.Object.pliant
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
