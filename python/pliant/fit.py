"""Material from motion: fit(), and the reference shape."""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Callable, Dict, Optional, Sequence, TYPE_CHECKING, Tuple, Union

import numpy as np

from . import _capi
from ._library import lib
from ._object import Error, Handle, Object, Report, array, as_pointer, as_vec3, byref, call, create, documented, index_array, points, set_fields, view
from .errors import check
from .mesh import Mesh
from .model import Model

if TYPE_CHECKING:
    from ._types import Array, ArrayLike


@dataclass
class Motion:
    """A tracked motion: `positions` (frames, points, 3) in metres, `frame_seconds` between frames; weights per point and frame, start and moving pins as far as
    they matter."""

    positions: np.ndarray
    frame_seconds: float
    point_weights: Optional[np.ndarray] = None
    frame_weights: Optional[np.ndarray] = None
    start_positions: Optional[np.ndarray] = None
    start_velocities: Optional[np.ndarray] = None
    pins_move: bool = False

    def _struct(self, count, keep):
        frames = array(self.positions, (None, count, 3), "positions")
        found = _capi.pl_fit_sequence(len(frames), float(self.frame_seconds), as_vec3(frames))
        keep.append(frames)
        for name, size in (("point_weights", count), ("frame_weights", len(frames))):
            if getattr(self, name) is not None:
                weights = array(getattr(self, name), (size,), name)
                keep.append(weights)
                setattr(found, name, as_pointer(weights, ctypes.c_double))
        for name in ("start_positions", "start_velocities"):
            if getattr(self, name) is not None:
                xyz = points(getattr(self, name), count, name)
                keep.append(xyz)
                setattr(found, name, as_vec3(xyz))
        found.pins_move = bool(self.pins_move)
        return found

    @classmethod
    def _of(cls, struct, count):
        def copy(pointer, shape):
            return np.array(view(pointer, shape, None)) if pointer else None
        frames = struct.frame_count
        return cls(copy(struct.positions, (frames, count, 3)), struct.frame_seconds, copy(struct.point_weights, (count,)),
                   copy(struct.frame_weights, (frames,)), copy(struct.start_positions, (count, 3)), copy(struct.start_velocities, (count, 3)), struct.pins_move)


class Estimate(Report):
    """Estimate of one parameter: `name`, `value`, `interval` (95 %), `deviation` of its logarithm, `verdict` (determined, not-determined, at-bound, held, not-converged, misfit)."""

    def __init__(self, struct):
        super().__init__(struct, interval=(struct.min, struct.max))

    def __repr__(self):
        return f"<{self.name} = {self.value:.5g}, 95 % {self.interval[0]:.4g} … {self.interval[1]:.4g}, {self.verdict}>"


class Fit(Object):
    """Result of fit(), and the fit itself: run() continues it.

    `estimates` are the parameters with intervals, `correlation` is their matrix, `history` the iterations, `rms` the distance of the simulated from the tracked
    points in metres.
    """

    _shared = False

    def __init__(self, handle, context, mesh, keep, history):
        super().__init__(handle)
        self._context, self._mesh, self._keep = context, mesh, keep
        self.history = history
        self.warm_start = None
        self.status = "ok"
        self._read_report()

    def _read_report(self):
        pointer = self._enter()
        try:
            found, error = _capi.pl_fit_report(), Error()
            check(lib.pl_fit_get_report(pointer, byref(found), byref(error)), error)
            count = found.parameter_count
            self.estimates = [Estimate(found.estimates[i]) for i in range(count)]
            self.correlation = np.array(view(found.correlations, (count, count), None))
            for name in ("converged", "rms", "deviation", "amplitude", "iteration_count", "evaluation_count", "frame_count", "steps", "seconds"):
                setattr(self, name, getattr(found, name))
            tets = len(self._mesh.tets)
            self.rest_shape, self.young = np.empty((len(self._mesh.points), 3)), np.empty(tets)
            check(lib.pl_fit_get_fields(pointer, as_vec3(self.rest_shape), as_pointer(self.young, ctypes.c_double)))
        finally:
            self._leave()

    @property
    def values(self) -> Dict[str, float]:
        """The parameters by name."""
        return {estimate.name: estimate.value for estimate in self.estimates}

    def run(self) -> Fit:
        """Continue until the tolerance or the maximum number of iterations is reached."""
        pointer = self._enter()
        try:
            status = call(lib.pl_fit_run, pointer)
        finally:
            self._leave()
        self.status = {0: "ok", 1: "not converged", 3: "cancelled"}.get(status, str(status))
        self._raise()
        self._read_report()
        return self

    def _raise(self):
        raised = self._keep.pop("raised", None)
        if raised is not None:
            raise raised

    def predict(self, motion: Motion) -> Tuple[Array, Report]:
        """Simulate a motion, such as a held-out one: (positions (frames, points, 3), report with rms, amplitude, worst)."""
        keep = []
        count = len(self._mesh.points)
        sequence, report, error = motion._struct(count, keep), _capi.pl_fit_prediction(), Error()
        positions = np.empty((sequence.frame_count, count, 3))
        pointer = self._enter()
        try:
            check(lib.pl_fit_predict(pointer, byref(sequence), as_vec3(positions), byref(report), byref(error)), error)
        finally:
            self._leave()
        return positions, Report(report)

    def model(self) -> Model:
        """A model of the fitted body: rest shape, moduli, damping and mass as found."""
        pointer = self._enter()
        try:
            found, error = ctypes.POINTER(_capi.pl_model)(), Error()
            check(lib.pl_fit_build_model(pointer, None, byref(found), byref(error)), error)
        finally:
            self._leave()
        return Model(found, self._context, Mesh(self.rest_shape, tets=self._mesh.tets, context=self._context))

    def plot(self, **options: Any) -> Any:
        """plot_fit() of this result."""
        from .plot import plot_fit
        return plot_fit(self, **options)

    def __repr__(self):
        return f"<Fit: rms {self.rms:.3g} m, {', '.join(f'{e.name} {e.value:.4g}' for e in self.estimates)}>"


def field_of(mesh, controls, context, keep):
    """The field of a fit: a number of control points along the longest axis, or positions of them; None is uniform."""
    if controls is None or (np.ndim(controls) == 0 and int(controls) == 1):
        return None
    definition = lib.pl_default_field_def()
    if np.ndim(controls) == 0:
        definition.control_count, definition.placement, definition.blend = int(controls), _capi.PL_FIELD_ALONG_AXIS, _capi.PL_FIELD_LINEAR
    else:
        xyz = points(controls, None, "controls")
        keep.append(xyz)
        definition.control_count, definition.placement, definition.blend, definition.points = len(xyz), _capi.PL_FIELD_GIVEN, _capi.PL_FIELD_HARMONIC, as_vec3(xyz)
    return Handle(create(_capi.pl_field, lib.pl_field_build, context._pointer, byref(definition), mesh._pointer), lib.pl_field_destroy, [context._handle])


@documented("pl_fit_def")
def fit(mesh: Mesh, motions: Union[Motion, Sequence[Motion]], *, pinned: ArrayLike = (), controls: Union[None, int, ArrayLike] = None,
        windows: Optional[ArrayLike] = None, warm_start: bool = True, callback: Optional[Callable[..., Any]] = None, run: bool = True,
        **parameters: Any) -> Fit:
    """Material and rest shape of a soft object from its motion. `mesh` is its static shape, in equilibrium under gravity.

    `motions` is a Motion or a list of them; `pinned` the points that are held. `controls` is the number of control points of Young's modulus along the longest
    axis, or their positions; None fits one modulus. A range (`young`, `poisson`, `mass_damping`, `stiffness_damping`) is a number to hold it there, (start,
    min, max) to fit it, or True or False. `warm_start` finds start values from frequencies. `callback(progress)` is called after every iteration; False stops
    the fit. Returns a Fit.
    """
    context, keep = mesh._context, {"arrays": []}
    definition, arrays = set_fields(lib.pl_default_fit_def(), parameters, "fit"), keep["arrays"]
    count = len(mesh.points)
    held = index_array(pinned, count, "pinned")
    arrays.append(held)
    definition.pinned, definition.pinned_count = as_pointer(held, ctypes.c_int32), len(held)
    definition.direct = lib.pl_cholmod_backend()
    if windows is not None:
        sizes = array(windows, (None,), "windows", np.int32)
        arrays.append(sizes)
        definition.windows, definition.window_count = as_pointer(sizes, ctypes.c_int32), len(sizes)
    field = field_of(mesh, controls, context, arrays)
    if field is not None:
        definition.field = field.pointer
    history = []

    def after_iteration(_, given, progress):
        try:
            number = ctypes.c_int32()
            values = lib.pl_fit_get_values(given, byref(number))
            report = Report(progress.contents, values=np.array(values[:number.value]))
            history.append(report)
            return callback is None or callback(report) is not False
        except BaseException as problem:  # noqa: BLE001 - raised by Fit.run()
            keep["raised"] = problem
            return False
    function = _capi.pl_fit_callback(after_iteration)
    definition.after_iteration = function
    keep["callback"] = function
    motions = [motions] if isinstance(motions, Motion) else list(motions)
    items = (_capi.pl_fit_sequence * max(len(motions), 1))(*(motion._struct(count, arrays) for motion in motions))
    given = _capi.pl_fit_sequences(items, len(motions))
    arrays.append(items)
    pointer, error = ctypes.POINTER(_capi.pl_fit)(), Error()
    check(lib.pl_fit_create(context._pointer, byref(definition), mesh._pointer, byref(given), byref(pointer), byref(error)), error)
    handle = Handle(pointer, lib.pl_fit_destroy, [context._handle, keep] + ([field] if field else []))
    warm = None
    if warm_start and run:
        warm_def, found = lib.pl_default_warm_start_def(), _capi.pl_warm_start_report()
        check(lib.pl_fit_warm_start(pointer, byref(warm_def), byref(found), byref(error)), error)
        warm = Report(found)
    made = Fit(handle, context, mesh, keep, history)
    made.warm_start = warm
    return made.run() if run else made


@documented("pl_reference_def", hide=("solver",))
def find_rest_shape(model: Model, *, pinned: ArrayLike, **parameters: Any) -> Tuple[Array, Report]:
    """The rest shape (n, 3) whose equilibrium under gravity is the mesh of `model`, and the report. Points of `pinned` stay where they are."""
    definition = set_fields(lib.pl_default_reference_def(), parameters, "find_rest_shape")
    count = model.report.particle_count
    held = index_array(pinned, count, "pinned")
    definition.pinned, definition.pinned_count, definition.direct = as_pointer(held, ctypes.c_int32), len(held), lib.pl_cholmod_backend()
    shape = np.array(model.mesh.points)
    report, error = _capi.pl_reference_report(), Error()
    check(lib.pl_reference_find(model._context._pointer, model._pointer, byref(definition), as_vec3(shape), byref(report), byref(error)), error)
    return shape, Report(report)


__all__ = ["Estimate", "Fit", "Motion", "fit", "find_rest_shape"]
