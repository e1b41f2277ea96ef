"""What is in a world: bodies, colliders, pins."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional, Union

import numpy as np

from . import _capi
from ._library import lib
from ._object import Error, Report, array, as_pointer, as_vec3, byref, choice, documented, points, set_fields, transform, vec3, view
from .errors import NotFoundError, check
from .model import Model

if TYPE_CHECKING:
    from ._types import Array, ArrayLike, Placement

_LAYER = dict(_capi.pl_layer._fields_)["after_step"]
FAILED = _capi.PL_ERROR_INVALID_ARGUMENT  # of a callback that raised


class Bodies:
    """The bodies of a world by index or name."""

    def __init__(self, world):
        self._world = world

    def _list(self):
        world = self._world
        found = []
        for i in range(len(self)):
            key = world._read(lib.pl_world_get_body, i)
            found.append(world._bodies.get((key.slot, key.generation)) or world._remember(Body(world, key, None, None)))
        return found

    def __len__(self) -> int:
        return self._world._read(lib.pl_world_body_count)

    def __iter__(self) -> Iterator[Body]:
        return iter(self._list())

    def __getitem__(self, key: Union[int, str]) -> Body:
        return self._world.body(key) if isinstance(key, str) else self._list()[key]

    def __contains__(self, name: object) -> bool:
        return name in self._world._names

    def keys(self) -> List[str]:
        """Names of the bodies that have one."""
        return list(self._world._names)

    def __repr__(self):
        return f"<{len(self)} bodies: {', '.join(map(repr, self.keys()))}>"


class Collider:
    """A collider of a world."""

    def __init__(self, world, key):
        self._world, self._id = world, key

    def move(self, placement: Placement) -> None:
        """Move a collider without key frames; bodies are pushed with the velocity of the move."""
        self._world._call(lib.pl_world_move_collider, self._id, transform(placement))

    def remove(self) -> None:
        """Remove it from the world."""
        self._world._call(lib.pl_world_remove_collider, self._id)


class Pin:
    """A pin of one particle."""

    def __init__(self, world, key, particle):
        self._world, self._id, self.particle = world, key, particle

    def move(self, target: ArrayLike) -> None:
        """Move the target (metres); a hard pin moves its particle there during the next step."""
        self._world._call(lib.pl_world_move_pin, self._id, vec3(target, "target"))

    def remove(self) -> None:
        """Release the particle."""
        self._world._call(lib.pl_world_remove_pin, self._id)


class Joint:
    """A joint between two rigid bodies, or of one with the world."""

    def __init__(self, world, key):
        self._world, self._id = world, key

    @property
    def report(self) -> Report:
        """force, torque, motor_torque, position (angle or way) and is_broken of the last step."""
        return Report(self._world._read(lib.pl_joint_get_report, self._id))

    def set_motor(self, motor: str, speed: float = 0.0, target: float = 0.0) -> None:
        """What the motor of a hinge or slider does: off, speed (rad/s or m/s) or target (rad or m)."""
        self._world._call(lib.pl_joint_set_motor, self._id, choice("pl_joint_def", "motor", motor), float(speed), float(target))

    def remove(self) -> None:
        """Release the bodies."""
        self._world._call(lib.pl_world_remove_joint, self._id)


class Attachment:
    """Particles of a body that are tied to another body or to the world."""

    def __init__(self, world, key):
        self._world, self._id = world, key

    @property
    def report(self) -> Report:
        """point_count, broken_count, force and max_force of the last step."""
        return Report(self._world._read(lib.pl_attachment_get_report, self._id))

    def move(self, frame: Placement) -> None:
        """Move the frame of an attachment to the world; its particles go there during the next step."""
        self._world._call(lib.pl_world_move_attachment, self._id, transform(frame, "frame"))

    def remove(self) -> None:
        """Release the particles."""
        self._world._call(lib.pl_world_remove_attachment, self._id)


class Body:
    """A body of a world. A body that was removed, or whose world is closed, raises an exception.

    `positions`, `velocities` and `surface` are read-only arrays; the same array comes back every time, so keep a frame with `.copy()`. Positions and velocities of
    finite elements (but `fast`) are views of the state itself, without a copy: they show every step as it happens. Other methods store particles in another
    order and precision; their arrays, and surfaces, belong to the body object and are filled by one copy in C when they are asked for after a change. All stay
    valid after the world is closed. Assign to `positions` or `velocities` to set the state.
    """

    def __init__(self, world, key, model, name):
        self._world, self._id, self._key = world, key, (key.slot, key.generation)
        self.name = name
        self._model = model
        self._arrays, self._views, self._exports = {}, {}, []
        self._scene_index = None

    # --- arrays

    def _count(self, surface=False):
        pointer = self._world._read(lib.pl_body_get_model, self._id)
        if not pointer:
            raise NotFoundError(f"body {self.name!r} was removed from its world")
        report = lib.pl_model_get_report(pointer)
        return report.surface_point_count if surface else report.particle_count

    def _array(self, kind, function, surface=False):
        world = self._world
        pointer = world._enter()
        try:
            entry = self._arrays.get(kind)
            if entry is None:
                hidden = np.zeros((self._count(surface), 3))
                shown = hidden.view()
                shown.flags.writeable = False
                entry = self._arrays[kind] = [None, hidden, shown, as_vec3(hidden)]
            if entry[0] != world._version or world._depth:
                status = function(pointer, self._id, entry[3])
                if status < 0:
                    raise NotFoundError(f"body {self.name!r} was removed from its world")
                entry[0] = world._version
            return entry[2]
        finally:
            world._leave()

    def _view(self, kind):
        """A view of the state where the method stores it as it is shown, else None."""
        world = self._world
        pointer = world._enter()
        try:
            if not self._views:
                found = _capi.pl_body_view()
                status = lib.pl_body_get_view(pointer, self._id, byref(found))
                if status == _capi.PL_ERROR_NOT_FOUND:
                    raise NotFoundError(f"body {self.name!r} was removed from its world")
                shape, names = (found.particle_count, 3), ("positions", "velocities")
                self._views = {name: view(getattr(found, name), shape, world._handle, exports=self._exports) if status >= 0 else None for name in names}
            return self._views[kind]
        finally:
            world._leave()

    def _drop_views(self):
        """Forget the views; whether others still have some."""
        self._views = {}
        self._exports = [export for export in self._exports if export() is not None]
        return bool(self._exports)

    @property
    def positions(self) -> Array:
        """Positions of the particles in metres, (n, 3), in the point order of the mesh."""
        found = self._view("positions")
        return found if found is not None else self._array("positions", lib.pl_body_get_positions)

    @positions.setter
    def positions(self, values: ArrayLike) -> None:
        xyz = points(values, self._count(), "positions")
        self._world._call(lib.pl_body_set_state, self._id, as_vec3(xyz), None)

    @property
    def velocities(self) -> Array:
        """Velocities of the particles in m/s, (n, 3)."""
        found = self._view("velocities")
        return found if found is not None else self._array("velocities", lib.pl_body_get_velocities)

    @velocities.setter
    def velocities(self, values: ArrayLike) -> None:
        xyz = points(values, self._count(), "velocities")
        self._world._call(lib.pl_body_set_state, self._id, None, as_vec3(xyz))

    @property
    def surface(self) -> Array:
        """Points of the surface in metres, after its layers."""
        return self._array("surface", lib.pl_body_get_surface, surface=True)

    @property
    def triangles(self) -> Array:
        """Triangles of the surface, (m, 3)."""
        return self.model.surface_triangles

    # --- fields

    @property
    def stress(self) -> Array:
        """Elastic Cauchy stress of every tet of a finite-element body in pascals, (tets, 6): xx, yy, zz, xy, yz, xz."""
        count = lib.pl_fem_tet_count(self.model._pointer)
        found = np.zeros((count, 6))
        error = Error()
        check(self._world._read(lib.pl_fem_get_stress, self._id, as_pointer(found, ctypes.c_double), byref(error)), error)
        return found

    @property
    def contact_pressures(self) -> Array:
        """Contact pressure at every point of the surface in pascals, of the last step in which the body moved."""
        found, error = np.zeros(self._count(surface=True)), Error()
        check(self._world._read(lib.pl_body_get_contact_pressures, self._id, as_pointer(found, ctypes.c_double), byref(error)), error)
        return found

    # --- examples

    def get_weights(self, manifold: int = 0) -> Array:
        """Weights of the examples in the last step; the rest shape has the remainder to 1."""
        world = self._world
        pointer = world._enter()
        try:
            model = lib.pl_body_get_model(pointer, self._id)
            if not model:
                raise NotFoundError(f"body {self.name!r} was removed from its world")
            examples = lib.pl_model_get_examples(model)
            if not 0 <= manifold < max(examples.manifold_count, 1):
                raise IndexError(f"manifold {manifold} is not in 0 … {examples.manifold_count - 1}")
            found = np.zeros(examples.example_count)
            if len(found):
                check(lib.pl_body_get_weights(pointer, self._id, manifold, as_pointer(found, ctypes.c_double)))
            return found
        finally:
            world._leave()

    @property
    def weights(self) -> Array:
        """Weights of the examples of the first manifold. Assign numbers to set them, None to let the body find them again."""
        return self.get_weights()

    @weights.setter
    def weights(self, values: Union[None, ArrayLike, Mapping[str, float]]) -> None:
        self.set_weights(values)

    def set_weights(self, weights: Union[None, ArrayLike, Mapping[str, float]], manifold: int = 0) -> None:
        """Set the weights of one manifold: an array, or a dict of example name to weight; None returns to projection."""
        if weights is None:
            self._world._call(lib.pl_body_set_weights, self._id, manifold, None)
            return
        names = self.model.examples
        if hasattr(weights, "items"):
            unknown = [name for name in weights if name not in names]
            if unknown:
                raise KeyError(f"there is no example {unknown[0]!r}; there are {', '.join(names) or 'none'}")
            weights = [weights.get(name, 0.0) for name in names]
        values = array(weights, (len(names),), "weights")
        self._world._call(lib.pl_body_set_weights, self._id, manifold, as_pointer(values, ctypes.c_double))

    # --- what acts on it

    @documented("pl_pin_def", hide=("target",))
    def pin(self, particles: ArrayLike, target: Optional[ArrayLike] = None, **parameters: Any) -> Union[Pin, List[Pin]]:
        """Hold particles where they are, or at `target` ((3,) or one per particle). Returns a list of Pins, or one Pin for one index."""
        one = np.ndim(particles) == 0
        indices = array(np.atleast_1d(particles), (None,), "particles", np.int32)
        places = self.positions[indices] if target is None and self._in_range(indices) else target
        places = np.broadcast_to(np.asarray(places, dtype=float), (len(indices), 3))
        pins = []
        for index, place in zip(indices, places):
            definition = set_fields(lib.pl_default_pin_def(), parameters, "pin")
            definition.body, definition.particle, definition.target = self._id, int(index), _capi.pl_vec3(*place)
            found = _capi.pl_pin_id()
            self._world._call(lib.pl_world_add_pin, byref(definition), byref(found))
            pins.append(Pin(self._world, found, int(index)))
        return pins[0] if one else pins

    def _in_range(self, indices):
        count = self._count()
        if indices.size and (indices.min() < 0 or indices.max() >= count):
            raise IndexError(f"a particle is not in 0 … {count - 1}")
        return True

    def add_force(self, particles: ArrayLike, force: ArrayLike) -> None:
        """A force in newtons on particles during the next step: (3,) for each of them, or one per particle."""
        indices = array(np.atleast_1d(particles), (None,), "particles", np.int32)
        self._in_range(indices)
        forces = np.broadcast_to(array(np.atleast_2d(force), (None, 3), "force"), (len(indices), 3))
        for index, value in zip(indices, forces):
            self._world._call(lib.pl_world_add_force, self._id, int(index), _capi.pl_vec3(*value))

    def teleport(self, motion: Placement) -> None:
        """Move the body rigidly at once; the move adds no momentum."""
        self._world._call(lib.pl_body_teleport, self._id, transform(motion, "motion"))

    def reset(self) -> None:
        """Back to the state it was added with."""
        self._world._call(lib.pl_body_reset, self._id)

    def remove(self) -> None:
        """Remove the body and its pins from the world. BufferError while arrays over its state are in use."""
        if self._drop_views():
            raise BufferError(f"arrays over the state of body {self.name!r} are in use; copy them, or let go of them before it is removed")
        self._world._call(lib.pl_world_remove_body, self._id)
        self._world._bodies.pop(self._key, None)
        if self.name is not None:
            self._world._names.pop(self.name, None)

    def add_layer(self, function: Callable[[Body, Array], Any]) -> Callable[[Body, Array], Any]:
        """Call `function(body, points)` after every step to change the surface `points` ((n, 3), in place). It may read the world but not change it. An
        exception of it aborts the step. Returns the function, so that it can be used as a decorator."""
        world = self._world

        def after_step(_, __, ___, points_, count, error):
            try:
                raw = (ctypes.c_double * (3 * count)).from_address(ctypes.addressof(points_.contents))
                surface = np.frombuffer(raw, dtype=np.float64).reshape(count, 3)
                given = surface.copy()  # a function that keeps its argument must not keep the library's memory
                function(self, given)
                if given.shape != surface.shape or not np.isfinite(given).all():
                    raise ValueError("a layer must leave finite points of the same shape")
                surface[:] = given
                return 0
            except BaseException as problem:  # noqa: BLE001 - passed on by World._run()
                world._raised = problem
                error.contents.text = repr(problem).encode()[:500]
                return FAILED
        callback = _LAYER(after_step)
        definition = _capi.pl_layer(callback, 0, None, ctypes.cast(callback, ctypes.c_void_p))
        world._call(lib.pl_world_add_layer, self._id, byref(definition))
        world._callbacks.append(callback)
        return function

    # --- numbers

    @property
    def model(self) -> Model:
        """The model it was made of."""
        if self._model is None:
            pointer = self._world._read(lib.pl_body_get_model, self._id)
            if not pointer:
                raise NotFoundError(f"body {self.name!r} was removed from its world")
            self._model = Model._borrow(pointer, self._world._handle, self._world._context)
        return self._model

    @property
    def report(self) -> Report:
        """mass, center, momentum, angular_momentum, kinetic_energy, box, max_speed."""
        self._count()
        return Report(self._world._read(lib.pl_body_get_report, self._id))

    @property
    def center(self) -> Array:
        """Centre of mass in metres."""
        return self.report.center

    @property
    def energy(self) -> Dict[str, float]:
        """{"kinetic": joules, "elastic": joules}; the elastic part is that of the last step of a finite-element body, 0 for others."""
        kinetic = self.report.kinetic_energy
        fem = self.fem_report
        return {"kinetic": kinetic, "elastic": fem.energy if fem else 0.0}

    @property
    def fem_report(self) -> Optional[Report]:
        """Work and result of the last step of a finite-element body; None for others."""
        found = _capi.pl_fem_report()
        status = self._world._read(lib.pl_fem_get_report, self._id, byref(found))
        if status == _capi.PL_ERROR_UNSUPPORTED:
            return None
        check(status)
        return Report(found)

    def __repr__(self):
        return f"<Body {self.name or ''!s}: {self._world!r}>"
