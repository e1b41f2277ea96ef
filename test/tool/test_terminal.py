# ctest: cli
"""On a terminal progress is one line that is rewritten, and errors have colour unless NO_COLOR is set; elsewhere there is neither."""
import json
import os
import pty
import subprocess
import sys
import tempfile

TOOL = os.environ["PLIANT"]


def on_terminal(words, **environment):
    """What the tool prints on standard error when that is a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([TOOL, *words], stdout=subprocess.DEVNULL, stderr=theirs, env={**os.environ, "TERM": "xterm", **environment})
    os.close(theirs)
    text = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    process.wait()
    os.close(ours)
    return text.decode()


def check(claim, good):
    print(claim)
    if not good:
        sys.exit(f"FAILED: {claim}")


def main():
    scene = {"pliant": 1, "name": "box", "time": {"frames": 10}, "meshes": {"box": {"box": {"cells": [2, 2, 2]}}}, "bodies": [{"name": "box", "mesh": "box"}]}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scene.json")
        with open(path, "w", encoding="utf-8") as out:
            json.dump(scene, out)
        words = ["run", path, "-o", os.path.join(folder, "out"), "--format", "none"]
        text = on_terminal(words)
        check("progress counts to the end on one line", "\r\x1b[K" in text and "frame 10/10" in text)
        check("the line is wiped before the table", "\r\x1b[Kphase" in text)
        text = on_terminal(words, TERM="dumb")
        check("a dumb terminal gets no escape codes", "\x1b" not in text and "phase" in text)
        plain = subprocess.run([TOOL, *words], capture_output=True, text=True, check=True).stderr
        check("a log file gets no escape codes and no bar", "\x1b" not in plain and "\r" not in plain and "frame 10/10" not in plain)
    check("errors are red on a terminal", "\x1b[1;31merror:\x1b[0m" in on_terminal(["rnu"]))
    check("NO_COLOR is respected", "\x1b[1;31m" not in on_terminal(["rnu"], NO_COLOR="1"))


if __name__ == "__main__":
    main()
