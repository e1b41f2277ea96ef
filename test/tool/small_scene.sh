# A small soft box that falls on the ground, for the tests of the tool: small_scene FILE [FRAMES].
small_scene() {
  cat >"$1" <<SCENE
{
  "pliant": 1,
  "name": "small",
  "description": "A small soft box falls.",
  "seed": 7,
  "time": {"frames": ${2:-20}, "frame_rate": 50, "step": 0.005},
  "meshes": {"box": {"box": {"size": [0.4, 0.4, 0.6], "cells": [4, 4, 6]}}},
  "bodies": [
    {"name": "first", "mesh": "box", "position": [0, 0.5, 0], "rotation": {"axis": [1, 0, 1], "degrees": 20}},
    {"name": "second", "mesh": "box", "position": [0.1, 1.1, 0],
     "repeat": {"counts": [1, 2, 1], "spacing": [0, 0.7, 0], "jitter": 0.02, "turn": 10}}
  ],
  "colliders": [{"name": "ground", "shape": "half_space"},
                {"name": "ball", "shape": "sphere", "radius": 0.2, "position": [0.3, 0.1, 0.1]}]
}
SCENE
}
