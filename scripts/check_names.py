#!/usr/bin/env python3
"""Identifiers use the words of docs/glossary.md. Prints every breach, the count, and `ok names: RULE` or `not ok names: RULE`.

check_names.py             all C, TypeScript and Python sources and all scene documents
check_names.py PATH...     those of files and folders PATH
"""
import json
import re
import sys

from check_wording import chosen, files
from tree import ROOT

# Components of identifiers (`pl_mesh_look`, `meshLook` and `MESH_LOOK` have `mesh` and `look`) that the glossary retires, and the word to use.
RETIRED = {
    "adopt": "transfer_state", "anew": "again, rebuild", "complain": "report", "expose": "render", "foresee": "prediction",
    "grave": "severity", "judge": "evaluate, check", "judged": "evaluated", "least": "min", "led": "kinematic", "look": "view, report, check",
    "looks": "view, report", "most": "max", "said": "reported", "say": "report, print", "shelf": "cache", "stage": "phase, fixture, scene_instance",
    "stages": "phases", "suppression": "ghost_momentum", "tell": "report, send", "told": "reported, sent", "wall": "collider", "walls": "colliders",
    "weigh": "compute_weights", "weighed": "weighted", "room": "workspace",
}
# Patterns over whole identifiers, for words that are retired in one position only.
PATTERNS = (
    (re.compile(r"(?:^|_)share$"), "fraction"),
    (re.compile(r"^pl_\w+_give_"), "get, set"),
    (re.compile(r"^pl_body_carry"), "teleport"),
    (re.compile(r"^pl_\w*collider_lead"), "move"),
)
# Public functions between files and objects are called load and save. These read or write a part, with the file open or in memory.
PUBLIC_FILE_VERB = re.compile(r"^pl_\w+_(?:read|write)$")
STREAMS = {"pl_frame_file_read": "one frame at a time", "pl_frame_log_read": "one frame at a time"}
# Identifiers that contain a retired word and are right.
ALLOWED = {
    "at_most": "a bound in words, in names of checks", "check_at_most": "a bound in words", "left_most": "English", "right_most": "English",
    "most_common": "of Python's Counter", "PLIANT_SHARE": "share/ of the installation", "room2": "square of a distance",
}
ALLOWED_IN = {  # file: words that are right there, with the reason
    "src/render/render_device.c": {"stage": "stage of a shader"},
}
# Names of tests are sentences: they must be right as English, not as names.
SENTENCE = 5
NEEDED = ("pl_body_set_weights", "pl_body_get_positions", "pl_body_teleport", "pl_rod_set_joint_target", "pl_scene_load", "pl_mesh_load",
          "pl_capture_run", "pl_fit_get_report", "pl_tracker_set_prediction", "pl_mesh_get_view")

C_LIKE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.S)
TEMPLATE = re.compile(r"`(?:[^`\\]|\\.)*`", re.S)
PYTHON = re.compile(r"\"\"\".*?\"\"\"|#[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.S)
IDENTIFIER = re.compile(r"\b[A-Za-z_]\w*\b")
COMPONENT = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


def blank(pattern, text):
    """The text without what the pattern finds; line numbers stay."""
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def code_of(name, text):
    if name.endswith((".c", ".h", ".cpp")):
        return blank(C_LIKE, text)
    if name.endswith(".ts"):
        return blank(TEMPLATE, blank(C_LIKE, text))
    return blank(PYTHON, text) if name.endswith(".py") else None


def better(name, identifier):
    """The word to use instead of a retired one in the identifier, or None."""
    if identifier in ALLOWED:
        return None
    words = [word.lower() for word in COMPONENT.findall(identifier)]
    if name.startswith("test/") and len(words) >= SENTENCE:
        return None
    for word in words:
        if word in RETIRED and word not in ALLOWED_IN.get(name, ()):
            return f"{word}; use: {RETIRED[word]}"
    for pattern, instead in PATTERNS:
        if pattern.search(identifier):
            return f"{pattern.pattern}; use: {instead}"
    if name.startswith("include/") and PUBLIC_FILE_VERB.search(identifier) and identifier not in STREAMS:
        return "read or write in a public function; use: load, save"
    return None


def retired_identifiers(texts):
    for name, text in texts:
        code = code_of(name, text)
        if code is None:
            continue
        seen = set()
        for number, line in enumerate(code.splitlines(), 1):
            for identifier in IDENTIFIER.findall(line):
                if identifier not in seen and (why := better(name, identifier)):
                    seen.add(identifier)
                    yield f"{name}:{number}: {identifier}: {why}"


def keys_of(value):
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from keys_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from keys_of(item)


def retired_keys(texts):
    for name, text in texts:
        if not re.match(r"scenes/.*\.json$", name):
            continue
        for key in sorted(set(keys_of(json.loads(text)))):
            # Keys may be names that the author chose, with spaces.
            if re.fullmatch(r"[a-z_]+", key) and (why := better(name, key)):
                yield f"{name}: key {key}: {why}"


def missing_names():
    """Names of the glossary that the public headers do not have."""
    glossary = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"`(pl_\w+)(?:\(\))?`", "\n".join(line for line in glossary.splitlines() if line.startswith("|"))))
    public = set()
    for header in (ROOT / "include").rglob("*.h"):
        public |= set(IDENTIFIER.findall(blank(C_LIKE, header.read_text(encoding="utf-8"))))
    for name in NEEDED:
        if name not in listed:
            yield f"docs/glossary.md: {name} is not listed"
    for name in sorted(listed | set(NEEDED)):
        # `pl_capture` stands for a family of names too.
        if name not in public and not any(other.startswith(name + "_") for other in public):
            yield f"docs/glossary.md: {name} is not in include/pliant"


def main():
    texts = list(files())
    if len(sys.argv) > 1:
        texts = chosen(texts, sys.argv[1:])
    rules = {
        "no retired words in identifiers": list(retired_identifiers(texts)),
        "no retired words in keys of scenes": list(retired_keys(texts)),
        "names of docs/glossary.md are public": list(missing_names()),
    }
    for rule, breaches in rules.items():
        print(*breaches, sep="\n", end="\n" if breaches else "")
        print(f"{'not ok' if breaches else 'ok'} names: {rule} ({len(breaches)})")
    return any(rules.values())


if __name__ == "__main__":
    sys.exit(main())
