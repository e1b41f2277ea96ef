"""The files of the project, for the checks."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOT_OURS = {".git", "build", "out", "__pycache__"}


def tracked():
    """Names of the files that belong to the project, relative to ROOT: what git knows, or all there is in a copy without git."""
    # A clone that another user owns is still this project.
    git = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if git.returncode == 0:
        names = filter(None, git.stdout.split("\0"))
    else:
        names = (str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if not NOT_OURS & set(path.relative_to(ROOT).parts))
    return sorted(name for name in names if (ROOT / name).is_file() and not (ROOT / name).is_symlink())
