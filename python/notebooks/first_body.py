"""A soft box falls on the ground: the first body in a few lines.

python3 first_body.py [--picture FILE]
"""
# %% A world with a ground and a box of tets
import sys

import pliant

world = pliant.World()
world.add_collider("half-space")
mesh = pliant.Mesh.box(size=(0.3, 0.2, 0.2), cells=(6, 4, 4))
body = world.add_body(pliant.solid(mesh, stiffness=0.3, damping=15), placement=((0, 0.45, 0), (0.2, 0, 0.25, 0.95)), name="box")

# %% Run a second and a half and look at it: in a notebook the recording is a viewer
recording = world.record(frames=90)
print(f"height of the centre after {world.time:.2f} s: {body.center[1]:.3f} m, contacts {world.contacts['count']}")
assert 0.05 < body.center[1] < 0.2, "it lies on the ground"
recording

# %% Picture
recording.plot([0, 12, 16, 24, 89]).savefig(sys.argv[sys.argv.index("--picture") + 1] if "--picture" in sys.argv else "first_body.png", dpi=80)
