#!/usr/bin/env python3
"""README.md, CONTRIBUTING.md, CHANGELOG.md, docs/*.md, docs/notes/*.md and src/*/README.md fit the tree: links lead to files and headings, pictures exist, show
something and have one command that makes them, README.md has at most 100 lines and its program is samples/hello.c, and the tables of the scene format and of
behaviours are those of schema and code, those of the tool are printed by it. In every page of the tree the rows of a table have the same number of cells as its head, and headings are headings:
a page that went through a formatter for C has neither.

Prints `ok NAME` or `not ok NAME` per rule. check_documents.py checks the commands and snippets of the pages.
"""
import collections
import json
import os
import re
import struct
import sys
import zlib

import behaviour_tables
import schema_tables
import tool_tables
from tree import ROOT, tracked

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/notes").glob("*.md")),
         *sorted((ROOT / "src").glob("*/README.md"))]
FRONT_PAGE_LINES = 100
LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```", re.M | re.S)
# The line below the head of a table, and what parts cells: a bar, unless a backslash is before it, in code too.
TABLE_RULE = re.compile(r"\s*\|?(\s*:?-+:?\s*\|)+(\s*:?-+:?)?\s*$")
CELL_BAR = re.compile(r"(?<!\\)\|")
# A picture's command, as scripts/make_pictures.sh finds it too.
COMMAND = re.compile(r"`(?:build/)?pliant run (\S+\.json) [^`]*--picture (\S+\.png)[^`]*`")
# Films of the pages.
FILM = re.compile(r"`(?:build/)?pliant run (\S+\.json) [^`]*--video (\S+\.webp)[^`]*`")
# One of curves, over one or more scenes.
CURVES = re.compile(r"`scripts/plot_actor\.py ((?:\S+\.json )+)(?:[^`]* )?--picture (\S+\.svg)[^`]*`")
# One of the studio, by scripts/make_studio_pictures.sh.
STUDIO = re.compile(r"`scripts/make_studio_pictures\.sh (\S+\.json) [^`]*--picture (\S+\.png)`")
# One of a script of the Python package.
SCRIPT = re.compile(r"`build/python/bin/python3 (python/notebooks/\S+\.py) --picture (\S+\.png)`")
# One that Blender draws, by scripts/make_blender_picture.sh.
BLENDER = re.compile(r"`scripts/make_blender_picture\.sh (\S+\.py) --picture (\S+\.png)`")
# A picture of the scene that it is called after, and the panels of its strip.
OWN_PICTURE = re.compile(r"`(?:build/)?pliant run scenes/([\w-]+)/scene\.json ([^`]*)--picture docs/pictures/\1\.png[^`]*`")
STRIP, STRIP_TIMES = re.compile(r"--strip (\d+)"), re.compile(r"--strip-times (\S+)")
# Sky, ground and shadow are nearly grey; bodies are not. A channel that much above another, in that share of the pixels, is a body in the picture.
MIN_CONTRAST, MIN_FRACTION = 45, 0.005
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


def paeth(a, b, c):
    near_a, near_b, near_c = abs(b - c), abs(a - c), abs(a + b - 2 * c)
    return a if near_a <= near_b and near_a <= near_c else b if near_b <= near_c else c


def picture_rows(data):
    """(bytes per pixel, number of rows, row) of each row of an 8-bit PNG without interlacing, from the top."""
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("not a PNG file")
    at, packed, head = 8, b"", None
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        if kind == b"IHDR":
            head = struct.unpack_from(">IIBBBBB", data, at + 8)
        elif kind == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += 12 + size
    width, height, depth, colour, _, _, interlaced = head
    if depth != 8 or interlaced:
        raise ValueError("not 8 bits a channel, or interlaced")
    step, raw = CHANNELS[colour], zlib.decompress(packed)
    above = bytearray(width * step)
    for y in range(height):
        method, row = raw[y * (width * step + 1)], bytearray(raw[y * (width * step + 1) + 1:(y + 1) * (width * step + 1)])
        for i in range(width * step if method else 0):
            left, corner = (row[i - step], above[i - step]) if i >= step else (0, 0)
            guess = (0, left, above[i], (left + above[i]) // 2, paeth(left, above[i], corner))[method]
            row[i] = (row[i] + guess) & 255
        yield step, height, row
        above = row


def is_coloured(path):
    """Whether enough pixels are far from grey. Ends at the row where that is known: unpacking a picture takes seconds."""
    coloured = 0
    for step, height, row in picture_rows(path.read_bytes()):
        if step < 3:
            return False
        coloured += sum(max(row[i:i + 3]) - min(row[i:i + 3]) >= MIN_CONTRAST for i in range(0, len(row), step))
        if coloured * step >= MIN_FRACTION * height * len(row):
            return True
    return False


def links():
    """(page, is a picture, path, heading or empty) of every link into the tree."""
    for page in PAGES:
        text = FENCED.sub("", page.read_text(encoding="utf-8"))
        for picture, target in LINK.findall(text):
            if not re.match(r"[a-z]+:", target):
                path, _, heading = target.partition("#")
                yield page, bool(picture), (page.parent / path).resolve() if path else page.resolve(), heading


def anchors(page):
    """What the headings of a page are called in links: letters, digits and hyphens, a number from the second of a name on."""
    found, text = collections.Counter(), FENCED.sub("", page.read_text(encoding="utf-8"))
    for heading in re.findall(r"^#{1,6} +(.*?)\s*$", text, re.M):
        name = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)).lower().replace(" ", "-")
        yield f"{name}-{found[name]}" if found[name] else name
        found[name] += 1


def dead_links():
    bad = [f"{page.relative_to(ROOT)}: there is no {os.path.relpath(target, ROOT)}" for page, _, target, _ in links() if not target.exists()]
    known = {}
    for page, _, target, heading in links():
        if heading and target.suffix == ".md" and target.is_file():
            if heading not in known.setdefault(target, set(anchors(target))):
                bad.append(f"{page.relative_to(ROOT)}: {os.path.relpath(target, ROOT)} has no heading #{heading}")
    return bad


def commands():
    """Picture -> scene, from the commands on the pages."""
    found = [pair for page in PAGES for rule in (COMMAND, FILM, CURVES, STUDIO, SCRIPT, BLENDER) for pair in rule.findall(page.read_text(encoding="utf-8"))]
    return {(ROOT / picture).resolve(): ROOT / scenes.split()[0] for scenes, picture in found}


def rival_commands():
    """Pictures that two pages make in two ways: which of them is seen would depend on their order."""
    made = collections.defaultdict(set)
    for page in PAGES:
        for rule in (COMMAND, FILM, CURVES, STUDIO, SCRIPT, BLENDER):
            for found in rule.finditer(page.read_text(encoding="utf-8")):
                made[found.group(2)].add(found.group())
    return [f"{picture}: {len(ways)} commands: {' and '.join(sorted(ways))}" for picture, ways in sorted(made.items()) if len(ways) > 1]


def unused_pictures():
    shown = {target for _, is_picture, target, _ in links() if is_picture}
    return [f"{name}: no page shows it" for name in tracked() if name.startswith("docs/pictures/") and not name.endswith(".json") and (ROOT / name).resolve() not in shown]


def shows_something(picture):
    if picture.suffix == ".svg":
        return "<polyline" in picture.read_text(encoding="utf-8")
    if picture.suffix == ".webp":  # a film: several frames, which this script cannot unpack
        return b"ANMF" in picture.read_bytes()
    return is_coloured(picture)


def poor_pictures():
    known, bad = commands(), []
    for picture in sorted({target for _, is_picture, target, _ in links() if is_picture}):
        name = picture.relative_to(ROOT)
        if not picture.is_file():
            bad.append(f"{name}: missing; run scripts/make_pictures.sh")
        elif picture not in known:
            bad.append(f"{name}: no page has the command that makes it")
        elif not known[picture].is_file():
            bad.append(f"{name}: its scene {known[picture].relative_to(ROOT)} is missing")
        elif not shows_something(picture):
            bad.append(f"{name}: shows no curve, or no body: less than {100 * MIN_FRACTION:g} % of it is coloured")
    return bad


def unknown_strips():
    """docs/pictures/strips.json, by which the studio's gallery shows one moment of each, has all strips of scenes with their number of panels."""
    listed = {name: strip["panels"] for name, strip in json.loads((ROOT / "docs/pictures/strips.json").read_text(encoding="utf-8")).items()}
    made = {}
    for page in PAGES:
        for scene, options in OWN_PICTURE.findall(page.read_text(encoding="utf-8")):
            even, times = STRIP.search(options), STRIP_TIMES.search(options)
            panels = int(even.group(1)) if even else times.group(1).count(",") + 1 if times else 1
            if panels > 1 and "--overlay" not in options:
                made[scene] = panels
    return [f"docs/pictures/strips.json: {name} has {listed.get(name)} panels, its command {made.get(name)}" for name in sorted({*listed, *made})
            if listed.get(name) != made.get(name)]


def long_front_page():
    count = (ROOT / "README.md").read_text(encoding="utf-8").count("\n")
    return [f"README.md: {count} lines, at most {FRONT_PAGE_LINES}; details belong in docs/"] if count > FRONT_PAGE_LINES else []


def other_program():
    readme, program = (ROOT / "README.md").read_text(encoding="utf-8"), (ROOT / "samples/hello.c").read_text(encoding="utf-8")
    if program.count("\n") > 30:
        return ["samples/hello.c: more than 30 lines"]
    return [] if f"```c\n{program}```" in readme else ["README.md: the C program is not samples/hello.c"]


def cell_count(row):
    """Cells of a row that begins and ends with a bar; 0 for any other line."""
    bars = len(CELL_BAR.findall(row))
    return bars - 1 if bars > 1 and re.match(r"\s*\|", row) and re.search(r"(?<!\\)\|\s*$", row) else 0


def broken_form(text):
    """(line, what is wrong) of tables and headings. A table ends at an empty line, so text glued to its end is a row too."""
    lines = FENCED.sub(lambda block: "\n" * block.group().count("\n"), text).split("\n")
    cells = 0  # of the head of the table that this line is in
    for i, line in enumerate(lines):
        if not line.strip():
            cells = 0
        elif i + 1 < len(lines) and not cells and "|" in lines[i + 1] and TABLE_RULE.match(lines[i + 1]):
            cells = cell_count(line)
            if not cells:
                yield i + 1, "the head of a table must begin and end with |"
        elif cells and cell_count(line) != cells:
            yield i + 1, f"{cell_count(line)} cells in a table of {cells}" if cell_count(line) else "not a row of the table it is in"
        elif not cells and re.match(r"\s*\|", line) and not TABLE_RULE.match(line):
            yield i + 1, "a row without a table"
        elif re.match(r"#{1,6}[^#\s]", line):
            yield i + 1, "a heading needs a space after #"


def broken_pages():
    return [f"{name}:{line}: {what}" for name in tracked() if name.endswith(".md")
            for line, what in broken_form((ROOT / name).read_text(encoding="utf-8"))]


def main():
    missing = [page for page in PAGES if not page.is_file()]
    if missing:
        print(*(f"not ok page: {page.relative_to(ROOT)} is missing" for page in missing), sep="\n")
        return True
    rules = {"links lead to files and headings": dead_links(), "pictures show something and have a command": poor_pictures(),
             "one command per picture": rival_commands(), "all pictures are shown": unused_pictures(), "README.md is short": long_front_page(), "strips.json knows the strips": unknown_strips(), "the program in README.md is samples/hello.c": other_program(), "tables and headings are whole": broken_pages()}
    for rule, breaches in rules.items():
        print(*breaches, sep="\n", end="\n" if breaches else "")
        print(f"{'not ok' if breaches else 'ok'} page: {rule}")
    drifted = [tables.main(["--check"]) for tables in (schema_tables, behaviour_tables, tool_tables)]
    return any(drifted) or any(rules.values())


if __name__ == "__main__":
    sys.exit(main())
