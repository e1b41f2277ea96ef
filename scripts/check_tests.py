#!/usr/bin/env python3
"""The tests fit the tree (test/README.md): every source has its test, every test its labels, and none lies where nothing finds it.

A source src/X/Y.c has the test test/X/test_Y.c, or stands in the table under `## Covered by` of a README.md of src/, next to the tests that cover it.
Prints `ok NAME` or `not ok NAME` per rule, each breach above it.
"""
import re
import sys

from tree import ROOT, tracked

KINDS = {"unit", "physics", "derivative", "equivalence", "failure", "golden", "cli"}
FURTHER = {"threads", "once", "long"} | KINDS
SCRIPTS = ("tool", "studio")  # folders of tests that run the tool
OTHERS = ("fixtures", "fuzz", "golden", "install", "oracle")  # folders without tests for ctest
ROW = re.compile(r"^\|(.+)\|(.+)\|$", re.M)
NAMED = re.compile(r"`([\w/]+\.(?:c|sh|py))`")


def covered():
    """(page, source, tests) of every row of the tables."""
    for page in sorted((ROOT / "src").glob("*/README.md")):
        _, _, section = page.read_text(encoding="utf-8").partition("\n## Covered by\n")
        for sources, tests in ROW.findall(section.partition("\n## ")[0]):
            for source in NAMED.findall(sources):
                yield page.relative_to(ROOT), source, NAMED.findall(tests)


def untested(sources, tests, rows):
    listed = {source for _, source, _ in rows}
    return [f"src/{folder}/{name}: no test/{folder}/test_{name}, and no row in the table `Covered by` of src/{folder}/README.md"
            for folder, name in sources if f"test_{name}" not in tests and name not in listed]


def stale(sources, tests, rows):
    """Rows that name nothing (a path from the root, such as a script, names a file), or that a test of the source's own has made needless."""
    names = {name for _, name in sources}
    for page, source, listed in rows:
        if source not in names:
            yield f"{page}: there is no source {source}"
        if f"test_{source}" in tests:
            yield f"{page}: {source} has a test of its own, test/{tests[f'test_{source}']}/test_{source}"
        if not listed:
            yield f"{page}: no test for {source}"
        for test in (t for t in listed if not (ROOT / t).is_file()):
            folder, _, name = test.rpartition("/")
            if name not in tests or (folder and tests[name] != folder):
                yield f"{page}: there is no test {test}"


def misplaced(layers):
    for name in tracked():
        parts = name.split("/")
        if parts[0] != "test" or not re.fullmatch(r"test_\w+\.(c|sh|py)", parts[-1]) or parts[1] in OTHERS:
            continue
        wanted = layers if name.endswith(".c") else SCRIPTS
        if len(parts) != 3 or parts[1] not in wanted:
            yield f"{name}: must lie in test/X/ with X one of {', '.join(sorted(wanted))}"


def unlabelled():
    for name in tracked():
        if not re.match(r"test/\w+/test_\w+\.(c|sh|py)$", name) or name.split("/")[1] in OTHERS:
            continue
        found = re.search(r"^(?://|#) ctest: (.*)$", (ROOT / name).read_text(encoding="utf-8"), re.M)
        labels = found.group(1).split() if found else []
        if not labels or labels[0] not in KINDS:
            yield f"{name}: needs a line `ctest: KIND`, KIND one of {', '.join(sorted(KINDS))}"
        for label in sorted(set(labels) - FURTHER):
            yield f"{name}: no preset knows the label {label}"


def repeated():
    """Each test in C is a target of the build, which has one name space."""
    seen = {}
    for name in tracked():
        base = name.split("/")[-1]
        if re.fullmatch(r"test/\w+/test_\w+\.c", name):
            if base in seen:
                yield f"{name}: same name as {seen[base]}"
            seen[base] = name


def main():
    sources = [(path.parent.name, path.name) for path in sorted((ROOT / "src").glob("*/*.c"))]
    tests = {path.name: path.parent.name for path in (ROOT / "test").glob("*/test_*.*")}
    layers = {path.parent.name for path in (ROOT / "src").glob("*/README.md")}
    rows = list(covered())
    rules = {
        "every source has a test": untested(sources, tests, rows),
        "the tables `Covered by` name what is there": list(stale(sources, tests, rows)),
        "tests lie in the folder of their layer": list(misplaced(layers)),
        "tests have a kind and known labels": list(unlabelled()),
        "names of test programs are unique": list(repeated()),
    }
    for rule, breaches in rules.items():
        print(*breaches, sep="\n", end="\n" if breaches else "")
        print(f"{'not ok' if breaches else 'ok'} tests: {rule}")
    return any(rules.values())


if __name__ == "__main__":
    sys.exit(main())
