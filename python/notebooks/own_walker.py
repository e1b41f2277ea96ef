"""A block that hops forward, driven by a controller of your own: it sets the weights of two example poses.

python3 own_walker.py [--picture FILE]
"""
# %% Poses: crouch leans back, leap stretches forward
import sys

import numpy as np

import pliant

mesh = pliant.Mesh.box((0.3, 0.2, 0.3), (5, 4, 5))
xyz = mesh.points
height = (xyz[:, 1] + 0.1) / 0.2
crouch = np.column_stack([xyz[:, 0] * 1.1 - 0.08 * height, 0.7 * 0.2 * height - 0.1, xyz[:, 2] * 1.1])
leap = np.column_stack([xyz[:, 0] * 0.95 + 0.08 * height, 1.15 * 0.2 * height - 0.1, xyz[:, 2] * 0.95])
model = pliant.solid(mesh, examples={"crouch": crouch, "leap": leap}, fidelity=1.0, stiffness=0.3, damping=8, friction=1.0, restitution=0.0)

# %% The controller: crouch, leap, fly, again
world = pliant.World(step=1 / 480)
world.add_collider("half-space", friction=1.0)
hopper = world.add_body(model, (0, 0.11, 0), name="hopper")


@world.add_controller
def hop(given):
    """A cycle of 0.8 seconds."""
    phase = given.time % 0.8
    hopper.weights = {"crouch": 1.0} if phase < 0.3 else {"leap": 1.0} if phase < 0.42 else {}


recording = world.record(frames=241)
travelled = hopper.center[0]
print(f"travelled {travelled:.2f} m in {world.time:.1f} s")
assert travelled > 0.8

# %% Picture
recording.plot([0, 31, 96, 127, 192, 223], size=(1.7, 2.8), elevation=10, heading=5, overlay=True).savefig(
    sys.argv[sys.argv.index("--picture") + 1] if "--picture" in sys.argv else "own_walker.png", dpi=80)
