"""Gradients of motions against differences, forward against backward, and motions against worlds."""
import sys
import time
import types

import numpy as np
import pytest

import pliant

STEPS = 100


@pytest.fixture(scope="module")
def bar():
    """500 points, held at one end, with an example."""
    mesh = pliant.Mesh.box((0.6, 0.12, 0.12), (19, 4, 4))
    xyz = mesh.points
    bent = np.column_stack([xyz[:, 0], xyz[:, 1] + 0.4 * xyz[:, 0] ** 2, xyz[:, 2]])
    assert len(xyz) == 500
    return mesh.with_poses({"bent": bent}), np.flatnonzero(xyz[:, 0] < -0.299)


@pytest.fixture(scope="module", params=["corotated", "neo-hookean"])
def rollout(bar, request):
    mesh, held = bar
    model = pliant.fem(mesh, request.param, young=8e4, poisson=0.3, stiffness_damping=1e-3, mass_damping=0.2, examples=True)
    return pliant.Rollout(model, pinned=held, step=1 / 120, step_count=STEPS)


def base_inputs(rollout, rng):
    mesh = rollout.model.mesh
    n = rollout.point_count
    return {"young": 8e4 * (1 + 0.2 * rng.random(rollout.shapes["young"])), "poisson": 0.32, "mass_damping": 0.3, "stiffness_damping": 1.2e-3,
            "rest": np.array(mesh.points), "positions": mesh.points + 1e-4 * rng.standard_normal((n, 3)), "velocities": 0.1 * rng.standard_normal((n, 3)),
            "forces": 1e-3 * rng.standard_normal((STEPS, n, 3))}


# Directions of a size at which differences of fourth order are exact to far below 1e-5.
SIZES = {"young": 300.0, "poisson": 1e-3, "mass_damping": 1e-2, "stiffness_damping": 1e-5, "rest": 1e-6, "weights": 1e-3, "positions": 1e-6, "velocities": 1e-3,
         "forces": 1e-4}


def differences(rollout, inputs, name, direction):
    def at(k):
        return rollout.run(**{**inputs, name: inputs[name] + k * direction})
    return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / 12


@pytest.mark.parametrize("name", [name for name in pliant.Rollout.INPUTS])
def test_both_modes_agree_with_differences(rollout, name):
    rng = np.random.default_rng(5)
    inputs = base_inputs(rollout, rng)
    if name == "weights":
        inputs.pop("rest")
        inputs["weights"] = np.array([0.3])
    direction = SIZES[name] * (rng.standard_normal(rollout.shapes[name]) if rollout.shapes[name] else 1.0)
    expected = differences(rollout, inputs, name, direction)
    rollout.run(**inputs)
    change = rollout.push(**{name: direction})
    forward = np.linalg.norm(change - expected) / np.linalg.norm(expected)
    by_positions = rng.standard_normal(rollout.frame_shape)
    gradient = rollout.pull(by_positions, wanted=name)[name]
    along, wanted = np.sum(gradient * direction), np.sum(by_positions * expected)
    # The sum of random signs may cancel; what the terms amount to is the scale of its error.
    backward = abs(along - wanted) / (np.linalg.norm(by_positions) * np.linalg.norm(expected) / np.sqrt(by_positions.size))
    print(f"{name}: forward {forward:.1e}, backward {backward:.1e}")
    assert forward <= 1e-5 and backward <= 1e-5
    assert along == pytest.approx(np.sum(by_positions * change), rel=1e-8, abs=1e-10 * np.linalg.norm(by_positions) * np.linalg.norm(change))
