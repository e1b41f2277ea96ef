"""Worlds, bodies, callbacks; misuse becomes an exception."""
import threading
import time

import numpy as np
import pytest

import pliant


def test_a_body_falls_as_it_should(world, body):
    start = body.positions.copy()
    report = world.step()
    world.advance(0.1 - world.time)
    assert report.step_count == 1 and report.phase_seconds.shape == (5,) and "step_count" in repr(report)
    assert world.time == pytest.approx(0.1) and world.step_count == 24 and world.step_length == 1 / 240
    fallen = (start - body.positions)[:, 1]
    assert fallen == pytest.approx(np.full(175, 9.81 * 0.1**2 / 2), rel=0.05)
    assert body.velocities[:, 1] == pytest.approx(np.full(175, -0.981), rel=0.01)
    assert body.center[1] == pytest.approx(0.6 - fallen.mean(), abs=1e-6)
    assert body.energy["kinetic"] == pytest.approx(0.5 * body.report.mass * 0.981**2, rel=0.02) and world.energy["elastic"] == 0


def test_ground_contact_and_colliders(world, body):
    ground = world.add_collider()
    world.advance(0.4)
    assert world.contacts["count"] > 0 and body.positions[:, 1].min() > -0.02
    ground.remove()
    world.advance(1.0)
    assert body.positions[:, 1].max() < 0
    with pytest.raises(pliant.NotFoundError):
        ground.move((0, 1, 0))
    world.add_collider("box", ((0, -9, 0), (0, 0, 0, 1)), half_size=(1, 1, 1), friction=1.0)
    world.add_collider("sphere", (5, 0, 0), keys=[(0, (5, 0, 0)), (1, (6, 0, 0))], radius=0.1).remove()
    with pytest.raises(ValueError):
        world.add_collider("cone")


def test_contact_events(box):
    with pliant.World(contact_events=True) as world:
        world.add_collider()
        first = world.add_body(pliant.solid(box), (0, 0.12, 0), name="first")
        second = world.add_body(pliant.solid(box), (0, 0.35, 0), name="second")
        events = []
        for _ in range(40):
            world.advance(2 / 240)
            events += world.contact_events
        landed = next(event for event in events if event.body is first and event.other is None)
        assert landed.kind == "begin" and landed.normal[1] > 0.9 and landed.impulse > 0 and landed.collider is not None
        assert any({event.body, event.other} == {first, second} for event in events)
        assert any(event.kind == "persist" for event in events)
    with pliant.World() as world:
        assert world.contact_events == []


def test_the_same_array_comes_back_filled(world, body):
    positions = body.positions
    address = positions.ctypes.data
    before = positions.copy()
    world.step()
    assert body.positions is positions and positions.ctypes.data == address and (positions != before).any()
    assert not positions.flags.writeable
    with pytest.raises(ValueError):
        positions[0] = 0
    world.close()
    assert np.isfinite(positions).all()


def test_state_can_be_set(world, body, box, twisted):
    body.positions = twisted
    body.velocities = np.ones((175, 3))
    assert np.abs(body.positions - twisted).max() < 1e-6 and np.abs(body.velocities - 1).max() < 1e-6
    saved, before = world.snapshot(), world.hash
    world.step(3)
    assert world.hash != before
    world.restore(saved)
    assert world.hash == before
    body.teleport((1, 0, 0))
    assert np.abs(body.positions - twisted - [1, 0, 0]).max() < 1e-6
    body.reset()
    assert np.abs(body.positions - box.points - [0, 0.6, 0]).max() < 1e-6
    for values, kind in ((np.zeros((3, 3)), ValueError), (np.full((175, 3), np.inf), pliant.InvalidDataError), (np.zeros((175, 3), bool), TypeError)):
        with pytest.raises(kind):
            body.positions = values
    with pytest.raises(pliant.InvalidDataError):
        world.restore(saved[:-8])


def test_examples_and_their_weights(box, twisted):
    with pliant.World(gravity=(0, 0, 0)) as world:
        body = world.add_body(pliant.solid(box, examples={"twist": twisted}, fidelity=0.98))
        body.positions = twisted
        world.step()
        assert body.weights[0] > 0.9
        body.weights = {"twist": 0.5}
        world.advance(0.2)
        assert body.weights == pytest.approx([0.5])
        body.weights = None
        world.step()
        with pytest.raises(KeyError):
            body.weights = {"bend": 1}
        with pytest.raises(ValueError):
            body.weights = [0.1, 0.2]
        with pytest.raises(IndexError):
            body.get_weights(5)


def test_pins_and_forces(world, body, box):
    pins = body.pin([0, 1])
    single = body.pin(2, target=(0, 1, 0), stiffness=10.0)
    world.advance(0.2)
    assert np.abs(body.positions[:2] - box.points[:2] - [0, 0.6, 0]).max() < 1e-6
    pins[0].move((0, 2, 0))
    world.step()
    assert body.positions[0] == pytest.approx([0, 2, 0], abs=1e-6)
    single.remove()
    with pytest.raises(pliant.NotFoundError):
        single.move((0, 0, 0))
    body.add_force([3, 4], (0, 5, 0))
    body.add_force(3, [(0, 5, 0)])
    world.set_gravity((0, 0, 0))
    world.set_wind((1, 0, 0))
    world.step()
    for wrong in (lambda: body.pin(175), lambda: body.add_force(-1, (0, 0, 0))):
        with pytest.raises(IndexError):
            wrong()
    with pytest.raises(pliant.InvalidArgumentError):
        body.add_force(0, (np.nan, 0, 0))
    with pytest.raises(ValueError):
        world.set_gravity((0, np.inf, 0))


def test_a_controller_drives_the_body(world, body):
    world.set_gravity((0, 0, 0))
    seen = []

    @world.add_controller
    def push(given):
        assert given is world
        seen.append((given.time, given.bodies["box"].positions[:, 1].mean()))
        given.bodies["box"].add_force(range(175), (0, 0.02, 0))
    world.step(5)
    assert len(seen) == 5 and seen[-1][1] > seen[0][1]


def test_an_exception_of_a_controller_aborts_the_step(world, body):
    def fail(_):
        raise KeyError("mine")
    world.step()
    world.add_controller(fail)
    before = world.hash
    with pytest.raises(KeyError, match="mine"):
        world.step()
    assert world.hash == before and world.step_count == 1


@pytest.mark.parametrize("act", [lambda w: w.step(), lambda w: w.close(), lambda w: w.advance(1), lambda w: w.restore(w.snapshot())])
def test_a_world_cannot_be_stepped_or_closed_inside_its_step(world, body, act):
    world.add_controller(act)
    with pytest.raises(pliant.InvalidArgumentError):
        world.step()
    assert world.step_count == 0


def test_a_layer_changes_the_surface(world, body):
    kept = []

    @body.add_layer
    def lift(given, points):
        assert given is body
        points += [0, 10, 0]
        kept.append(points)
    world.step()
    assert body.surface[:, 1].min() > 10 and len(body.triangles) > 0
    world.close()
    assert np.isfinite(kept[0]).all()


def test_a_layer_must_leave_finite_points(world, body):
    body.add_layer(lambda _, points: points.fill(np.nan))
    with pytest.raises(ValueError):
        world.step()
    assert world.step_count == 0


def test_use_after_close_and_stale_handles(box):
    world = pliant.World()
    model = pliant.solid(box)
    body = world.add_body(model, name="a")
    model.close()  # the world still has it
    world.step()
    other = world.add_body(pliant.solid(box), (1, 0, 0))
    other.remove()
    for use in (lambda: other.positions, lambda: other.report, lambda: other.weights, lambda: other.reset(), lambda: other.pin(0), lambda: other.surface):
        with pytest.raises(pliant.NotFoundError):
            use()
    with pytest.raises(pliant.NotFoundError):
        world.bodies["b"]
    with pytest.raises(pliant.ClosedError):
        world.add_body(model)
    world.close()
    world.close()
    assert world.closed and "closed" in repr(world)
    for use in (lambda: body.positions, lambda: world.step(), lambda: world.time, lambda: world.hash, lambda: world.bodies[0], lambda: body.report,
                lambda: body.add_force(0, (0, 0, 0)), lambda: world.snapshot(), lambda: world.add_controller(print)):
        with pytest.raises(pliant.ClosedError):
            use()


def test_wrong_arguments(world, box):
    with pytest.raises(TypeError):
        world.add_body(box)
    with pytest.raises(TypeError):
        pliant.World(gravty=(0, 0, 0))
    with pytest.raises(pliant.InvalidArgumentError):
        pliant.World(step=-1)
    with pytest.raises(ValueError):
        world.step(0)
    with pytest.raises(pliant.InvalidArgumentError):
        world.advance(float("nan"))
    with pytest.raises(TypeError):
        next(world.frames())
    for placement in ((0, 0), ((0, 0, 0), (0, 0, 0, 0)), np.diag([2.0, 1, 1, 1])):
        with pytest.raises(ValueError):
            world.add_body(pliant.solid(box), placement)
    turned = np.array([[0, -1, 0, 3], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    body = world.add_body(pliant.solid(box), turned, name="turned")
    assert np.abs(body.positions - (box.points @ turned[:3, :3].T + turned[:3, 3])).max() < 1e-6
    with pytest.raises(ValueError):
        world.add_body(pliant.solid(box), name="turned")
    assert "turned" in world.bodies and "turned" in repr(world.bodies)


def test_a_step_that_explodes_has_not_happened(box):
    with pliant.World() as world:
        body = world.add_body(pliant.solid(box))
        body.velocities = np.full((175, 3), 1e300)
        before = world.hash
        with pytest.raises(pliant.PliantError):
            world.step()
        assert world.hash == before


def test_two_threads_get_an_exception_not_a_crash(world, body):
    started, results = threading.Event(), []

    def slow(_):
        started.set()
        time.sleep(0.3)
    world.add_controller(slow)
    thread = threading.Thread(target=world.step)
    thread.start()
    started.wait()
    for use in (world.step, lambda: body.positions, world.close, lambda: world.time):
        try:
            use()
            results.append("entered")
        except pliant.BusyError:
            results.append("busy")
    thread.join()
    assert results == ["busy"] * 4 and world.step_count == 1


def test_long_calls_let_other_threads_run(box):
    with pliant.World() as world:
        world.add_body(pliant.fem(pliant.Mesh.box((1, 1, 1), (10, 10, 10))))
        count, stop = [0], threading.Event()

        def tick():
            while not stop.is_set():
                count[0] += 1
                time.sleep(0.001)
        thread = threading.Thread(target=tick)
        thread.start()
        before = count[0]
        world.advance(0.1)
        during = count[0] - before
        stop.set()
        thread.join()
        assert during > 3
