# ctest: cli once
"""Files that `pliant view` lets pages read and write: scenes are opened by path from one folder and saved into it under plain names, over nothing but scenes; what could not be offered for
download is removed."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from studio_client import Server  # noqa: E402

TOOL = os.environ["PLIANT"]
SMALL = {"pliant": 1, "name": "small", "description": "A box falls.", "time": {"frames": 4, "frame_rate": 50, "step": 0.004},
         "meshes": {"box": {"box": {"size": [0.4, 0.4, 0.6], "cells": [3, 3, 4]}}}, "bodies": [{"name": "first", "mesh": "box", "position": [0, 0.5, 0]}]}


def refusal(viewer, kind, **fields):
    """What a refused request is answered."""
    try:
        answer = viewer.ask(kind, **fields)
    except RuntimeError as problem:
        return str(problem)
    raise AssertionError(f"{kind} {fields} was not refused: {answer}")


def lay_out():
    """The folder of a scene, and one that is none of the page's business."""
    for folder in ("own", "other"):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        pathlib.Path(folder, "scene.json").write_text(json.dumps(SMALL))
    os.makedirs("own/deeper.json")
    pathlib.Path("own/package.json").write_text('{"name": "not a scene"}')
    pathlib.Path("own/broken.json").write_text('{"pliant": 1, "bodies": [')
    pathlib.Path("own/old.json").write_text(json.dumps({**SMALL, "name": "old"}))
    os.symlink("../other/scene.json", "own/link.json")
    os.symlink("../other/new.json", "own/dangling.json")
    os.symlink("/dev/null", "own/device.json")


def contents(folder):
    return {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir() if path.is_file() and not path.is_symlink()}


def scenes_are_saved_into_the_folder_of_the_scene_only(server, viewer):
    before, other = contents("own"), contents("other")
    outside = os.path.abspath("other/evil.json")
    for name in (outside, "../other/evil.json", "other/evil.json", "./evil.json", "deeper.json/evil.json", ".evil.json", "evil", "evil.txt", ".json", "", "-evil.json", " evil.json", "evil.json ",
                 "evil\\.json", "evil\n.json", "evil\u0000.json", "evil.json\u0000", "évil.json", "a" * 200 + ".json", "~evil.json", "evil:1.json", "$HOME.json", 5, None, ["evil.json"], {}):
        text = refusal(viewer, "save", name=name)
        assert "plain file name" in text and ".json" in text or "must be a text" in text, (name, text)
    text = refusal(viewer, "save", path=outside)
    assert "by name, not by path" in text and "`name`" in text, text
    for name in ("package.json", "broken.json"):
        text = refusal(viewer, "save", name=name)
        assert "not a scene" in text and "choose another name" in text, text
    for name in ("deeper.json", "link.json", "dangling.json", "device.json"):
        text = refusal(viewer, "save", name=name)
        assert "a link or a folder" in text and "choose another name" in text, text
    assert contents("own") == before and contents("other") == other, "a refused request has written something"
    assert all(os.path.islink(f"own/{name}.json") for name in ("link", "dangling", "device"))
    # What may be written is: a new file, and one over a scene.
    answer = viewer.ask("save", name="My scene-2_b.v1.json")
    assert answer["path"] == os.path.realpath("own/My scene-2_b.v1.json"), answer
    viewer.ask("save", name="old.json")
    for name in ("My scene-2_b.v1.json", "old.json"):
        assert json.loads(pathlib.Path("own", name).read_text())["name"] == "small"
        subprocess.run([TOOL, "check", f"own/{name}"], check=True, capture_output=True)


def scenes_are_opened_from_the_folder_of_the_scene_only(server, viewer):
    missing = refusal(viewer, "open", path=os.path.abspath("other/no-such.json"))
    for path in (os.path.abspath("other/scene.json"), os.path.abspath("other"), "own/../other/scene.json", os.path.abspath("own/link.json"), "/etc/passwd", "/", "own/.."):
        text = refusal(viewer, "open", path=path)
        assert "no such file in the folder of this server" in text and "--folder" in text, text
        # Whether there is something elsewhere is not revealed.
        assert text[len(path):] == missing[len(os.path.abspath("other/no-such.json")):], (text, missing)
    for path in (os.path.abspath("own/old.json"), os.path.abspath("own"), "own/scene.json"):
        viewer.ask("open", path=path)
    # Another scene does not bring another folder.
    viewer.ask("open", gallery="jelly-drop")
    assert viewer.ask("save", name="jelly.json")["path"] == os.path.realpath("own/jelly.json")
    viewer.ask("open", path=os.path.join(os.path.dirname(os.path.dirname(viewer.scene["path"])), "rod-tuft", "scene.json"))
    viewer.ask("open", text=json.dumps(SMALL), name="../../dropped.json")
    assert viewer.ask("save", name="dropped.json")["path"] == os.path.realpath("own/dropped.json")


def downloads_that_are_refused_leave_nothing(server, viewer):
    viewer.ask("open", path="own/scene.json")
    files = [server.get("/file/" + viewer.ask("save")["file"])[0] for _ in range(3)]
    assert files == [200] * 3, files
    offered, text = 3, None
    while text is None:
        try:
            viewer.ask("save")
            offered += 1
        except RuntimeError as problem:
            text = str(problem)
        assert offered < 1000, "there is no end of files"
    assert "too many files" in text, text
    folder, = pathlib.Path(os.environ["TMPDIR"]).glob("pliant-studio-*")
    before = len(list(folder.iterdir()))
    for _ in range(5):
        refusal(viewer, "save")
    assert "too many files" in refusal(viewer, "export", format="csv", frames=1)
    # The folder is removed a moment after the answer.
    with server.viewer() as other:
        while len(list(folder.iterdir())) > before:
            other.state()


def a_server_without_a_folder_saves_nothing():
    with Server(TOOL) as server, server.viewer() as viewer:
        viewer.ask("open", gallery="jelly-drop")
        text = refusal(viewer, "save", name="mine.json")
        assert "no folder to save scenes into" in text and "--folder" in text, text
        text = refusal(viewer, "open", path=os.path.abspath("own/scene.json"))
        assert "no other folder" in text and "--folder" in text, text
    # A scene of the gallery does not make the gallery a folder to save into.
    with Server(TOOL, "jelly-drop") as server, server.viewer() as viewer:
        assert "no folder to save scenes into" in refusal(viewer, "save", name="mine.json")


def the_folder_can_be_chosen():
    os.makedirs("chosen", exist_ok=True)
    with Server(TOOL, "own/scene.json", "--folder", "chosen") as server, server.viewer() as viewer:
        assert viewer.ask("save", name="mine.json")["path"] == os.path.realpath("chosen/mine.json")
        assert "no such file in the folder" in refusal(viewer, "open", path=os.path.abspath("own/scene.json"))
        viewer.ask("open", path=os.path.abspath("chosen/mine.json"))
    for wrong in ("no-such-folder", "own/scene.json"):
        result = subprocess.run([TOOL, "view", "--no-browser", "--folder", wrong], capture_output=True, text=True)
        assert result.returncode == 1 and "is not a folder" in result.stderr, result


def main():
    result = subprocess.run([TOOL, "view", "no-such-scene", "--no-browser"], capture_output=True, text=True)
    if "without the studio" in result.stderr:
        print("skipped: built without the studio")
        sys.exit(77)
    lay_out()
    # Temporary files in a place of their own, to be counted.
    shutil.rmtree("temporary", ignore_errors=True)
    os.makedirs("temporary")
    os.environ["TMPDIR"] = os.path.abspath("temporary")
    with Server(TOOL, "own/scene.json") as server, server.viewer() as viewer:
        for claim in (scenes_are_saved_into_the_folder_of_the_scene_only, scenes_are_opened_from_the_folder_of_the_scene_only, downloads_that_are_refused_leave_nothing):
            claim(server, viewer)
            print(f"ok {claim.__name__}", flush=True)
    assert not list(pathlib.Path("temporary").iterdir()), "temporary files are left"
    for claim in (a_server_without_a_folder_saves_nothing, the_folder_can_be_chosen):
        claim()
        print(f"ok {claim.__name__}", flush=True)


main()
