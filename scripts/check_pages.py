#!/usr/bin/env python3
"""README.md, docs/*.md and src/*/README.md fit the tree: links lead somewhere, pictures are there, show something and name the command that
makes them, the program in README.md is samples/hello.c, and the tables of the scene format, of behaviours and of the tool are those of schema, code and tool. In every
page of the tree the rows of a table have as many cells as its head, and headings are headings: what a formatter for C makes of a page is neither.

Prints `ok NAME` or `not ok NAME` per rule. What the pages say in commands and snippets is checked by check_documents.py.
"""
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

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "src").glob("*/README.md"))]
LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```", re.M | re.S)
# The line below the head of a table, and what parts cells: a bar, unless a backslash is before it, in code too.
TABLE_RULE = re.compile(r"\s*\|?(\s*:?-+:?\s*\|)+(\s*:?-+:?)?\s*$")
CELL_BAR = re.compile(r"(?<!\\)\|")
# A picture's command, as scripts/make_pictures.sh finds it too.
COMMAND = re.compile(r"`(?:build/)?pliant run (\S+\.json) [^`]*--picture (\S+\.png)[^`]*`")
# One of curves, over one or more scenes.
CURVES = re.compile(r"`scripts/plot_actor\.py ((?:\S+\.json )+)(?:[^`]* )?--picture (\S+\.svg)[^`]*`")
# One of the studio, by scripts/make_studio_pictures.sh.
STUDIO = re.compile(r"`scripts/make_studio_pictures\.sh (\S+\.json) [^`]*--picture (\S+\.png)`")
# A strip of the scene that it is called after.
STRIP = re.compile(r"`(?:build/)?pliant run scenes/([\w-]+)/scene\.json [^`]*--strip (\d+)[^`]*--picture docs/pictures/([\w-]+)\.png[^`]*`")
# Sky, ground and shadow are nearly grey; bodies are not. A channel that much above another, in that share of the pixels, is a body in the picture.
LEAST_CONTRAST, LEAST_SHARE = 45, 0.005
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


def paeth(a, b, c):
    near_a, near_b, near_c = abs(b - c), abs(a - c), abs(a + b - 2 * c)
    return a if near_a <= near_b and near_a <= near_c else b if near_b <= near_c else c


def open_picture(data):
    """(width, height, bytes per pixel, rows one after the other) of an 8-bit PNG without interlacing."""
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
    return width, height, CHANNELS[colour], picture_rows(zlib.decompress(packed), width * CHANNELS[colour], CHANNELS[colour])


def picture_rows(raw, length, step):
    above = bytearray(length)
    for begin in range(0, len(raw), length + 1):
        method, row = raw[begin], bytearray(raw[begin + 1:begin + 1 + length])
        for i in range(length if method else 0):
            left, corner = (row[i - step], above[i - step]) if i >= step else (0, 0)
            guess = (0, left, above[i], (left + above[i]) // 2, paeth(left, above[i], corner))[method]
            row[i] = (row[i] + guess) & 255
        yield row
        above = row


def has_colour(path):
    """Whether enough of the pixels are far from grey. Stops reading as soon as they are: decoding takes far longer than all other checks."""
    width, height, step, rows = open_picture(path.read_bytes())
    if step < 3:
        return False
    coloured = 0
    for row in rows:
        coloured += sum(max(row[i:i + 3]) - min(row[i:i + 3]) >= LEAST_CONTRAST for i in range(0, len(row), step))
        if coloured >= LEAST_SHARE * width * height:
            return True
    return False


def links():
    """(page, is a picture, path) of every link into the tree."""
    for page in PAGES:
        text = FENCED.sub("", page.read_text(encoding="utf-8"))
        for picture, target in LINK.findall(text):
            if not re.match(r"[a-z]+:|#", target):
                yield page, bool(picture), (page.parent / target.partition("#")[0]).resolve()


def dead_links():
    return [f"{page.relative_to(ROOT)}: there is no {os.path.relpath(target, ROOT)}" for page, _, target in links() if not target.exists()]


def commands():
    """Picture -> scene, from the commands on the pages."""
    found = [pair for page in PAGES for rule in (COMMAND, CURVES, STUDIO) for pair in rule.findall(page.read_text(encoding="utf-8"))]
    return {(ROOT / picture).resolve(): ROOT / scenes.split()[0] for scenes, picture in found}


def shows_something(picture):
    if picture.suffix == ".svg":
        return "<polyline" in picture.read_text(encoding="utf-8")
    return has_colour(picture)


def poor_pictures():
    known, bad = commands(), []
    for picture in sorted({target for _, is_picture, target in links() if is_picture}):
        name = picture.relative_to(ROOT)
        if not picture.is_file():
            bad.append(f"{name}: missing; run scripts/make_pictures.sh")
        elif picture not in known:
            bad.append(f"{name}: no page has the command that makes it")
        elif not known[picture].is_file():
            bad.append(f"{name}: its scene {known[picture].relative_to(ROOT)} is missing")
        elif not shows_something(picture):
            bad.append(f"{name}: shows no curve, or no body: less than {100 * LEAST_SHARE:g} % of it is coloured")
    return bad


def unknown_strips():
    """docs/pictures/strips.json, by which the studio's gallery shows one moment of each, has all strips of scenes with their number of panels."""
    told = {name: strip["panels"] for name, strip in json.loads((ROOT / "docs/pictures/strips.json").read_text(encoding="utf-8")).items()}
    made = {}
    for page in PAGES:
        for scene, command, picture in STRIP.findall(page.read_text(encoding="utf-8")):
            if scene == picture:
                made[picture] = int(command)
    return [f"docs/pictures/strips.json: {name} has {told.get(name)} panels, its command {made.get(name)}" for name in sorted({*told, *made})
            if told.get(name) != made.get(name)]


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
    """(line, what is wrong) of tables and headings. A table goes on until an empty line, so text glued to its end is a row too."""
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
    rules = {"links lead to files of the tree": dead_links(), "pictures show something and name their command": poor_pictures(),
             "strips.json knows the strips": unknown_strips(), "the program in README.md is samples/hello.c": other_program(), "tables and headings are whole": broken_pages()}
    for rule, breaches in rules.items():
        print(*breaches, sep="\n", end="\n" if breaches else "")
        print(f"{'not ok' if breaches else 'ok'} page: {rule}")
    drifted = [tables.main(["--check"]) for tables in (schema_tables, behaviour_tables, tool_tables)]
    return any(drifted) or any(rules.values())


if __name__ == "__main__":
    sys.exit(main())
