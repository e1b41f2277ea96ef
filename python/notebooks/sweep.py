"""A thousand worlds in one batch: how high a soft box bounces, by stiffness and damping.

python3 sweep.py [--picture FILE]
"""
# %% One world per pair of parameters
import sys
import time

import numpy as np
from matplotlib.figure import Figure

import pliant

mesh = pliant.Mesh.box((0.2, 0.2, 0.2), (3, 3, 3))
stiffness, damping = np.geomspace(0.02, 0.9, 40), np.geomspace(0.5, 100, 25)


def make(i):
    """World i of the sweep: a box that falls from 0.4 m."""
    world = pliant.World()
    world.add_collider("half-space")
    model = pliant.solid(mesh, stiffness=stiffness[i // 25], damping=damping[i % 25])
    world.add_body(model, (0, 0.5, 0))
    return world


# %% Step them together and keep the highest point after the first bounce
start = time.perf_counter()
with pliant.Batch(make, 1000) as batch:
    built = time.perf_counter() - start
    highest, landed = np.zeros(1000), np.zeros(1000, bool)
    for frame in range(45):
        batch.step(4)
        heights = batch.positions[:, :, 1].mean(axis=1)
        rising = batch.velocities[:, :, 1].mean(axis=1) > 0
        landed |= rising
        highest = np.where(landed, np.maximum(highest, heights), 0)
print(f"1,000 worlds: built in {built:.1f} s, 180 steps each in {time.perf_counter() - start - built:.1f} s; bounce of {highest.min():.2f} to {highest.max():.2f} m")
table = highest.reshape(40, 25)
assert table[-1, 0] > table[-1, -1] + 0.05, "damping takes from the bounce"

# %% Picture
figure = Figure(figsize=(6, 3.6), layout="constrained")
axes = figure.subplots()
shown = axes.pcolormesh(damping, stiffness, table, shading="nearest", cmap="viridis")
axes.set(xlabel="damping (1/s)", ylabel="stiffness", xscale="log", yscale="log")
figure.colorbar(shown, label="height after the first bounce (m)")
figure.savefig(sys.argv[sys.argv.index("--picture") + 1] if "--picture" in sys.argv else "sweep.png", dpi=80)
