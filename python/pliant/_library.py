"""Loads the shared library, gives every function its types, and refuses a library that does not fit the generated layer."""
import ctypes
import os
import pathlib

from . import _capi

_NAME = "libpliant-python.so"


def _path():
    """The library: $PLIANT_LIBRARY, or that of the package."""
    return pathlib.Path(os.environ.get("PLIANT_LIBRARY") or pathlib.Path(__file__).parent / "lib" / _NAME)


def _open():
    path = _path()
    if not path.exists():
        raise ImportError(f"{path} is missing; run `make python`, or set PLIANT_LIBRARY to a {_NAME}")
    try:
        return ctypes.CDLL(str(path))
    except OSError as problem:
        raise ImportError(f"cannot load {path}: {problem}") from None


class _Functions:
    """All functions of the library as attributes, with their C names."""


def _load():
    library, functions = _open(), _Functions()
    for name, (result, parameters) in _capi.FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"{_path()} has no {name}: it is not of the version that this package was made for ({_capi.VERSION})") from None
        function.restype, function.argtypes = result, parameters
        setattr(functions, name, function)
    return functions


def _check_layout(functions):
    """Version, and the size of every def: its magic number stands at its end, so a struct of another size has it somewhere else."""
    version = functions.pl_version().decode()
    if version != _capi.VERSION:
        raise ImportError(f"{_path()} has version {version}, this package was made for {_capi.VERSION}")
    magic = functions.pl_default_context_def().magic
    for name, (result, parameters) in _capi.FUNCTIONS.items():
        if not name.startswith("pl_default_") or not any(field[0] == "magic" for field in getattr(result, "_fields_", ())):
            continue
        found = getattr(functions, name)(*(1 for _ in parameters))
        if found.magic != magic or magic == 0:
            raise ImportError(f"the struct {result.__name__} of {_path()} has another size than this package was made for; "
                              "build package and library from the same sources")


lib = _load()
_check_layout(lib)
