#!/usr/bin/env python3
"""The tables of behaviours in docs/actor.md, made from the tables in src/actor/behaviour_*.c so that the two cannot drift.

behaviour_tables.py           put the tables between the markers of docs/actor.md
behaviour_tables.py --check   only compare; prints `ok NAME` or `not ok NAME`
"""
import re
import sys

from tree import ROOT

FOLDER = ROOT / "src/actor"
PAGE = ROOT / "docs/actor.md"
BEGIN = "<!-- tables made from src/actor/behaviour_*.c by scripts/behaviour_tables.py: begin -->"
END = "<!-- end of the tables -->"
TEXT = r'"(?:[^"\\]|\\.)*"'
# The order of pl_behaviour_list(), then what is looked for in the file of each.
LISTED = re.compile(r"&pl_behaviour_(\w+)")
ABOUT = re.compile(rf"const pl_behaviour pl_behaviour_\w+ = \{{.*?\.about\s*=\s*((?:{TEXT}\s*)+)", re.S)
SETTINGS = re.compile(r"static const pl_behaviour_setting \w+\[[^]]*\] = \{(.*?)^\};", re.M | re.S)
SETTING = re.compile(rf"\[\w+\]\s*=\s*\{{\s*({TEXT}),\s*({TEXT}),\s*([^,]+),\s*([^,]+),\s*([^,]+),\s*((?:{TEXT}\s*)+)\}}", re.S)


def words(literals):
    """C string literals side by side, as one text."""
    return "".join(part[1:-1] for part in re.findall(TEXT, literals))


def table(name):
    code = (FOLDER / f"behaviour_{name}.c").read_text(encoding="utf-8")
    about, block = ABOUT.search(code), SETTINGS.search(code)
    if not about or not block:
        raise ValueError(f"src/actor/behaviour_{name}.c has no table that this script can read")
    rows = [f"#### {name}", "", words(about.group(1)), "", "| setting | unit | preset | range | meaning |", "| --- | --- | --- | --- | --- |"]
    settings = SETTING.findall(block.group(1))
    if len(settings) != len(re.findall(r"^\s*\[\w+\]", block.group(1), re.M)):
        raise ValueError(f"src/actor/behaviour_{name}.c has settings that this script cannot read")
    for key, unit, preset, smallest, largest, meaning in settings:
        cells = [f"`{words(key)}`", words(unit), preset.strip(), f"{smallest.strip()} … {largest.strip()}", words(meaning)]
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return rows + [""]


def tables():
    names = dict.fromkeys(LISTED.findall((FOLDER / "behaviour_list.c").read_text(encoding="utf-8")))  # each once
    return "\n".join(row for name in names for row in table(name))


def main(arguments):
    page = PAGE.read_text(encoding="utf-8")
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        print(f"not ok page: {PAGE.relative_to(ROOT)} has no place for the tables of behaviours")
        return 1
    wanted = f"{before}{BEGIN}\n\n{tables()}\n{END}{after}"
    if arguments == ["--check"]:
        if page != wanted:
            print("run scripts/behaviour_tables.py")
        print("ok" if page == wanted else "not ok", "page: the tables of docs/actor.md are those of src/actor/behaviour_*.c")
        return page != wanted
    PAGE.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
