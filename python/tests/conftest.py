"""Fixtures of the tests. They run on the package that `make python` installed: build/python/bin/python3 -m pytest python/tests."""
import functools
import inspect
import pathlib
import subprocess

import numpy as np
import pytest

import pliant

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Every public function, method and property of the package, and how often the tests of this run have called it: test_touched.py looks at it at the end.
TOUCHED = {}


def _counted(function, name):
    TOUCHED[name] = 0

    @functools.wraps(function)
    def call(*arguments, **keywords):
        TOUCHED[name] += 1
        return function(*arguments, **keywords)
    return call


def _count_class(cls):
    for name, value in list(vars(cls).items()):
        if name.startswith("_") and name != "__init__":
            continue
        label = f"{cls.__module__}.{cls.__name__}.{name}"
        if isinstance(value, property):
            setter = value.fset and _counted(value.fset, f"{label} (assigned)")
            setattr(cls, name, property(_counted(value.fget, label), setter, doc=value.__doc__))
        elif isinstance(value, classmethod):
            setattr(cls, name, classmethod(_counted(value.__func__, label)))
        elif inspect.isfunction(value):
            setattr(cls, name, _counted(value, label))


def _count_all():
    modules = {module for module in vars(pliant).values() if inspect.ismodule(module) and module.__name__.startswith("pliant.")}
    modules |= {inspect.getmodule(getattr(pliant, name)) for name in pliant.__all__ if inspect.isclass(getattr(pliant, name)) or inspect.isfunction(getattr(pliant, name))}
    for module in sorted(modules, key=lambda module: module.__name__):
        if module.__name__ == "pliant._capi":
            continue
        for name, value in list(vars(module).items()):
            own = not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
            if own and inspect.isclass(value):
                _count_class(value)
            elif own and inspect.isfunction(value) and (name in pliant.__all__ or module is pliant.adapters):
                counted = _counted(value, f"{module.__name__}.{name}")
                setattr(module, name, counted)
                if name in pliant.__all__:
                    setattr(pliant, name, counted)


_count_all()


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.path.stem == "test_touched")  # at the end; a sort keeps the order of the others


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def tool():
    """Runs the program `pliant` of the same build; returns what it prints."""
    program = ROOT / "build/release/pliant"
    if not program.exists():
        pytest.skip("build/release/pliant is not built")

    def run(*arguments):
        return subprocess.run([program, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return run


@pytest.fixture(scope="session")
def box():
    """175 points."""
    return pliant.Mesh.box((0.3, 0.2, 0.2), (6, 4, 4))


@pytest.fixture
def world():
    with pliant.World() as made:
        yield made


@pytest.fixture
def body(world, box):
    return world.add_body(pliant.solid(box), (0, 0.6, 0), name="box")


@pytest.fixture(scope="session")
def twisted(box):
    """The box turned by a quarter from end to end."""
    xyz = box.points
    angle = 0.5 * np.pi * xyz[:, 0] / 0.3
    c, s = np.cos(angle), np.sin(angle)
    return np.column_stack([xyz[:, 0], c * xyz[:, 1] - s * xyz[:, 2], s * xyz[:, 1] + c * xyz[:, 2]])
