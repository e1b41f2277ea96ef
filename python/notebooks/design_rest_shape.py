"""The rest shape of a bar that is straight when it hangs in gravity, found by the adjoint gradient.

python3 design_rest_shape.py [--picture FILE]
"""
# %% The equilibrium as a function of the rest shape
import sys
import time

import numpy as np
from matplotlib.figure import Figure
from scipy.sparse.linalg import LinearOperator, lsqr

import pliant

mesh = pliant.Mesh.box((0.6, 0.12, 0.12), (19, 4, 4))
held = np.flatnonzero(mesh.points[:, 0] < -0.299)
hanging = pliant.Rollout(pliant.fem(mesh, young=6e5), pinned=held, step_count=1, equilibrium=True)
target, size = np.array(mesh.points), 0.6
sagging = hanging.run()[-1]
free = np.ones((500, 1))
free[held] = 0  # the wall holds these points where they are at rest

# %% Gauss-Newton over all 1,500 coordinates: the equilibrium's derivative by the rest shape is never formed, only applied forward and backward


def forward(change):
    """How the hanging shape changes with the rest shape."""
    return hanging.push(rest=free * change.reshape(-1, 3))[-1].ravel()


def backward(off):
    """The transpose, by the adjoint."""
    by_positions = np.zeros(hanging.frame_shape)
    by_positions[-1] = off.reshape(-1, 3)
    return (free * hanging.pull(by_positions, wanted="rest")["rest"]).ravel()


start, rest, result, error = time.perf_counter(), target.copy(), sagging, np.inf
jacobian = LinearOperator((target.size, target.size), matvec=forward, rmatvec=backward)
for iteration in range(20):
    step = lsqr(jacobian, (target - result).ravel(), iter_lim=20)[0].reshape(-1, 3)
    # Far from the target the equations are far from linear: no point goes farther than a twentieth of the size at once.
    step *= min(1, 0.05 * size / np.linalg.norm(step, axis=1).max())
    rest += free * step
    result = hanging.run(rest=rest, positions=result)[-1]
    error = np.linalg.norm(result - target, axis=1).max() / size
    if error < 5e-4:
        break
print(f"largest distance from the target: {100 * np.linalg.norm(sagging - target, axis=1).max() / size:.1f} % of the size before, {100 * error:.4f} % after, "
      f"{iteration + 1} iterations, {time.perf_counter() - start:.1f} s")
assert error < 1e-3

# %% Picture
figure = Figure(figsize=(8, 3.4), layout="constrained")
axes = figure.subplots()
for points, label, color in ((sagging, "straight at rest: hangs down", "0.7"), (rest, "designed rest shape", "#edae49"), (result, "designed, hanging", "#30638e")):
    axes.plot(points[:, 0], points[:, 1], ".", ms=3, color=color, label=label)
axes.set(aspect="equal", xlabel="x (m)", ylabel="y (m)")
axes.legend(frameon=False)
figure.savefig(sys.argv[sys.argv.index("--picture") + 1] if "--picture" in sys.argv else "design_rest_shape.png", dpi=80)
