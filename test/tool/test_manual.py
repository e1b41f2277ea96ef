# ctest: cli
"""`pliant manual`: manual page and completions name every verb and option of the tool, are valid, and complete what they should; the
tables of docs/tool.md are those of the tool."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

TOOL = os.environ["PLIANT"]
ROOT = pathlib.Path(os.environ["PLIANT_SOURCE_DIR"])
OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]+)")
failures = []


def claim(name, good, note=""):
    if not good:
        failures.append(name)
        print(f"failed: {name} {note}")


def run(*words, **options):
    return subprocess.run([TOOL, *words], capture_output=True, text=True, **options)


def printed(*words):
    done = run(*words)
    if done.returncode != 0:
        sys.exit(f"pliant {' '.join(words)}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def options_of_help(text):
    """Long options at the beginning of a line of the help."""
    return set(re.findall(r"^  (?:-\w, |    )--([a-z-]+)", text, re.M))


def check_names():
    overview = printed("help")
    verbs = set(re.findall(r"^  ([a-z]+) [A-Z\[]", overview, re.M)) - {"help"}
    claim("the help lists the verbs", len(verbs) >= 16, sorted(verbs))
    known = {verb: options_of_help(printed("help", verb)) for verb in verbs}
    everything = set().union(*known.values()) | {"version"}

    page = re.sub(r"\\f[BIR]", "", printed("manual", "man").replace("\\-", "-"))
    fish, bash, zsh = printed("manual", "fish"), printed("manual", "bash"), printed("manual", "zsh")
    common = set(re.findall(r"^(?:-\w, )?--([a-z-]+)", re.search(r"^\.SH OPTIONS OF EVERY VERB.*?(?=^\.SH)", page, re.M | re.S)[0], re.M))
    claim("man: options of every verb", common == {"help", "quiet", "strict"} and all(common <= options for options in known.values()), sorted(common))
    for verb in sorted(verbs):
        section = re.search(rf"^\.SS pliant {verb} .*?(?=^\.S[SH])", page, re.M | re.S)
        claim(f"man: {verb}", section is not None)
        if section:
            found = set(re.findall(r"^(?:-\w, )?--([a-z-]+)", section[0], re.M))
            claim(f"man: options of {verb}", found == known[verb] - common, sorted(found ^ known[verb]))
        part = re.search(rf"^    {verb}\)\n      options=\"([^\"]*)\"", bash, re.M)
        claim(f"bash: options of {verb}", part and set(OPTION.findall(part[1])) == known[verb])
        part = re.search(rf"^      {verb}\)\n        _arguments(.*?)^        ;;", zsh, re.M | re.S)
        found = set(re.findall(r"^ +'[*]?(?:\(-\w )?--([a-z-]+)", part[1], re.M)) if part else set()
        claim(f"zsh: options of {verb}", found == known[verb], sorted(found ^ known[verb]))
        found = set(re.findall(rf"seen_subcommand_from {verb}' -l ([a-z-]+)", fish))
        claim(f"fish: options of {verb}", found == known[verb] - {"help"}, sorted(found ^ known[verb]))
        claim(f"fish: {verb}", f"-a {verb} -d" in fish)
    for name, text in (("bash", bash), ("zsh", zsh), ("fish", fish.replace("-l ", "--"))):
        unknown = set(OPTION.findall(text)) - everything
        claim(f"{name}: no other options", not unknown, sorted(unknown))
    return known


def check_defaults():
    """A default that the library has is read from it."""
    for verb, option, value in (("track", "reach", "0.05"), ("sense", "quantum", "0.0028"), ("fit", "max-iterations", "200"), ("mesh", "points", "2000"),
                                ("fit", "gravity", "0,-9.81,0"), ("pose", "weight", "1000")):
        found = re.search(rf"--{option} .*?\(default ([^)]*)\)", printed("help", verb), re.S)
        claim(f"default of {verb} --{option}", found and found[1] == value, found and found[1])


def complete(*words):
    """What bash offers for the last word."""
    script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pliant; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", script, "-", "pliant.bash", *words], capture_output=True, text=True)
    claim(f"bash completes {words[1:]}", done.returncode == 0 and not done.stderr, done.stderr)
    return set(done.stdout.split())


def check_bash():
    pathlib.Path("pliant.bash").write_text(printed("manual", "bash"))
    pathlib.Path("some.json").write_text("{}")
    os.makedirs("folder", exist_ok=True)
    claim("bash: syntax", subprocess.run(["bash", "-n", "pliant.bash"]).returncode == 0)
    claim("bash: verbs", {"run", "fit", "manual", "help"} <= complete(TOOL, ""))
    claim("bash: a verb", complete(TOOL, "ru") == {"run"})
    claim("bash: options", complete(TOOL, "fit", "--max") == {"--max-iterations"})
    claim("bash: choices", complete(TOOL, "fit", "--material", "") == {"corotated", "neo-hookean"})
    claim("bash: choices or files", {"axis", "farthest", "some.json"} <= complete(TOOL, "fit", "--placement", ""))
    claim("bash: files", "some.json" in complete(TOOL, "run", "some"))
    offered = complete(TOOL, "run", "-o", "")
    claim("bash: folders only", "folder" in offered and "some.json" not in offered, offered)
    claim("bash: nothing for numbers", complete(TOOL, "run", "--frames", "") == set())
    claim("bash: scenes of the gallery", "jelly-drop" in complete(TOOL, "demo", "jelly"))
    claim("bash: suites", "solid" in complete(TOOL, "bench", "sol"))
    claim("bash: actions", complete(TOOL, "detail", "en") == {"enrich"})
    claim("bash: formats", {"man", "zsh"} <= complete(TOOL, "manual", ""))


def check_page():
    if shutil.which("groff") is None:
        return
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=printed("manual", "man"), capture_output=True, text=True)
    claim("man: groff has no warning", done.returncode == 0 and not done.stderr, done.stderr[:500])


def check_files():
    claim("manual -o writes what it prints", run("manual", "man", "-o", "page.1").returncode == 0
          and pathlib.Path("page.1").read_text() == printed("manual", "man"))
    claim("manual -o into nowhere fails", run("manual", "man", "-o", "nowhere/page.1").returncode == 1)
    claim("manual: unknown format", "did you mean bash?" in run("manual", "bsah").stderr)
    claim("manual options: unknown verb", "did you mean run?" in run("manual", "options", "rnu").stderr)
    claim("manual options needs a verb", run("manual", "options").returncode == 2)
    done = subprocess.run([sys.executable, ROOT / "scripts/tool_tables.py", "--check"], capture_output=True, text=True)
    claim("the tables of docs/tool.md are up to date", done.returncode == 0, done.stdout + done.stderr)


def main():
    check_names()
    check_defaults()
    check_bash()
    check_page()
    check_files()
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
