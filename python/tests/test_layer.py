"""The generated layer agrees with the compiler, and an import refuses a library that does not fit."""
import ctypes
import os
import re
import shutil
import subprocess
import sys

import pytest

import pliant
from pliant import capi


def test_every_declared_function_is_there(root):
    declared = set()
    for header in (root / "include/pliant").glob("*.h"):
        declared |= set(re.findall(r"^PL_API[^;]*?\b(pl_\w+)\s*\(", re.sub(r"//[^\n]*", "", header.read_text()), re.M))
    assert declared == set(capi.FUNCTIONS)
    assert all(hasattr(pliant.lib, name) for name in declared)


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
def test_structs_and_enums_are_those_of_the_compiler(root, tmp_path):
    lines = ["#include <pliant/pliant.h>", "#include <stdio.h>", "int main(void) {"]
    for name in capi.FIELD_DOCS:
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        lines += [f'printf("{name}.{field[0]} %zu\\n", offsetof({name}, {field[0]}));' for field in getattr(capi, name)._fields_]
    for values in capi.ENUMS.values():
        lines += [f'printf("{constant} %d\\n", (int){constant});' for constant in values]
    (tmp_path / "probe.c").write_text("\n".join([*lines, "}"]))
    subprocess.run(["cc", f"-I{root}/include", "-o", tmp_path / "probe", tmp_path / "probe.c"], check=True)
    output = subprocess.run([tmp_path / "probe"], capture_output=True, text=True, check=True).stdout
    found = {}
    for line in output.splitlines():
        name, value = line.split()
        struct, _, field = name.partition(".")
        if field:
            ours = getattr(getattr(capi, struct), field).offset
        elif struct.startswith("PL_"):
            ours = getattr(capi, struct)
        else:
            ours = ctypes.sizeof(getattr(capi, struct))
        found[name] = ours == int(value)
    assert len(found) > 1000
    assert [name for name, same in found.items() if not same] == []


def run_import(**variables):
    return subprocess.run([sys.executable, "-c", "import pliant"], env={**os.environ, **variables}, capture_output=True, text=True)


def test_import_names_the_library_that_is_missing(tmp_path):
    result = run_import(PLIANT_LIBRARY=str(tmp_path / "lib.so"))
    assert result.returncode == 1
    assert "ImportError" in result.stderr and "lib.so is missing" in result.stderr


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
@pytest.mark.parametrize("version, message", [("9.9.9", "has version 9.9.9"), (pliant.version(), "another size")])
def test_import_refuses_another_version_and_another_layout(tmp_path, version, message):
    """A library whose functions are all there but that returns another version, or defs without the magic number at its place."""
    names = [name for name in capi.FUNCTIONS if name != "pl_version"]
    body = [f'const char *pl_version(void) {{ return "{version}"; }}']
    for name in names:
        size = ctypes.sizeof(capi.FUNCTIONS[name][0]) if name.startswith("pl_default_") else 0
        body.append(f"struct s_{name} {{ char b[{size}]; }}; struct s_{name} {name}(void) {{ return (struct s_{name}){{{{7}}}}; }}" if size else f"void {name}(void) {{}}")
    (tmp_path / "other.c").write_text("\n".join(body))
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "other.so", tmp_path / "other.c"], check=True)
    result = run_import(PLIANT_LIBRARY=str(tmp_path / "other.so"))
    assert result.returncode == 1 and message in result.stderr, result.stderr


def test_signatures_and_docstrings_come_from_the_tables():
    import inspect
    for function, struct in ((pliant.solid, "pl_solid_def"), (pliant.fem, "pl_fem_def"), (pliant.World.add_body, "pl_body_def")):
        signature = inspect.signature(function)
        for name, (default, _, _, about) in capi.PARAMETERS[struct].items():
            assert name in signature.parameters
            assert about in function.__doc__ or name == "material"
            assert repr(signature.parameters[name].default).strip("'") == default
