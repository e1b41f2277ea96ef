"""Scene documents, and worlds built from them."""
from __future__ import annotations

import ctypes
import json
import os
from typing import TYPE_CHECKING, Any, Mapping, Optional

import numpy as np

from . import _capi
from ._library import lib
from ._object import Error, FindingList, Handle, Object, Report, as_vec3, byref, path, text, vec3, view
from .body import Body
from .context import default_context
from .errors import check
from .mesh import Mesh
from .model import Model
from .world import World

if TYPE_CHECKING:
    from ._types import Array, ArrayLike, PathLike
    from .context import Context


class Scene(Object):
    """A valid scene document. Make one with Scene.load() or Scene.from_dict()."""

    def __init__(self, pointer, context, findings):
        self._context = context
        self.findings = findings
        super().__init__(Handle(pointer, lib.pl_scene_destroy, [context._handle]))

    @classmethod
    def load(cls, file: PathLike, overrides: Optional[Mapping[str, Any]] = None, *, context: Optional[Context] = None) -> Scene:
        """Load and check a scene file. `overrides` replaces values first: {"bodies[0].solid.stiffness": 0.3, "time.frames": 100}. What is wrong comes as
        InvalidDataError with file, line and column; its `findings` has everything that was found."""
        context = context or default_context()
        items = [(str(key).encode(), (value if isinstance(value, str) else json.dumps(_jsonable(value))).encode()) for key, value in (overrides or {}).items()]
        replaced = (_capi.pl_scene_override * max(len(items), 1))(*(_capi.pl_scene_override(*item) for item in items))
        given = _capi.pl_scene_overrides(replaced, len(items))
        return cls._load(context, lambda pointer, findings, error: lib.pl_scene_load_with(
            context._pointer, path(file), byref(given), pointer, findings, error))

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], folder: Optional[PathLike] = None, *, name: str = "scene", context: Optional[Context] = None) -> Scene:
        """A scene from a dict of the scene format (docs/formats.md). Paths in it start at `folder`, by default the current one."""
        context = context or default_context()
        data = json.dumps(_jsonable(document), indent=1).encode()
        where = os.fsencode(os.fspath(folder)) if folder is not None else None
        source = _capi.pl_memory_source(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), len(data), str(name).encode(), where)
        return cls._load(context, lambda pointer, findings, error: lib.pl_scene_load_memory(context._pointer, byref(source), pointer, findings, error))

    @classmethod
    def _load(cls, context, function):
        pointer, error = ctypes.POINTER(_capi.pl_scene)(), Error()
        with FindingList(context) as findings:
            findings.check(function(byref(pointer), findings.pointer, byref(error)), error)
            return cls(pointer, context, findings.list())

    @property
    def report(self) -> Report:
        """name, description, frame_count, frame_rate, step, seed, warm_up, gravity and more."""
        found = lib.pl_scene_get_report(self._pointer)
        return Report(found)

    def save(self, file: PathLike) -> None:
        """Save the scene as a document that loads to an equal scene."""
        error = Error()
        check(lib.pl_scene_save(self._context._pointer, path(file), self._pointer, byref(error)), error)

    def build(self, seed: Optional[int] = None) -> SceneWorld:
        """Build meshes, models and world and let it warm up. Returns the World; everything that the scene does over time acts in its steps."""
        definition = lib.pl_default_scene_build_def()
        if seed is not None:
            definition.seed, definition.has_seed = int(seed), True
        pointer, error = ctypes.POINTER(_capi.pl_scene_instance)(), Error()
        with FindingList(self._context) as findings:
            findings.check(lib.pl_scene_build(self._context._pointer, byref(definition), self._pointer, byref(pointer), findings.pointer, byref(error)), error)
            return SceneWorld(self, pointer, findings.list())

    def __repr__(self):
        return "<Scene closed>" if self.closed else f"<Scene {self.report.name!r}>"


class SceneWorld(World):
    """A world built from a scene. `findings` has doubts about its data."""

    def __init__(self, scene, instance, findings):  # pylint: disable=super-init-not-called
        owner = Handle(instance, lib.pl_scene_instance_destroy, [scene._handle])
        # The instance owns the world, models and meshes. It is destroyed when the last of those who use them is gone.
        self._take(Handle(lib.pl_scene_instance_get_world(instance), lambda _: None, [owner]), scene._context)
        self._instance, self.scene, self.findings = owner, scene, findings
        report = scene.report
        self.frame_rate, self.frame_count = report.frame_rate, report.frame_count
        for i in range(lib.pl_scene_instance_body_count(instance)):
            found = lib.pl_scene_instance_get_body(instance, i)
            name = text(found.name)
            mesh = Mesh._borrow(ctypes.cast(found.mesh, ctypes.POINTER(_capi.pl_mesh)), owner, self._context) if found.mesh else None
            model = Model._borrow(lib.pl_body_get_model(self._pointer, found.id), owner, self._context, mesh)
            key, copies = name, 1
            while key in self._names:
                copies += 1
                key = f"{name} {copies}"
            body = self._remember(SceneBody(self, found.id, model, key))
            body.color = tuple(getattr(found.color, field) for field, _ in found.color._fields_) if found.has_color else None
            body._scene_index = i

    def close(self) -> None:
        """Destroy the world now, unless arrays of its meshes are still in use."""
        super().close()
        self._instance = None

    def set_camera(self, eye: Optional[ArrayLike]) -> None:
        """Let view drivers follow a camera at `eye`; None returns to that of the scene."""
        place = None if eye is None else byref(vec3(eye, "eye"))
        self._read(lambda _: lib.pl_scene_instance_set_camera(self._instance.pointer, place))


class SceneBody(Body):
    """A body of a scene. `color` is that of the scene or None."""

    def _drawn(self):
        return lib.pl_scene_instance_get_surface_view(self._world._instance.pointer, self._scene_index)

    @property
    def drawn_triangles(self) -> Array:
        """Triangles of the surface that the body is drawn and saved by, (m, 3): a tube around curves, a slab around plane solids."""
        self._world._pointer
        found = self._drawn()
        return view(found.triangles, (found.triangle_count, 3), self._world._instance, np.int32)

    @property
    def drawn_surface(self) -> Array:
        """Its points now, (n, 3): what the tool writes to frame files."""
        world = self._world
        world._enter()
        try:
            found = np.empty((self._drawn().point_count, 3))
            check(lib.pl_scene_instance_get_surface(world._instance.pointer, self._scene_index, as_vec3(found)))
            return found
        finally:
            world._leave()


def _jsonable(value):
    """NumPy numbers and arrays as JSON has them."""
    if isinstance(value, dict):
        return {str(key): _jsonable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_jsonable(item) for item in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    return value
