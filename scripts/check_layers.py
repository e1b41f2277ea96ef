#!/usr/bin/env python3
"""The layers of src/: who may include whom, and what only some of them may do (docs/architecture.md says why).

Prints `ok NAME` or `not ok NAME` per rule, each breach above it as file:line: what.
"""
import re
import sys

from tree import ROOT

RUNTIME = "base math sparse mesh examples contact body solid rod fem detail world".split()
LAB = "solvers io actor capture scene render".split()
ORDER = RUNTIME + LAB
LAB_HEADERS = set("actor.h capture.h character.h checkpoint.h cloud.h file.h fit.h frames.h lab.h picture.h pliant.h recording.h report.h scene.h sensor.h solver.h store.h track.h".split())
# What the C library, libm and threads offer; the runtime needs no more. The compiler's own vector header is for the wrapper in math/.
SYSTEM = set("""assert.h ctype.h errno.h fenv.h float.h inttypes.h limits.h locale.h math.h pthread.h sched.h stdalign.h stdarg.h stdatomic.h
    stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h string.h sys/mman.h time.h unistd.h""".split())
FILES = "fopen freopen fdopen open openat creat tmpfile mkstemp mkdtemp opendir mkdir rename remove unlink stat lstat access mmap".split()
PRINTING = "printf vprintf puts putchar perror exit _exit quick_exit abort".split()

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)


def without_comments(text):
    """The text with comments and the insides of strings blanked, so that line numbers stay and words in them do not count."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def includes(path, text):
    for found in INCLUDE.finditer(text):
        yield found.group(1) == "<", found.group(2), f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, found.start(2)) + 1}"


def calls(path, text, names):
    for found in re.finditer(rf"(?<![\w.>])({'|'.join(names)})\s*\(", without_comments(text)):
        yield found.group(1), f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, found.start(1)) + 1}"


def layer_breaches(sources):
    for path, text in sources:
        folder = path.parent.name
        if folder not in ORDER:
            yield f"{path.relative_to(ROOT)}:1: folder src/{folder} is not in the list of layers"
            continue
        for system, name, place in includes(path, text):
            head = name.split("/")[0]
            if not system and "/" not in name:
                yield f'{place}: "{name}" must be written with its folder'
            elif not system and head != "pliant" and (head not in ORDER or ORDER.index(head) > ORDER.index(folder)):
                yield f'{place}: {folder}/ may not include "{name}"'


def runtime_breaches(sources):
    for path, text in sources:
        if path.parent.name in RUNTIME:
            for system, name, place in includes(path, text):
                if system and name not in SYSTEM and not (name == "immintrin.h" and path.parent.name == "math"):
                    yield f"{place}: the runtime uses libc, libm and threads alone, not <{name}>"
                elif not system and name.startswith("pliant/") and name.split("/")[1] in LAB_HEADERS:
                    yield f'{place}: "{name}" belongs to the lab'


def header_breaches(headers):
    names = {path.name for path, _ in headers}
    for path, text in headers:
        for system, name, place in includes(path, text):
            if system and name not in SYSTEM:
                yield f"{place}: a public header includes standard headers only, not <{name}>"
            elif not system and not (name.startswith("pliant/") and name.split("/")[1] in names):
                yield f'{place}: "{name}" is not a public header'
            elif path.name not in LAB_HEADERS and name.split("/")[-1] in LAB_HEADERS:
                yield f'{place}: a header of the runtime may not include "{name}" of the lab'


def tool_breaches(tool):
    for path, text in tool:
        for system, name, place in includes(path, text):
            if not system and name.split("/")[0] in ORDER:
                yield f'{place}: the tool and the samples use public headers, not "{name}"'


def main():
    read = lambda pattern: [(path, path.read_text(encoding="utf-8")) for path in sorted(ROOT.glob(pattern))]
    sources, headers, tool = read("src/*/*.[ch]"), read("include/pliant/*.h"), read("tool/*.[ch]") + read("samples/*.c")
    outside_io = [(path, text) for path, text in sources if path.parent.name != "io"]
    rules = {
        "each folder of src/ includes only itself and those above it": list(layer_breaches(sources)),
        "the runtime uses libc, libm and threads alone": list(runtime_breaches(sources)),
        "public headers include public headers only": list(header_breaches(headers)),
        "tool and samples use public headers only": list(tool_breaches(tool)),
        "only src/io opens files": [f"{place}: {name}() outside src/io" for path, text in outside_io for name, place in calls(path, text, FILES)],
        "the library never prints or exits": [f"{place}: {name}()" for path, text in sources for name, place in calls(path, text, PRINTING)]
        + [f"{path.relative_to(ROOT)}: uses stdout or stderr" for path, text in sources if re.search(r"\bstd(out|err)\b", without_comments(text))],
    }
    for rule, breaches in rules.items():
        print(*breaches, sep="\n", end="\n" if breaches else "")
        print(f"{'not ok' if breaches else 'ok'} layers: {rule}")
    return any(rules.values())


if __name__ == "__main__":
    sys.exit(main())
