#!/usr/bin/env python3
"""scripts/tune_actor.py SCENE RANGES -o FILE [--trials N] [--seed N] [--wide SHARE] [--first FRAMES] [--pliant PATH]: search for numbers with which actors do well.

RANGES is a JSON file such as

  {"0:actor.settings.gain": [0.8, 3, "log"], "*:actor.command.speed": [0.2, 0.4, "lin"]}

a body's number (or * for all), the path of a number in it, its range and whether to draw it evenly from its powers or from itself. Trials are drawn at random at first, then near the
best so far. A trial is run for FRAMES frames first and continued only if no actor fell. What looks like a new best is run once more with every number changed by a hundredth: only
what is good both times counts, so that the best result is robust. The score counts steps, hops and turns, and the way ahead, less falls and steps that were not solved. FILE receives the scene of the best.
"""
import argparse
import copy
import json
import math
import random
import re
import subprocess
import sys
import tempfile

LINE = re.compile(r"actor '[^']*' \(\w+\):.*")


def put(scene, path, value):
    which, keys = path.split(":")
    keys = keys.split(".")
    for number, body in enumerate(scene["bodies"]):
        if which not in ("*", str(number)):
            continue
        for key in keys[:-1]:
            body = body.setdefault(key, {})
        body[keys[-1]] = value


def number_before(pattern, line):
    found = re.search(r"(-?[\d.]+) " + pattern, line)
    return float(found[1]) if found else 0.0


def score_of(line, max_size):
    ahead = number_before("m ahead", line)
    if abs(ahead) > max_size:  # thrown, not walked
        return -50.0
    counted = 0.3 * min(number_before("steps", line), 20) + 0.2 * min(number_before("hops", line), 15) + number_before("turns", line)
    return counted + 2 * ahead - 4 * number_before("tumble", line)


def run(tool, scene, folder, frames):
    path = folder + "/trial.json"
    with open(path, "w", encoding="utf-8") as file:
        json.dump(scene, file)
    command = [tool, "run", path, "-o", folder + "/out", "--threads", "1", "--format", "none"]
    if frames:
        command += ["--frames", str(frames)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


def evaluate(tool, base, values, folder, options):
    scene = copy.deepcopy(base)
    for path, value in values.items():
        put(scene, path, value)
    printed = run(tool, scene, folder, options.first)
    if not re.search(r"[1-9]\d* tumble", printed):
        printed = run(tool, scene, folder, 0)
    lines = LINE.findall(printed)
    if not lines:
        return -99.0, printed[-200:], scene
    scores = [score_of(line, options.far) for line in lines]
    unsolved = 3.0 if re.search(r"max_unconverged_fraction is [^,]*, and at most", printed) else 0.0
    return min(scores) + 0.2 * sum(scores) - unsolved, " | ".join(line[:80] for line in lines), scene


def draw(ranges, best, wide):
    values = {}
    for path, (low_limit, high_limit, kind) in ranges.items():
        log = kind == "log"
        low, high = (math.log(low_limit), math.log(high_limit)) if log else (low_limit, high_limit)
        if best is None or wide:
            x = random.uniform(low, high)
        else:
            x = math.log(best[path]) if log else best[path]
            if random.random() < 0.5:
                x = min(max(x + random.gauss(0, 0.15 * (high - low)), low), high)
        values[path] = float("%.4g" % (math.exp(x) if log else x))
    return values


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scene")
    parser.add_argument("ranges")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--wide", type=float, default=0.4, help="share of the trials that are drawn from everywhere")
    parser.add_argument("--first", type=int, default=150, help="frames after which a trial with a fall is given up")
    parser.add_argument("--far", type=float, default=20, help="metres beyond which nobody walks")
    parser.add_argument("--pliant", default="build/pliant")
    options = parser.parse_args()
    random.seed(options.seed)
    with open(options.scene, encoding="utf-8") as file:
        base = json.load(file)
    with open(options.ranges, encoding="utf-8") as file:
        ranges = json.load(file)
    best, best_score = None, -math.inf
    with tempfile.TemporaryDirectory() as folder:
        for trial in range(options.trials):
            values = draw(ranges, best, trial < options.wide * options.trials or random.random() < 0.1)
            score, summary, scene = evaluate(options.pliant, base, values, folder, options)
            if score <= best_score:
                continue
            again = {path: float("%.4g" % (1.01 * value)) for path, value in values.items()}
            score = min(score, evaluate(options.pliant, base, again, folder, options)[0] + 1)
            if score <= best_score:
                continue
            best, best_score = values, score
            with open(options.output, "w", encoding="utf-8") as file:
                json.dump(scene, file, indent=2)
            print(f"{trial}: {score:.2f} {summary} {json.dumps(values)}", flush=True)
    return 0 if best is not None else 1


sys.exit(main())
