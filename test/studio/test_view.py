# ctest: cli once
"""`pliant view` as a page uses it: scenes of every method open, move, pause, step, go back and reset; what is shown at a step is what `pliant run` has at that step, bit for
bit; points can be grabbed and pinned, settings changed, examples added, saved and read again, files exported; eight viewers see one world, and one that stops reading
disturbs nobody."""
import base64
import io
import json
import os
import pathlib
import struct
import subprocess
import sys
import time
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from studio_client import Frame, Server  # noqa: E402
from studio_steps import at_step, distance, gather, points, shown, state_at, to_start, telemetry_at, triples, want  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import generate  # noqa: E402

TOOL = os.environ["PLIANT"]
METHODS = {"solid": "solid-cuboid", "rod": "rod-tuft", "fem": "fem-curves", "actor": "actor-worm"}
SMALL = {"pliant": 1, "name": "small", "description": "Boxes fall.", "length_unit": "cm", "time": {"frames": 4, "frame_rate": 50, "step": 0.004},
         "gravity": [0, -981, 0],
         "meshes": {"box": {"box": {"size": [40, 40, 60], "cells": [3, 3, 4]}, "poses": [{"name": "long", "scale": [1, 1, 1.5]}]}},
         "bodies": [{"name": "first", "mesh": "box", "position": [0, 50, 0], "rotation": {"axis": [1, 0, 1], "degrees": 20}, "solid": {"examples": ["long"]}},
                    {"name": "second", "mesh": "box", "position": [10, 110, 0], "repeat": {"counts": [1, 2, 1], "spacing": [0, 70, 0], "jitter": 2, "turn": 10}}],
         "colliders": [{"name": "ground", "shape": "half_space"}, {"name": "ball", "shape": "sphere", "radius": 20, "position": [30, 10, 10],
                       "keys": [{"time": 0, "position": [30, 10, 10]}, {"time": 1, "position": [30, 40, 10]}]}]}


def scenes_of_every_method_open_and_move(server, viewer):
    for method, name in METHODS.items():
        viewer.ask("open", gallery=name)
        scene = viewer.scene
        assert scene["name"] == name and scene["method"] == method, (name, scene["method"])
        assert all(body["settings"] for body in scene["bodies"] if body["source"] == 0), name
        first = viewer.frame()
        # A frame holds what has changed; bodies that stand still are left out, but somebody moves.
        assert any(kind == 0 for kind, _ in viewer.wait(lambda m: isinstance(m, Frame) and m.step > first.step and m.parts).parts), name
        viewer.ask("pause")
        step = viewer.wait(lambda m: isinstance(m, dict) and m["kind"] == "state" and m["paused"])["step"]
        # Four of them come in a second.
        assert [viewer.state()["step"] for _ in range(3)] == 3 * [step], f"{name} moves while it is paused"
        viewer.ask("step", count=3)
        state_at(viewer, step + 3)
        viewer.ask("reset")
        state_at(viewer, 0)


def rigid_and_animated_bodies_are_shown(server, viewer):
    for name, method in (("rigid-stack", "rigid"), ("hand-squeeze", "kinematic")):
        viewer.ask("open", gallery=name)
        assert method in [body["method"] for body in viewer.scene["bodies"]], (name, viewer.scene["bodies"])
        first = viewer.frame()
        viewer.wait(lambda m: isinstance(m, Frame) and m.step > first.step)


def what_is_seen_is_what_is_run(server, viewer):
    for name in METHODS.values():
        lines = subprocess.run([TOOL, "run", pathlib.Path(os.environ["PLIANT_SOURCE_DIR"]) / "scenes" / name / "scene.json", "--format", "none", "--frames", "3",
                                "--hash=frames", "-o", "out-" + name], capture_output=True, text=True).stdout.split("\n")
        viewer.ask("open", gallery=name)
        for frame in (1, 2):
            step = int(frame / (viewer.scene["frame_rate"] * viewer.scene["step"]) + 1e-6)
            at_step(viewer, step)
            found = state_at(viewer, step)["hash"]
            assert lines[frame] == f"frame {frame} {found}", (name, frame, found, lines[frame])


def positions_are_those_of_a_run_to_the_last_bit(server, viewer):
    pathlib.Path("small.json").write_text(json.dumps(SMALL))
    subprocess.run([TOOL, "run", "small.json", "--format", "csv", "-o", "small"], check=True, capture_output=True)
    viewer.ask("open", path=os.path.abspath("small.json"))
    viewer.send("want", exact=True)
    frame = at_step(viewer, 15)
    for body, file in ((0, "first"), (2, "second_002")):
        rows = [line.split(",") for line in pathlib.Path(f"small/{file}.csv").read_text().splitlines()[1:]]
        wanted = [[float(x) for x in row[3:6]] for row in rows if row[0] == "4"]  # tables count frames from 1
        assert frame.parts[0, body][0] == 3 and points(frame, (0, body)) == wanted, file


def frames_have_the_form_that_is_wanted(server, viewer):
    viewer.ask("open", path=os.path.abspath("small.json"))
    body, exact = viewer.scene["bodies"][0], {}
    for wish, form, more in (({"exact": True, "particles": True}, 3, {(1, 0): 3}), ({}, 0, {}), ({"quantised": True}, 1, {}), ({"colors": "stretch"}, 0, {(3, 0): 2}),
                             ({"colors": "stress"}, 0, {(3, 1): 2}), ({"colors": "speed"}, 0, {(3, 2): 2})):
        to_start(viewer)
        want(viewer, **wish)
        viewer.ask("step", count=20)
        parts = gather(viewer, 20, {(0, 0): form, (0, 1): form, (0, 2): form, (4, 1): 4, **more})
        surfaces = {i: triples(parts[0, i][1]) for i in range(3)}
        exact = exact or surfaces
        assert len(surfaces[0]) == body["points"] and max(distance(a, b) for i in range(3) for a, b in zip(surfaces[i], exact[i])) < 2e-5, wish
        assert abs(parts[4, 1][1][1] - (0.1 + 0.3 * 0.08)) < 1e-6, "where the ball is after 0.08 s"
        if "particles" in wish:
            assert len(parts[1, 0][1]) == 3 * body["particles"]
        for key in more:
            assert any(parts[key][1]), f"{wish}: all is zero"
    viewer.send("want")


def going_back_undoes_steps(server, viewer):
    viewer.ask("open", path=os.path.abspath("small.json"))
    at_step(viewer, 12)
    wanted = state_at(viewer, 12)["hash"]
    viewer.ask("step", count=9)
    state_at(viewer, 21)
    viewer.ask("back", count=9)
    state = state_at(viewer, 12)
    assert state["hash"] == wanted and state["history"] == 12, state


def points_can_be_grabbed_and_pinned(server, viewer):
    viewer.ask("open", path=os.path.abspath("small.json"))
    start = points(at_step(viewer, 1))
    target = [start[0][0] + 0.5, start[0][1] + 0.5, start[0][2]]
    viewer.send("grab", body=0, point=0, at=start[0])
    viewer.send("drag", at=target)
    viewer.ask("step", count=150)
    end = points(shown(viewer, 151))
    assert distance(end[0], target) < 0.15, (end[0], target)
    viewer.send("release")
    at_step(viewer, 10)
    held = points(at_step(viewer, 10))[5]
    viewer.send("pin", body=0, point=5)
    viewer.ask("step", count=200)
    assert distance(points(shown(viewer, 210))[5], held) < 1e-4
    viewer.send("pin", body=0, point=5)
    viewer.ask("step", count=100)
    assert distance(points(shown(viewer, 310))[5], held) > 0.05
    for wrong in ({"body": 7, "point": 0}, {"body": 0, "point": 10 ** 6}, {"body": -1, "point": 0}, {"body": "first"}):
        viewer.send("grab", at=[0, 0, 0], **wrong)
        assert "no such point" in viewer.wait_kind("error")["text"]


def a_ball_pushes_and_contacts_are_reported(server, viewer):
    viewer.ask("open", path=os.path.abspath("small.json"))
    viewer.send("want", contacts=True)
    start = points(at_step(viewer, 5))
    middle = [sum(p[k] for p in start) / len(start) for k in range(3)]
    viewer.send("tool", at=[middle[0] - 0.8, middle[1], middle[2]], radius=0.2)
    for step in range(1, 31):
        viewer.send("tool", at=[middle[0] - 0.8 + 0.02 * step, middle[1], middle[2]], radius=0.2)
        viewer.ask("step", count=1)
    pushed = points(shown(viewer, 35))
    viewer.send("tool", at=None)
    plain = points(at_step(viewer, 35))
    assert sum(a[0] - b[0] for a, b in zip(pushed, plain)) / len(plain) > 0.02, "it was not pushed"
    viewer.ask("step", count=200)
    report = telemetry_at(viewer, 235)["contacts"]
    places = struct.unpack(f"<{len(base64.b64decode(report)) // 4}f", base64.b64decode(report))
    assert len(places) >= 9 and min(places[1::3]) < 0.01, places[:9]
    viewer.send("want")


def settings_change_the_run(server, viewer):
    viewer.ask("open", path=os.path.abspath("small.json"))
    plain = points(at_step(viewer, 60))
    at_step(viewer, 20)
    before = viewer.scene["bodies"][0]["settings"]
    answer = viewer.ask("set", path="bodies[0].solid.stiffness", value=0.02)
    after = {s["path"]: s["value"] for s in viewer.scene["bodies"][0]["settings"]}
    assert answer["restarted"] is False and after["bodies[0].solid.stiffness"] == 0.02 and len(before) == len(after)
    shown(viewer, 20)  # it continues where it was
    viewer.ask("step", count=40)
    soft = points(shown(viewer, 60))
    assert max(distance(a, b) for a, b in zip(plain, soft)) > 1e-3
    viewer.ask("set", path="gravity[1]", value=9.81)
    viewer.ask("step", count=300)
    assert points(shown(viewer, 360))[0][1] > soft[0][1] + 0.3, "it falls upwards"
    # What is refused at once, and what only the scene that is built from it refuses, many times: a thread of its own does that.
    for path, value in 20 * (("bodies[0].solid.stiffness", 7), ("bodies[0].solid.sturdiness", 1), ("bodies[9].solid.damping", 1), ("studio.rate", -1), ("bodies[0].solid.grouping", "by chance")):
        try:
            viewer.ask("set", path=path, value=value)
            raise AssertionError(f"{path} = {value} was taken")
        except RuntimeError:
            pass


def a_scene_is_built_next_to_the_world_that_is_shown(server, viewer):
    # A scene takes its time to be built, a step of a small one does not: what is asked for while it is built is answered before.
    viewer.ask("open", path=os.path.abspath("small.json"))
    at_step(viewer, 5)
    viewer.send_together({"kind": "open", "id": 900, "gallery": "rod-fringe"}, {"kind": "save", "id": 901}, {"kind": "step", "id": 902, "count": 3})
    seen = []
    while len(seen) < 3:
        message = viewer.wait(lambda m: isinstance(m, dict) and m["kind"] in ("done", "error", "progress") and m.get("id") in (900, 901, 902))
        assert message["kind"] != "error", message
        if message["kind"] == "progress":
            assert message["id"] == 900 and 0 < message["done"] < 1 and message["text"], message
            continue
        seen.append(message["id"])
        if message["id"] == 902:
            assert viewer.scene["name"] == "small", "the step is of the new scene"
        if message["id"] == 901:
            assert message["name"] == "rod-fringe.json", "what was saved is not what was opened before"
    assert seen == [902, 900, 901], seen
    assert viewer.scene["name"] == "rod-fringe"
    # A setting of it: the world continues until it is built, and then from where it is.
    to_start(viewer)
    at, path = next((i, s["path"]) for i, s in enumerate(viewer.scene["bodies"][0]["settings"]) if isinstance(s["value"], (int, float)))
    viewer.send_together({"kind": "set", "id": 910, "path": path, "value": 0.3}, {"kind": "step", "id": 911, "count": 2})
    for number in (911, 910):
        answer = viewer.wait(lambda m: isinstance(m, dict) and m["kind"] in ("done", "error") and m.get("id") in (910, 911))
        assert answer["kind"] == "done" and answer["id"] == number, answer
    assert answer["restarted"] is False and viewer.scene["bodies"][0]["settings"][at]["value"] == 0.3
    shown(viewer, 2)
    # Gone while one is being built, and two that wait: nobody is hurt.
    with server.viewer() as hasty:
        hasty.send_together(*3 * [{"kind": "open", "id": 1, "gallery": "rod-tuft"}])
    viewer.ask("open", path=os.path.abspath("small.json"))
    assert viewer.scene["name"] == "small"
    # Ended while it builds.
    with Server(TOOL, os.path.abspath("small.json")) as other:
        with other.viewer() as last:
            last.send_together({"kind": "open", "id": 1, "gallery": "rod-antlers"}, {"kind": "save", "id": 2})
            last.ask("pause")  # all of it has been heard
        assert other.end() == 0, other.log()


def weights_can_be_given(server, viewer):
    viewer.ask("open", path=os.path.abspath("small.json"))
    to_start(viewer)
    viewer.send("weights", body=0, manifold=0, weights=[0.75])
    viewer.ask("step", count=5)
    assert abs(telemetry_at(viewer, 5)["weights"][0][0] - 0.75) < 1e-4
    viewer.send("weights", body=0, manifold=0, weights=None)
    viewer.ask("step", count=50)
    assert abs(telemetry_at(viewer, 55)["weights"][0][0] - 0.75) > 0.02


def fetch(server, answer):
    status, body = server.get("/file/" + answer["file"])
    assert status == 200, status
    return body


def an_example_of_now_is_used_saved_and_read(server, viewer):
    viewer.ask("open", path=os.path.abspath("small.json"))
    start = points(at_step(viewer, 1))
    viewer.send("grab", body=0, point=0, at=[start[0][0] - 0.4, start[0][1], start[0][2]])
    viewer.ask("step", count=100)
    viewer.ask("example", body=0, action="add", name="pulled")
    assert [e["name"] for e in viewer.scene["bodies"][0]["examples"]] == ["long", "pulled"]
    viewer.ask("step", count=2)
    weights = telemetry_at(viewer, 103)["weights"][0]
    assert len(weights) == 2 and weights[1] > 0.7, f"the pose of now is the example, but its weight is {weights}"
    viewer.ask("example", body=0, action="mute", index=0, on=True)
    assert viewer.scene["bodies"][0]["examples"] == [{"name": "pulled", "mute": False}, {"name": "long", "mute": True}]
    viewer.ask("example", body=0, action="rename", index=0, name="drawn")
    viewer.send("release")
    viewer.ask("save", name="saved.json")
    download = fetch(server, viewer.ask("save"))
    assert json.loads(download)["bodies"][0]["solid"]["examples"] == ["drawn"]
    assert subprocess.run([TOOL, "check", "saved.json"], capture_output=True).returncode in (0, 3)
    seen = points(at_step(viewer, 30))
    viewer.ask("open", path=os.path.abspath("saved.json"))
    assert viewer.scene["bodies"][0]["examples"] == [{"name": "drawn", "mute": False}, {"name": "long", "mute": True}]
    assert points(at_step(viewer, 30)) == seen, "what was saved is what was seen"
    viewer.ask("open", text=download.decode(), name="dropped.json")
    assert points(at_step(viewer, 30)) == seen
    viewer.ask("example", body=0, action="delete", index=0)
    assert [e["name"] for e in viewer.scene["bodies"][0]["examples"]] == ["long"]


def an_example_of_a_view_is_used_saved_and_read(server, viewer):
    viewer.ask("open", gallery="rod-tuft")
    to_start(viewer)
    viewer.send("camera", eye=[0, -50, 0.1])
    viewer.ask("step", count=30)
    count = len(viewer.scene["bodies"][0]["examples"])
    viewer.ask("example", body=0, action="add", name="from below")
    examples = viewer.scene["bodies"][0]["examples"]
    assert len(examples) == count + 1 and examples[-1]["name"] == "from below" and examples[-1]["extent"] > 0.5, examples
    viewer.ask("step", count=5)
    report = telemetry_at(viewer, 35)
    assert len(report["weights"][0]) == count + 1 and report["weights"][0][-1] > 0.5, report["weights"][0]
    assert distance(report["view"], examples[-1]["view"]) < 0.2, (report["view"], examples[-1]["view"])
    viewer.ask("example", body=0, action="mute", index=count, on=True)
    assert viewer.scene["bodies"][0]["examples"][-1]["mute"]
    viewer.ask("example", body=0, action="mute", index=count, on=False)
    assert viewer.scene["bodies"][0]["examples"][-1] == examples[-1]
    viewer.ask("save", name="tuft.json")
    viewer.ask("open", path=os.path.abspath("tuft.json"))
    assert viewer.scene["bodies"][0]["examples"] == examples


def exports_are_read_by_the_tool(server, viewer):
    viewer.ask("open", path=os.path.abspath("small.json"))
    for kind in ("pc2", "glb", "csv", "png"):
        answer = viewer.ask("export", format=kind, frames=3)
        body = fetch(server, answer)
        if kind == "png":
            assert answer["name"] == "small.png" and body[:4] == b"\x89PNG"
            continue
        names = zipfile.ZipFile(io.BytesIO(body)).namelist()
        assert sorted(names) == sorted(f"{name}.{kind}" for name in ("first", "second_001", "second_002")), names
        zipfile.ZipFile(io.BytesIO(body)).extractall("exported")
        if kind != "csv":
            result = subprocess.run([TOOL, "info", f"exported/first.{kind}"], capture_output=True, text=True)
            assert result.returncode == 0 and "80" in result.stdout, result
    try:
        viewer.ask("export", format="dwg")
        raise AssertionError("dwg was exported")
    except RuntimeError:
        pass


def actors_can_be_steered(server, viewer):
    viewer.ask("open", gallery="actor-worm")
    to_start(viewer)
    want(viewer, ghost=True)
    viewer.send("steer", body=0, speed=0.125, heading=[-1, 0, 0])
    viewer.ask("step", count=2)
    report = telemetry_at(viewer, 2)["actor"]
    assert report["speed"] == 0.125 and report["heading"][0] == -1 and report["goals"], report
    gather(viewer, 2, {(0, 0): 0, (2, 0): 0})
    viewer.send("goal", body=0, position=[5, 0, 0])
    viewer.ask("step", count=2)
    assert telemetry_at(viewer, 4)["actor"]["heading"][0] > 0.99
    viewer.send("want")


def detail_can_be_left_out(server, viewer):
    viewer.ask("open", gallery="detail-cube")
    to_start(viewer)
    want(viewer, coarse=True, exact=True)
    body = next(i for i, body in enumerate(viewer.scene["bodies"]) if body["method"] == "detail")
    surface, coarse = (0, body), (6, body)
    for step in range(10, 601, 10):
        viewer.ask("step", count=10)
        parts = gather(viewer, step, {surface: 3, coarse: 3})
        if parts[surface] != parts[coarse]:
            break
    assert parts[surface] != parts[coarse], "the tool leaves nothing"
    viewer.ask("detail", body=body, on=False)
    viewer.ask("step", count=1)
    parts = gather(viewer, step + 1, {surface: 3, coarse: 3})
    assert parts[surface] == parts[coarse]
    viewer.send("want")


def press_with_the_ball(viewer, body, place, radius, depth, steps=40):
    """The ball comes down from above until it is `depth` below the place."""
    viewer.ask("pause")
    for step in range(steps):
        height = radius + 0.02 - (0.02 + depth) * step / (steps - 1)
        viewer.send("tool", at=[place[0], place[1] + height, place[2]], radius=radius)
        viewer.ask("step")


def top_of(surface):
    """The middle of the topmost points of a surface."""
    top = max(p[1] for p in surface)
    middle = [sum(p[k] for p in surface) / len(surface) for k in range(3)]
    return min((p for p in surface if p[1] > top - 0.01), key=lambda p: distance([p[0], 0, p[2]], [middle[0], 0, middle[2]]))


def detail_tells_all_examples_that_weigh(server, viewer):
    viewer.ask("open", gallery="detail-pillow")
    to_start(viewer)
    body = next(i for i, body in enumerate(viewer.scene["bodies"]) if body["method"] == "detail")
    assert viewer.scene["compare"].endswith("detail-pillow/compare.json")
    idle = telemetry_at(viewer, 0, body)["detail"]
    assert idle["weights"] == [] and idle["examples"] == [] and idle["load"] == 0 and idle["count"] == 18, idle
    # The second press is between recorded places, so several examples share it.
    viewer.ask("step", count=78)
    report = telemetry_at(viewer, 78, body)["detail"]
    assert 2 <= len(report["weights"]) == len(report["examples"]) == len(set(report["examples"])), report
    assert report["load"] > 0.001 and sum(report["weights"]) > 0.5 and all(report["examples"]), report
    viewer.ask("reset")
    assert telemetry_at(viewer, 0, body)["detail"]["weights"] == [], "weights of before the reset are reported at the start"
    # The ball under the mouse leaves detail on a body that names other tools.
    top = top_of(points(at_step(viewer, 1), (0, body)))
    want(viewer, coarse=True, exact=True)
    press_with_the_ball(viewer, body, top, 0.04, 0.03, 12)
    report = telemetry_at(viewer, 13, body)["detail"]
    assert report["load"] > 0 and report["weights"], report
    parts = gather(viewer, 13, {(0, body): 3, (6, body): 3})
    assert parts[(0, body)] != parts[(6, body)], "the ball leaves no detail"
    viewer.send("tool", at=None)
    viewer.send("want")


def segments_are_painted(server, viewer):
    viewer.ask("open", gallery="detail-pillow")
    to_start(viewer)
    body = next(i for i, body in enumerate(viewer.scene["bodies"]) if body["method"] == "detail")
    want(viewer, colors="segments")
    viewer.ask("step")
    parts = gather(viewer, 1, {(0, body): 0, (3, body): 2, (3, 1 - body): 2})
    segments, surface = parts[(3, body)][1], triples(parts[(0, body)][1])
    assert len(segments) == len(surface) and set(segments) == set(range(8)), set(segments)
    counts = [segments.count(k) for k in range(8)]
    assert counts == sorted(counts, reverse=True), "the largest segment is not the first"
    assert set(parts[(3, 1 - body)][1]) == {-1}, "a body without detail is painted"
    # The pillow is the same left and right, so places that mirror each other are alike.
    middle = sum(p[0] for p in surface) / len(surface)
    same = 0
    for i in range(0, len(surface), 37):
        other = min(range(len(surface)), key=lambda j: distance(surface[j], [2 * middle - surface[i][0], *surface[i][1:]]))
        same += segments[other] == segments[i]
    assert same > 0.8 * len(range(0, len(surface), 37)), same
    viewer.send("want")


def refused(viewer, word, **fields):
    try:
        viewer.ask(word, **fields)
    except RuntimeError as problem:
        return str(problem)
    raise AssertionError(f"{word} {fields} was not refused")


def an_example_of_detail_is_recorded_used_and_saved(server, viewer):
    viewer.ask("open", gallery="detail-cube")
    viewer.ask("pause")
    body = next(i for i, body in enumerate(viewer.scene["bodies"]) if body["method"] == "detail")
    assert "for another body" in refused(viewer, "detail", body=body, record=True)
    viewer.ask("open", gallery="detail-pillow")
    viewer.ask("pause")
    viewer.ask("reset")
    body = next(i for i, body in enumerate(viewer.scene["bodies"]) if body["method"] == "detail")
    for stale in pathlib.Path(".").glob("pillow-recorded-*.pldetail"):  # of a run before, in the same folder
        stale.unlink()
    assert "has no detail" in refused(viewer, "detail", body=1 - body, record=True)
    assert "nothing presses" in refused(viewer, "detail", body=body, record=True)
    # The second press, between recorded places.
    viewer.ask("step", count=78)
    before = telemetry_at(viewer, 78, body)["detail"]
    assert before["count"] == 18 and 0 < max(before["weights"]) < 0.95, before
    # What is pressed now is recorded, and the world continues.
    viewer.send_together({"kind": "detail", "id": 500, "body": body, "record": True, "name": "from here"}, {"kind": "run"})
    answer = viewer.wait(lambda m: isinstance(m, dict) and m["kind"] in ("done", "error") and m.get("id") == 500)
    assert answer["kind"] == "done" and answer["count"] in (19, 20) and answer["name"] == "pillow-recorded-1.pldetail", answer
    viewer.ask("pause")
    assert viewer.wait(lambda m: isinstance(m, dict) and m["kind"] == "state" and m["paused"])["step"] > 78, "the world stood still meanwhile"
    pathlib.Path(answer["name"]).write_bytes(fetch(server, answer))
    printed = subprocess.run([TOOL, "detail", "info", answer["name"]], capture_output=True, text=True, check=True).stdout
    assert "from here" in printed and "0.17 0.12" in printed, printed
    # The same press again: it was recorded, so now its own example weighs most.
    at_step(viewer, 78)
    after = telemetry_at(viewer, 78, body)["detail"]
    weights = dict(zip(after["examples"], after["weights"]))
    assert after["count"] == answer["count"] and weights["from here"] > 0.7 and weights["from here"] == max(after["weights"]), after
    # The next press is recorded into the set that has this one.
    viewer.ask("step", count=54)
    first, answer = answer, viewer.ask("detail", body=body, record=True)
    assert answer["name"] == "pillow-recorded-2.pldetail" and answer["count"] > first["count"], answer
    pathlib.Path(answer["name"]).write_bytes(fetch(server, answer))
    saved = json.loads(fetch(server, viewer.ask("save")))
    assert saved["bodies"][body]["detail"]["set"] == answer["name"], saved["bodies"][body]["detail"]
    # The same set is in the folder already: it stays. Another one of that name stays too, and this one gets the next number.
    viewer.ask("save", name="pillow.json")
    assert json.loads(pathlib.Path("pillow.json").read_text())["bodies"][body]["detail"]["set"] == answer["name"]
    kept = pathlib.Path(answer["name"]).read_bytes()
    pathlib.Path(answer["name"]).write_bytes(b"another set")
    viewer.ask("save", name="pillow.json")
    assert pathlib.Path(answer["name"]).read_bytes() == b"another set"
    assert pathlib.Path("pillow-recorded-3.pldetail").read_bytes() == kept
    subprocess.run([TOOL, "check", "pillow.json"], check=True, capture_output=True)


def the_camera_of_a_followed_body_is_where_the_body_is(server, viewer):
    viewer.ask("open", gallery="actor-castle")
    camera = viewer.scene["camera"]
    body = camera["follows"]
    assert body >= 0
    start = points(at_step(viewer, 1), (0, body))
    for step in range(21, 821, 20):
        viewer.ask("step", count=20)
        now = points(shown(viewer, step), (0, body))
        gone = [sum(p[k] - q[k] for p, q in zip(now, start)) / len(now) for k in range(3)]
        if distance([gone[0], 0, gone[2]], [0, 0, 0]) > 0.1:
            break
    with server.viewer() as late:
        other = late.wait_kind("scene")["camera"]
    for key in ("eye", "target"):
        shift = [b - a for a, b in zip(camera[key], other[key])]
        assert abs(shift[1]) < 1e-9 and distance(shift, [gone[0], 0, gone[2]]) < 0.3 * distance(gone, [0, 0, 0]), (shift, gone)
    assert distance(other["target"], camera["target"]) > 0.05, "the body has not gone far enough to tell"


def scenes_with_mistakes_leave_the_old_one(server, viewer):
    viewer.ask("open", path=os.path.abspath("small.json"))
    viewer.ask("pause")
    bad = json.dumps({**SMALL, "bodys": 1}, indent=1)
    for message in ({"text": bad, "name": "bad.json"}, {"text": "{", "name": "broken.json"}, {"gallery": "../etc"}, {"path": "/etc/passwd"}, {"path": "/no/such"}, {}):
        try:
            viewer.ask("open", **message)
            raise AssertionError(f"{message} was opened")
        except RuntimeError:
            pass
        if message.get("name") == "bad.json":
            viewer.send("open", id=99, **message)
            item = viewer.wait(lambda m: isinstance(m, dict) and m["kind"] == "findings" and m["items"])["items"][0]
            assert item["severity"] == "error" and item["line"] == bad[:bad.index("bodys")].count("\n") + 1 and "bodies" in item["fix"], item
    viewer.ask("step")
    assert viewer.scene["name"] == "small"


def eight_viewers_see_one_world(server, viewer):
    viewer.ask("open", path=os.path.abspath("small.json"))
    others = [server.viewer() for _ in range(7)]
    # One of them never reads.
    stalled = server.viewer(receive_buffer=4096)
    stalled.send("want", exact=True, particles=True)
    assert all(other.wait_kind("scene")["name"] == "small" for other in others)
    state = viewer.wait(lambda m: isinstance(m, dict) and m["kind"] == "state" and m["viewers"] == 9)
    viewer.ask("reset")
    viewer.ask("run")
    begin, memory, rounds = time.monotonic(), server.memory(), 40
    for _ in range(rounds):
        for other in others:
            other.frame()
    seconds = time.monotonic() - begin
    last = [other.step for other in others]
    # All are shown the same world: at a step where it rests, the same points.
    viewer.ask("pause")
    rest = viewer.wait(lambda m: isinstance(m, dict) and m["kind"] == "state" and m["paused"])["step"]
    assert rest >= max(last) and min(last) > 0, (rest, last)
    for other in others:
        while other.step != rest:
            other.frame()
    assert all(other.parts == others[0].parts for other in others), "viewers are shown different worlds"
    print(f"  {rounds} frames to each of seven viewers besides one that stalls took {seconds:.1f} s; memory {memory} to {server.memory()} kB")
    for other in others + [stalled]:
        other.socket.close()
    viewer.wait(lambda m: isinstance(m, dict) and m["kind"] == "state" and m["viewers"] == 1)


def one_may_leave_while_holding(server, viewer):
    with server.viewer() as other:
        other.wait_kind("scene")
        other.send("grab", body=0, point=0, at=[0, 3, 0])
        other.ask("run")  # it has been heard
    viewer.ask("pause")
    viewer.ask("reset")
    viewer.ask("step", count=10)


def sliders_are_those_of_the_tables(server, viewer):
    for method in ("solid", "rod", "fem"):
        viewer.ask("open", gallery=METHODS[method])
        table = generate.read_tables(ROOT / f"src/{method}/{method}_parameters.c")[0]
        offered = [line for line in table.parameters if {"SLIDER", "LIVE_SLIDER", "LOG_SLIDER", "OFFERED"} & set(line.words)]
        settings = [setting for setting in viewer.scene["bodies"][0]["settings"] if f".{method}." in setting["path"]]
        assert [setting["path"].rsplit(".", 1)[1] for setting in settings] == [line.words.get("KEY", [line.name])[0] for line in offered], settings
        for setting, line in zip(settings, offered):
            assert setting["log"] == ("LOG_SLIDER" in line.words) and setting["live"] == ("LIVE_SLIDER" in line.words) and setting["about"] == line.about(), setting
            if "OFFERED" in line.words:
                continue
            low, high = (float(end) for end in line.words["LOG_SLIDER" if setting["log"] else "SLIDER"])
            # A value of the scene that lies outside widens its slider.
            assert (setting["min"], setting["max"]) == (min(low, setting["value"]), max(high, setting["value"])), setting


def main():
    help_text = subprocess.run([TOOL, "view", "no-such-scene", "--no-browser"], capture_output=True, text=True)
    if "without the studio" in help_text.stderr:
        print("skipped: built without the studio")
        sys.exit(77)
    assert help_text.returncode == 1 and "no-such-scene" in help_text.stderr, help_text
    claims = [scenes_of_every_method_open_and_move, rigid_and_animated_bodies_are_shown, what_is_seen_is_what_is_run, positions_are_those_of_a_run_to_the_last_bit, frames_have_the_form_that_is_wanted,
              going_back_undoes_steps, points_can_be_grabbed_and_pinned, a_ball_pushes_and_contacts_are_reported, settings_change_the_run, sliders_are_those_of_the_tables, a_scene_is_built_next_to_the_world_that_is_shown,
              weights_can_be_given, an_example_of_now_is_used_saved_and_read,
              an_example_of_a_view_is_used_saved_and_read, exports_are_read_by_the_tool, actors_can_be_steered, detail_can_be_left_out, detail_tells_all_examples_that_weigh, segments_are_painted,
              the_camera_of_a_followed_body_is_where_the_body_is, scenes_with_mistakes_leave_the_old_one,
              eight_viewers_see_one_world, one_may_leave_while_holding]
    # Recording takes a minute: test_view_detail.py asks for it.
    long_claims = [an_example_of_detail_is_recorded_used_and_saved]
    wanted = sys.argv[1:]
    pathlib.Path("small.json").write_text(json.dumps(SMALL))
    with Server(TOOL, "--folder", ".") as server:
        with server.viewer() as viewer:
            hello = viewer.receive()
            assert hello["kind"] == "hello" and hello["version"] == 1 and hello["scene"] is False, hello
            for claim in claims + (long_claims if wanted else []):
                if wanted and claim.__name__ not in wanted:
                    continue
                begin = time.monotonic()
                claim(server, viewer)
                print(f"ok {claim.__name__} ({time.monotonic() - begin:.1f} s)", flush=True)
        folder = [line for line in server.log().split("\n") if "error" in line]
        assert server.end() == 0 and not folder, server.log()


main()
