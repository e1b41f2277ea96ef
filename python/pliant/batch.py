"""Batches: many worlds stepped together, arrays of shape (worlds, points, 3)."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Union

import numpy as np

from . import _capi
from ._library import lib
from ._object import Error, array, as_vec3, byref
from .errors import BusyError, ClosedError, InvalidArgumentError, check, failure
from .world import World

if TYPE_CHECKING:
    from ._types import Array, ArrayLike
    from .context import Context


class Batch:
    """N worlds with bodies of the same number of particles, stepped by one call over all threads of a context. Each world ends with the bits that it would have
    alone, for any number of threads.

    Parameters
    ----------
    worlds : sequence of World, or a function that makes world i
    count : int
        Number of worlds, with a function.
    body : int or str
        Which body of each world the arrays are of.
    comm : communicator of mpi4py
        Shares the worlds of a function among its processes: each has the worlds `first` … `first` + len() - 1 of `count`, and gather() returns the arrays of all.
        Anything with `rank`, `size` and `allgather()` will do.
    """

    def __init__(self, worlds: Any, count: Optional[int] = None, *, body: Union[int, str] = 0, context: Optional[Context] = None, comm: Any = None) -> None:
        self.comm, self.first = comm, 0
        if callable(worlds):
            if count is None:
                raise TypeError("Batch() needs a count with a function that makes worlds")
            if comm is not None and count < comm.size:
                raise ValueError(f"count: {count} worlds are too few for {comm.size} processes")
            part = range(count) if comm is None else split(count, comm.rank, comm.size)
            self.first = part.start
            worlds = [worlds(i) for i in part]
        elif comm is not None:
            raise TypeError("Batch() needs a function that makes worlds with comm")
        self.worlds = list(worlds)
        if not self.worlds:
            raise ValueError("worlds: a batch needs at least one world")
        for world in self.worlds:
            if not isinstance(world, World):
                raise TypeError(f"worlds: {world!r} is not a World")
        if len(set(map(id, self.worlds))) != len(self.worlds):
            raise ValueError("worlds: a world is there twice")
        self._context = context or self.worlds[0]._context
        self._bodies = [world.bodies[body] for world in self.worlds]
        counts = {one._count() for one in self._bodies}
        if len(counts) != 1:
            raise ValueError(f"worlds: bodies have different numbers of particles: {sorted(counts)}")
        self.point_count = counts.pop()
        # The pointers of worlds do not change while they are open, which _hold() makes sure of.
        self._pointers = (ctypes.POINTER(_capi.pl_world) * len(self.worlds))(*(world._pointer for world in self.worlds))
        self._statuses = (ctypes.c_int * len(self.worlds))()
        self._doors = [(world._lock.acquire, world) for world in self.worlds]
        self._shared = {}

    def __len__(self) -> int:
        return len(self.worlds)

    def _hold(self, changes=0):
        """All worlds against other threads. `changes` is 1 where their state may change."""
        held = 0
        try:
            for acquire, world in self._doors:
                if not acquire(False):
                    raise BusyError(f"another thread is using world {held}; use a batch in one thread at a time, or a lock")
                held += 1
                if world._handle.pointer is None:
                    raise ClosedError(f"world {held - 1} of the batch is closed")
                if world._callbacks:
                    raise InvalidArgumentError(f"world {held - 1} has controllers or layers in Python, which worker threads cannot call; step it by itself")
                world._version += changes
        except BaseException:
            self._release(held)
            raise

    def _release(self, count=None):
        for world in self.worlds[:count]:
            world._leave()

    def step(self, count: int = 1, *, failures: str = "raise") -> Array:
        """Do `count` inner steps in every world. A world that fails stops where it is; the others go on. failures="raise" then raises for the first of them;
        "return" gives an array of booleans: which worlds failed."""
        if count < 1 or count != int(count):
            raise ValueError(f"count: {count!r} is not a whole number above 0")
        if failures not in ("raise", "return"):
            raise ValueError(f"failures: {failures!r} is not one of raise, return")
        error = Error()
        self._hold(1)
        try:
            given = _capi.pl_worlds(self._pointers, len(self.worlds))
            status = lib.pl_worlds_step(self._context._pointer, byref(given), int(count), self._statuses, byref(error))
        finally:
            self._release()
        failed = np.frombuffer(self._statuses, dtype=np.int32) < 0
        if status < 0 and (failures == "raise" or not failed.any()):
            raise failure(status, error)
        return failed

    def _gather(self, kind, function):
        entry = self._shared.get(kind)
        if entry is None:
            hidden = np.zeros((len(self.worlds), self.point_count, 3))
            shown = hidden.view()
            shown.flags.writeable = False
            entry = self._shared[kind] = (hidden, shown, [as_vec3(row) for row in hidden])
        self._hold()
        try:
            for pointer, body, row in zip(self._pointers, self._bodies, entry[2]):
                check(function(pointer, body._id, row))
        finally:
            self._release()
        return entry[1]

    @property
    def positions(self) -> Array:
        """Positions of all worlds, (worlds, points, 3). The same array every time; keep one with .copy(). Assign to set them."""
        return self._gather("positions", lib.pl_body_get_positions)

    @positions.setter
    def positions(self, values: ArrayLike) -> None:
        self._set(array(values, (len(self), self.point_count, 3), "positions"), None)

    @property
    def velocities(self) -> Array:
        """Velocities of all worlds, (worlds, points, 3)."""
        return self._gather("velocities", lib.pl_body_get_velocities)

    @velocities.setter
    def velocities(self, values: ArrayLike) -> None:
        self._set(None, array(values, (len(self), self.point_count, 3), "velocities"))

    def _set(self, positions, velocities):
        for i, body in enumerate(self._bodies):
            body._world._call(lib.pl_body_set_state, body._id, as_vec3(positions[i]) if positions is not None else None,
                              as_vec3(velocities[i]) if velocities is not None else None)

    @property
    def hashes(self) -> List[int]:
        """Hash of the state of every world."""
        return [world.hash for world in self.worlds]

    def snapshot(self) -> List[bytes]:
        """States of all worlds."""
        return [world.snapshot() for world in self.worlds]

    def restore(self, snapshots: Sequence[bytes], worlds: Optional[Sequence[int]] = None) -> None:
        """Restore states, of all worlds or of those whose indices are given: how learning resets single worlds."""
        for i, snapshot in zip(range(len(self)) if worlds is None else worlds, snapshots):
            self.worlds[i].restore(snapshot)

    def gather(self, values: Optional[ArrayLike] = None) -> Array:
        """An array of all worlds of all processes in the order of the worlds, from the part of each: `values` (first axis: its worlds), by default its positions.
        All processes must call it. Without a communicator, a copy."""
        own = np.array(self.positions if values is None else values)
        if len(own) != len(self):
            raise ValueError(f"values: {len(own)} entries for {len(self)} worlds")
        return own if self.comm is None else np.concatenate(self.comm.allgather(own))

    def close(self) -> None:
        """Close all worlds."""
        for world in self.worlds:
            world.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return f"<Batch of {len(self)} worlds of {self.point_count} particles>"


def split(count: int, rank: int, size: int) -> range:
    """The part of `count` jobs that process `rank` of `size` does, for sweeps over MPI: `for i in pliant.split(1000, comm.rank, comm.size)`. Every job belongs
    to exactly one process."""
    if not 0 <= rank < size:
        raise ValueError(f"rank {rank} is not in 0 … {size - 1}")
    return range(rank * count // size, (rank + 1) * count // size)
