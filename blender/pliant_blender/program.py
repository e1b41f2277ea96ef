"""The program `pliant`: where it is, whether it fits the add-on, and a run of it in the background."""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading

WANTED = (0, 1)  # version of the program: the add-on and the scenes that it writes are of this one


class ProgramError(Exception):
    """What is wrong, in words for an artist."""


def find(path=""):
    """The program at `path`, or on the PATH."""
    if path:
        path = os.path.expanduser(path)
        if not (os.path.isfile(path) and os.access(path, os.X_OK)):
            raise ProgramError(f"There is no program at {path}. Set its path in Preferences › Add-ons › Pliant")
        return path
    found = shutil.which("pliant")
    if found is None:
        raise ProgramError("The program pliant was not found. Install Pliant, or set its path in Preferences › Add-ons › Pliant")
    return found


def version(path):
    """Version of the program as (major, minor), or an error that says what to do."""
    try:
        said = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.SubprocessError) as error:
        raise ProgramError(f"{path} cannot be run: {error}") from error
    match = re.match(r"pliant (\d+)\.(\d+)", said.stdout)
    if said.returncode != 0 or match is None:
        raise ProgramError(f"{path} is not the program pliant")
    return tuple(map(int, match.groups()))


def check(path):
    """The path of a program that fits."""
    path = find(path)
    there = version(path)
    if there != WANTED:
        older, what = ("program", "Pliant") if there < WANTED else ("add-on", "the add-on")
        raise ProgramError(
            f"The add-on is for Pliant {WANTED[0]}.{WANTED[1]}, but {path} is {there[0]}.{there[1]}: the {older} is too old, install a newer version of {what}"
        )
    return path


class Run:
    """A run in the background: `progress` from 0 to 1, `done` and then `problem`, a text, or None."""

    def __init__(self, program, scene_path, folder):
        self.folder, self.progress, self.title = folder, 0.0, "building"
        self.cancelled = False
        self.lines = []
        environment = dict(os.environ, PLIANT_PROGRESS="lines", NO_COLOR="1")
        self.output = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [program, "run", scene_path, "-o", folder, "--format", "pc2", "--no-tables"],
            stdout=self.output,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env=environment,
        )
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stderr:
            match = re.match(r"(\w+) .*?(\d+)/(\d+), ", line)
            if match:
                part = int(match[2]) / max(int(match[3]), 1)
                self.title = match[1]
                self.progress = max(self.progress, 0.9 * part if match[1] != "writing" else 0.9 + 0.1 * part)
            else:
                self.lines.append(line.strip())

    @property
    def done(self):
        if self.process.poll() is None:
            return False
        self.reader.join(timeout=5)
        return True

    @property
    def problem(self):
        """What the program says went wrong, or None. Exit status 3 is a remark."""
        if self.cancelled:
            return "cancelled"
        if self.process.returncode in (0, 3):
            return None
        errors = [line for line in self.lines if "error:" in line] or self.lines[-1:] or [f"exit status {self.process.returncode}"]
        return re.sub(r"^\S*: error: ", "", errors[0])

    @property
    def remarks(self):
        return [line for line in self.lines if "warning:" in line]

    def cancel(self):
        self.cancelled = True
        if self.process.poll() is None:
            # Twice: the first finishes a frame and writes a checkpoint, the second stops at once.
            for _ in range(2):
                self.process.send_signal(signal.SIGINT if os.name != "nt" else signal.SIGTERM)
            try:
                self.process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        for name in "pliant.checkpoint", "pliant.frames":
            path = os.path.join(self.folder, name)
            if os.path.exists(path):
                os.remove(path)
