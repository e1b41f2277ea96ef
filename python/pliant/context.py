"""Contexts: threads and log of the library."""
from __future__ import annotations

import ctypes
import logging
import threading
from typing import Any, Callable, Optional

from . import _capi
from ._library import lib
from ._object import Handle, Object, Report, create

_LEVELS = (logging.INFO, logging.WARNING, logging.ERROR)


class Context(Object):
    """Threads and log. Most programs need none of their own: without one, objects use default_context().

    Parameters
    ----------
    threads : int
        Threads of parallel loops, the caller's included; 0 for one per processor. Results do not depend on it.
    log : callable or None
        Called as log(level, text) with levels of the module `logging`, from any thread.
    """

    def __init__(self, threads: int = 0, log: Optional[Callable[[str, str], Any]] = None) -> None:
        definition = lib.pl_default_context_def()
        definition.thread_count = int(threads)
        if log is not None:
            function = dict(_capi.pl_context_def._fields_)["log"]
            definition.log = function(lambda _, severity, line: log(_LEVELS[severity], line.decode("utf-8", "replace")))
        pointer = create(_capi.pl_context, lib.pl_context_create, ctypes.byref(definition))
        # The def holds the callback, which must live as long as the context.
        super().__init__(Handle(pointer, lib.pl_context_destroy, [definition]))

    @property
    def threads(self) -> int:
        """Number of threads that parallel loops run on."""
        return lib.pl_context_thread_count(self._pointer)

    @property
    def memory(self) -> Report:
        """Memory held from the allocator now: block_count, byte_count, and allocation_count since the start."""
        return Report(lib.pl_context_get_memory_report(self._pointer))

    def __repr__(self):
        return "<Context closed>" if self.closed else f"<Context of {self.threads} threads>"


_default, _lock = None, threading.Lock()


def default_context() -> Context:
    """The context of objects that are given none: one thread per processor, no log."""
    global _default
    with _lock:
        if _default is None or _default.closed:
            _default = Context()
        return _default


def version() -> str:
    """Version of the library, "major.minor.patch"."""
    return lib.pl_version().decode()
