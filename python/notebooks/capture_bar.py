"""Stiffness, damping and rest shape of a bar from point clouds of its motion.

python3 capture_bar.py [--picture FILE]
"""
# %% The truth: a bar that is released from a bent pose, seen as clouds with noise
import sys

import numpy as np

import pliant

rng = np.random.default_rng(1)
rest = pliant.Mesh.box((0.3, 0.05, 0.05), (12, 3, 3))
held = np.flatnonzero(rest.points[:, 0] < -0.149)
truth = pliant.fem(rest, young=3e5, stiffness_damping=1e-3, mass_damping=0.1, newton_tolerance=1e-8)
static = pliant.solve(truth, pinned=held, acceleration=(0, -9.81, 0)).positions
push = np.zeros_like(static)
push[rest.points[:, 0] > 0.149, 1] = 0.15
bent = pliant.solve(truth, pinned=held, acceleration=(0, -9.81, 0), forces=push).positions
mesh = pliant.Mesh(static, tets=rest.tets)
surface, parents = mesh.boundary()
clouds = []
with pliant.World() as world:
    body = world.add_body(truth)
    body.positions = bent
    body.pin(held)
    for frame in range(40):
        if frame:
            world.step(4)
        corners = body.positions[parents][surface.triangles]
        areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
        chosen = corners[rng.choice(len(corners), 2500, p=areas / areas.sum())]
        clouds.append((frame / 60, (rng.dirichlet((1, 1, 1), 2500)[:, :, None] * chosen).sum(axis=1) + 2e-4 * rng.standard_normal((2500, 3))))

# %% Track a body of another stiffness through the clouds, then fit the material to the track
track = pliant.track(pliant.fem(mesh, young=1e5), clouds, held=held, start=bent, noise=5e-4, detail=6e-3)
print(track)
motion = pliant.Motion(track.positions, 1 / 60)
fit = pliant.fit(mesh, motion, pinned=held, steps_per_frame=4)
for estimate in fit.estimates:
    print(estimate)
assert abs(fit.values["young 1"] / 3e5 - 1) < 0.1, "the modulus is found to 10 %"

# %% Picture
fit.plot().savefig(sys.argv[sys.argv.index("--picture") + 1] if "--picture" in sys.argv else "capture_bar.png", dpi=80)
