"""The panel of an object in Properties › Physics."""
import bpy

from . import export, operators, preview, properties

# Shown first; the others are in a panel that is closed at the start.
MAIN = {
    "solid": ("stiffness", "young", "fidelity", "damping", "density", "friction", "restitution"),
    "fem": ("material", "young", "poisson", "density", "thickness", "friction"),
    "rigid": ("density", "friction", "restitution"),
}


class PhysicsPanel:
    bl_space_type, bl_region_type, bl_context = "PROPERTIES", "WINDOW", "physics"

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "MESH"


class PLIANT_PT_object(PhysicsPanel, bpy.types.Panel):
    bl_label = "Pliant"

    def draw_header(self, context):
        self.layout.prop(context.object.pliant, "enabled", text="")

    def draw(self, context):
        thing, settings = context.object, context.object.pliant
        layout = self.layout
        layout.use_property_split = True
        layout.active = settings.enabled
        layout.prop(settings, "method")
        if settings.method != "rigid":
            layout.prop(settings, "points")
            layout.prop_search(settings, "pin_group", thing, "vertex_groups")
            if settings.pin_group:
                layout.prop(settings, "pin_stiffness")
        values = getattr(settings, settings.method)
        for parameter in properties.PARAMETERS[settings.method]:
            if parameter.key in MAIN[settings.method]:
                layout.prop(values, parameter.key)
        draw_bake(layout, context)


def draw_bake(layout, context):
    row = layout.row(align=True)
    progress = context.scene.pliant.progress
    if progress >= 0:
        row.prop(context.scene.pliant, "progress", text="Baking", slider=True)
        row.operator("pliant.cancel", text="", icon="CANCEL")
        return
    row.operator("pliant.bake", icon="PHYSICS")
    row.operator("pliant.clear", text="", icon="TRASH")
    row = layout.row(align=True)
    if preview.current is None:
        row.operator("pliant.preview", icon="PLAY")
    else:
        row.operator("pliant.preview", text="Stop preview", icon="PAUSE")
        row.operator("pliant.restart_preview", text="", icon="FILE_REFRESH")
    row.operator("pliant.studio", text="", icon="URL")
    if export.find_cache(context.object) is not None:
        layout.label(text="The result is the modifier Pliant", icon="CHECKMARK")


class PLIANT_PT_examples(PhysicsPanel, bpy.types.Panel):
    bl_label = "Examples"
    bl_parent_id = "PLIANT_PT_object"

    def draw(self, context):
        thing, settings = context.object, context.object.pliant
        layout = self.layout
        layout.prop(settings, "use_examples")
        for name, _ in export.shape_keys(thing):
            layout.label(text=name, icon="SHAPEKEY_DATA")
        if thing.data.shape_keys is None:
            layout.label(text="No shape keys: the body has its rest shape only", icon="INFO")
        layout.operator("pliant.add_view_example", icon="HIDE_OFF")
        for index, example in enumerate(settings.view_examples):
            row = layout.row(align=True)
            row.label(text=example.key)
            row.prop(example, "extent")
            row.operator("pliant.remove_view_example", text="", icon="X").index = index


class PLIANT_PT_maps(PhysicsPanel, bpy.types.Panel):
    bl_label = "Maps"
    bl_parent_id = "PLIANT_PT_object"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return PhysicsPanel.poll.__func__(cls, context) and context.object.pliant.method == "solid"

    def draw(self, context):
        thing = context.object
        for index, item in enumerate(thing.pliant.maps):
            box = self.layout.box()
            row = box.row(align=True)
            row.prop_search(item, "group", thing, "vertex_groups", text="")
            row.operator("pliant.remove_map", text="", icon="X").index = index
            for parameter in properties.MAP_PARAMETERS:
                box.prop(item, parameter.key)
        self.layout.operator("pliant.add_map", icon="ADD")


class PLIANT_PT_parameters(PhysicsPanel, bpy.types.Panel):
    bl_label = "All parameters"
    bl_parent_id = "PLIANT_PT_object"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        settings = context.object.pliant
        self.layout.use_property_split = True
        for parameter in properties.PARAMETERS[settings.method]:
            if parameter.key not in MAIN[settings.method]:
                self.layout.prop(getattr(settings, settings.method), parameter.key)


class PLIANT_PT_world(PhysicsPanel, bpy.types.Panel):
    bl_label = "World"
    bl_parent_id = "PLIANT_PT_object"

    def draw(self, context):
        settings = context.scene.pliant
        layout = self.layout
        layout.use_property_split = True
        layout.prop(settings, "colliders")
        layout.prop(settings, "use_ground")
        if settings.use_ground:
            layout.prop(settings, "ground")
        layout.prop(settings, "friction")
        layout.prop(settings, "folder")


CLASSES = (PLIANT_PT_object, PLIANT_PT_examples, PLIANT_PT_maps, PLIANT_PT_parameters, PLIANT_PT_world)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)


def unregister():
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
