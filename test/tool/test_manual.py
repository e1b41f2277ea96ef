# ctest: cli
"""The manual page and the three completion files name the verbs and long options that the tool itself names in its help, and no others."""
import os
import pathlib
import re
import subprocess
import sys

TOOL = os.environ["PLIANT"]
ROOT = pathlib.Path(os.environ["PLIANT_SOURCE_DIR"])
OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]+)")


def help_of(*words):
    done = subprocess.run([TOOL, *words, "--help"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"pliant {' '.join(words)} --help: exit {done.returncode}\n{done.stderr}")
    return done.stdout + done.stderr


def main():
    page = (ROOT / "man/pliant.1").read_text().replace("\\-", "-").replace("\\fR", "").replace("\\fI", "").replace("\\fB", "")
    verbs = set(re.findall(r"^  ([a-z]+) ", help_of(), re.M)) - {"help"}
    if len(verbs) < 5:
        sys.exit(f"only these verbs are in the help: {sorted(verbs)}")
    known = set(OPTION.findall(help_of()))
    for verb in sorted(verbs):
        known |= set(OPTION.findall(help_of(verb)))
    known |= {"help", "version"}

    places = {
        "man/pliant.1": set(OPTION.findall(page)),
        "completion/pliant.bash": set(OPTION.findall((ROOT / "completion/pliant.bash").read_text())),
        "completion/_pliant": set(OPTION.findall((ROOT / "completion/_pliant").read_text())),
        "completion/pliant.fish": set(re.findall(r" -l ([a-z-]+)", (ROOT / "completion/pliant.fish").read_text())),
    }
    failed = False
    for place, options in places.items():
        for option in sorted(known - options):
            print(f"{place}: lacks --{option}")
            failed = True
        for option in sorted(options - known):
            print(f"{place}: the tool has no --{option}")
            failed = True
        text = re.search(r"\.SH VERBS\n(.*?)\.SH", page, re.S).group(1) if place.startswith("man") else (ROOT / place).read_text()
        for verb in sorted(verb for verb in verbs if not re.search(rf"\b{verb}\b", text)):
            print(f"{place}: lacks the verb {verb}")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
