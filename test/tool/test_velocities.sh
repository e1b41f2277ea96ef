#!/bin/bash
# ctest: cli
# Velocities in USD and PLY frames: a box in free fall has those of the parabola, at every point and frame; at the ends they are of the half frame next to them.
. "$(dirname "$0")/begin.sh"
cat >scene.json <<'END'
{
  "pliant": 1, "name": "fall", "time": {"frames": 12, "frame_rate": 60, "step": 0.0041666666666666666},
  "meshes": {"box": {"box": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}}},
  "bodies": [{"name": "box", "mesh": "box", "position": [0, 5, 0], "velocity": [1, 2, 0]}]
}
END
expect 0 run scene.json -o run --format usda,ply
python3 - <<'END'
import re, struct
G, RATE, FRAMES = 9.81, 60, 12
frames = []
for frame in range(FRAMES):
    data = open(f"run/box_{frame + 1:04d}.ply", "rb").read()
    head, _, body = data.partition(b"end_header\n")
    assert b"property float vx" in head
    count = int(re.search(rb"element vertex (\d+)", head)[1])
    frames.append([struct.unpack_from("<6f", body, 24 * i) for i in range(count)])
for frame, points in enumerate(frames):
    # Halfway between the two frames that it is taken from.
    time = 0.5 / RATE if frame == 0 else (frame - 0.5) / RATE if frame == FRAMES - 1 else frame / RATE
    for _, _, _, vx, vy, vz in points:
        # The integrator is of first order: the speed of a step is that at its end.
        assert abs(vx - 1) < 1e-4 and abs(vz) < 1e-4 and abs(vy - (2 - G * time)) < G / 240 + 1e-3, (frame, vx, vy, vz)
text = open("run/box.usda").read()
samples = re.search(r"velocities\.timeSamples = \{\n(.*?)    \}", text, re.S)[1].strip().split("\n")
assert len(samples) == FRAMES
for line, points in zip(samples, frames):
    numbers = [float(n) for n in re.findall(r"[-\d.e]+", line.split("[")[1])]
    assert len(numbers) == 3 * len(points)
    assert all(abs(a - b) < 1e-5 for a, b in zip(numbers, (v for p in points for v in p[3:])))
END
