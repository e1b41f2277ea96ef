"""Loads the two shared libraries, gives every function its types, and refuses libraries that do not fit the generated layer."""
import ctypes
import os
import pathlib

from . import _capi

_NAMES = {"pliant": "libpliant.so.0", "pliant-lab": "libpliant-lab.so.0"}


def _folder():
    """Where the libraries are: $PLIANT_LIBRARIES, or the package itself."""
    return pathlib.Path(os.environ.get("PLIANT_LIBRARIES") or pathlib.Path(__file__).parent / "lib")


def _open():
    folder, libraries = _folder(), {}
    for key, name in _NAMES.items():
        path = folder / name
        if not path.exists():
            raise ImportError(f"{path} is missing; run `make python`, or set PLIANT_LIBRARIES to the folder of {name}")
        try:
            # Global, so that the lab finds the runtime that is loaded already, wherever it was built.
            libraries[key] = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
        except OSError as problem:
            raise ImportError(f"cannot load {path}: {problem}") from None
    return libraries


class _Functions:
    """All functions of the libraries as attributes, with their C names."""


def _load():
    libraries, functions = _open(), _Functions()
    for name, (library, result, parameters) in _capi.FUNCTIONS.items():
        try:
            function = getattr(libraries[library], name)
        except AttributeError:
            raise ImportError(f"{_NAMES[library]} has no {name}: it is not of the version that this package was made for ({_capi.VERSION})") from None
        function.restype, function.argtypes = result, parameters
        setattr(functions, name, function)
    return functions


def _check_layout(functions):
    """Version, and the size of every def: its magic number stands at its end, so a struct of another size has it somewhere else."""
    version = functions.pl_version().decode()
    if version != _capi.VERSION:
        raise ImportError(f"the libraries in {_folder()} have version {version}, this package was made for {_capi.VERSION}")
    magic = functions.pl_default_context_def().magic
    for name, (_, result, parameters) in _capi.FUNCTIONS.items():
        if not name.startswith("pl_default_") or not any(field[0] == "magic" for field in getattr(result, "_fields_", ())):
            continue
        found = getattr(functions, name)(*(1 for _ in parameters))
        if found.magic != magic or magic == 0:
            raise ImportError(f"the struct {result.__name__} of the libraries in {_folder()} has another size than this package was made for; "
                              "build package and libraries from the same sources")


lib = _load()
_check_layout(lib)
