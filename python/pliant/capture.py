"""Recordings of soft objects: track() and capture()."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Tuple, Union

import numpy as np

from . import _capi
from ._library import lib
from ._object import Error, FindingList, Handle, Object, Report, as_pointer, as_vec3, byref, documented, index_array, path, plain, points, set_fields, view
from .context import default_context
from .errors import check
from .fit import Estimate, Fit, Motion, field_of
from .model import Model

if TYPE_CHECKING:
    from ._types import Array, ArrayLike, PathLike
    from .context import Context
    from .mesh import Mesh


class Capture(Object):
    """A capture.json with its depth images or clouds. Frames are loaded when they are asked for."""

    def __init__(self, pointer, context):
        self._context = context
        super().__init__(Handle(pointer, lib.pl_capture_destroy, [context._handle]))

    @classmethod
    def load(cls, file: PathLike, *, context: Optional[Context] = None) -> Capture:
        """Load a capture.json."""
        context = context or default_context()
        pointer, error = ctypes.POINTER(_capi.pl_capture)(), Error()
        with FindingList(context) as findings:
            findings.check(lib.pl_capture_load(context._pointer, path(file), byref(pointer), findings.pointer, byref(error)), error)
        return cls(pointer, context)

    @property
    def _view(self):
        return lib.pl_capture_get_view(self._pointer)

    def __len__(self) -> int:
        return self._view.frame_count

    @property
    def times(self) -> Array:
        """Seconds of the frames."""
        found = self._view
        return np.array(view(found.times, (found.frame_count,), self._handle))

    @property
    def gravity(self) -> Array:
        """m/s² of the recording."""
        return plain(self._view.gravity)

    def frame(self, index: int) -> Tuple[Array, Array]:
        """Points of frame `index` in world axes and metres, (n, 3), and the camera of each (or None)."""
        pointer, error = ctypes.POINTER(_capi.pl_cloud)(), Error()
        with FindingList(self._context) as findings:
            findings.check(lib.pl_capture_load_frame(self._pointer, int(index), byref(pointer), findings.pointer, byref(error)), error)
        found = lib.pl_cloud_get_view(pointer)
        xyz = np.array(view(found.points, (found.point_count, 3), None))
        cameras = np.array(view(found.cameras, (found.point_count,), None, np.int32)) if found.cameras else None
        lib.pl_cloud_destroy(pointer)
        return xyz, cameras

    def __repr__(self):
        return "<Capture closed>" if self.closed else f"<Capture of {len(self)} frames>"


class Track:
    """Result of track(): `positions` (frames, points, 3), `supports` (frames, points: how much of a point was measured), `surface` (frames, points, 3),
    `reports` and `states` per frame, `times`."""

    def __init__(self):
        self.positions, self.supports, self.surface, self.reports = [], [], [], []

    def _add(self, report, found):
        self.positions.append(np.array(view(found.points, (found.point_count, 3), None)))
        self.supports.append(np.array(view(found.supports, (found.point_count,), None)))
        self.surface.append(np.array(view(found.surface, (found.surface_count, 3), None)))
        self.reports.append(Report(report))

    def _finish(self):
        self.positions, self.supports, self.surface = np.array(self.positions), np.array(self.supports), np.array(self.surface)
        self.states = [report.state for report in self.reports]
        self.times = np.array([report.time for report in self.reports])
        return self

    def motion(self, first: int = 0) -> Motion:
        """The track from frame `first` on as the Motion of a fit, weighted by what was measured of each point."""
        steps = np.diff(self.times[first:])
        return Motion(self.positions[first:], float(steps.mean()), point_weights=self.supports[first:].mean(axis=0))

    def __repr__(self):
        return f"<Track of {len(self.reports)} frames: {', '.join(f'{self.states.count(s)} {s}' for s in sorted(set(self.states)))}>"


@documented("pl_track_def")
def track(model: Model, recording: Any, *, held: ArrayLike = (), start: Optional[ArrayLike] = None, frames: Any = None,
          callback: Optional[Callable[..., Any]] = None, **parameters: Any) -> Track:
    """Track a finite-element body through a recording: a Capture, or a list of (time, (n, 3) array of points).

    `held` are points that do not move; `start` the positions before the first frame, by default the rest shape; `frames` how many to track. `callback(frame,
    report)` is called after every frame; False stops. Returns a Track.
    """
    context = model._context
    definition = set_fields(lib.pl_default_track_def(), parameters, "track")
    count = model.report.particle_count
    fixed = index_array(held, count, "held")
    definition.held, definition.held_count = as_pointer(fixed, ctypes.c_int32), len(fixed)
    is_recording = isinstance(recording, Capture)
    if is_recording:
        seen = recording._view
        definition.cameras, definition.camera_count = seen.cameras, seen.camera_count
    begin = points(start, count, "start") if start is not None else None
    pointer, error = ctypes.POINTER(_capi.pl_tracker)(), Error()
    check(lib.pl_tracker_create(context._pointer, byref(definition), model._pointer, as_vec3(begin) if begin is not None else None, byref(pointer),
                                byref(error)), error)
    handle = Handle(pointer, lib.pl_tracker_destroy, [context._handle, model._handle])
    result = Track()
    total = len(recording) if frames is None else min(int(frames), len(recording))
    try:
        for frame in range(total):
            if is_recording:
                (cloud, cameras), time = recording.frame(frame), seen.times[frame]
            else:
                (time, cloud), cameras = recording[frame], None
            cloud = points(cloud, None, "cloud")
            given = _capi.pl_cloud_view(len(cloud), as_vec3(cloud))
            if cameras is not None:
                given.cameras = as_pointer(cameras, ctypes.c_int32)
            report = _capi.pl_track_report()
            check(lib.pl_tracker_advance(pointer, float(time), byref(given), byref(report), byref(error)), error)
            result._add(report, lib.pl_tracker_get_view(pointer))
            if callback is not None and callback(frame, result.reports[-1]) is False:
                break
    finally:
        handle.close()
    return result._finish()


class CaptureResult(Object):
    """Result of capture(): `rounds` (each with residuals, estimates and history), `settled`, `fit`-like numbers of the last round (`estimates`, `correlation`,
    `rest_shape`, `young`), the tracked `motions`, and model() for a world."""

    _shared = False

    def __init__(self, handle, context, mesh, keep, status):
        super().__init__(handle)
        self._context = context
        self.status = {0: "ok", 1: "not converged", 3: "cancelled"}.get(status, str(status))
        found = lib.pl_capture_result_get_view(handle.pointer)
        count = len(mesh.points)
        self.settled = found.settled
        self.rounds = [_round(found.rounds[i]) for i in range(found.round_count)]
        self.motions = [Motion._of(found.motions[i], count) for i in range(found.motion_count)] if found.motions else []
        self.warm_start = Report(found.warm_start) if found.warm_started else None
        self.fit = None
        if found.fit:
            # The fit belongs to the result.
            self.fit = Fit(Handle(found.fit, lambda _: None, [handle]), context, mesh, keep, [row for one in self.rounds for row in one.history])
            self.estimates, self.correlation = self.fit.estimates, self.fit.correlation
            self.rest_shape, self.young, self.rms = self.fit.rest_shape, self.fit.young, self.fit.rms

    def model(self) -> Model:
        """The captured body as a model for a world."""
        pointer = self._enter()
        try:
            found, error = ctypes.POINTER(_capi.pl_model)(), Error()
            check(lib.pl_capture_result_build_model(pointer, byref(found), byref(error)), error)
            return Model(found, self._context)
        finally:
            self._leave()

    def __repr__(self):
        return f"<CaptureResult of {len(self.rounds)} rounds, {'settled' if self.settled else 'not settled'}: {self.fit!r}>"


class Event:
    """A report of progress of capture(): `event` (round-begin, frame, iteration, ...), `round`, `clip`, `frame`, `frame_count`; `track` with a frame, `iteration`
    with an iteration of the fit."""


def _event(struct):
    found = Event()
    words = _capi.CHOICES["pl_capture_progress"]["event"]
    found.event = next(word for word, number in words.items() if number == struct.event)
    found.round, found.clip, found.frame, found.frame_count = struct.round, struct.clip, struct.frame, struct.frame_count
    found.track = Report(struct.track.contents) if struct.track else None
    found.iteration = Report(struct.iteration.contents) if struct.iteration else None
    return found


def _round(struct):
    count = struct.parameter_count
    estimates = [Estimate(struct.estimates[i]) for i in range(count)] if struct.estimates else []
    values = np.array(view(struct.iteration_values, (struct.iteration_count, count), None)) if struct.iteration_values else []
    history = [Report(struct.iterations[i], values=values[i]) for i in range(struct.iteration_count)]
    return Report(struct, estimates=estimates, history=history, iterations=None, iteration_values=values)


def capture(mesh: Mesh, recordings: Any, *, pinned: ArrayLike, surface: Optional[Mesh] = None, controls: Union[None, int, ArrayLike] = None,
            release_frame: int = 0, max_rounds: int = 4, warm_start: bool = True, fit: Optional[Mapping[str, Any]] = None,
            track: Optional[Mapping[str, Any]] = None, callback: Optional[Callable[..., Any]] = None) -> CaptureResult:
    """Motion, material and rest shape from recordings of a soft object: track() and fit() in turn until they agree.

    `mesh` is the static shape; `recordings` a Capture or a list; `pinned` the points that are held; `surface` what cameras see. `controls` is as in fit().
    `release_frame` is the frame in which the object is released. `fit` and `track` are dicts of their keywords. `callback(progress)` gets events (`event`,
    `round`, `frame`, ...); False stops. Returns a CaptureResult.
    """
    context, keep = mesh._context, {"arrays": []}
    arrays = keep["arrays"]
    definition = lib.pl_default_capture_run_def()
    recordings = [recordings] if isinstance(recordings, Capture) else list(recordings)
    clips = (_capi.pl_capture_clip * max(len(recordings), 1))()
    for clip, recording in zip(clips, recordings):
        clip.recording = recording._pointer
    held = index_array(pinned, len(mesh.points), "pinned")
    arrays.append(held)
    set_fields(definition.fit, {"gravity": recordings[0].gravity, **(fit or {})} if recordings else fit or {}, "fit")
    set_fields(definition.track, track or {}, "track")
    definition.fit.pinned, definition.fit.pinned_count = as_pointer(held, ctypes.c_int32), len(held)
    definition.fit.direct = lib.pl_cholmod_backend()
    field = field_of(mesh, controls, context, arrays)
    if field is not None:
        definition.fit.field = field.pointer
    definition.mesh, definition.clips, definition.clip_count = mesh._pointer, clips, len(recordings)
    if surface is not None:
        definition.surface = surface._pointer
    definition.release_frame, definition.max_rounds, definition.warm_start = int(release_frame), int(max_rounds), bool(warm_start)

    def progress(_, given):
        try:
            return callback(_event(given.contents)) is not False
        except BaseException as problem:  # noqa: BLE001 - raised below
            keep["raised"] = problem
            return False
    if callback is not None:
        definition.progress = _capi.pl_capture_callback(progress)
    pointer, error = ctypes.POINTER(_capi.pl_capture_result)(), Error()
    status = check(lib.pl_capture_run(context._pointer, byref(definition), byref(pointer), byref(error)), error)
    parents = [context._handle, mesh._handle, keep, *(recording._handle for recording in recordings)]
    parents += [surface._handle] if surface is not None else []
    parents += [field] if field is not None else []
    handle = Handle(pointer, lib.pl_capture_result_destroy, parents)
    raised = keep.pop("raised", None)
    if raised is not None:
        raise raised
    return CaptureResult(handle, context, mesh, keep, status)
