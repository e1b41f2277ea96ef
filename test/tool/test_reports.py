# ctest: cli
"""--json of check, run, track, fit and capture is one valid object that says what the table says; scenes come from standard input as from a file; --quiet is
silent unless something is wrong, --strict fails on warnings."""
import json
import os
import pathlib
import subprocess

TOOL = os.environ["PLIANT"]
ROOT = pathlib.Path(os.environ["PLIANT_SOURCE_DIR"])
SCENE = (ROOT / "scenes/solid-cuboid/scene.json").read_text(encoding="utf-8")
OPEN = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n"  # a side is missing: a warning

BEAM = {
    "pliant": 1, "name": "beam", "time": {"step": 1 / 240, "frame_rate": 30, "frames": 30, "warm_up": 1},
    "meshes": {"beam": {"box": {"size": [0.4, 0.1, 0.1], "cells": [4, 1, 1]}}},
    "bodies": [{"name": "beam", "mesh": "beam", "method": "fem", "collides": False, "fem": {"young": 3e5, "mass_damping": 0.5, "stiffness_damping": 0.003},
                "pins": [{"within": {"min": [-0.21, -0.1, -0.1], "max": [-0.19, 0.1, 0.1]}},
                         {"within": {"min": [0.19, -0.1, -0.1], "max": [0.21, 0.1, 0.1]}, "until": 0.2,
                          "keys": [{"time": 0}, {"time": 0.1, "position": [0, -0.04, 0.03]}]}]}],
}


def run(*words, code=0, given=None):
    done = subprocess.run([TOOL, *map(str, words)], input=given, capture_output=True, text=True)
    codes = code if isinstance(code, tuple) else (code,)
    assert done.returncode in codes, f"pliant {words}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def test_check():
    pathlib.Path("open.obj").write_text(OPEN, encoding="utf-8")
    pathlib.Path("wrong.json").write_text('{"pliant": 1, "name": "a",\n "bodis": []}', encoding="utf-8")
    report = json.loads(run("check", "--json", "open.obj", "wrong.json", code=1).stdout)
    mesh, scene = report["files"]
    assert mesh["kind"] == "mesh" and mesh["warnings"] > 0 and mesh["errors"] == 0
    assert scene["kind"] == "scene" and report["errors"] == scene["errors"] == 2 and report["warnings"] == mesh["warnings"]
    unknown = next(finding for finding in scene["findings"] if finding["kind"] == "unknown-key")
    assert (unknown["severity"], unknown["file"], unknown["line"], unknown["column"], unknown["field"]) == ("error", "wrong.json", 2, 2, "bodis")
    assert "bodies" in unknown["fix"] and unknown["you_see"]
    # What is no finding is in the list too, and a file that is not there on standard error.
    pathlib.Path("cut.json").write_text('{"pliant": 1, "name": "', encoding="utf-8")
    cut = json.loads(run("check", "--json", "cut.json", code=1).stdout)
    assert cut["errors"] >= 1 and cut["files"][0]["findings"][0]["you_see"]
    assert json.loads(run("check", "--json", "none.json", code=1).stdout)["files"] == []


def test_quiet_and_strict():
    assert run("check", "open.obj", code=3).stderr
    quiet = run("check", "-q", "open.obj", code=3)
    assert quiet.stderr == "" and "warning" in quiet.stdout
    run("check", "--strict", "open.obj", code=1)
    run("check", "--strict", ROOT / "scenes/solid-cuboid/scene.json")
    loud = run("run", ROOT / "scenes/solid-cuboid/scene.json", "--frames", 3, "-o", "loud")
    silent = run("run", ROOT / "scenes/solid-cuboid/scene.json", "--frames", 3, "-o", "silent", "--quiet", "--hash")
    assert "results in" in loud.stderr and silent.stderr == "" and len(silent.stdout.strip()) == 16
    assert "wrong.json:2:2" in run("run", "wrong.json", "--quiet", code=1).stderr
    assert "no option" in run("run", "--quiets", "x", code=2).stderr


def test_standard_input():
    path = ROOT / "scenes/solid-cuboid/scene.json"
    options = ("--frames", 4, "--format", "npz", "--hash", "--set", "gravity=[0,-5,0]")
    from_file = run("run", path, *options, "-o", "a").stdout
    assert run("run", "-", *options, "-o", "b", given=SCENE).stdout == from_file
    names = sorted(path.name for path in pathlib.Path("a").iterdir())
    assert names == sorted(path.name for path in pathlib.Path("b").iterdir()) and "energy.npz" in names
    assert all(pathlib.Path("a", name).read_bytes() == pathlib.Path("b", name).read_bytes() for name in names)
    run("run", "-", "--frames", 2, "-q", given=SCENE)
    assert list(pathlib.Path("out/stdin").glob("*.pc2"))
    assert json.loads(run("check", "-", "--json", given=SCENE).stdout)["files"][0]["file"] == "stdin"
    broken = run("run", "-", given='{"pliant": 1, "name": "a"}', code=1)
    assert "stdin:1:1: error" in broken.stderr
    # Files are looked for from the current folder.
    pathlib.Path("box.obj").write_text(OPEN + "f 1 4 3\n", encoding="utf-8")
    scene = {"pliant": 1, "name": "s", "meshes": {"m": {"file": "box.obj"}}, "bodies": [{"name": "b", "mesh": "m", "method": "solid"}]}
    run("run", "-", "--frames", 2, "--format", "none", given=json.dumps(scene), code=(0, 3))


def test_run_track_and_fit():
    report = json.loads(run("run", "-", "--frames", 3, "--format", "none", "--json", "-q", given=SCENE).stdout)
    assert report["frames"] == 3 and report["bodies"][0]["particles"] > 0
    pathlib.Path("beam.json").write_text(json.dumps(BEAM), encoding="utf-8")
    run("sense", "beam.json", "-o", "shot", "--start", 0.2, "--frames", 8, "--size", "96x72", code=(0, 3))
    track = run("track", "shot", "shot/static.vtu", "-o", "track", "--hold", "shot/held.csv", "--truth", "shot/truth_surface.pc2", "--frames", 3, "--json", "-q",
                code=(0, 3))
    report = json.loads(track.stdout)
    assert report["frames"] == 3 == len(report["states"]) and report["residual"] > 0 and 0 < report["explained"] <= 1
    assert 0 < report["error_seen"] < 0.05 and report["error_hidden"] > 0 and report["lost"] == report["states"].count("lost")
    fit = ("fit", "shot/static.vtu", "shot/truth_points.pc2", "--hold", "shot/held.csv", "--steps", 2, "--max-iterations", 4, "--no-warm-start")
    table = run(*fit, "-o", "one", code=(0, 3)).stdout.splitlines()
    report = json.loads(run(*fit, "-o", "two", "--json", code=(0, 3)).stdout)
    assert len(report["parameters"]) == len(table) - 1 and len(report["correlations"]) == len(table) - 1
    young = report["parameters"][0]
    assert young["name"] == "young 1" and young["unit"] == "Pa" and f"{young['value']:.6g}" in table[1] and young["verdict"] in table[1]
    assert young["interval"][0] <= young["value"] <= young["interval"][1] and report["rms"] > 0
    # How the result is printed is not part of the fit: it can be resumed with and without.
    assert "rms" not in run(*fit, "-o", "three", "-q", code=(0, 3)).stderr


for name, test in sorted(globals().items()):
    if name.startswith("test_"):
        test()
        print(f"{name}: good")
