# ctest: cli once
"""Springs, colliders and examples that a viewer adds to the bones of a character: bones that were stiff swing, sliders change them, the pose of now becomes an example of the view, a material is
chosen by name, and the saved scene runs as it was shown, with all that its author wrote in its order."""
import json
import math
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from studio_client import Server  # noqa: E402
from studio_steps import at_step, distance, points, state_at  # noqa: E402

TOOL = os.environ["PLIANT"]
SOURCE = pathlib.Path(os.environ["PLIANT_SOURCE_DIR"])
EAR = [f"ear.{i}" for i in range(1, 6)]
SCENE = {"pliant": 1, "comment": "kept", "name": "bald", "time": {"frames": 60, "frame_rate": 60, "step": 1 / 240},
         "bodies": [{"name": "head", "comment": "kept too", "method": "rod", "position": [0, 0, 5], "rod": {"character": "bald.gltf", "animation": "nod", "loop": True}}],
         "camera": {"eye": [0.2, 1.6, 6.5], "target": [0.2, 1.6, 5]}}


def refusal(viewer, kind, **fields):
    try:
        viewer.ask(kind, **fields)
    except RuntimeError as problem:
        return str(problem)
    raise AssertionError(f"{kind} {fields} was accepted")


def open_bald(viewer):
    viewer.ask("open", path="bald.json")
    viewer.ask("pause")
    return viewer.scene["bodies"][0]


def ends(viewer, step):
    """Surface points after `step` steps."""
    return points(at_step(viewer, step))


def change(viewer, path, value):
    viewer.ask("set", path=path, value=value)


def farthest(a, b):
    return max(distance(p, q) for p, q in zip(a, b))


def bones_swing_once_they_have_a_spring(server, viewer):
    body = open_bald(viewer)
    names = [node["name"] for node in body["nodes"]]
    assert names == ["body", "head", *EAR, "ribbon"] and not any(node["swings"] for node in body["nodes"]), body["nodes"]
    assert [body["nodes"][names.index(name)]["parent"] for name in EAR] == [1, 2, 3, 4, 5] and body["springs"] == body["node_colliders"] == []
    stiff = ends(viewer, 60)
    viewer.ask("spring", body=0, action="add", nodes=EAR)
    body = viewer.scene["bodies"][0]
    assert [node["name"] for node in body["nodes"] if node["swings"]] == EAR, body["nodes"]
    assert body["springs"][0]["nodes"] == EAR and body["springs"][0]["name"] == "ear.1"
    paths = {setting["label"]: setting for setting in body["springs"][0]["settings"]}
    assert {"radius", "stiffness", "spring", "drag", "pull"} <= set(paths), paths
    # A fraction of the bones, which are 78 mm long.
    assert 0.005 < paths["radius"]["value"] < 0.02, paths["radius"]
    swung = ends(viewer, 60)
    assert farthest(stiff, swung) > 0.01, farthest(stiff, swung)
    change(viewer, paths["drag"]["path"], 0.9)
    change(viewer, paths["pull"]["path"], -1)
    slow = ends(viewer, 60)
    assert farthest(slow, swung) > 0.005, farthest(slow, swung)


def a_collider_keeps_them_out(server, viewer):
    before = ends(viewer, 60)
    viewer.ask("node_collider", body=0, action="add", node="head", shape="sphere")
    collider, = viewer.scene["bodies"][0]["node_colliders"]
    assert collider["node"] == "head" and collider["shape"] == "sphere", collider
    paths = {setting["label"]: setting["path"] for setting in collider["settings"]}
    assert {"radius", "position x", "position y", "position z"} <= set(paths), paths
    change(viewer, paths["radius"], 0.15)
    change(viewer, paths["position x"], 0.2)
    assert farthest(before, ends(viewer, 60)) > 0.005
    # Springs last: their colliders would be for nothing.
    text = refusal(viewer, "spring", body=0, action="delete", index=0)
    assert "springs" in text, text
    viewer.ask("node_collider", body=0, action="delete", index=0)
    assert viewer.scene["bodies"][0]["node_colliders"] == [] and farthest(before, ends(viewer, 60)) == 0


def the_saved_scene_runs_as_it_was_shown(server, viewer):
    path = viewer.ask("save", name="saved.json")["path"]
    saved = json.loads(pathlib.Path(path).read_text())
    assert list(saved) == list(SCENE) and saved["comment"] == "kept" and list(saved["bodies"][0]) == list(SCENE["bodies"][0]), saved
    assert list(saved["bodies"][0]["rod"]) == ["character", "animation", "loop", "springs", "colliders"][:len(saved["bodies"][0]["rod"])], saved["bodies"][0]["rod"]
    at_step(viewer, 40)
    wanted = state_at(viewer, 40)["hash"]
    lines = subprocess.run([TOOL, "run", path, "--format", "none", "--frames", "11", "--hash=frames", "-o", "out"], capture_output=True, text=True).stdout.split("\n")
    assert f"frame 10 {wanted}" in lines, (wanted, lines)


def the_pose_of_now_becomes_an_example_of_the_view(server, viewer):
    open_bald(viewer)
    change(viewer, "bodies[0].rod.loop", False)
    viewer.ask("spring", body=0, action="add", nodes=["ear.1"])
    change(viewer, "bodies[0].rod.springs[0].pull[1]", -0.8)
    # The nod is over after a second, what it stirred up after three.
    viewer.send("want", exact=True)
    bent = ends(viewer, 1000)
    eye = [2.1, 1.5, 5.0]
    viewer.send("camera", eye=eye)
    viewer.ask("example", body=0, action="add", name="low")
    body = viewer.scene["bodies"][0]
    example, = body["examples"]
    # The head is at rest; its spring begins 0.1 m beside it.
    toward = [a - b for a, b in zip(eye, [0.1, 1.5, 5.0])]
    assert example["name"] == "low" and distance(example["view"], [t / math.hypot(*toward) for t in toward]) < 1e-3, example
    change(viewer, "bodies[0].rod.springs[0].pull[1]", 0)
    viewer.send("camera", eye=[-2.1, 1.5, 5.0])
    straight = ends(viewer, 1000)
    assert farthest(straight, bent) > 0.05, farthest(straight, bent)
    viewer.send("camera", eye=eye)
    again = ends(viewer, 1000)
    assert farthest(again, bent) < 1e-3, farthest(again, bent)
    viewer.ask("example", body=0, action="rename", index=0, name="deep")
    viewer.ask("example", body=0, action="mute", index=0, on=True)
    assert viewer.scene["bodies"][0]["examples"][0] == {"name": "deep", "mute": True}, viewer.scene["bodies"][0]["examples"]
    viewer.ask("example", body=0, action="delete", index=0)
    assert viewer.scene["bodies"][0]["examples"] == []
    viewer.send("camera")


def springs_of_a_file_are_taken_over(server, viewer):
    pathlib.Path("wild.json").write_text(json.dumps({**SCENE, "bodies": [{**SCENE["bodies"][0], "rod": {"character": "wild.gltf", "animation": "nod", "loop": True}}]}))
    viewer.ask("open", path="wild.json")
    before = ends(viewer, 60)
    text = refusal(viewer, "example", body=0, action="add", name="x")
    assert "add a spring" in text, text
    # Its collider is not among those of the scene; far from it the same bones swing as before.
    viewer.ask("spring", body=0, action="add", nodes=EAR)
    values = {setting["label"]: setting["value"] for setting in viewer.scene["bodies"][0]["springs"][0]["settings"]}
    assert abs(values["spring"] - 0.05) < 1e-6 and abs(values["drag"] - 0.005) < 1e-6, values
    assert farthest(before, ends(viewer, 60)) < 1e-4, farthest(before, ends(viewer, 60))


def what_cannot_be_is_refused(server, viewer):
    open_bald(viewer)
    cases = [("spring", {"nodes": []}, "1 to"), ("spring", {"nodes": ["no such"]}, "no node"), ("spring", {"nodes": ["ear.3", "ear.1"]}, "not below"), ("spring", {"nodes": 7}, "1 to"),
             ("spring", {"nodes": ["body"]}, "parent"), ("spring", {"action": "delete", "index": 3}, "index"), ("spring", {"action": "dance"}, "add or delete"),
             ("node_collider", {"node": "head"}, "add a spring first"), ("spring", {"body": 9, "nodes": EAR}, "no such body")]
    for kind, fields, text in cases:
        found = refusal(viewer, kind, **{"body": 0, "action": "add", **fields})
        assert text in found, (fields, found)
    viewer.ask("open", gallery="rod-tuft")
    assert "this body has none" in refusal(viewer, "spring", body=0, action="add", nodes=EAR)
    assert "nodes" not in viewer.scene["bodies"][0]


def a_material_is_chosen_by_name(server, viewer):
    open_bald(viewer)
    setting = next(item for item in viewer.scene["bodies"][0]["settings"] if item["path"] == "bodies[0].appearance")
    schema = json.loads((SOURCE / "docs/scene.schema.json").read_text())
    assert setting["value"] == "none" and setting["choices"] == ["none", *schema["$defs"]["body"]["properties"]["appearance"]["enum"]], setting
    for name in ("jelly", "clay"):
        change(viewer, setting["path"], name)
        assert viewer.scene["bodies"][0]["material"]["translucency"] > 0.5, name
    assert "appearance" in refusal(viewer, "set", path=setting["path"], value="glass")
    change(viewer, setting["path"], "none")
    assert "material" not in viewer.scene["bodies"][0]
    saved = json.loads(pathlib.Path(viewer.ask("save", name="plain.json")["path"]).read_text())
    assert saved == SCENE, saved


def main():
    help_text = subprocess.run([TOOL, "view", "no-such-scene", "--no-browser"], capture_output=True, text=True)
    if "without the studio" in help_text.stderr:
        print("skipped: built without the studio")
        sys.exit(77)
    for kind in ("bald", "wild"):
        subprocess.run([sys.executable, SOURCE / "test/tool/make_character.py", f"{kind}.gltf", kind], check=True)
    pathlib.Path("bald.json").write_text(json.dumps(SCENE))
    claims = [bones_swing_once_they_have_a_spring, a_collider_keeps_them_out, the_saved_scene_runs_as_it_was_shown, the_pose_of_now_becomes_an_example_of_the_view, springs_of_a_file_are_taken_over,
              what_cannot_be_is_refused, a_material_is_chosen_by_name]
    with Server(TOOL, "--folder", ".") as server:
        with server.viewer() as viewer:
            for claim in claims:
                claim(server, viewer)
                print(f"ok {claim.__name__}", flush=True)
        assert server.end() == 0, server.log()


main()
