#!/usr/bin/env python3
"""The tables of docs/tool.md, printed by `pliant manual` from the option tables of the tool so that page and tool cannot drift.

tool_tables.py           put the tables between the markers of docs/tool.md
tool_tables.py --check   only compare; prints `ok NAME` or `not ok NAME`

The tool is $PLIANT, or build/release/pliant. A marker names the words after `pliant manual`: `<!-- pliant manual options run -->`.
"""
import os
import re
import subprocess
import sys

from tree import ROOT

PAGE = ROOT / "docs/tool.md"
TOOL = os.environ.get("PLIANT", str(ROOT / "build/release/pliant"))
BLOCK = re.compile(r"(<!-- pliant manual ([a-z -]+) -->\n).*?(<!-- end -->\n)", re.S)


def table(words):
    done = subprocess.run([TOOL, "manual", *words.split()], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"pliant manual {words}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def verbs():
    """Every verb with options, in the order of the tool."""
    return [verb for verb in re.findall(r"^\| \[`([a-z]+)", table("verbs"), re.M)]


def page_with_tables():
    text = PAGE.read_text(encoding="utf-8")
    return text, BLOCK.sub(lambda found: f"{found[1]}\n{table(found[2])}\n{found[3]}", text)


def check():
    """Names of what is wrong; an empty list when the page is up to date."""
    text, made = page_with_tables()
    wanted = {"verbs", "exit-status", *(f"options {verb}" for verb in verbs())}
    wrong = [f"no table '{words}'" for words in sorted(wanted - {found[2] for found in BLOCK.finditer(text)})]
    if text != made:
        wrong.append("the tables are not those of the tool: run scripts/tool_tables.py")
    return wrong


def main(arguments):
    if arguments == ["--check"]:
        wrong = check()
        for line in wrong:
            print(f"docs/tool.md: {line}")
        print(f"{'not ok' if wrong else 'ok'} tables of docs/tool.md")
        return bool(wrong)
    if arguments:
        sys.exit("usage: tool_tables.py [--check]")
    PAGE.write_text(page_with_tables()[1], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
