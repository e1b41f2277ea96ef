"""Live preview in the 3D view: the running program moves the objects, and they are as before when it ends.

Objects are shown through a Mesh Cache of one frame, which is written again whenever points come; meshes, shape keys and baked results stay untouched.
"""
import os

import bpy

from . import export, files, viewer

MODIFIER = "Pliant preview"
INTERVAL = 1 / 30  # seconds between looks at what has come

# The current preview, if any: one at a time.
current = None


def find_modifier(thing):
    modifier = thing.modifiers.get(MODIFIER)
    return modifier if modifier is not None and modifier.type == "MESH_CACHE" else None


class Preview:
    def __init__(self, program, written):
        self.written, self.shown, self.step, self.problem = written, {}, -1, None
        self.hidden = []  # names of objects whose baked result is switched off
        self.viewer = viewer.Viewer(program, written.scene_path)

    def path_of(self, name):
        return os.path.join(self.written.folder, name + "_preview.pc2")

    def show(self, name, points):
        thing = self.written.objects[name]
        if len(points) != 3 * len(thing.data.vertices):
            raise export.SceneError(f"The preview of {thing.name} has {len(points) // 3} points for {len(thing.data.vertices)} vertices; start it again")
        path = self.path_of(name)
        # Whole, whenever Blender reads it.
        files.write_frames(path + ".new", [files.place(points, self.written.inverses[name][0])])
        os.replace(path + ".new", path)
        if find_modifier(thing) is None:
            cache = export.find_cache(thing)
            if cache is not None and cache.show_viewport:
                cache.show_viewport = False
                self.hidden.append(thing.name)
            self.add_modifier(thing, path)
            self.shown[name] = thing.name
        thing.update_tag(refresh={"DATA"})

    @staticmethod
    def add_modifier(thing, path):
        cache = thing.modifiers.new(MODIFIER, "MESH_CACHE")
        export.move_first(thing, cache)
        cache.cache_format, cache.filepath = "PC2", path
        cache.time_mode, cache.play_mode, cache.eval_frame = "FRAME", "CUSTOM", 0
        cache.deform_mode = "OVERWRITE"
        cache.forward_axis, cache.up_axis = "POS_Y", "POS_Z"
        cache.show_render = False

    def update(self):
        """Show what has come. False when the preview has ended by itself; `problem` then says why."""
        try:
            if self.viewer.ended is not None:
                raise export.SceneError(self.viewer.ended)
            self.step, new = self.viewer.take()
            for name, points in new.items():
                if name in self.written.objects:
                    self.show(name, points)
        except (export.SceneError, OSError, ReferenceError) as error:
            # ReferenceError: an object was deleted.
            self.problem = str(error)
            return False
        return True

    def end(self):
        self.viewer.close()
        for name, thing_name in self.shown.items():
            thing = bpy.data.objects.get(thing_name)
            modifier = find_modifier(thing) if thing is not None else None
            if modifier is not None:
                thing.modifiers.remove(modifier)
            if os.path.exists(self.path_of(name)):
                os.remove(self.path_of(name))
        for thing_name in self.hidden:
            thing = bpy.data.objects.get(thing_name)
            cache = export.find_cache(thing) if thing is not None else None
            if cache is not None:
                cache.show_viewport = True


def start(program, written):
    global current
    stop()
    current = Preview(program, written)
    bpy.app.timers.register(tick, first_interval=INTERVAL)
    return current


def stop():
    global current
    preview, current = current, None
    if preview is not None:
        preview.end()


def tick():
    """The time until the next call, or None for the last."""
    if current is None:
        return None
    if current.update():
        return INTERVAL
    problem = current.problem
    stop()
    if not bpy.app.background:
        bpy.context.window_manager.popup_menu(lambda menu, context: menu.layout.label(text=problem), title="Pliant", icon="ERROR")
    return None


@bpy.app.handlers.persistent
def stop_for_file(*_):
    """What is saved has no preview in it, and another file has none that runs."""
    stop()


HANDLERS = (bpy.app.handlers.save_pre, bpy.app.handlers.load_pre)


def register():
    for handlers in HANDLERS:
        handlers.append(stop_for_file)


def unregister():
    stop()
    if bpy.app.timers.is_registered(tick):
        bpy.app.timers.unregister(tick)
    for handlers in HANDLERS:
        handlers.remove(stop_for_file)
