#!/usr/bin/env python3
"""House rules that a machine can check: lengths, names, words. Prints `ok NAME` or `not ok NAME` per rule."""
import pathlib
import re
import sys

from tree import ROOT, tracked

LONGEST_FILE = 600
# In two pieces, so that this file does not break its own rules.
LEFT_OVER = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b")
LOCAL_PATH = re.compile(r"(?<![\w.~}$-])/(work|ro" r"ot|home|Users)/\w")
BANNED_NAMES = {"util", "utils", "misc", "helper", "helpers", "common"}


def files():
    """(name, text) of the project's text files."""
    for name in tracked():
        try:
            yield name, (ROOT / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def matches(texts, pattern, what):
    for name, text in texts:
        for number, line in enumerate(text.splitlines(), 1):
            found = pattern.search(line)
            if found:
                yield f"{name}:{number}: {what}: {found.group()}"


def repeated_names(names):
    seen = {}
    for name in names:
        base = pathlib.PurePath(name).name
        if base in seen:
            yield f"{name}: same name as {seen[base]}"
        seen.setdefault(base, name)


def unlabelled_threads(texts):
    """Tests with more than one thread that the thread sanitizer would not see (test/README.md)."""
    for name, text in texts:
        if re.match(r"test/.*/test_.*\.c$", name) and re.search(r"make_context\((0|[2-9])|thread_count = ([2-9]|1\d)\b|pthread_create", text):
            if not re.search(r"^// ctest:.*\bthreads\b", text, re.M):
                yield f"{name}: uses threads but has no line `// ctest: threads`"


def main():
    texts = list(files())
    code = [(name, text) for name, text in texts if re.search(r"\.(c|h|cpp|py|sh|ts)$", name)]
    library = [name for name, _ in code if name.startswith(("src/", "tool/"))]
    rules = {
        f"no source file is longer than {LONGEST_FILE} lines":
            [f"{name}: {text.count(chr(10))} lines" for name, text in code if text.count("\n") > LONGEST_FILE],
        "nothing is left to do later": list(matches(texts, LEFT_OVER, "left over")),
        "no paths of one machine": list(matches(texts, LOCAL_PATH, "local path")),
        "files are named after what they do":
            [name for name, _ in texts if set(re.split(r"[._-]", pathlib.PurePath(name).name.lower())) & BANNED_NAMES],
        "file names in src/ and tool/ are unique": list(repeated_names(library)),
        "tests that use threads say so": list(unlabelled_threads(texts)),
        "no white space at line ends, a newline at the end":
            list(matches(code, re.compile(r"[ \t]+$"), "white space at the end"))
            + [f"{name}: no newline at the end" for name, text in code if text and not text.endswith("\n")],
    }
    for rule, breaches in rules.items():
        print(*breaches, sep="\n", end="\n" if breaches else "")
        print(f"{'not ok' if breaches else 'ok'} wording: {rule}")
    return any(rules.values())


if __name__ == "__main__":
    sys.exit(main())
