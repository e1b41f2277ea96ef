# ctest: cli once
"""The capture panel's side of `pliant view`: virtual cameras record a capture scene; frames are shown with their points and the distances from the mesh; a fit
tracks, converges and reports its estimates, can be stopped, is visible to all viewers, and ends with the server; recordings of `pliant sense` open by their folder."""
import base64
import json
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from studio_client import Frame, Server  # noqa: E402

TOOL = os.environ["PLIANT"]
YOUNG, FRAMES = 680000, 16
# A bar that is held at one end, bent at the other and released after 0.6 s.
BAR = {"pliant": 1, "name": "capture-small", "description": "A bar is released.", "time": {"step": 1 / 120, "frame_rate": 30, "frames": 18 + FRAMES},
       "meshes": {"shape": {"box": {"size": [0.4, 0.1, 0.1], "cells": [8, 2, 2]}}},
       "bodies": [{"name": "bar", "mesh": "shape", "method": "fem", "collides": False,
                   "fem": {"material": "corotated", "density": 1000, "young": YOUNG, "poisson": 0.3, "mass_damping": 0.02, "stiffness_damping": 0.001},
                   "pins": [{"within": {"min": [-0.21, -0.06, -0.06], "max": [-0.19, 0.06, 0.06]}},
                            {"within": {"min": [0.19, -0.06, -0.06], "max": [0.21, 0.06, 0.06]}, "until": 0.6,
                             "keys": [{"time": 0}, {"time": 0.4, "position": [-0.02, -0.06, 0.03]}]}]}]}


def triples(numbers):
    return [numbers[i:i + 3] for i in range(0, len(numbers), 3)]


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def segment_distance(p, a, b):
    along = minus(b, a)
    t = max(0, min(1, dot(minus(p, a), along) / max(dot(along, along), 1e-30)))
    return dot(*[minus(p, [x + t * y for x, y in zip(a, along)])] * 2) ** 0.5


def triangle_distance(p, a, b, c):
    """To the plane where the foot is inside, else to the nearest edge: written without a thought for speed."""
    u, v, w = minus(b, a), minus(c, a), minus(p, a)
    n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    size = dot(n, n)
    best = min(segment_distance(p, a, b), segment_distance(p, b, c), segment_distance(p, c, a))
    if size > 0:
        uu, uv, vv, wu, wv = dot(u, u), dot(u, v), dot(v, v), dot(w, u), dot(w, v)
        below = uu * vv - uv * uv
        s, t = (vv * wu - uv * wv) / below, (uu * wv - uv * wu) / below
        if s >= 0 and t >= 0 and s + t <= 1:
            best = min(best, abs(dot(w, n)) / size ** 0.5)
    return best


def refused(viewer, word, **fields):
    try:
        viewer.ask("capture", **fields)
    except RuntimeError as error:
        assert word in str(error), (fields, error)
        return
    raise AssertionError(f"{fields} was not refused")


def capture(viewer, wanted=lambda m: True, seconds=120):
    """What is known of the capture, as soon as it is as wanted."""
    if viewer.capture is not None and wanted(viewer.capture):
        return viewer.capture
    return viewer.wait(lambda m: isinstance(m, dict) and m["kind"] == "capture" and wanted(m), seconds)


def view_frame(viewer, frame):
    """Surface, points and distances of a frame of the recording."""
    viewer.ask("capture", body=0, action="seek", frame=frame)
    report = capture(viewer, lambda m: m["frame"] == frame and m["shown"])
    viewer.send("want", cloud=True, exact=True)  # all of it again
    viewer.wait(lambda m: isinstance(m, Frame) and abs(m.time - frame / 30) < 1e-3 and {(7, 0), (8, 0)} <= m.parts.keys())
    surface, cloud, distances = (viewer.parts[kind, 0][1] for kind in (0, 7, 8))
    assert len(cloud) == 3 * len(distances), (len(cloud), len(distances))
    return triples(surface), triples(cloud), distances, report


def a_scene_is_filmed_when_somebody_wants_the_cloud(server, viewer):
    viewer.ask("open", path=os.path.abspath("bar.json"))
    assert viewer.scene["method"] == "capture" and viewer.scene["bodies"][0]["method"] == "capture"
    first = capture(viewer)
    assert first["frames"] == 0 and not first["running"] and not first["shown"], first
    refused(viewer, "no such body", body=1, action="seek", frame=0)
    viewer.send("want", cloud=True, exact=True)
    report = capture(viewer, lambda m: m["frames"] > 0)
    assert report["frames"] == FRAMES and abs(report["rate"] - 30) < 1e-9 and report["phase"] == "recorded", report
    assert not report["shown"], "the world is shown until a frame is requested"
    state = viewer.state()
    assert not state["paused"], "filming must not stop the world"


def points_lie_where_cameras_saw_them_and_distances_are_right(server, viewer):
    surface, cloud, distances, _ = view_frame(viewer, 5)
    packed = base64.b64decode(viewer.scene["bodies"][0]["triangles"])
    triangles = triples(struct.unpack(f"<{len(packed) // 4}I", packed))
    assert len(cloud) > 2000, len(cloud)
    for i in range(0, len(cloud), len(cloud) // 40):
        wanted = min(triangle_distance(cloud[i], *(surface[k] for k in t)) for t in triangles)
        assert abs(wanted - distances[i]) < 1e-6, (i, wanted, distances[i])
    assert viewer.state()["paused"], "a frame is shown, so the world waits"


def another_frame_has_other_points(server, viewer):
    _, first, before, _ = view_frame(viewer, 0)
    _, last, after, _ = view_frame(viewer, FRAMES - 1)
    assert first != last and before != after
    again = view_frame(viewer, 0)
    assert again[1] == first, "a frame is the same every time"


def what_cannot_be_is_refused(server, viewer):
    for frame in (-1, FRAMES, 10 ** 12, 1.5, "3", None):
        refused(viewer, "no such frame", body=0, action="seek", frame=frame)
    refused(viewer, "no such body", body=7, action="fit")
    refused(viewer, "no such body", action="fit")
    refused(viewer, "no fit", body=0, action="stop")
    refused(viewer, "no such shape", body=0, action="shape", shape="simulated")
    refused(viewer, "must be `seek`", body=0, action="dance")
    viewer.send("grab", body=0, point=0, at=[0, 0, 0])
    assert "no such point" in viewer.wait_kind("error")["text"], "there is nothing to hold in a recording"


def the_world_comes_back(server, viewer):
    view_frame(viewer, 3)
    viewer.ask("run")
    report = capture(viewer, lambda m: not m["shown"])
    assert report["frame"] == 3
    while viewer.parts[7, 0][1]:
        viewer.frame()
    viewer.wait(lambda m: isinstance(m, Frame) and m.step > 0 and (0, 0) in m.parts)
    view_frame(viewer, 3)
    viewer.ask("step", count=1)
    capture(viewer, lambda m: not m["shown"])


def a_fit_finds_the_material_and_all_see_it(server, viewer):
    with server.viewer() as other:
        viewer.ask("capture", body=0, action="fit")
        refused(viewer, "runs already", body=0, action="fit")
        seen, errors = set(), []

        def record(message):
            if isinstance(message, dict) and message["kind"] == "capture":
                seen.add(message["phase"])
                errors[:] = [item["error"] for item in message["history"]]
                return not message["running"]
            return False

        end = viewer.wait(record, 240)
        theirs = capture(other, lambda m: not m["running"] and m["phase"] == "fitted")
    assert end["phase"] == "fitted" and seen & {"track", "warm start", "fit"}, (end, seen)
    assert end["frame"] == FRAMES - 1 and end["shown"], "the frames go by as they are tracked"
    assert theirs["parameters"] == end["parameters"] and theirs["history"] == end["history"], "viewers see the same fit"
    found = {item["name"]: item for item in end["parameters"]}
    young = found["young 1"]
    print(f"  modulus {young['value']:.0f} Pa ({young['low']:.0f} … {young['high']:.0f}), {end['iteration']} iterations, {1e3 * end['error']:.2f} mm", flush=True)
    assert abs(young["value"] / YOUNG - 1) < 0.15 and young["unit"] == "Pa" and young["low"] < young["value"] < young["high"], young
    assert found["poisson"]["verdict"] == "held" and "low" not in found["poisson"], found
    assert len(errors) == end["iteration"] >= 2 and errors[-1] < 0.005, errors
    assert end["shape"] == "simulated" and end["shapes"] == ["static", "tracked", "simulated"], end


def what_was_found_lies_over_the_points(server, viewer):
    near = {}
    for shape in ("static", "tracked", "simulated"):
        viewer.ask("capture", body=0, action="shape", shape=shape)
        surfaces = {}
        for frame in (0, 6):
            surfaces[frame], _, distances, report = view_frame(viewer, frame)
            near[shape, frame] = statistics.median(distances)
            assert report["shape"] == shape, report
        assert (surfaces[0] == surfaces[6]) == (shape == "static"), shape
    print("  median distances, mm: " + ", ".join(f"{shape} {frame} {1e3 * value:.1f}" for (shape, frame), value in near.items()), flush=True)
    for shape in ("tracked", "simulated"):
        assert near[shape, 0] < 0.004 and near[shape, 0] < near["static", 0] / 2, near


def a_fit_can_be_stopped_and_begun_again(server, viewer):
    viewer.ask("capture", body=0, action="fit")
    viewer.capture = None  # what comes from now on
    try:
        viewer.ask("capture", body=0, action="stop")
    except RuntimeError as error:
        assert "no fit runs" in str(error), error  # it ended before it could be stopped
    end = capture(viewer, lambda m: not m["running"])
    assert end["phase"] in ("stopped", "fitted"), end
    refused(viewer, "no fit", body=0, action="stop")
    report = view_frame(viewer, 2)[3]
    assert "tracked" in report["shapes"], "the track of the fit before is kept"


def rounds_and_moduli_can_be_asked_for(server, viewer):
    for wrong in ({"rounds": 0}, {"rounds": 9}, {"rounds": "two"}, {"moduli": 0}, {"moduli": 9}):
        refused(viewer, "1 to 8", body=0, action="fit", **wrong)
    viewer.ask("capture", body=0, action="fit", rounds=2, moduli=2)
    viewer.capture = None
    end = capture(viewer, lambda m: not m["running"], 240)
    assert end["phase"] == "fitted" and end["round"] == 2, end
    found = {item["name"]: item for item in end["parameters"]}
    assert found["young 1"]["label"] == "Young's modulus 1" and found["young 2"]["label"] == "Young's modulus 2", found
    assert len(end["history"]) == end["iteration"] and len(found) == 5, end
    # The free end tells little of its modulus; the held one bends most.
    print(f"  moduli {found['young 1']['value']:.0f} and {found['young 2']['value']:.0f} Pa", flush=True)
    assert abs(found["young 1"]["value"] / YOUNG - 1) < 0.2, found


def a_changed_scene_is_filmed_again(server, viewer):
    viewer.ask("set", path="bodies[0].fem.young", value=300000)
    report = capture(viewer, lambda m: m["frames"] == 0)
    assert report["shapes"] == [] and not report["parameters"], report
    capture(viewer, lambda m: m["frames"] == FRAMES)


def a_recording_is_opened_by_its_folder(server, viewer):
    subprocess.run([TOOL, "sense", "bar.json", "-o", "film", "--start", "0.6", "--frames", "8", "--size", "160x120"], check=True, capture_output=True)
    viewer.ask("open", path=os.path.abspath("film"))
    assert viewer.scene["method"] == "capture" and viewer.scene["name"] == "film", viewer.scene["name"]
    report = capture(viewer, lambda m: m["frames"] > 0)
    assert report["frames"] == 8 and report["shown"] and viewer.state()["paused"], report
    surface, cloud, _, _ = view_frame(viewer, 7)
    assert len(surface) == viewer.scene["bodies"][0]["points"] and len(cloud) > 300, len(cloud)
    viewer.ask("open", path=os.path.abspath("film/capture.json"))
    assert viewer.scene["path"].endswith("film/capture.json"), viewer.scene["path"]
    viewer.ask("capture", body=0, action="fit")
    capture(viewer, lambda m: "tracked" in m["shapes"])
    # Another scene does not wait for it.
    viewer.ask("open", path=os.path.abspath("bar.json"))
    assert capture(viewer)["phase"] in ("", "film")
    for wrong, word in (("nothing", "no such file"), ("empty", "no capture.json"), ("bare", "static.vtu")):
        try:
            viewer.ask("open", path=os.path.abspath(wrong))
            raise AssertionError(f"{wrong} was opened")
        except RuntimeError as printed:
            assert word in str(printed), (wrong, printed)


def a_folder_is_viewed_from_the_start_and_a_fit_goes_with_the_server():
    pathlib.Path("fitted").mkdir(exist_ok=True)
    pathlib.Path("fitted/scene.json").write_text(json.dumps({**BAR, "name": "fitted"}))
    with Server(TOOL, "fitted") as server, server.viewer() as viewer:
        assert viewer.wait_kind("scene")["method"] == "fem"
        assert server.end() == 0, server.log()
    with Server(TOOL, "film") as server, server.viewer() as viewer:
        assert viewer.wait_kind("scene")["method"] == "capture"
        viewer.ask("capture", body=0, action="fit")
        capture(viewer, lambda m: m["phase"] not in ("", "recorded"))
        assert server.end() == 0, server.log()
        assert "ERROR: " not in server.log() and "runtime error" not in server.log(), server.log()


def main():
    result = subprocess.run([TOOL, "view", "no-such-scene", "--no-browser"], capture_output=True, text=True)
    if "without the studio" in result.stderr:
        print("skipped: built without the studio")
        sys.exit(77)
    pathlib.Path("bar.json").write_text(json.dumps(BAR))
    pathlib.Path("empty").mkdir(exist_ok=True)
    pathlib.Path("bare").mkdir(exist_ok=True)
    pathlib.Path("bare/capture.json").write_text(json.dumps({"clouds": ["a.xyz"], "rate": 30}))
    pathlib.Path("bare/a.xyz").write_text("0 0 0\n1 0 0\n0 1 0\n")
    begin = time.monotonic()
    with Server(TOOL, "--folder", ".") as server:
        with server.viewer() as viewer:
            for claim in (a_scene_is_filmed_when_somebody_wants_the_cloud, points_lie_where_cameras_saw_them_and_distances_are_right, another_frame_has_other_points, what_cannot_be_is_refused,
                          the_world_comes_back, a_fit_finds_the_material_and_all_see_it, what_was_found_lies_over_the_points, a_fit_can_be_stopped_and_begun_again, rounds_and_moduli_can_be_asked_for, a_changed_scene_is_filmed_again,
                          a_recording_is_opened_by_its_folder):
                claim(server, viewer)
                print(f"ok {claim.__name__} ({time.monotonic() - begin:.1f} s)", flush=True)
                begin = time.monotonic()
        assert server.end() == 0, server.log()
        assert "ERROR: " not in server.log() and "runtime error" not in server.log(), server.log()
    a_folder_is_viewed_from_the_start_and_a_fit_goes_with_the_server()
    print(f"ok a_folder_is_viewed_from_the_start_and_a_fit_goes_with_the_server ({time.monotonic() - begin:.1f} s)", flush=True)


main()
