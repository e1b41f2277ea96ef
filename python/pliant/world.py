"""Worlds: bodies, colliders, pins and forces, and the step."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from . import _capi
from ._library import lib
from ._object import (CLOSED, Error, Handle, Object, Report, as_pointer, byref, call, choice, create, documented, index_array, plain, set_fields, transform,
                      vec3)
from .body import FAILED, Attachment, Bodies, Body, Collider, Joint
from .context import default_context
from .errors import BusyError, InvalidArgumentError, NotFoundError, check, failure
from .model import Model

if TYPE_CHECKING:
    from ._types import ArrayLike, Placement
    from .context import Context
    from .mesh import Mesh

_CONTROLLER = dict(_capi.pl_controller._fields_)["before_step"]


def _finite(vector, name):
    if not np.isfinite((vector.x, vector.y, vector.z)).all():
        raise ValueError(f"{name}: numbers must be finite")
    return vector


class StepReport(Report):
    """Result of one or more steps: step_count, phase_seconds, unconverged_count, contact_count, deepest_contact, and with a failure the cause."""

    def __init__(self, struct):  # pylint: disable=super-init-not-called
        # Converted when it is read: most callers of step() never do.
        self._struct = type(struct).from_buffer_copy(struct)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return plain(getattr(self._struct, name))

    def as_dict(self) -> Dict[str, Any]:
        """All numbers as a dict."""
        return {name: getattr(self, name) for name, _ in self._struct._fields_}

    def __repr__(self):
        return f"StepReport({', '.join(f'{k}={v!r}' for k, v in self.as_dict().items())})"


class World(Object):
    """A simulation, for one thread at a time. step() and other long calls let other Python threads run.

    Keywords are the parameters of the world, see `World.parameters`.
    """

    _shared = False

    def __init__(self, *, context: Optional[Context] = None, **parameters: Any) -> None:
        context = context or default_context()
        definition = set_fields(lib.pl_default_world_def(), parameters, "World")
        pointer = create(_capi.pl_world, lib.pl_world_create, context._pointer, byref(definition))
        self._take(Handle(pointer, lib.pl_world_destroy, [context._handle]), context)

    def _take(self, handle, context):
        super().__init__(handle)
        self._context = context
        self._error, self._report = Error(), _capi.pl_step_report()
        self._references = byref(self._report), byref(self._error)
        self._callbacks, self._raised, self._depth = [], None, 0
        self._bodies, self._names = {}, {}
        self._version = 0  # changes whenever the state may have
        self.scene = None
        self.frame_rate, self.frame_count = 60.0, None

    # --- calls: held against other threads, exceptions of callbacks passed on

    def _call(self, function, *arguments):
        """Call a function of the world that ends with an error; changes the state."""
        pointer = self._enter()
        try:
            self._version += 1
            error = Error()
            return check(function(pointer, *arguments, byref(error)), error)
        finally:
            self._leave()

    def _read(self, function, *arguments):
        """Call a function that only reads the world."""
        pointer = self._enter()
        try:
            return function(pointer, *arguments)
        finally:
            self._leave()

    def _run(self, function, *arguments, count=1):
        """The same for functions that step, `count` times in one go: callbacks run inside."""
        pointer = self._enter()
        try:
            if self._depth:
                raise InvalidArgumentError("a world cannot be stepped from inside its own step")
            self._version += 1
            self._depth, self._raised = 1, None
            report, error = self._references
            try:
                for _ in range(count):
                    status = function(pointer, *arguments, report, error)
                    if status < 0:
                        break
            finally:
                self._depth = 0
            if self._raised is not None:
                raised, self._raised = self._raised, None
                raise raised
            if status < 0:
                raise failure(status, self._error)
            return StepReport(self._report)
        finally:
            self._leave()

    def close(self) -> None:
        """Destroy the world now. Its bodies can no longer be used; arrays that were taken from them stay valid."""
        if self.closed:
            return
        self._enter()
        try:
            if self._depth:
                raise InvalidArgumentError("a world cannot be closed inside its own step; close it after the step")
            # Arrays over its memory keep it until the last of them is gone.
            if any([body._drop_views() for body in self._bodies.values()]):
                self._handle = CLOSED
            else:
                self._handle.close()
            self._callbacks.clear()
            self._bodies.clear()
            self._names.clear()
        finally:
            self._leave()

    # --- time

    def step(self, count: int = 1) -> StepReport:
        """Do `count` inner steps. Returns the report of the last."""
        if count < 1 or count != int(count):
            raise ValueError(f"count: {count!r} is not a whole number above 0")
        return self._run(lib.pl_world_step, count=int(count))

    def advance(self, seconds: float, max_steps: int = 0) -> StepReport:
        """Do as many inner steps as fit into `seconds`; the remainder is kept for the next call."""
        return self._run(lib.pl_world_advance, float(seconds), int(max_steps))

    def settle(self, seconds: float) -> StepReport:
        """Let bodies come to rest: inner steps for `seconds` while the clock stands still."""
        return self._run(lib.pl_world_settle, float(seconds))

    def frames(self, count: Optional[int] = None) -> Iterator[int]:
        """Iterate over frames: yields 0 for the start, then advances by 1 / frame_rate before each. `count` is that of the scene unless given."""
        count = self.frame_count if count is None else count
        if count is None:
            raise TypeError("frames() needs a count for a world that was not built from a scene")
        for frame in range(count):
            if frame:
                self.advance(1 / self.frame_rate)
            yield frame

    @property
    def time(self) -> float:
        """Simulated seconds."""
        return self._read(lib.pl_world_get_time)

    @property
    def step_count(self) -> int:
        """Inner steps since the world was created."""
        return self._read(lib.pl_world_step_count)

    @property
    def step_length(self) -> float:
        """Seconds of an inner step."""
        return self._read(lib.pl_world_get_step_length)

    # --- contents

    @documented("pl_body_def")
    def add_body(self, model: Model, placement: Placement = (0, 0, 0), *, name: Optional[str] = None, **parameters: Any) -> Body:
        """Add a body of a model. `placement` is a position, (position, quaternion xyzw) or a 4x4 matrix. Returns the Body."""
        definition = set_fields(lib.pl_default_body_def(), parameters, "add_body")
        if not isinstance(model, Model):
            raise TypeError(f"model: {model!r} is not a Model; make one with pliant.solid() or pliant.fem()")
        if name is not None and name in self._names:
            raise ValueError(f"name: there is a body {name!r} already")
        definition.model, definition.placement = model._pointer, transform(placement)
        found = _capi.pl_body_id()
        self._call(lib.pl_world_add_body, byref(definition), byref(found))
        self._handle.parents.append(model._handle)  # the model outlives the world
        return self._remember(Body(self, found, model, name))

    def _remember(self, body):
        self._bodies[body._key] = body
        if body.name is not None:
            self._names[body.name] = body
        return body

    @property
    def bodies(self) -> Bodies:
        """All bodies in the order of adding."""
        self._pointer
        return Bodies(self)

    def body(self, name: str) -> Body:
        """The body of this name."""
        self._pointer
        try:
            return self._names[name]
        except KeyError:
            raise NotFoundError(f"there is no body {name!r}; there are {', '.join(map(repr, self._names)) or 'none with names'}") from None

    @documented("pl_collider_def")
    def add_collider(self, shape: str = "half-space", placement: Placement = (0, 0, 0), *, mesh: Optional[Mesh] = None,
                     keys: Optional[Sequence[Tuple[float, Placement]]] = None, **parameters: Any) -> Collider:
        """Add a collider: half-space, sphere, capsule, box or mesh. `keys` is a list of (time, placement) along which it moves. Returns its handle."""
        definition = lib.pl_default_collider_def(choice("pl_collider_def", "shape", shape))
        set_fields(definition, parameters, "add_collider")
        definition.placement = transform(placement)
        if mesh is not None:
            definition.mesh = mesh._pointer
        if keys:
            items = (_capi.pl_collider_key * len(keys))()
            for item, (time, where) in zip(items, keys):
                item.time, item.placement = float(time), transform(where)
            definition.keys, definition.key_count = items, len(keys)
        found = _capi.pl_collider_id()
        self._call(lib.pl_world_add_collider, byref(definition), byref(found))
        return Collider(self, found)

    @documented("pl_joint_def", hide=("kind",))
    def add_joint(self, kind: str, body: Body, other: Optional[Body] = None, **parameters: Any) -> Joint:
        """Join two rigid bodies, or one with the world: fixed, ball, hinge or slider. Returns the Joint."""
        definition = lib.pl_default_joint_def()
        definition.kind = choice("pl_joint_def", "kind", kind)
        set_fields(definition, parameters, "add_joint")
        definition.body_a = self._own(body)
        if other is not None:
            definition.body_b = self._own(other)
        found = _capi.pl_joint_id()
        self._call(lib.pl_world_add_joint, byref(definition), byref(found))
        return Joint(self, found)

    @documented("pl_attachment_def")
    def attach(self, body: Body, particles: ArrayLike, other: Optional[Body] = None, *, partners: Optional[ArrayLike] = None, **parameters: Any) -> Attachment:
        """Tie particles of a body to another one: to where they touch a rigid body, to the nearest points of the surface of a soft one, to its particles
        `partners`, or to the world. Returns the Attachment."""
        definition = set_fields(lib.pl_default_attachment_def(), parameters, "attach")
        definition.body_a = self._own(body)
        tied = index_array(np.atleast_1d(particles), body._count(), "particles")
        definition.particles, definition.particle_count = as_pointer(tied, ctypes.c_int32), len(tied)
        if other is not None:
            definition.body_b = self._own(other)
        if partners is not None:
            if other is None:
                raise TypeError("partners: they are particles of another body; give it")
            to = index_array(np.atleast_1d(partners), other._count(), "partners")
            if len(to) != len(tied):
                raise ValueError(f"partners: {len(to)} for {len(tied)} particles")
            definition.partners = as_pointer(to, ctypes.c_int32)
        found = _capi.pl_attachment_id()
        self._call(lib.pl_world_add_attachment, byref(definition), byref(found))
        return Attachment(self, found)

    def _own(self, body):
        if not isinstance(body, Body):
            raise TypeError(f"{body!r} is not a Body")
        if body._world is not self:
            raise InvalidArgumentError(f"body {body.name!r} belongs to another world")
        return body._id

    def cast_ray(self, origin: ArrayLike, direction: ArrayLike, max_distance: float = float("inf")) -> Optional[Report]:
        """The first surface along a ray: `body` (None for a collider), `position`, `normal`, `distance`, `triangle`, `barycentric`; None if there is none."""
        ray, hit, error = _capi.pl_query_ray(vec3(origin, "origin"), vec3(direction, "direction"), float(max_distance)), _capi.pl_query_hit(), Error()
        check(self._read(lib.pl_world_cast_ray, byref(ray), None, byref(hit), byref(error)), error)
        if not hit.body.generation and not hit.collider.generation:
            return None
        return Report(hit, body=self._bodies.get((hit.body.slot, hit.body.generation)), collider=None)

    def set_gravity(self, gravity: ArrayLike) -> None:
        """Gravity in m/s² from the next step on."""
        self._read(lib.pl_world_set_gravity, _finite(vec3(gravity, "gravity"), "gravity"))

    def set_wind(self, wind: ArrayLike) -> None:
        """Velocity of the air in m/s from the next step on."""
        self._read(lib.pl_world_set_wind, _finite(vec3(wind, "wind"), "wind"))

    # --- callbacks

    def add_controller(self, function: Callable[[World], Any]) -> Callable[[World], Any]:
        """Call `function(world)` before every step: read the world, add forces, move pins, set weights or state. An exception of it aborts the step, which
        then has not happened, and comes out of step(). Returns the function, so that it can be used as a decorator."""
        def before_step(_, __, error):
            try:
                # Inside the step the thread holds the world already.
                self._version += 1
                function(self)
                return 0
            except BaseException as problem:  # noqa: BLE001 - passed on by _run()
                self._raised = problem
                error.contents.text = repr(problem).encode()[:500]
                return FAILED
        self._add_controller(before_step)
        return function

    driver = add_controller

    def _add_controller(self, function):
        callback = _CONTROLLER(function)
        definition = _capi.pl_controller(callback, 0, None, ctypes.cast(callback, ctypes.c_void_p))
        pointer = self._enter()
        try:
            call(lib.pl_world_add_controller, pointer, byref(definition))
            self._callbacks.append(callback)
        finally:
            self._leave()

    # --- state

    def snapshot(self) -> bytes:
        """The state as bytes."""
        pointer = self._enter()
        try:
            buffer = ctypes.create_string_buffer(lib.pl_world_snapshot_size(pointer))
            lib.pl_world_snapshot(pointer, buffer)
            return buffer.raw
        finally:
            self._leave()

    def restore(self, snapshot: bytes) -> None:
        """Restore a snapshot of this world, or of one built in the same way."""
        data = bytes(snapshot)
        self._call(lib.pl_world_restore, data, len(data))

    @property
    def hash(self) -> int:
        """64-bit hash of the state: equal for equal states, for any number of threads."""
        return self._read(lib.pl_world_get_hash)

    @property
    def energy(self) -> Dict[str, float]:
        """Sums over the bodies in joules: {"kinetic": …, "elastic": …}; the elastic part is that of finite-element bodies."""
        reports = [body.energy for body in self.bodies]
        return {kind: float(sum(report[kind] for report in reports)) for kind in ("kinetic", "elastic")}

    @property
    def contacts(self) -> Dict[str, float]:
        """Contacts of the last step: {"count": …, "deepest": metres of overlap before it was resolved}."""
        self._pointer
        return {"count": self._report.contact_count, "deepest": self._report.deepest_contact}

    @property
    def contact_events(self) -> List[Report]:
        """What began, persisted and ended to touch in the last inner step, or in all of the last advance(), of a world with contact_events=True: reports with `kind` (begin,
        persist, end), `body`, `other` (a Body, or None for a collider), `contact_count`, `position`, `normal`, `impulse` (N s) and `depth`."""
        found = self._read(lib.pl_world_get_contact_events)
        return [self._event(found.events[i]) for i in range(found.event_count)]

    def _event(self, struct):
        def body(key):
            return self._bodies.get((key.slot, key.generation))
        words = _capi.CHOICES["pl_contact_event"]["kind"]
        return Report(struct, kind=next(word for word, number in words.items() if number == struct.kind), body=body(struct.body), other=body(struct.other_body),
                      other_body=None, collider=(struct.collider.slot, struct.collider.generation) if struct.collider.generation else None)

    def record(self, frames: Any = None) -> Recording:
        """Run `frames` frames and keep the surfaces: a Recording, which notebooks show."""
        from .view import Recording
        return Recording.of(self, frames)

    def __repr__(self):
        if self.closed:
            return "<World closed>"
        try:
            return f"<World of {len(self.bodies)} bodies at {self.time:.4g} s>"
        except BusyError:
            return "<World in use by another thread>"


World.__init__ = documented("pl_world_def")(World.__init__)
World.parameters = {name: row for name, row in _capi.PARAMETERS["pl_world_def"].items()}
