#!/usr/bin/env python3
"""Fraction of the lines of src/ that the tests run: builds the coverage preset, runs its tests, asks gcov, prints a table per file and folder."""
import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/coverage"


def counts_per_file():
    """For each file of src/: line number -> how often it ran, over all object files."""
    lines = collections.defaultdict(lambda: collections.defaultdict(int))
    for data in sorted(BUILD.rglob("*.gcda")):
        output = subprocess.run(["gcov", "--json-format", "--stdout", str(data)], cwd=BUILD, capture_output=True, text=True).stdout
        for document in output.splitlines():
            for file in json.loads(document)["files"]:
                path = (BUILD / file["file"]).resolve()
                if (ROOT / "src") in path.parents:
                    for line in file["lines"]:
                        lines[str(path.relative_to(ROOT))][line["line_number"]] += line["count"]
    return lines


def main():
    subprocess.run([ROOT / "scripts/build.sh", "coverage", "--tests", "tests"], check=True)
    for stale in BUILD.rglob("*.gcda"):
        stale.unlink()
    tests = subprocess.run(["ctest", "--preset", "coverage", "-j2"], cwd=ROOT)
    folders = collections.defaultdict(lambda: [0, 0])
    for name, lines in sorted(counts_per_file().items()):
        ran = sum(1 for count in lines.values() if count > 0)
        missed = [number for number, count in sorted(lines.items()) if count == 0]
        print(f"{100 * ran / len(lines):6.1f} %  {len(lines):5d}  {name}  {' '.join(map(str, missed[:12]))}{' …' if len(missed) > 12 else ''}")
        for folder in (name.split("/")[1], "all of src"):
            folders[folder][0] += ran
            folders[folder][1] += len(lines)
    print()
    for folder, (ran, total) in sorted(folders.items()):
        print(f"{100 * ran / total:6.1f} %  {total:5d}  {folder}")
    return tests.returncode


if __name__ == "__main__":
    sys.exit(main())
