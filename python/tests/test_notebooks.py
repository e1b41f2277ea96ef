"""Every script of python/notebooks runs and draws its picture; each asserts what it shows."""
import subprocess
import sys

import pytest

from conftest import ROOT

SCRIPTS = sorted((ROOT / "python/notebooks").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_draws_its_picture(script, tmp_path):
    picture = tmp_path / "picture.png"
    done = subprocess.run([sys.executable, script, "--picture", picture], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert picture.stat().st_size > 2000
    assert [path for path in tmp_path.iterdir() if path != picture] == [], "it writes nothing else"


def test_there_are_six_and_the_chapter_shows_them():
    chapter = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    assert len(SCRIPTS) == 6 and all(f"python/notebooks/{path.name}" in chapter for path in SCRIPTS)
