#!/usr/bin/env python3
"""Every command and every C snippet of README.md, CONTRIBUTING.md, docs/*.md, docs/notes/*.md and src/*/README.md does what the text says: it runs, it compiles.

What a fenced block is decides what happens to it:
  sh           run by `bash -e` in a scratch copy of the tree, where `pliant` is the tool just built and the installed package is found
  sh no-run    not run; only for lines that install packages or are the front door itself (`make …`), nothing else is accepted
  c            a whole program (has main): compiled with the project's warnings, linked with the installed package, run
               declarations and functions (does not compile as statements): compiled as a file
               statements: compiled as the body of a function in which the objects of PRELUDE exist
  python       a program: run by the Python that `make python` made (scripts/python.sh)
  json scene   a scene: `pliant check` accepts it
  other        not looked at
The blocks of a document run in order in one scratch copy, so that a later one may use what an earlier one wrote.

check_documents.py [DOCUMENT...], after scripts/check_install.sh. Prints `ok NAME` or `not ok NAME` per block.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from tree import ROOT, tracked

PREFIX = ROOT / "build/prefix"
SECONDS = 180
WARNINGS = "-std=c17 -D_GNU_SOURCE -Wall -Wextra -Werror -Wno-unused -Wno-unused-parameter -Wno-unused-but-set-variable".split()
PRELUDE = """pl_context *context, pl_mesh *mesh, pl_mesh *surface, pl_model *model, pl_world *world, pl_body_id body, pl_scene *scene,
    pl_scene_instance *set, pl_findings *findings, pl_renderer *renderer, pl_frames *frames, pl_error error, const char *path"""
SHELLS = ("sh", "bash", "shell", "console")
KINDS = (*SHELLS, "c", "python", "json")
NOT_RUN = re.compile(r"^\s*(#|$|sudo |apt-get |apt |make\b|git clone |cd )")


def blocks(path):
    """(line, words after the fence, text) of each fenced block."""
    fence, start, words, lines = None, 0, [], []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = re.match(r"\s*(```+)\s*(.*)$", line)
        if fence is None and found:
            fence, start, words, lines = found.group(1), number, found.group(2).split(), []
        elif fence is not None and found and found.group(1) == fence and not found.group(2):
            yield start, words, "\n".join(lines) + "\n"
            fence = None
        elif fence is not None:
            lines.append(line)


def scratch_copy(folder):
    """The tree as a user has it, with the tool at build/pliant but without the build itself."""
    for name in tracked():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    (folder / "build").mkdir()
    (folder / "build/pliant").symlink_to(ROOT / "build/release/pliant")


def environment():
    found = dict(os.environ)
    found["PATH"] = f"{PREFIX}/bin:{found['PATH']}"
    found["PKG_CONFIG_PATH"] = f"{PREFIX}/lib/pkgconfig"
    found["CMAKE_PREFIX_PATH"] = str(PREFIX)
    found["LD_LIBRARY_PATH"] = f"{PREFIX}/lib"
    return found


def run(command, folder, text=None):
    try:
        done = subprocess.run(command, cwd=folder, env=environment(), input=text, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=SECONDS)
        return done.returncode == 0, done.stdout
    except subprocess.TimeoutExpired as late:
        return False, f"no end after {SECONDS} s\n{late.stdout or ''}"


def check_c(text, folder):
    source, program = folder / "snippet.c", folder / "snippet"
    package = subprocess.run(["pkg-config", "--cflags", "--libs", "pliant-lab"], env=environment(), capture_output=True, text=True).stdout.split()
    if re.search(r"\bmain\s*\(", text):
        source.write_text(text)
        good, output = run(["cc", *WARNINGS, "-o", program, source, *package, "-lm"], folder)
        return run([program], folder) if good else (good, output)
    head = "#include <pliant/pliant.h>\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    includes = "".join(line + "\n" for line in text.splitlines() if line.startswith("#include"))
    body = "".join(line + "\n" for line in text.splitlines() if not line.startswith("#include"))
    source.write_text(f"{head}{includes}void snippet({PRELUDE});\nvoid snippet({PRELUDE}) {{\n{body}}}\n")
    good, output = run(["cc", *WARNINGS, "-fsyntax-only", source, *package], folder)
    if not good:
        source.write_text(f"{head}{text}")
        as_file, _ = run(["cc", *WARNINGS, "-fsyntax-only", source, *package], folder)
        good = as_file
    return good, output


def check(words, text, folder):
    """(good, output), or None for a block that is not looked at."""
    kind = words[0] if words else ""
    if kind in SHELLS and words[1:] == ["no-run"]:
        odd = [line for line in text.splitlines() if not NOT_RUN.match(line)]
        return (not odd, "".join(f"no-run is not for: {line}\n" for line in odd))
    if kind in SHELLS:
        return run(["bash", "-e"], folder, text)
    if kind == "c":
        return check_c(text, folder)
    if kind == "python":
        (folder / "snippet.py").write_text(text)
        return run([ROOT / "build/python/bin/python3", "snippet.py"], folder)
    if words == ["json", "scene"]:
        (folder / "snippet.json").write_text(text)
        return run(["pliant", "check", "snippet.json"], folder)
    return None


def check_document(document):
    """What there is to print of one document: a line per block, and what failing ones gave."""
    place = document.relative_to(ROOT)
    if not document.is_file():
        return f"not ok document: {place} is missing\n"
    output = ""
    found = [block for block in blocks(document) if block[1] and block[1][0] in KINDS]
    if not found:
        return output
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        scratch_copy(folder)
        for line, words, text in found:
            result = check(words, text, folder)
            if result is None:
                continue
            if not result[0]:
                output += f"{text}--- gave:\n{result[1]}"
            output += f"{'ok' if result[0] else 'not ok'} document: {place}:{line} {' '.join(words)}\n"
    return output


def main():
    documents = [pathlib.Path(name).resolve() for name in sys.argv[1:]] or [
        ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/notes").glob("*.md")),
        *sorted((ROOT / "src").glob("*/README.md"))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = False
        for output in pool.map(check_document, documents):
            print(output, end="", flush=True)
            failed |= "\nnot ok " in "\n" + output
    return failed


if __name__ == "__main__":
    sys.exit(main())
