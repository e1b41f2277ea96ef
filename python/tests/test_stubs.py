"""Type stubs: there for every module, with every public name, and right by a type checker."""
import ast
import importlib.util
import pathlib
import subprocess
import sys

import pytest

import pliant
from pliant import capi

FOLDER = pathlib.Path(pliant.__file__).parent
GOOD = """
import numpy as np
import pliant
mesh = pliant.Mesh.box((1, 1, 1), (2, 2, 2))
with pliant.World(gravity=(0, 0, 0)) as world:
    body = world.add_body(pliant.fem(mesh, young=1e5), (0, 1, 0), name="a")
    report = world.step(3)
    seconds: float = world.time
    body.positions = body.positions + 1
    print(report.step_count, world.bodies["a"].weights.shape, np.abs(body.stress).max(), seconds)
batch = pliant.Batch([world])
rollout = pliant.Rollout(body.model, step=1 / 120, step_count=5)
print(batch.step(2).any(), rollout.pull(rollout.run(young=1e5))["young"])
"""
BAD = {"pliant.fem(mesh, yung=1e5)": "yung", "pliant.fem(mesh, young='soft')": "incompatible type", "world.step('three')": "incompatible type",
       "world.postions": "no attribute", "text: str = world.time": "Incompatible types"}


def declared(node):
    """Names of functions, classes with their members, and variables."""
    found = set()
    for item in node.body:
        if isinstance(item, (ast.FunctionDef, ast.ClassDef)):
            found.add(item.name)
        if isinstance(item, ast.ClassDef):
            found |= {f"{item.name}.{name}" for name in declared(item)}
        if isinstance(item, ast.AnnAssign):
            found.add(item.target.id)
        if isinstance(item, ast.ImportFrom):
            found |= {alias.asname or alias.name for alias in item.names}
    return found


def test_every_name_has_a_stub():
    exported = declared(ast.parse((FOLDER / "__init__.pyi").read_text(encoding="utf-8")))
    assert set(pliant.__all__) <= exported
    for name in pliant.__all__:
        value = getattr(pliant, name)
        if not isinstance(value, type):
            continue
        stub = declared(ast.parse((FOLDER / f"{value.__module__.rpartition('.')[2]}.pyi").read_text(encoding="utf-8")))
        members = {f"{name}.{member}" for member in vars(value) if not member.startswith("_")}
        assert members <= stub, sorted(members - stub)
    assert (FOLDER / "py.typed").exists()


def test_parameters_of_the_tables_are_in_the_stubs():
    for function, module, struct in (("solid", "model", "pl_solid_def"), ("fem", "model", "pl_fem_def"), ("fit", "fit", "pl_fit_def"), ("World", "world", "pl_world_def")):
        tree = ast.parse((FOLDER / f"{module}.pyi").read_text(encoding="utf-8"))
        node = next(item for item in tree.body if getattr(item, "name", "") == function)
        node = next(item for item in node.body if getattr(item, "name", "") == "__init__") if isinstance(node, ast.ClassDef) else node
        names = {argument.arg for argument in node.args.args + node.args.kwonlyargs}
        assert set(capi.PARAMETERS[struct]) <= names
        assert all(argument.annotation is not None for argument in node.args.kwonlyargs)


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="no mypy")
def test_a_type_checker_agrees(tmp_path):
    head = "import pliant\nmesh = pliant.Mesh.box((1, 1, 1), (2, 2, 2))\nworld = pliant.World()\n"
    for number, (text, wanted) in enumerate([(GOOD, None), *((head + line + "\n", message) for line, message in BAD.items())]):
        (tmp_path / f"program{number}.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", *sorted(tmp_path.glob("program*.py"))]
    printed = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path).stdout
    assert "program0.py" not in printed, printed
    for number, wanted in enumerate(BAD.values(), 1):
        assert any(f"program{number}.py:4: error" in line and wanted in line for line in printed.splitlines()), printed
