"""What all objects of the package share: handles that are destroyed in the right order, defs filled from keywords, arrays checked before C sees them."""
from __future__ import annotations

import ctypes
import difflib
import inspect
import threading
import weakref
from typing import Any, Dict

import numpy as np

from . import _capi
from ._library import lib
from .errors import BusyError, ClosedError, Finding, check

Error = _capi.pl_error
byref = ctypes.byref
VEC3 = ctypes.POINTER(_capi.pl_vec3)


def _destroy(pointer, destroy, parents):
    destroy(pointer)
    parents.clear()


class Handle:
    """A C object. It is destroyed by close() or when nothing refers to it, always before its parents: the registry of finalizers holds them until then, in
    reference cycles too. At the end of the process nothing is destroyed; the system takes the memory back."""

    __slots__ = ("pointer", "parents", "_finalizer", "__weakref__")

    def __init__(self, pointer, destroy, parents=()):
        self.pointer = pointer
        self.parents = list(parents)
        self._finalizer = weakref.finalize(self, _destroy, pointer, destroy, self.parents)
        self._finalizer.atexit = False

    def close(self):
        self.pointer = None
        self._finalizer()


class _Closed:
    pointer = None


CLOSED = _Closed()


class Object:
    """Base of what owns a C object: context manager, close(), and an exception instead of a crash for use after it. `_shared` objects are immutable and may be
    used by several threads at once; of the others only one thread at a time gets in."""

    _shared = True

    def __init__(self, handle):
        self._handle = handle
        self._lock = None if self._shared else threading.RLock()

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._handle.pointer is None

    @property
    def _pointer(self):
        pointer = self._handle.pointer
        if pointer is None:
            raise ClosedError(f"this {type(self).__name__} is closed")
        return pointer

    def _enter(self):
        """The pointer, held against other threads until _leave()."""
        if not self._lock.acquire(blocking=False):
            raise BusyError(f"another thread is using this {type(self).__name__}; use one in each thread, or a lock")
        if self._handle.pointer is None:
            self._lock.release()
            raise ClosedError(f"this {type(self).__name__} is closed")
        return self._handle.pointer

    def _leave(self):
        self._lock.release()

    def close(self) -> None:
        """Destroy the object now. Closing twice is allowed."""
        if self._handle.pointer is None:
            return
        if self._lock is None:
            # Arrays over its memory and worlds that use it may still be there: the last of them takes it along.
            self._handle = CLOSED
            return
        self._enter()
        try:
            self._handle.close()
        finally:
            self._leave()

    def __enter__(self):
        self._pointer
        return self

    def __exit__(self, *_):
        self.close()


def call(function, *arguments):
    """Call a function whose last parameter is the error; a remark comes back."""
    error = Error()
    return check(function(*arguments, byref(error)), error)


def create(kind, function, *arguments):
    """Call a function whose last parameters are the new object and the error; its pointer comes back."""
    pointer = ctypes.POINTER(kind)()
    call(function, *arguments, byref(pointer))
    return pointer


class FindingList:
    """A list of findings for the time of a call."""

    def __init__(self, context):
        self.pointer = create(_capi.pl_findings, lib.pl_findings_create, context._pointer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        lib.pl_findings_destroy(self.pointer)

    def list(self):
        count = lib.pl_findings_count(self.pointer, 0)
        return [Finding(lib.pl_findings_get(self.pointer, i).contents) for i in range(count)]

    def check(self, status, error):
        return check(status, error, self.list() if status < 0 else ())


# --- arrays

def array(values, shape, name, dtype=np.float64):
    """A C-contiguous array of `dtype` and `shape`; None in the shape is any length. Numbers that would lose something are refused."""
    found = np.asarray(values)
    if found.dtype.kind not in ("fiu" if np.dtype(dtype).kind == "f" else "iu") and not (found.size == 0 and found.dtype.kind == "f"):
        raise TypeError(f"{name}: an array of dtype {found.dtype} cannot be used as {np.dtype(dtype)}")
    if found.ndim != len(shape) or any(want is not None and want != have for want, have in zip(shape, found.shape)):
        wanted = "(" + ", ".join("n" if n is None else str(n) for n in shape) + ("," if len(shape) == 1 else "") + ")"
        raise ValueError(f"{name}: an array of shape {found.shape} was given; the shape is {wanted}")
    if np.dtype(dtype).kind in "iu" and found.size and (found.min() < np.iinfo(dtype).min or found.max() > np.iinfo(dtype).max):
        raise ValueError(f"{name}: a number is out of the range of {np.dtype(dtype)}")
    return np.ascontiguousarray(found, dtype=dtype)


def points(values, count, name):
    """Positions or vectors, (count, 3)."""
    return array(values, (count, 3), name)


def index_array(values, count, name):
    found = array(np.asarray(values, dtype=np.int32) if np.size(values) == 0 else values, (None,), name, np.int32)
    if found.size and (found.min() < 0 or found.max() >= count):
        raise IndexError(f"{name}: a point is not in 0 … {count - 1}")
    return found


def as_vec3(values):
    """The address of a (n, 3) array of doubles as a pl_vec3 pointer."""
    return values.ctypes.data_as(VEC3)


def as_pointer(values, kind):
    return values.ctypes.data_as(ctypes.POINTER(kind))


def vec3(value, name="vector"):
    x, y, z = array(value, (3,), name)
    return _capi.pl_vec3(x, y, z)


def transform(value, name="placement"):
    """A pl_transform from a position, from (position, quaternion xyzw), or from a 4x4 matrix."""
    found = np.asarray(value, dtype=object if isinstance(value, (tuple, list)) and len(value) == 2 else None)
    identity = _capi.pl_quat(0, 0, 0, 1)
    if found.shape == (4, 4):
        matrix = array(value, (4, 4), name)
        if not np.allclose(matrix[:3, :3] @ matrix[:3, :3].T, np.eye(3), atol=1e-9) or np.linalg.det(matrix[:3, :3]) < 0:
            raise ValueError(f"{name}: the matrix is not a rotation and a translation")
        return _capi.pl_transform(_capi.pl_vec3(*matrix[:3, 3]), _capi.pl_quat(*_quaternion(matrix[:3, :3])))
    if isinstance(value, (tuple, list)) and len(value) == 2:
        rotation = array(value[1], (4,), f"{name} (rotation)")
        length = np.linalg.norm(rotation)
        if not length > 0:
            raise ValueError(f"{name}: a quaternion of length 0 is not a rotation; the identity is (0, 0, 0, 1)")
        return _capi.pl_transform(vec3(value[0], name), _capi.pl_quat(*(rotation / length)))
    return _capi.pl_transform(vec3(value, name), identity)


def _quaternion(m):
    """(x, y, z, w) of a rotation matrix, from its largest component."""
    t = np.array([m[0, 0] - m[1, 1] - m[2, 2], m[1, 1] - m[0, 0] - m[2, 2], m[2, 2] - m[0, 0] - m[1, 1], np.trace(m)])
    i = int(np.argmax(t))
    q = np.empty(4)
    q[i] = 0.5 * np.sqrt(1 + t[i])
    s = 0.25 / q[i]
    if i == 3:
        q[:3] = s * np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]])
    else:
        j, k = (i + 1) % 3, (i + 2) % 3
        q[j], q[k], q[3] = s * (m[j, i] + m[i, j]), s * (m[k, i] + m[i, k]), s * (m[k, j] - m[j, k])
    return q


def view(pointer, shape, owner, dtype=np.float64, exports=None):
    """A read-only array over memory of the library, without a copy. It keeps `owner` (a Handle) alive. `exports` is a list that gets a weak reference to what
    all arrays over this memory hold."""
    size = int(np.prod(shape))
    if size == 0 or not pointer:
        return np.zeros(shape, dtype)
    raw = (ctypes.c_char * (size * np.dtype(dtype).itemsize)).from_address(ctypes.cast(pointer, ctypes.c_void_p).value)
    raw.owner = owner
    if exports is not None:
        exports.append(weakref.ref(raw))
    return np.frombuffer(memoryview(raw).toreadonly(), dtype=dtype).reshape(shape)  # cannot be made writable either


def text(value):
    return None if value is None else value.decode("utf-8", "replace")


def path(value):
    import os
    return os.fsencode(os.fspath(value))


# --- defs

def choice(struct, field, value):
    """The number of a choice: from its word, or as it is."""
    words = _capi.CHOICES[struct][field]
    if isinstance(value, str):
        word = value.lower().replace("_", "-").replace(" ", "-")
        if word in words:
            return words[word]
    elif not isinstance(value, bool) and value in words.values():
        return int(value)
    raise ValueError(f"{field}: {value!r} is not one of {', '.join(words)}")


def set_fields(target, values, what):
    """Fill fields of a struct from keywords: numbers, words of choices, vectors."""
    struct = type(target).__name__
    types = dict(target._fields_)
    for name, value in values.items():
        if name not in types or name == "magic":
            near = difflib.get_close_matches(name, [field for field in types if field != "magic"], 1)
            raise TypeError(f"{what} has no parameter {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
        kind = types[name]
        try:
            if name in _capi.CHOICES.get(struct, {}):
                value = choice(struct, name, value)
            elif kind is _capi.pl_vec3:
                value = vec3(value, name)
            elif kind is _capi.pl_transform:
                value = transform(value, name)
            elif kind is _capi.pl_fit_range:
                value = fit_range(value, getattr(target, name), name)
            elif kind is ctypes.c_bool:
                if not isinstance(value, (bool, np.bool_)):
                    raise TypeError(f"{value!r} is not True or False")
                value = bool(value)
            elif kind in (ctypes.c_double, ctypes.c_float):
                if isinstance(value, (str, bytes)):
                    raise TypeError(f"{value!r} is not a number")
                value = float(value)
            elif issubclass(kind, ctypes._SimpleCData) and kind._type_ in "iIlLqQhHbB":
                number = int(value)
                if number != value or not -2**63 <= number < 2**64 or kind(number).value != number:
                    raise ValueError(f"{value!r} is not a whole number in range")
                value = number
            else:
                raise TypeError(f"{what} has no parameter {name!r} that can be given as a keyword")
        except (TypeError, ValueError) as problem:
            message = str(problem)
            raise type(problem)(message if message.startswith(name) else f"{name}: {message}") from None
        setattr(target, name, value)
    return target


def fit_range(value, default, name):
    """A number holds the parameter there; (start, min, max) fits it; True or False fits it, or not, as it is by default."""
    found = _capi.pl_fit_range(default.start, default.min, default.max, default.fitted)
    if isinstance(value, bool):
        found.fitted = value
    elif np.ndim(value) == 0:
        found.start, found.fitted = float(value), False
        found.min, found.max = min(found.min, found.start), max(found.max, found.start)
    else:
        found.start, found.min, found.max = array(value, (3,), name)
        found.fitted = True
    return found


def documented(struct, *, hide=(), extra=()):
    """Decorator: signature and docstring of a function of keywords from the tables of parameters."""
    rows = {name: row for name, row in _capi.PARAMETERS.get(struct, {}).items() if name not in hide}

    def decorate(function):
        lines = ["", "", "Parameters", "----------"]
        for name, (default, unit, allowed, about) in rows.items():
            facts = ", ".join(filter(None, (unit, allowed, f"default {default}" if default else "required")))
            lines += [f"{name} : {facts}", f"    {about}"]
        function.__doc__ = inspect.cleandoc(function.__doc__ or "") + "\n".join(lines)
        own = [p for p in inspect.signature(function).parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        taken = {p.name for p in own}
        keywords = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=_Default(row[0]), annotation=_annotation(struct, name))
                    for name, row in rows.items() if name not in taken]
        function.__signature__ = inspect.Signature(own + keywords)
        return function
    return decorate


class _Default:
    """Shows the default of a parameter in a signature; the library has the value."""

    def __init__(self, shown):
        self.shown = shown

    def __repr__(self):
        return self.shown or "..."


def _annotation(struct, name):
    if name in _capi.CHOICES.get(struct, {}):
        return str
    kind = dict(getattr(_capi, struct)._fields_).get(name)
    if kind is _capi.pl_fit_range:
        return "Any"
    if kind is ctypes.c_bool:
        return bool
    if kind in (ctypes.c_double, ctypes.c_float):
        return float
    return int if isinstance(kind, type) and issubclass(kind, ctypes._SimpleCData) else "array of 3 numbers"


class Report:
    """Numbers that a call reports, as attributes of the names of the C struct."""

    def __init__(self, struct, **more):
        choices = _capi.CHOICES.get(type(struct).__name__, {})
        for name, _ in struct._fields_:
            if name not in more:
                value = plain(getattr(struct, name))
                if name in choices:
                    value = next((word for word, number in choices[name].items() if number == value), value)
                setattr(self, name, value)
        for name, value in more.items():
            setattr(self, name, value)

    def as_dict(self) -> Dict[str, Any]:
        """All numbers as a dict."""
        return dict(self.__dict__)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.__dict__.items())})"


def plain(value):
    """A field of a struct as Python has it: text, numbers, arrays."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, (_capi.pl_vec3, _capi.pl_quat)):
        return np.array([getattr(value, name) for name, _ in value._fields_])
    if isinstance(value, _capi.pl_box):
        return np.array([plain(value.min), plain(value.max)])
    if isinstance(value, _capi.pl_transform):
        return plain(value.position), plain(value.rotation)
    if isinstance(value, ctypes.Array):
        return np.array(value)
    if isinstance(value, ctypes.Structure):
        return Report(value)
    return value

