"""Example poses made in code, and the weights that the body finds for them.

python3 example_poses.py [--picture FILE]
"""
# %% A bar and two poses of its points
import sys

import numpy as np

import pliant

mesh = pliant.Mesh.box((0.2, 0.6, 0.2), (4, 12, 4))
xyz = mesh.points
height = xyz[:, 1] + 0.3
angle = 1.2 * height / 0.6
twist = np.column_stack([np.cos(angle) * xyz[:, 0] - np.sin(angle) * xyz[:, 2], 0.8 * height - 0.3, np.sin(angle) * xyz[:, 0] + np.cos(angle) * xyz[:, 2]])
lean = np.column_stack([xyz[:, 0] + 0.6 * height**2, 0.9 * height - 0.3, xyz[:, 2]])
model = pliant.solid(mesh, examples={"twist": twist, "lean": lean}, fidelity=0.99, damping=8, stiffness=0.6)

# %% The foot is pinned, a force presses the top down and then pushes it aside
world = pliant.World(step=1 / 480, gravity=(0, 0, 0))
bar = world.add_body(model, (0, 0.3, 0), name="bar")
bar.pin(np.flatnonzero(xyz[:, 1] < -0.299))
top = np.flatnonzero(xyz[:, 1] > 0.299)


@world.add_controller
def press(given):
    """Down for half a second, sideways for half a second, then nothing."""
    if given.time < 0.6:
        bar.add_force(top, (0, -14, 0))
    elif given.time < 1.2:
        bar.add_force(top, (9, 0, 0))


recording = world.record(frames=110)
weights = recording.weights["bar"]
print("largest weights:", dict(zip(recording.examples["bar"], weights.max(axis=0).round(2))))
assert weights.max() > 0.2

# %% Picture
figure = pliant.plot_weights(recording, "bar")
figure.savefig(sys.argv[sys.argv.index("--picture") + 1] if "--picture" in sys.argv else "example_poses.png", dpi=80)
