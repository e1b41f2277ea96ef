"""Worlds: bodies, colliders, pins and forces, and the step."""
import ctypes

import numpy as np

from . import _capi
from ._library import lib
from ._object import (Error, Handle, Object, Report, array, as_pointer, as_vec3, byref, call, choice, create, documented, plain, points, set_fields,
                      transform, vec3)
from .context import default_context
from .errors import BusyError, InvalidArgumentError, NotFoundError, check, failure
from .model import Model

_CONTROLLER = dict(_capi.pl_controller._fields_)["before_step"]
_LAYER = dict(_capi.pl_layer._fields_)["after_step"]
_FAILED = _capi.PL_ERROR_INVALID_ARGUMENT


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

    def as_dict(self):
        """All numbers as a dict."""
        return {name: getattr(self, name) for name, _ in self._struct._fields_}

    def __repr__(self):
        return f"StepReport({', '.join(f'{k}={v!r}' for k, v in self.as_dict().items())})"


class World(Object):
    """A simulation, for one thread at a time. step() and other long calls let other Python threads run.

    Keywords are the parameters of the world, see `World.parameters`.
    """

    _shared = False

    def __init__(self, *, context=None, **parameters):
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

    def close(self):
        """Destroy the world now. Its bodies can no longer be used; arrays that were taken from them stay valid."""
        if self.closed:
            return
        self._enter()
        try:
            if self._depth:
                raise InvalidArgumentError("a world cannot be closed inside its own step; close it after the step")
            self._handle.close()
            self._callbacks.clear()
            self._bodies.clear()
            self._names.clear()
        finally:
            self._leave()

    # --- time

    def step(self, count=1):
        """Do `count` inner steps. Returns the report of the last."""
        if count < 1 or count != int(count):
            raise ValueError(f"count: {count!r} is not a whole number above 0")
        return self._run(lib.pl_world_step, count=int(count))

    def advance(self, seconds, max_steps=0):
        """Do as many inner steps as fit into `seconds`; the remainder is kept for the next call."""
        return self._run(lib.pl_world_advance, float(seconds), int(max_steps))

    def settle(self, seconds):
        """Let bodies come to rest: inner steps for `seconds` while the clock stands still."""
        return self._run(lib.pl_world_settle, float(seconds))

    def frames(self, count=None):
        """Iterate over frames: yields 0 for the start, then advances by 1 / frame_rate before each. `count` is that of the scene unless given."""
        count = self.frame_count if count is None else count
        if count is None:
            raise TypeError("frames() needs a count for a world that was not built from a scene")
        for frame in range(count):
            if frame:
                self.advance(1 / self.frame_rate)
            yield frame

    @property
    def time(self):
        """Simulated seconds."""
        return self._read(lib.pl_world_get_time)

    @property
    def step_count(self):
        """Inner steps since the world was created."""
        return self._read(lib.pl_world_step_count)

    @property
    def step_length(self):
        """Seconds of an inner step."""
        return self._read(lib.pl_world_get_step_length)

    # --- contents

    @documented("pl_body_def")
    def add_body(self, model, placement=(0, 0, 0), *, name=None, **parameters):
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
    def bodies(self):
        """All bodies in the order of adding."""
        return Bodies(self)

    def body(self, name):
        """The body of this name."""
        self._pointer
        try:
            return self._names[name]
        except KeyError:
            raise NotFoundError(f"there is no body {name!r}; there are {', '.join(map(repr, self._names)) or 'none with names'}") from None

    @documented("pl_collider_def")
    def add_collider(self, shape="half-space", placement=(0, 0, 0), *, mesh=None, keys=None, **parameters):
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

    def set_gravity(self, gravity):
        """Gravity in m/s² from the next step on."""
        self._read(lib.pl_world_set_gravity, _finite(vec3(gravity, "gravity"), "gravity"))

    def set_wind(self, wind):
        """Velocity of the air in m/s from the next step on."""
        self._read(lib.pl_world_set_wind, _finite(vec3(wind, "wind"), "wind"))

    # --- callbacks

    def add_controller(self, function):
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
                return _FAILED
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

    def snapshot(self):
        """The state as bytes."""
        pointer = self._enter()
        try:
            buffer = ctypes.create_string_buffer(lib.pl_world_snapshot_size(pointer))
            lib.pl_world_snapshot(pointer, buffer)
            return buffer.raw
        finally:
            self._leave()

    def restore(self, snapshot):
        """Restore a snapshot of this world, or of one built in the same way."""
        data = bytes(snapshot)
        self._call(lib.pl_world_restore, data, len(data))

    @property
    def hash(self):
        """64-bit hash of the state: equal for equal states, for any number of threads."""
        return self._read(lib.pl_world_get_hash)

    @property
    def energy(self):
        """Sums over the bodies in joules: {"kinetic": …, "elastic": …}; the elastic part is that of finite-element bodies."""
        reports = [body.energy for body in self.bodies]
        return {kind: float(sum(report[kind] for report in reports)) for kind in ("kinetic", "elastic")}

    @property
    def contacts(self):
        """Contacts of the last step: {"count": …, "deepest": metres of overlap before it was resolved}."""
        self._pointer
        return {"count": self._report.contact_count, "deepest": self._report.deepest_contact}

    def record(self, frames=None):
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

    def __len__(self):
        return self._world._read(lib.pl_world_body_count)

    def __iter__(self):
        return iter(self._list())

    def __getitem__(self, key):
        return self._world.body(key) if isinstance(key, str) else self._list()[key]

    def __contains__(self, name):
        return name in self._world._names

    def keys(self):
        """Names of the bodies that have one."""
        return list(self._world._names)

    def __repr__(self):
        return f"<{len(self)} bodies: {', '.join(map(repr, self.keys()))}>"


class Collider:
    """A collider of a world."""

    def __init__(self, world, key):
        self._world, self._id = world, key

    def move(self, placement):
        """Move a collider without key frames; bodies are pushed with the velocity of the move."""
        self._world._call(lib.pl_world_move_collider, self._id, transform(placement))

    def remove(self):
        """Remove it from the world."""
        self._world._call(lib.pl_world_remove_collider, self._id)


class Pin:
    """A pin of one particle."""

    def __init__(self, world, key, particle):
        self._world, self._id, self.particle = world, key, particle

    def move(self, target):
        """Move the target (metres); a hard pin moves its particle there during the next step."""
        self._world._call(lib.pl_world_move_pin, self._id, vec3(target, "target"))

    def remove(self):
        """Release the particle."""
        self._world._call(lib.pl_world_remove_pin, self._id)


class Body:
    """A body of a world. A body that was removed, or whose world is closed, raises an exception.

    `positions`, `velocities` and `surface` are arrays that belong to the body object: they are filled by one copy in C when the state has changed since they
    were last asked for, and nothing is allocated. The same array comes back every time, so keep a frame with `.copy()`. They stay valid after the world is
    closed. Assign to `positions` or `velocities` to set the state.
    """

    def __init__(self, world, key, model, name):
        self._world, self._id, self._key = world, key, (key.slot, key.generation)
        self.name = name
        self._model = model
        self._arrays = {}
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

    @property
    def positions(self):
        """Positions of the particles in metres, (n, 3), in the point order of the mesh."""
        return self._array("positions", lib.pl_body_get_positions)

    @positions.setter
    def positions(self, values):
        xyz = points(values, self._count(), "positions")
        self._world._call(lib.pl_body_set_state, self._id, as_vec3(xyz), None)

    @property
    def velocities(self):
        """Velocities of the particles in m/s, (n, 3)."""
        return self._array("velocities", lib.pl_body_get_velocities)

    @velocities.setter
    def velocities(self, values):
        xyz = points(values, self._count(), "velocities")
        self._world._call(lib.pl_body_set_state, self._id, None, as_vec3(xyz))

    @property
    def surface(self):
        """Points of the surface in metres, after its layers."""
        return self._array("surface", lib.pl_body_get_surface, surface=True)

    @property
    def triangles(self):
        """Triangles of the surface, (m, 3)."""
        return self.model.surface_triangles

    # --- examples

    def get_weights(self, manifold=0):
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
    def weights(self):
        """Weights of the examples of the first manifold. Assign numbers to set them, None to let the body find them again."""
        return self.get_weights()

    @weights.setter
    def weights(self, values):
        self.set_weights(values)

    def set_weights(self, weights, manifold=0):
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
    def pin(self, particles, target=None, **parameters):
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

    def add_force(self, particles, force):
        """A force in newtons on particles during the next step: (3,) for each of them, or one per particle."""
        indices = array(np.atleast_1d(particles), (None,), "particles", np.int32)
        self._in_range(indices)
        forces = np.broadcast_to(array(np.atleast_2d(force), (None, 3), "force"), (len(indices), 3))
        for index, value in zip(indices, forces):
            self._world._call(lib.pl_world_add_force, self._id, int(index), _capi.pl_vec3(*value))

    def teleport(self, motion):
        """Move the body rigidly at once; the move adds no momentum."""
        self._world._call(lib.pl_body_teleport, self._id, transform(motion, "motion"))

    def reset(self):
        """Back to the state it was added with."""
        self._world._call(lib.pl_body_reset, self._id)

    def remove(self):
        """Remove the body and its pins from the world."""
        self._world._call(lib.pl_world_remove_body, self._id)
        self._world._bodies.pop(self._key, None)
        if self.name is not None:
            self._world._names.pop(self.name, None)

    def add_layer(self, function):
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
                return _FAILED
        callback = _LAYER(after_step)
        definition = _capi.pl_layer(callback, 0, None, ctypes.cast(callback, ctypes.c_void_p))
        world._call(lib.pl_world_add_layer, self._id, byref(definition))
        world._callbacks.append(callback)
        return function

    # --- numbers

    @property
    def model(self):
        """The model it was made of."""
        if self._model is None:
            pointer = self._world._read(lib.pl_body_get_model, self._id)
            if not pointer:
                raise NotFoundError(f"body {self.name!r} was removed from its world")
            self._model = Model._borrow(pointer, self._world._handle, self._world._context)
        return self._model

    @property
    def report(self):
        """mass, center, momentum, angular_momentum, kinetic_energy, box, max_speed."""
        self._count()
        return Report(self._world._read(lib.pl_body_get_report, self._id))

    @property
    def center(self):
        """Centre of mass in metres."""
        return self.report.center

    @property
    def energy(self):
        """{"kinetic": joules, "elastic": joules}; the elastic part is that of the last step of a finite-element body, 0 for others."""
        kinetic = self.report.kinetic_energy
        fem = self.fem_report
        return {"kinetic": kinetic, "elastic": fem.energy if fem else 0.0}

    @property
    def fem_report(self):
        """Work and result of the last step of a finite-element body; None for others."""
        found = _capi.pl_fem_report()
        status = self._world._read(lib.pl_fem_get_report, self._id, byref(found))
        if status == _capi.PL_ERROR_UNSUPPORTED:
            return None
        check(status)
        return Report(found)

    def __repr__(self):
        return f"<Body {self.name or ''!s}: {self._world!r}>"
