# ctest: cli long
"""A horizon that pays: two scenes of the gallery with shorter steps than their gaits were made for, so short that what a rest shape does within one of them is little. With a horizon of
two steps they meet all that they expect, with one step they do not. Prints how far each came, and the iterations of its searches.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TOOL = os.environ["PLIANT"]
SCENES = pathlib.Path(os.environ["PLIANT_SOURCE_DIR"]) / "scenes"
SUMMARY = re.compile(r"^actor '.*' \(\w+\): (\S+) m ahead, .*?(\d+) tumbles?; (\S+) iterations per step", re.M)
# Of each scene: how many times farther it comes with two steps at least, or 0 if it falls with one. Seconds of a step: a third and a half of the scenes' own.
CASES = {"actor-sphere": 1.2, "actor-i-bent": 0}
STEPS = {"actor-sphere": 0.011, "actor-i-bent": 0.01}
# Numbers that replace those of a scene. The bent I as it hops with implicit Euler and rest shapes that cost little to change: its own scene needs no horizon.
A = "bodies[0].actor"
NUMBERS = {"actor-i-bent": {"bodies[0].fem.scheme": '"implicit-euler"', f"{A}.regularisation": 0.03, f"{A}.rate_regularisation": 0.03, f"{A}.command.speed": 0.36,
                            f"{A}.settings.landing": 1, f"{A}.settings.hold_weight": 0.3}}
# Densities are multiplied by 1 + k times this: a result must not depend on the last digits.
PERTURBATION, RUNS = 1e-9, {"actor-sphere": 1, "actor-i-bent": 3}


def run(name, horizon, k):
    """(meets its expectations, metres ahead, tumbles)"""
    scene = SCENES / name / "scene.json"
    density = json.loads(scene.read_text(encoding="utf-8"))["bodies"][0]["fem"]["density"]
    with tempfile.TemporaryDirectory() as folder:
        words = [TOOL, "run", scene, "--format", "none", "--threads", "1", "-o", folder, "--set", f"time.step={STEPS[name]}", "--set", f"bodies[0].actor.horizon={horizon}"]
        words += ["--set", "bodies[0].actor.expect.max_unfinished_fraction=0.05", "--set", f"bodies[0].fem.density={(1 + k * PERTURBATION) * density:.16g}"]
        words += [word for path, value in NUMBERS.get(name, {}).items() for word in ("--set", f"{path}={value}")]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    # The exit status also tells that goals are out of reach, which they are: a ball is asked for more than it can do.
    text = done.stdout + done.stderr
    found, meets = SUMMARY.search(text), "; expected at" not in text
    if found is None:
        sys.exit(f"{name}: no summary of the actor\n{text}")
    print(f"{name}, run {k}, horizon {horizon}: {found[1]} m, {found[2]} tumbles, {found[3]} iterations per step, {'all' if meets else 'not all'} expectations met")
    return meets, float(found[1]), int(found[2])


problems = []
for name, farther in CASES.items():
    greedy = [run(name, 1, k) for k in range(RUNS[name])]
    planned = [run(name, 2, k) for k in range(RUNS[name])]
    if not all(meets for meets, _, _ in planned):
        problems.append(f"{name} does not meet its expectations with a horizon of 2")
    if any(meets for meets, _, _ in greedy) and farther > 0:
        problems.append(f"{name} meets its expectations without a horizon, so this test shows nothing")
    if farther > 0 and planned[0][1] < farther * greedy[0][1]:
        problems.append(f"{name} comes {planned[0][1]} m far with a horizon of 2, {greedy[0][1]} m without")
    if farther == 0 and not any(tumbles > 0 for _, _, tumbles in greedy):
        problems.append(f"{name} does not fall without a horizon, so this test shows nothing")
if problems:
    sys.exit("\n".join(problems))
