"""Pliant from Python: deformable bodies by example.

    import pliant
    world = pliant.Scene.load("scenes/jelly-drop/scene.json").build()
    for frame in world.frames():
        print(world.time, world.bodies[0].positions.mean(axis=0))

Units are SI, +Y is up, positions are (n, 3) arrays of doubles. The functions of the C library are in pliant.lib under their own names.
"""
from . import _capi as capi
from ._library import lib
from .context import Context, default_context, version
from .errors import (BusyError, ClosedError, FileError, Finding, InvalidArgumentError, InvalidDataError, NotFiniteError, NotFoundError, OutOfMemoryError,
                     PliantError, UnsupportedError)
from .mesh import Mesh
from .model import Model, fem, solid, solve
from .scene import Scene
from .world import Body, World

__version__ = capi.VERSION
__all__ = ["Body", "BusyError", "ClosedError", "Context", "FileError", "Finding", "InvalidArgumentError", "InvalidDataError", "Mesh", "Model",
           "NotFiniteError", "NotFoundError", "OutOfMemoryError", "PliantError", "Scene", "UnsupportedError", "World", "capi", "default_context", "fem", "lib",
           "solid", "solve", "version"]
