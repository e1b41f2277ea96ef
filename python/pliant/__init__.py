"""Pliant from Python: deformable bodies by example.

    import pliant
    world = pliant.Scene.load("scenes/jelly-drop/scene.json").build()
    for frame in world.frames():
        print(world.time, world.bodies[0].positions.mean(axis=0))

Units are SI, +Y is up, positions are (n, 3) arrays of doubles. The functions of the C library are in pliant.lib under their own names.
"""
from . import _capi as capi
from . import adapters
from ._library import lib
from .body import Body
from .batch import Batch, split
from .capture import Capture, CaptureResult, Track, capture, track
from .context import Context, default_context, version
from .errors import (BusyError, ClosedError, FileError, Finding, InvalidArgumentError, InvalidDataError, NotFiniteError, NotFoundError, OutOfMemoryError,
                     PliantError, UnsupportedError)
from .fit import Estimate, Fit, Motion, find_rest_shape, fit
from .mesh import Mesh
from .model import Model, fem, modes, rigid, solid, solve
from .plot import plot_fit, plot_frames, plot_weights
from .rollout import Rollout
from .scene import Scene
from .view import Recording
from .world import World

__version__ = capi.VERSION
__all__ = ["Batch", "Body", "BusyError", "Capture", "CaptureResult", "ClosedError", "Context", "Estimate", "FileError", "Finding", "Fit",
           "InvalidArgumentError", "InvalidDataError", "Mesh", "Model", "Motion", "NotFiniteError", "NotFoundError", "OutOfMemoryError", "PliantError",
           "Recording", "Rollout", "Scene", "Track", "UnsupportedError", "World", "adapters", "capi", "capture", "default_context", "fem", "find_rest_shape",
           "fit", "lib", "modes", "plot_fit", "plot_frames", "plot_weights", "rigid", "solid", "solve", "split", "track", "version"]
