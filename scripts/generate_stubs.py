#!/usr/bin/env python3
"""Type stubs (.pyi) of the Python package, for editors and type checkers: generate_stubs.py FOLDER, the folder of the built package `pliant`.

They are made from the package itself at every build: annotations of its sources, and for functions that take the parameters of a method as keywords the
signatures that the tables of parameters give them, which a type checker cannot see otherwise.
"""
import ast
import importlib
import inspect
import pathlib
import sys

MODULES = ("_object", "errors", "context", "mesh", "model", "body", "world", "scene", "view", "plot", "batch", "rollout", "fit", "capture", "adapters")
HEAD = '''"""Made by scripts/generate_stubs.py from the package; do not edit."""
import pathlib
from typing import Any, Callable, ClassVar, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Type, TypeVar, Union

import numpy as np

from ._types import Array, ArrayLike, PathLike, Placement
'''
DYNAMIC = "    def __getattr__(self, name: str) -> Any: ..."


def is_public(name):
    return not name.startswith("_")


def type_text(annotation):
    if annotation is inspect.Parameter.empty:
        return "Any"
    if annotation == "array of 3 numbers":
        return "ArrayLike"
    return annotation if isinstance(annotation, str) else annotation.__name__ if isinstance(annotation, type) else "Any"


def signature_text(function):
    """`(self, mesh: Mesh, *, young: float = ...) -> Model`."""
    signature = inspect.signature(function)
    parts, keyword_only = [], False
    for name, parameter in signature.parameters.items():
        kind = parameter.kind
        if kind is parameter.KEYWORD_ONLY and not keyword_only:
            parts.append("*")
        keyword_only = keyword_only or kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(kind, "")
        annotation = "" if name in ("self", "cls") else f": {type_text(parameter.annotation)}"
        parts.append(f"{star}{name}{annotation}{'' if parameter.default is parameter.empty else ' = ...'}")
    result = signature.return_annotation
    if result is signature.empty:
        result = inspect.unwrap(function).__annotations__.get("return", signature.empty)
    return f"({', '.join(parts)}) -> {'None' if function.__name__ == '__init__' else type_text(result)}"


def attributes(node, taken):
    """Public names that methods of a class assign to `self`."""
    found = {}
    for item in ast.walk(node):
        targets = item.targets if isinstance(item, ast.Assign) else []
        for target in targets:
            for part in target.elts if isinstance(target, ast.Tuple) else [target]:
                if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == "self" and is_public(part.attr):
                    found[part.attr] = "Any"
    return {name: kind for name, kind in found.items() if name not in taken}


def class_lines(cls, node):
    bases = [base.__name__ for base in cls.__bases__ if base is not object]
    lines = [f"class {cls.__name__}{'(' + ', '.join(bases) + ')' if bases else ''}:"]
    members = vars(cls)
    fields = {name: type_text(kind) for name, kind in members.get("__annotations__", {}).items() if is_public(name)}
    inherited = {name for base in cls.__mro__[1:] for name in vars(base)}
    fields.update(attributes(node, set(members) | set(fields) | inherited))
    lines += [f"    {name}: {kind}" for name, kind in fields.items()]
    for name, value in members.items():
        if not is_public(name) and name not in ("__init__", "__len__", "__iter__", "__getitem__", "__contains__", "__enter__"):
            continue
        if isinstance(value, property):
            lines += ["    @property", f"    def {name}{signature_text(value.fget)}: ..."]
            if value.fset is not None:
                lines += [f"    @{name}.setter", f"    def {name}{signature_text(value.fset)}: ..."]
        elif isinstance(value, (classmethod, staticmethod)):
            lines += [f"    @{type(value).__name__}", f"    def {name}{signature_text(value.__func__)}: ..."]
        elif name == "__enter__":
            lines += [f"    def __enter__(self: _Self{cls.__name__}) -> _Self{cls.__name__}: ...", "    def __exit__(self, *_: Any) -> None: ..."]
        elif inspect.isfunction(value):
            lines.append(f"    def {name}{signature_text(value)}: ...")
        elif name not in fields and not inspect.isroutine(value):
            lines.append(f"    {name}: ClassVar[Any]")
    if cls.__name__ == "Report":
        lines.append(DYNAMIC)
    return lines if len(lines) > 1 else [*lines, "    ..."]


def module_stub(package, name, homes):
    module = importlib.import_module(f"pliant.{name}")
    tree = ast.parse((package / f"{name}.py").read_text(encoding="utf-8"))
    nodes = {node.name: node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and is_public(node.name)}
    lines = [HEAD]
    for home in MODULES:
        names = [found for found, place in homes.items() if place == home and place != name]
        if names:
            lines.append(f"from .{home} import {', '.join(names)}")
    body = []
    for found, node in nodes.items():
        value = getattr(module, found)
        if inspect.isclass(value):
            if "__enter__" in vars(value):
                body.append(f'\n_Self{found} = TypeVar("_Self{found}", bound="{found}")')
            body += ["", *class_lines(value, node)]
        elif inspect.isfunction(value):
            body += ["", f"def {found}{signature_text(value)}: ..."]
    return "\n".join([*lines, *body]) + "\n"


def package_stub(package):
    """__init__.pyi: the same names, exported."""
    tree = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    lines = ['"""Made by scripts/generate_stubs.py from the package; do not edit."""', "from typing import Any, List", "", "lib: Any", "capi: Any"]
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            names = [alias for alias in node.names if (alias.asname or alias.name) not in ("lib", "capi")]
            if names:
                lines.append(f"from .{node.module or ''} import {', '.join(f'{alias.name} as {alias.asname or alias.name}' for alias in names)}")
    return "\n".join([*lines, "", "__version__: str", "__all__: List[str]"]) + "\n"


def main(folder):
    package = pathlib.Path(folder).resolve()
    sys.path.insert(0, str(package.parent))
    homes = {}
    for name in MODULES:
        module = importlib.import_module(f"pliant.{name}")
        homes.update({found: name for found, value in vars(module).items()
                      if is_public(found) and inspect.isclass(value) and value.__module__ == module.__name__})
    for name in MODULES:
        (package / f"{name}.pyi").write_text(module_stub(package, name, homes), encoding="utf-8")
    (package / "__init__.pyi").write_text(package_stub(package), encoding="utf-8")
    (package / "_capi.pyi").write_text("from typing import Any\ndef __getattr__(name: str) -> Any: ...\n", encoding="utf-8")
    (package / "_library.pyi").write_text("from typing import Any\nlib: Any\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: generate_stubs.py FOLDER")
    main(sys.argv[1])
