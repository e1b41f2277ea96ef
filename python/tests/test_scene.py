"""Scenes; the same bits as the tool."""
import json

import numpy as np
import pytest

import pliant


def test_frames_are_those_of_the_tool_to_the_bit(root, tool, tmp_path):
    for name, frames in (("solid-examples", 30), ("rod-tuft", 10), ("fem-curves", 5)):
        scene = root / f"scenes/{name}/scene.json"
        printed = tool("run", scene, "--frames", frames, "--hash=frames", "--format", "csv", "-o", tmp_path / name)
        hashes = [line.split()[2] for line in printed.splitlines() if line.startswith("frame ")]
        with pliant.Scene.load(scene).build() as world:
            surfaces = {body.name: [] for body in world.bodies}
            for frame in world.frames(frames):
                assert f"{world.hash:016x}" == hashes[frame]
                for body in world.bodies:
                    surfaces[body.name].append(body.drawn_surface)
            body = world.bodies[0]
            files = sorted((tmp_path / name).glob("*.csv"))
            table = np.loadtxt(next(f for f in files if f.stem.startswith(body.name)), delimiter=",", skiprows=1)
            assert (table[:, 3:6].reshape(frames, -1, 3) == np.array(surfaces[body.name])).all()
            assert len(body.drawn_triangles) > 0


def test_scenes_from_files_and_dicts(root, tmp_path):
    scene = pliant.Scene.load(root / "scenes/jelly-drop/scene.json", {"time.frames": 7})
    assert scene.report.frame_count == 7 and scene.report.name == "jelly-drop"
    scene.save(tmp_path / "copy.json")
    document = json.loads((tmp_path / "copy.json").read_text())
    again = pliant.Scene.from_dict(document, folder=root / "scenes/jelly-drop")
    with scene.build() as one, again.build(seed=3) as two:
        one.advance(0.05)
        two.advance(0.05)
        assert one.hash == two.hash and one.frame_count == 7 and one.findings == []
        assert len(one.bodies[0].model.mesh.points) == one.bodies[0].model.report.particle_count
        one.set_camera((1, 1, 1))
        one.set_camera(None)


def test_meshes_of_a_scene_outlive_its_world(root):
    world = pliant.Scene.load(root / "scenes/solid-examples/scene.json").build()
    points = world.bodies["twist"].model.mesh.points
    copy = points.copy()
    triangles = world.bodies["twist"].drawn_triangles
    world.close()
    with pytest.raises(pliant.ClosedError):
        world.bodies["twist"].positions
    del world
    assert (points == copy).all() and triangles.min() == 0


def test_what_is_wrong_in_a_scene_has_its_place(tmp_path):
    (tmp_path / "scene.json").write_text('{"pliant": 1,\n "bodies": [\n  {"mesh": "bar", "solid": {"stifness": 1}}]}')
    with pytest.raises(pliant.InvalidDataError) as caught:
        pliant.Scene.load(tmp_path / "scene.json")
    error = caught.value
    assert error.line == 3 and error.file.endswith("scene.json") and len(error.findings) >= 1
    finding = next(f for f in error.findings if "stifness" in f.text)
    assert finding.severity == "error" and finding.line == 3 and finding.column > 0 and "stifness" in repr(finding)
    with pytest.raises(pliant.InvalidDataError):
        pliant.Scene.from_dict({"pliant": 1, "bodies": "none"})
    with pytest.raises(pliant.NotFoundError):
        pliant.Scene.load(tmp_path / "missing.json")
    with pytest.raises(pliant.InvalidDataError):
        pliant.Scene.load(tmp_path / "scene.json", {"time.nothing": 1})
