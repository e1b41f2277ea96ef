"""Bake, cancel, clear, preview, and view examples."""
import os
import subprocess
import tempfile

import bpy
from mathutils import Vector

from . import export, files, preview, program


def preferences(context):
    addon = context.preferences.addons.get(__package__)
    return addon.preferences if addon else None


def find_program(context):
    settings = preferences(context)
    return program.check(settings.program if settings else "")


def result_folder(context):
    """The folder of the results; for a file that was never saved a temporary one."""
    folder = context.scene.pliant.folder
    if folder.startswith("//") and not bpy.data.filepath:
        return os.path.join(bpy.app.tempdir or tempfile.gettempdir(), folder[2:], files.safe_name(context.scene.name))
    return os.path.join(bpy.path.abspath(folder), files.safe_name(context.scene.name))


def hide_caches(context, hidden):
    """Switch the results of earlier bakes off, so that they are not in what is exported."""
    for thing in export.soft_objects(context):
        cache = export.find_cache(thing)
        if cache is not None:
            cache.show_viewport = not hidden


# The current bake, if any: one at a time.
current = None


class Bake:
    def __init__(self, context):
        path = find_program(context)
        folder = result_folder(context)
        preview.stop()
        hide_caches(context, True)
        try:
            self.export = export.write(context, folder)
        finally:
            hide_caches(context, False)
        self.scene = context.scene
        self.results = os.path.join(folder, "run")
        self.run = program.Run(path, self.export.scene_path, self.results)

    def finish(self):
        """Load the results; returns remarks. Raises SceneError."""
        if self.run.problem is not None:
            raise export.SceneError(self.run.problem)
        export.load_results(self.export, self.results, self.scene.frame_start)
        return self.run.remarks


class PLIANT_OT_bake(bpy.types.Operator):
    bl_idname = "pliant.bake"
    bl_label = "Bake"
    bl_description = "Simulate all soft bodies of the scene in the background; Esc cancels"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context):
        return current is None

    def start(self, context):
        global current
        try:
            current = Bake(context)
        except (export.SceneError, program.ProgramError) as error:
            self.report({"ERROR"}, str(error))
            return False
        return True

    def end(self, context):
        """The outcome of a bake that is over."""
        global current
        bake, current = current, None
        bake.scene.pliant.progress = -1
        try:
            remarks = bake.finish()
        except export.SceneError as error:
            if bake.run.cancelled:
                self.report({"WARNING"}, "The bake was cancelled")
            else:
                self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for remark in remarks:
            self.report({"WARNING"}, remark)
        self.report({"INFO"}, f"Baked {len(bake.export.objects)} soft bodies")
        return {"FINISHED"}

    def execute(self, context):
        """Without a window: wait for the end."""
        if not self.start(context):
            return {"CANCELLED"}
        current.run.process.wait()
        while not current.run.done:
            pass
        return self.end(context)

    def invoke(self, context, event):
        if not self.start(context):
            return {"CANCELLED"}
        self.timer = context.window_manager.event_timer_add(0.2, window=context.window)
        context.window_manager.modal_handler_add(self)
        context.scene.pliant.progress = 0
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC" and event.value == "PRESS":
            current.run.cancel()
        elif event.type != "TIMER":
            return {"PASS_THROUGH"}
        if not current.run.done:
            current.scene.pliant.progress = current.run.progress
            context.workspace.status_text_set(f"Pliant: {current.run.title}, {round(100 * current.run.progress)} %; Esc cancels")
            for area in context.screen.areas:
                if area.type == "PROPERTIES":
                    area.tag_redraw()
            return {"RUNNING_MODAL"}
        context.window_manager.event_timer_remove(self.timer)
        context.workspace.status_text_set(None)
        return self.end(context)


class PLIANT_OT_cancel(bpy.types.Operator):
    bl_idname = "pliant.cancel"
    bl_label = "Cancel"
    bl_description = "Stop the bake"

    @classmethod
    def poll(cls, context):
        return current is not None

    def execute(self, context):
        current.run.cancel()
        return {"FINISHED"}


class PLIANT_OT_clear(bpy.types.Operator):
    bl_idname = "pliant.clear"
    bl_label = "Clear"
    bl_description = "Take the results of the bake off all soft bodies"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        for thing in export.soft_objects(context):
            cache = export.find_cache(thing)
            if cache is not None:
                thing.modifiers.remove(cache)
        return {"FINISHED"}


def export_live(operator, context):
    """The program and the scene as it is now, without results; (None, None) after a report of what is wrong."""
    try:
        path = find_program(context)
        hide_caches(context, True)
        try:
            return path, export.write(context, result_folder(context))
        finally:
            hide_caches(context, False)
    except (export.SceneError, program.ProgramError) as error:
        operator.report({"ERROR"}, str(error))
        return None, None


class PLIANT_OT_preview(bpy.types.Operator):
    bl_idname = "pliant.preview"
    bl_label = "Live preview"
    bl_description = "Show the simulation on the objects in the 3D view while it runs; again to stop, and the objects are as before"

    def execute(self, context):
        if preview.current is not None:
            preview.stop()
            return {"FINISHED"}
        path, written = export_live(self, context)
        if written is None:
            return {"CANCELLED"}
        preview.start(path, written)
        return {"FINISHED"}


class PLIANT_OT_restart_preview(bpy.types.Operator):
    bl_idname = "pliant.restart_preview"
    bl_label = "Restart"
    bl_description = "Begin the preview again at its first frame"

    @classmethod
    def poll(cls, context):
        return preview.current is not None

    def execute(self, context):
        preview.current.viewer.send("reset")
        preview.current.viewer.send("run")
        return {"FINISHED"}


class PLIANT_OT_studio(bpy.types.Operator):
    bl_idname = "pliant.studio"
    bl_label = "Open in studio"
    bl_description = "Open the scene in the studio of Pliant, where bodies can be dragged and parameters changed while it runs"

    def execute(self, context):
        path, written = export_live(self, context)
        if written is None:
            return {"CANCELLED"}
        stop_studio()
        studios.append(subprocess.Popen([path, "view", written.scene_path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return {"FINISHED"}


studios = []


def stop_studio():
    while studios:
        process = studios.pop()
        if process.poll() is None:
            process.terminate()
            process.wait(timeout=10)


class PLIANT_OT_add_view_example(bpy.types.Operator):
    bl_idname = "pliant.add_view_example"
    bl_label = "Add view example"
    bl_description = "Use the active shape key as the shape for the current direction of the view"
    bl_options = {"REGISTER", "UNDO"}

    direction: bpy.props.FloatVectorProperty(name="Direction", size=3, default=(0, 0, 0))

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "MESH"

    def invoke(self, context, event):
        region = context.region_data
        if region is None and context.screen is not None:
            areas = [area for area in context.screen.areas if area.type == "VIEW_3D"]
            region = areas[0].spaces.active.region_3d if areas else None
        if region is not None:
            self.direction = region.view_rotation @ Vector((0, 0, 1))
        return self.execute(context)

    def execute(self, context):
        thing = context.object
        keys = thing.data.shape_keys
        if keys is None or thing.active_shape_key_index == 0:
            self.report({"ERROR"}, f"Make a shape key of {thing.name} active first: it is the shape for this direction")
            return {"CANCELLED"}
        if sum(c * c for c in self.direction) < 1e-12:
            self.report({"ERROR"}, "There is no 3D view whose direction could be used")
            return {"CANCELLED"}
        name = thing.active_shape_key.name
        example = next((e for e in thing.pliant.view_examples if e.key == name), None) or thing.pliant.view_examples.add()
        example.key, example.direction = name, self.direction
        return {"FINISHED"}


class PLIANT_OT_remove_view_example(bpy.types.Operator):
    bl_idname = "pliant.remove_view_example"
    bl_label = "Remove view example"
    bl_description = "Forget the direction of this shape key"
    bl_options = {"REGISTER", "UNDO"}

    index: bpy.props.IntProperty()

    def execute(self, context):
        context.object.pliant.view_examples.remove(self.index)
        return {"FINISHED"}


class PLIANT_OT_add_map(bpy.types.Operator):
    bl_idname = "pliant.add_map"
    bl_label = "Add map"
    bl_description = "Make the active vertex group stiffer, softer, heavier or lighter"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.vertex_groups.active is not None

    def execute(self, context):
        context.object.pliant.maps.add().group = context.object.vertex_groups.active.name
        return {"FINISHED"}


class PLIANT_OT_remove_map(bpy.types.Operator):
    bl_idname = "pliant.remove_map"
    bl_label = "Remove map"
    bl_description = "Forget this map"
    bl_options = {"REGISTER", "UNDO"}

    index: bpy.props.IntProperty()

    def execute(self, context):
        context.object.pliant.maps.remove(self.index)
        return {"FINISHED"}


CLASSES = (PLIANT_OT_bake, PLIANT_OT_cancel, PLIANT_OT_clear, PLIANT_OT_preview, PLIANT_OT_restart_preview, PLIANT_OT_studio, PLIANT_OT_add_view_example, PLIANT_OT_remove_view_example, PLIANT_OT_add_map, PLIANT_OT_remove_map)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)


def unregister():
    if current is not None:
        current.run.cancel()
    stop_studio()
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
