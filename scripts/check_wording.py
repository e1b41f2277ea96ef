#!/usr/bin/env python3
"""House rules that a machine can check: lengths, names, words. Prints `ok NAME` or `not ok NAME` per rule.

check_wording.py                   all rules for the tree; retired words in the documents (PROSE)
check_wording.py [--count] PATH...   all rules, retired words too, for files and folders PATH (`.`: everything); --count prints their number per folder
"""
import collections
import pathlib
import re
import sys

from tree import ROOT, tracked

LONGEST_FILE = 600
# In two pieces, so that this file does not break its own rules.
LEFT_OVER = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b")
LOCAL_PATH = re.compile(r"(?<![\w.~}$-])/(work|ro" r"ot|home|Users)/\w")
BANNED_NAMES = {"util", "utils", "misc", "helper", "helpers", "common"}
# Where retired words are looked for when no path is given. A folder joins the list when it is clean.
PROSE = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/", "scripts/")
# Words and phrases that docs/glossary.md retires, and what to write instead. Written with a bracket in each, so that this file does not break its own rule.
RETIRED = [(re.compile(pattern.replace(" ", r"[ \n]"), re.I), instead) for pattern, instead in (
    (r"\bane[w]\b", "again"),
    (r"\bparte[d] by\b", "separated by"),
    (r"\bg(?:o|oes|oing|one) o[n]\b(?! top)|\bwent o[n]\b", "continue, resume"),
    (r"\bfor want o[f]\b", "out of; because there is no"),
    (r"\bis no soun[d]\b", "is not valid"),
    (r"(?<!there )(?<!where )\bis n[o] (?!longer|more|less|larger|smaller|finer|stiffer|farther)\w+", "is not a"),
    (r"\bhan[g]s? together\b", "connectivity"),
    (r"\bwh[o] embeds\b", "embedders"),
    (r"\bso man[y]\b", "N; the number of"),
    (r"\bfor so lon[g]\b", "for this time"),
    (r"\bbehind (?:the )?(?:\w+ )?fram[e]s?\b", "after frame"),
    (r"\bl[e]t(?:s|ting)? (?:it |them |him |her )?go\b", "release"),
    (r"\bbesid[e]\b", "next to; besides (for also)"),
    (r"\b(?:is|are|was|were|nobody is) tol[d]\b", "is reported; gets a command"),
    (r"\bcameras? that (?:is|are) not ther[e]\b", "virtual depth camera"),
    (r"\bif not give[n]\b", "(default X)"),
    (r"\bshape without gravit[y]\b", "rest shape (gravity removed)"),
    (r"\bto be predicte[d]\b|\bthat (?:is|was) not fitte[d]\b", "held-out motion"),
    (r"\bmos[t] (?:iterations|rounds|steps|frames|threads|speed|acceleration)\b", "maximum"),
    (r"\bbodies to be capture[d]\b", "capture targets"),
    (r"\bwhat is lef[t]\b|\bwhat they leav[e]\b|\bwhat the examples leav[e]\b", "the remainder"),
    (r"\bas man[y] as\b", "the number of; N"),
    (r"\bhow grav[e]\b", "severity"),
)]
# Tables that are made from the sources: their words are looked for there.
MADE = re.compile(r"<!-- tables made .*?<!-- end of the tables -->|^\| option \|.*?(?=\n\n|\Z)", re.S | re.M)
LINE_END = re.compile(r"[ \t]*\n[ \t]*(?:///?<?|#|\*)?[ \t]*")
MADE_SCHEMA = "docs/scene.schema.json"
FENCED, QUOTED = re.compile(r"^```.*?^```", re.S | re.M), re.compile(r"`[^`\n]*`")
C_COMMENT_OR_TEXT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"", re.S)
SCRIPT_COMMENT_OR_TEXT = re.compile(r"(?:^|(?<=\s))#[^\n]*|\"\"\".*?\"\"\"|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|`[^`\n]*`", re.S | re.M)


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


def blanked(pattern, text):
    """The text with what the pattern finds replaced by white space, so that line numbers stay."""
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def kept(pattern, text):
    """Only what the pattern finds, in its place."""
    parts, at = [], 0
    for found in pattern.finditer(text):
        parts += [re.sub(r"[^\n]", " ", text[at:found.start()]), found.group()]
        at = found.end()
    return "".join(parts)


def prose(name, text):
    """What a reader of the file reads: sentences of a page, comments and texts of code. None for files without any."""
    ending = pathlib.PurePath(name).suffix
    if ending == ".md":
        return blanked(QUOTED, blanked(FENCED, blanked(MADE, text)))
    if ending in (".c", ".h", ".cpp", ".ts", ".js", ".mjs", ".css", ".json"):
        return kept(C_COMMENT_OR_TEXT, text)
    if ending in (".py", ".sh", ".cmake", ".txt", ".bash", ".fish", ".toml", ".yml") or name == "Makefile":
        return kept(SCRIPT_COMMENT_OR_TEXT, text)
    return text if ending in (".1", ".html") else None


def retired_words(texts):
    for name, text in texts:
        if name in ("scripts/check_wording.py", "scripts/check_names.py", MADE_SCHEMA) or (words := prose(name, text)) is None:
            continue
        # A phrase may run over the end of a line, also in a comment.
        words = LINE_END.sub("\n", words)
        for pattern, instead in RETIRED:
            for found in pattern.finditer(words):
                phrase = " ".join(found.group().split())
                yield f"{name}:{words.count(chr(10), 0, found.start()) + 1}: retired words: {phrase}; write: {instead}"


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


def chosen(texts, paths):
    """Those of files and folders `paths`."""
    paths = [pathlib.PurePath(path).as_posix() for path in paths]
    return [(name, text) for name, text in texts if any(path == "." or name == path or name.startswith(path.rstrip("/") + "/") for path in paths)]


def main():
    paths = [word for word in sys.argv[1:] if word != "--count"]
    texts = chosen(list(files()), paths or ["."])
    retired = list(retired_words(chosen(texts, paths or PROSE)))
    if "--count" in sys.argv[1:]:
        for folder, count in collections.Counter(line.split("/")[0] if "/" in line.split(":")[0] else "." for line in retired).most_common():
            print(f"{count:6} {folder}")
        return bool(retired)
    code = [(name, text) for name, text in texts if re.search(r"\.(c|h|cpp|py|sh|ts)$", name)]
    library = [name for name, _ in code if name.startswith(("src/", "tool/"))]
    rules = {
        f"no source file is longer than {LONGEST_FILE} lines":
            [f"{name}: {text.count(chr(10))} lines" for name, text in code if text.count("\n") > LONGEST_FILE],
        "nothing is left to do later": list(matches(texts, LEFT_OVER, "left over")),
        "no paths of one machine": list(matches(texts, LOCAL_PATH, "local path")),
        "no retired words (docs/glossary.md)": retired,
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
