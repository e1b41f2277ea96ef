"""Fixtures of the tests. They run on the package that `make python` installed: build/python/bin/python3 -m pytest python/tests."""
import pathlib
import subprocess

import numpy as np
import pytest

import pliant

ROOT = pathlib.Path(__file__).resolve().parents[2]


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
