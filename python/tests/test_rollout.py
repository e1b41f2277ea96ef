"""Gradients of motions against differences, forward against backward, and motions against worlds."""
import os
import sys
import types

import numpy as np
import pytest

import pliant

# The body of 500 points over 100 steps takes minutes; PLIANT_LONG=1 (make test-all) has it, a smaller one is always run.
LONG = bool(os.environ.get("PLIANT_LONG"))
LANDING_STEPS = 20  # one landing: with every further bounce the range shrinks over which the same points touch
STEPS, CELLS = (100, (19, 4, 4)) if LONG else (20, (6, 2, 2))


@pytest.fixture(scope="module")
def bar():
    """A bar held at one end, with an example."""
    mesh = pliant.Mesh.box((0.6, 0.12, 0.12), CELLS)
    xyz = mesh.points
    bent = np.column_stack([xyz[:, 0], xyz[:, 1] + 0.4 * xyz[:, 0] ** 2, xyz[:, 2]])
    assert len(xyz) == (500 if LONG else 63)
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
            "forces": 1e-3 * rng.standard_normal((rollout.frame_shape[0] - 1, n, 3))}


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


@pytest.fixture(scope="module", params=["corotated", "neo-hookean"])
def landing(request):
    """A box that falls on a slope and a wall with a corner first, and lies there for some steps."""
    mesh = pliant.Mesh.box((0.3, 0.2, 0.2), (3, 2, 2))
    turn = np.array([[0.9, -0.3, 0.316], [0.36, 0.92, -0.155], [-0.244, 0.25, 0.937]])
    mesh = pliant.Mesh(mesh.points @ np.linalg.qr(turn)[0].T, tets=mesh.tets)
    bulged = mesh.points * [1.1, 0.95, 1]
    model = pliant.fem(mesh.with_poses({"bulged": bulged}), request.param, young=4e4, poisson=0.3, stiffness_damping=1e-3, mass_damping=0.2, examples=True)
    low = (mesh.points @ [0.1, 1, 0.05]).min() / np.linalg.norm([0.1, 1, 0.05])
    return pliant.Rollout(model, step=1 / 120, step_count=LANDING_STEPS, planes=[((0.2, 2, 0.1), low - 0.004), ((1, 0, 0), mesh.points[:, 0].min() - 0.002)])


@pytest.mark.parametrize("name", [name for name in pliant.Rollout.INPUTS])
def test_contact_agrees_with_differences(landing, name):
    rng = np.random.default_rng(6)
    inputs = base_inputs(landing, rng)
    inputs["young"] *= 0.5
    inputs["velocities"] += [-0.4, -0.8, 0.1]
    if name == "weights":
        inputs.pop("rest")
        inputs["weights"] = np.array([0.2])
    # Springs bend over a thousandth of an element, so differences are taken over far less than without contact.
    direction = 0.01 * SIZES[name] * (rng.standard_normal(landing.shapes[name]) if landing.shapes[name] else 1.0)
    expected = differences(landing, inputs, name, direction)
    positions = landing.run(**inputs)
    depths = positions[1:] @ [0.2, 2, 0.1] / np.linalg.norm([0.2, 2, 0.1])
    free = pliant.Rollout(landing.model, step=1 / 120, step_count=LANDING_STEPS).run(**inputs)
    assert np.abs(free - positions).max() > 0.01 and depths.min() > depths[0].min() - 0.05, "it lands, and does not fall through"
    change = landing.push(**{name: direction})
    forward = np.linalg.norm(change - expected) / np.linalg.norm(expected)
    by_positions = rng.standard_normal(landing.frame_shape)
    gradient = landing.pull(by_positions, wanted=name)[name]
    along = np.sum(gradient * direction)
    print(f"{name}: forward {forward:.1e}")
    assert forward <= 1e-5
    assert along == pytest.approx(np.sum(by_positions * change), rel=1e-8, abs=1e-10 * np.linalg.norm(by_positions) * np.linalg.norm(change))


def test_contact_of_a_held_body_at_rest():
    """A beam whose end is pressed on the ground: the equilibrium as the solver of the pinned points and the ground has it."""
    mesh = pliant.Mesh.box((0.6, 0.1, 0.1), (8, 2, 2))
    held = np.flatnonzero(mesh.points[:, 0] < -0.299)
    model = pliant.fem(mesh, young=5e4, friction=0.0)
    resting = pliant.Rollout(model, pinned=held, step_count=1, equilibrium=True, planes=[((0, 1, 0), -0.08)])
    positions = resting.run(young=5e4)[-1]
    assert pliant.Rollout(model, pinned=held, step_count=1, equilibrium=True).run()[-1][:, 1].min() < -0.15
    assert -0.085 < positions[:, 1].min() < -0.079
    rng = np.random.default_rng(2)
    direction = {"rest": 1e-8 * rng.standard_normal((len(mesh.points), 3)), "positions": 1e-8 * rng.standard_normal((len(mesh.points), 3))}
    for name, values in direction.items():
        expected = differences(resting, {name: np.array(mesh.points)}, name, values)
        resting.run(**{name: mesh.points})
        change = resting.push(**{name: values})
        by = rng.standard_normal(resting.frame_shape)
        assert np.linalg.norm(change - expected) <= 1e-5 * np.linalg.norm(expected)
        assert np.sum(resting.pull(by, wanted=name)[name] * values) == pytest.approx(np.sum(by * change), rel=1e-7)


def test_contact_at_rest_is_that_of_a_world():
    """A held beam that lies on the ground, in a world that has come to rest; its springs are those of the rollout, friction there is none."""
    mesh = pliant.Mesh.box((0.6, 0.1, 0.1), (6, 1, 1))
    held = np.flatnonzero(mesh.points[:, 0] < -0.299)
    model = pliant.fem(mesh, young=5e4, friction=0.0, mass_damping=6.0, contact_stiffness=2e6, newton_tolerance=1e-10, max_newton_iterations=50)
    resting = pliant.Rollout(model, pinned=held, step_count=1, equilibrium=True, planes=[((0, 3, 0), -0.07)]).run()[-1]
    with pliant.World(sleeping=False) as world:
        world.add_collider(placement=(0, -0.07, 0), friction=0.0)
        body = world.add_body(model)
        body.pin(held)
        world.advance(6)
        assert body.contact_pressures.max() > 0 and np.abs(body.positions - mesh.points).max() > 0.01
        assert np.abs(body.positions - resting).max() < 1e-6


def test_a_throw_is_aimed_by_its_gradient():
    """The velocity of a box that bounces off the ground is found from where its points end."""
    scipy = pytest.importorskip("scipy.optimize")
    mesh = pliant.Mesh.box((0.1, 0.1, 0.1), (1, 1, 1))
    # Soft springs: with stiff ones the moment of contact makes the sum of squares rugged.
    model = pliant.fem(mesh, young=1e5, stiffness_damping=2e-3, contact_stiffness=3e5)
    rollout = pliant.Rollout(model, step=1 / 240, step_count=60, planes=[((0, 1, 0), 0)])
    start, truth = mesh.points + [0, 0.15, 0], np.array([0.9, -1.2])

    def throw(velocity):
        return rollout.run(positions=start, velocities=np.tile([*velocity, 0.0], (len(start), 1)))
    seen = throw(truth)
    assert seen[:, :, 1].min() < 0.001 and seen[-1, :, 1].mean() > 0.12, "it bounces"

    def loss(velocity):
        off = throw(velocity) - seen
        return (off**2).sum(), rollout.pull(2 * off, wanted="velocities")["velocities"].sum(axis=0)[:2]
    found = scipy.minimize(loss, [0.6, -1.0], jac=True, method="BFGS", options={"gtol": 1e-9})
    assert found.x == pytest.approx(truth, rel=1e-6), found


def test_a_motion_is_that_of_a_world(bar):
    mesh, held = bar
    model = pliant.fem(mesh, young=8e4, newton_tolerance=1e-12, max_newton_iterations=50)
    motion, velocities = pliant.Rollout(model, pinned=held, step_count=10).run(with_velocities=True)
    with pliant.World() as world:
        body = world.add_body(model)
        body.pin(held)
        for frame in range(1, 11):
            world.step()
            assert np.abs(body.positions - motion[frame]).max() < 1e-9 and np.abs(body.velocities - velocities[frame]).max() < 1e-6


def test_a_rest_shape_is_designed_by_its_gradient(bar):
    """The rest shape that hangs as the straight bar, to 0.1 % of its size."""
    scipy = pytest.importorskip("scipy.optimize")
    mesh, held = bar
    hanging = pliant.Rollout(pliant.fem(mesh, young=6e5), pinned=held, step_count=1, equilibrium=True)
    target = np.array(mesh.points)
    before = np.linalg.norm(hanging.run()[-1] - target)

    def loss(positions):
        off = positions - target
        off[0] = 0
        return 0.5 * (off**2).sum() / before**2, off / before**2
    function = hanging.vector_function("rest", loss)
    scale = before / 4  # so that the first step of the search is a fraction of what is missing
    found = scipy.minimize(lambda y: (function(target.ravel() + scale * y)[0], scale * function(target.ravel() + scale * y)[1]), np.zeros(target.size), jac=True,
                           method="L-BFGS-B", options={"maxiter": 400, "ftol": 1e-13})
    result = hanging.run(rest=target + scale * found.x.reshape(-1, 3))[-1]
    assert np.linalg.norm(hanging.run()[-1] - target, axis=1).max() > 0.1 * 0.6
    assert np.linalg.norm(result - target, axis=1).max() < 1e-3 * 0.6


def test_gauss_newton_finds_the_material(bar):
    """With the functions that SciPy's solvers of such problems take."""
    mesh, held = bar
    rollout = pliant.Rollout(pliant.fem(mesh, young=1e5), pinned=held, step=1 / 120, step_count=10)
    seen = rollout.run(young=8e4, mass_damping=0.5)
    fun, jac = rollout.residual_functions(("young", "mass_damping"), lambda p: ((p - seen).ravel(), lambda changes: changes.reshape(len(changes), -1)))
    values = np.array([1e5, 0.1])
    for _ in range(8):
        residual = fun(values)
        values = values - np.linalg.lstsq(jac(values), residual, rcond=None)[0]
    assert values == pytest.approx([8e4, 0.5], rel=1e-6)


def test_torch_and_jax_get_a_function(bar, monkeypatch):
    """Stand-ins with what the adapters use; the packages themselves need not be installed."""
    mesh, held = bar
    rollout = pliant.Rollout(pliant.fem(mesh), pinned=held, step_count=2)
    made = types.SimpleNamespace

    class Tensor(np.ndarray):
        """An array with the methods of a tensor."""
        detach = cpu = double = contiguous = lambda self: self
        numpy = lambda self: np.asarray(self)  # noqa: E731

    def tensor(values):
        return np.asarray(values, float).view(Tensor)

    class Function:
        """Keeps what forward saved."""
        @classmethod
        def apply(cls, *tensors):
            cls.context = made()
            return cls.forward(cls.context, *tensors)
    torch = types.ModuleType("torch")
    torch.autograd, torch.from_numpy, torch.as_tensor = made(Function=Function), tensor, lambda values, dtype=None: tensor(values)
    monkeypatch.setitem(sys.modules, "torch", torch)
    apply = rollout.torch_function("rest", "mass_damping")
    inputs = tensor(mesh.points), tensor(0.3)
    positions = apply(*inputs)
    by = np.ones(rollout.frame_shape)
    rollout.run()  # another run in between
    gradients = apply.__self__.backward(apply.__self__.context, tensor(by))
    rollout.run(rest=mesh.points, mass_damping=0.3)
    expected = rollout.pull(by)
    assert positions.shape == rollout.frame_shape and (gradients[0] == expected["rest"]).all() and gradients[1] == expected["mass_damping"]

    jax = types.ModuleType("jax")

    class CustomVjp:
        """Keeps forward and backward."""
        def __init__(self, function):
            self.function = function

        def __call__(self, *values):
            return self.function(*values)

        def defvjp(self, forward, backward):
            self.forward, self.backward = forward, backward
    jax.ShapeDtypeStruct = lambda shape, dtype: made(shape=shape)
    jax.pure_callback = lambda function, shape, *values: function(*values)
    jax.custom_vjp = CustomVjp
    monkeypatch.setitem(sys.modules, "jax", jax)
    motion = rollout.jax_function("rest", "mass_damping")
    positions, saved = motion.forward(mesh.points, 0.3)
    assert (motion.backward(saved, by)[0] == expected["rest"]).all() and positions.shape == rollout.frame_shape


def test_misuse_of_rollouts(bar):
    mesh, held = bar
    rollout = pliant.Rollout(pliant.fem(mesh), pinned=held, step_count=2)
    with pytest.raises(pliant.InvalidArgumentError):
        rollout.pull(np.zeros(rollout.frame_shape), wanted="rest")
    with pytest.raises(TypeError):
        rollout.run(yong=1)
    with pytest.raises(ValueError):
        rollout.run(rest=np.zeros((3, 3)))
    with pytest.raises(pliant.InvalidDataError):
        rollout.run(poisson=0.7)
    rollout.run(young=1e5)
    with pytest.raises(ValueError):
        rollout.pull(np.zeros((2, 2, 3)))
    with pytest.raises(TypeError):
        rollout.pull(np.zeros(rollout.frame_shape), wanted="yong")
    with pytest.raises(pliant.UnsupportedError):
        pliant.Rollout(pliant.solid(mesh))
    with pytest.raises(pliant.InvalidArgumentError):
        pliant.Rollout(pliant.fem(mesh), equilibrium=True)
    assert "2 steps" in repr(rollout)
    value, gradient = rollout.value_and_gradient(lambda p: (p.sum(), np.ones_like(p)), young=1e5)
    assert gradient["young"].shape == (len(mesh.tets),) and np.isfinite(value)
    rollout.close()
    with pytest.raises(pliant.ClosedError):
        rollout.run()
