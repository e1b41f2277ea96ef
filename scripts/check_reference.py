#!/usr/bin/env python3
"""What the headers declare, what the libraries export and what the reference documents are the same.

check_reference.py LIBRARY_FOLDER, after scripts/reference.sh. Prints `ok NAME` or `not ok NAME` per claim. Also here, since it reads the same libraries:
the archives hold no writable data, so there is no global state, they neither print nor exit, and only src/io opens files.
"""
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

from tree import ROOT

# ARPACK has one set of variables per process, and METIS draws from the one rand(), so the locks that guard them must be one per process too
# (src/solvers/eigen_modes.c, src/solvers/cholmod_solver.c). The headers of Draco include <iostream>, whose streams the C++ library sets up by an object of every
# file (src/io/gltf_draco.cpp).
ONE_PER_PROCESS = {"arpack_lock", "metis_lock", "_ZStL8__ioinit"}
PRINTING = set("printf vprintf puts putchar perror stdout stderr exit _exit quick_exit abort".split())
FILES = set("fopen fopen64 freopen fdopen open open64 openat creat tmpfile mkstemp mkdtemp opendir mkdir rename remove unlink stat lstat access mmap".split())
LAB_HEADERS = set(re.findall(r'#include "pliant/(\w+\.h)"', (ROOT / "include/pliant/lab.h").read_text(encoding="utf-8")))


def declared():
    """name -> header of every function marked PL_API."""
    functions = {}
    for path in sorted((ROOT / "include/pliant").glob("*.h")):
        text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        for name in re.findall(r"^PL_API[^;]*?\b(pl_\w+)\s*\(", text, re.M):
            functions[name] = path.name
    return functions


def long_lists():
    """Public functions with more than six parameters: those take a struct."""
    for path in sorted((ROOT / "include/pliant").glob("*.h")):
        text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        for name, parameters in re.findall(r"^PL_API[^;]*?\b(pl_\w+)\s*\(([^;]*)\);", text, re.M):
            if parameters.count(",") > 5:
                yield f"include/pliant/{path.name}: {name} has {parameters.count(',') + 1} parameters"


def exported(library):
    output = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in output.splitlines() if line}


def has_text(member):
    return any("".join(node.itertext()).strip() for tag in ("briefdescription", "detaileddescription") for node in member.findall(tag))


def documented():
    """(functions with a text, names without one) of the reference doxygen made. Opaque types are in the index only."""
    functions, without = set(), []
    for path in sorted((ROOT / "build/docs/xml").glob("*_8h.xml")) + sorted((ROOT / "build/docs/xml").glob("struct*.xml")):
        compound = xml.etree.ElementTree.parse(path).getroot().find("compounddef")
        if not has_text(compound):
            without.append(compound.findtext("compoundname"))
        for member in compound.iter("memberdef"):
            kind, name = member.get("kind"), member.findtext("name")
            if kind == "function" and has_text(member):
                functions.add(name)
            elif kind in ("function", "enum", "typedef") and not has_text(member):
                without.append(name)
    return functions, without


def undocumented_types():
    """Types declared in the headers without a `///` comment directly above; doxygen forgets opaque ones."""
    for path in sorted((ROOT / "include/pliant").glob("*.h")):
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines):
            if re.match(r"typedef\b|PL_API\b", line) and not lines[number - 1].startswith("///"):
                yield f"include/pliant/{path.name}:{number + 1}: no comment above: {line}"


def writable_data(archive):
    """Writable variables of an archive. Constants that hold addresses live in .data.rel.ro and are read-only once loaded."""
    output = subprocess.run(["objdump", "-t", archive], capture_output=True, text=True, check=True).stdout
    for line in output.splitlines():
        found = re.match(r"\S+ .{7} (\.data|\.bss|\.tdata|\.tbss)(?!\.rel\.ro)\S*\s+(\S+)\s+(\S+)$", line)
        if found and int(found.group(2), 16) > 0 and not found.group(3).startswith("__gcov") and found.group(3) not in ONE_PER_PROCESS:
            yield f"{archive.name}: {found.group(3)} in {found.group(1)}"


def used(archive, names, allowed=frozenset()):
    """Symbols among `names` that objects of an archive need; `allowed` objects may need them."""
    output = subprocess.run(["nm", "-A", "--undefined-only", archive], capture_output=True, text=True, check=True).stdout
    for line in output.splitlines():
        where, _, symbol = line.rpartition(" ")
        member = where.split(":")[1]
        if symbol.split("@")[0] in names and member.removesuffix(".o") not in allowed:
            yield f"{archive.name}: {member} uses {symbol}"


def main():
    folder = pathlib.Path(sys.argv[1])
    functions = declared()
    claims = {}
    for library, own in (("libpliant", lambda header: header not in LAB_HEADERS), ("libpliant-lab", lambda header: header in LAB_HEADERS)):
        wanted = {name for name, header in functions.items() if own(header)}
        there = exported(folder / f"{library}.so")
        claims[f"{library} exports what the headers declare"] = \
            [f"declared in {functions[name]}, not exported: {name}" for name in sorted(wanted - there)] + \
            [f"exported, not declared: {name}" for name in sorted(there - wanted)]
        claims[f"{library} has no global state"] = list(writable_data(folder / f"{library}.a"))
        claims[f"{library} never prints or exits"] = list(used(folder / f"{library}.a", PRINTING))
        claims[f"{library} opens files in src/io only"] = list(used(folder / f"{library}.a", FILES, {path.name for path in (ROOT / "src/io").glob("*.c")}))
    in_reference, without = documented()
    claims["public functions have at most six parameters"] = list(long_lists())
    claims["every public function is in the reference"] = [f"not there: {name}" for name in sorted(set(functions) - in_reference)]
    claims["every public function and type has a comment"] = [f"no text: {name}" for name in without] + list(undocumented_types())
    for claim, breaches in claims.items():
        print(*breaches, sep="\n", end="\n" if breaches else "")
        print(f"{'not ok' if breaches else 'ok'} reference: {claim}")
    return any(claims.values())


if __name__ == "__main__":
    sys.exit(main())
