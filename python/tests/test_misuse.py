"""Misuse becomes an exception, for every property and method of every class: after close, after removal, from a second thread, with wrong shapes and dtypes."""
import inspect
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import pliant

# Arguments that a call needs to get as far as the object itself.
ARGUMENTS = {
    "World.step": (1,), "World.advance": (0.1,), "World.settle": (0.1,), "World.add_body": None, "World.add_collider": ("sphere",), "World.set_gravity": ((0, 0, 0),),
    "World.set_wind": ((0, 0, 0),), "World.add_controller": (print,), "World.driver": (print,), "World.restore": (b"",), "World.body": ("box",), "World.record": (1,),
    "World.frames": (2,), "World.cast_ray": ((0, 0, 0), (0, 1, 0)), "World.add_joint": None, "World.attach": None, "SceneWorld.set_camera": ((0, 0, 0),),
    "Body.get_weights": (), "Body.set_weights": ([],), "Body.pin": (0,), "Body.add_force": (0, (0, 0, 0)), "Body.teleport": ((0, 0, 0),), "Body.add_layer": (print,),
    "Mesh.save": ("never.vtu",), "Mesh.with_poses": ({},), "Model.energy": (np.zeros((175, 3)),), "Scene.save": ("never.json",), "Capture.frame": (0,),
    "Rollout.push": (), "Rollout.pull": (np.zeros((3, 175, 3)),), "Rollout.value_and_gradient": (lambda p: (0.0, p),),
}
# What is known without the C object, or makes functions that use it later.
HARMLESS = {"close", "closed", "frame_shape", "vector_function", "residual_functions", "torch_function", "jax_function"}


def uses(value, cls):
    """Every public property and method as (name, function of the object)."""
    found = []
    for name in dir(cls):
        member = inspect.getattr_static(cls, name)
        if name.startswith("_") or name in HARMLESS or isinstance(member, (classmethod, staticmethod)) or not (inspect.isfunction(member) or isinstance(member, property)):
            continue
        owner = next(base.__name__ for base in cls.__mro__ if name in vars(base))
        arguments = ARGUMENTS.get(f"{owner}.{name}", ())
        if isinstance(member, property):
            found.append((name, lambda name=name: getattr(value, name)))
        elif name == "frames":
            found.append((name, lambda name=name, arguments=arguments: list(getattr(value, name)(*arguments))))
        elif arguments is not None:
            found.append((name, lambda name=name, arguments=arguments: getattr(value, name)(*arguments)))
    assert len(found) >= 2
    return found


def outcome(use):
    try:
        use()
        return "nothing"
    except Exception as problem:  # pylint: disable=broad-except
        return type(problem).__name__


@pytest.fixture
def made(root, box):
    """One object of every class that can be closed."""
    held = np.flatnonzero(box.points[:, 0] < -0.149)
    context = pliant.Context(threads=1)
    scene = pliant.Scene.load(root / "scenes/jelly-drop/scene.json")
    world = pliant.World()
    world.add_body(pliant.solid(box), name="box")
    return {"Context": context, "Mesh": pliant.Mesh.box((1, 1, 1), (1, 1, 1)), "Model": pliant.fem(box), "Scene": scene, "SceneWorld": scene.build(), "World": world,
            "Rollout": pliant.Rollout(pliant.fem(box), pinned=held, step_count=2)}


@pytest.mark.parametrize("kind", ["Context", "Mesh", "Model", "Scene", "SceneWorld", "World", "Rollout"])
def test_use_after_close(made, kind):
    value = made[kind]
    value.close()
    value.close()
    found = {name: outcome(use) for name, use in uses(value, type(value))}
    assert set(found.values()) == {"ClosedError"}, {name: kind for name, kind in found.items() if kind != "ClosedError"}
    assert "closed" in repr(value)
    with pytest.raises(pliant.ClosedError):
        with value:
            pass


def test_bodies_of_a_closed_world_and_removed_bodies(box):
    """Everything of a body, a pin and a collider."""
    for wanted in ("ClosedError", "NotFoundError"):
        world = pliant.World()
        body = world.add_body(pliant.fem(box))
        parts = [body, body.pin(0), world.add_collider()]
        if wanted == "ClosedError":
            world.close()
        else:
            body.remove()
            parts[2].remove()
        skipped = {"model", "triangles"}  # the body object holds its model, which is immutable
        for part in parts:
            for name, use in uses(part, type(part)):
                if name not in skipped and not (name == "move" and isinstance(part, pliant.body.Collider)):
                    assert outcome(use) in ({wanted, "TypeError"} if name in ("move",) else {wanted}), (wanted, type(part).__name__, name, outcome(use))
        with pytest.raises((pliant.ClosedError, pliant.NotFoundError)):
            parts[1].move((0, 0, 0))
        with pytest.raises((pliant.ClosedError, pliant.NotFoundError)):
            parts[2].move((0, 0, 0))


def test_a_handle_of_a_removed_body_is_not_that_of_the_next(box):
    with pliant.World() as world:
        first = world.add_body(pliant.solid(box), name="first")
        first.remove()
        second = world.add_body(pliant.solid(box), (0, 5, 0), name="second")
        with pytest.raises(pliant.NotFoundError):
            first.positions
        assert second.positions[:, 1].mean() > 4


def test_a_second_thread_gets_busy_for_everything(box):
    world = pliant.World()
    body = world.add_body(pliant.fem(box), name="box")
    batch = pliant.Batch([world])
    entered, leave, found = threading.Event(), threading.Event(), {}

    def hold(_):
        entered.set()
        leave.wait(30)
    world.add_controller(hold)
    thread = threading.Thread(target=world.step)
    thread.start()
    entered.wait(30)
    for part in (world, body):
        for name, use in uses(part, type(part)):
            if name in ("add_collider", "add_body", "model", "triangles", "body", "bodies", "contacts", "remove"):
                continue
            found[type(part).__name__, name] = outcome(use)
    found["World", "add_collider"] = outcome(lambda: world.add_collider("sphere"))
    found["World", "add_body"] = outcome(lambda: world.add_body(pliant.solid(box)))
    found["World", "close"] = outcome(world.close)
    found["Batch", "step"] = outcome(batch.step)
    found["Batch", "positions"] = outcome(lambda: batch.positions)
    assert "in use by another thread" in repr(world)
    leave.set()
    thread.join()
    assert {name: kind for name, kind in found.items() if kind != "BusyError"} == {}
    assert world.step_count == 1


WRONG_ARRAYS = [np.zeros((175, 2)), np.zeros((174, 3)), np.zeros(525), np.zeros((175, 3, 1)), np.zeros((175, 3), complex), np.zeros((175, 3), bool),
                np.full((175, 3), "a"), [[0, 0, 0], [1]], None, "positions"]


@pytest.mark.parametrize("wrong", WRONG_ARRAYS, ids=range(len(WRONG_ARRAYS)))
def test_wrong_arrays_are_refused(box, wrong):
    held = np.flatnonzero(box.points[:, 0] < -0.149)
    model = pliant.fem(box)
    with pliant.World() as world, pliant.Rollout(model, pinned=held, step_count=1) as rollout:
        body = world.add_body(model)
        before = world.hash
        uses_of_it = [lambda: setattr(body, "positions", wrong), lambda: setattr(body, "velocities", wrong), lambda: model.energy(wrong),
                      lambda: pliant.Mesh(wrong, tets=box.tets), lambda: pliant.solid(box, examples={"a": wrong})]
        if wrong is not None:
            uses_of_it += [lambda: rollout.run(rest=wrong), lambda: rollout.run(positions=wrong), lambda: pliant.solve(model, pinned=held, forces=wrong)]
        for number, use in enumerate(uses_of_it):
            assert outcome(use) in ("ValueError", "TypeError", "InvalidDataError", "InvalidArgumentError"), (number, outcome(use))
        assert world.hash == before


@pytest.mark.parametrize("wrong, kind", [([175], IndexError), ([-1], IndexError), ([0.5], TypeError), ([2**40], (IndexError, ValueError)), (["a"], TypeError), ([[0]], (ValueError,))])
def test_wrong_indices_are_refused(box, wrong, kind):
    with pliant.World() as world:
        body = world.add_body(pliant.solid(box))
        for use in (lambda: body.pin(wrong), lambda: body.add_force(wrong, (0, 0, 0)), lambda: pliant.solve(pliant.fem(box), pinned=wrong)):
            with pytest.raises(kind):
                use()


@pytest.mark.parametrize("value", ["soft", None, (1, 2), float("nan"), -1.0, 1e300])
def test_wrong_parameters_are_refused(box, value):
    for use in (lambda: pliant.fem(box, young=value), lambda: pliant.solid(box, density=value), lambda: pliant.World(step=value)):
        assert outcome(use) in ("TypeError", "ValueError", "InvalidArgumentError"), outcome(use)


def test_long_calls_of_all_kinds_let_other_threads_run(box):
    """The interpreter's lock is released in every function of the library: a thread that counts goes on while another one works in C."""
    mesh = pliant.Mesh.box((1, 0.3, 0.3), (16, 5, 5))
    held = np.flatnonzero(mesh.points[:, 0] < -0.499)
    model = pliant.fem(mesh, young=1e4)
    rollout = pliant.Rollout(model, pinned=held, step=1 / 60, step_count=20)
    batch_worlds = [pliant.World() for _ in range(8)]
    for world in batch_worlds:
        world.add_body(model)
    batch = pliant.Batch(batch_worlds)
    calls = {"rollout": rollout.run, "pull": lambda: rollout.pull(np.ones(rollout.frame_shape), wanted="rest"), "batch": lambda: batch.step(4),
             "solve": lambda: pliant.solve(model, pinned=held, acceleration=(0, -9.81, 0)), "modes": lambda: pliant.modes(model, pinned=held)}
    count, stop = [0], threading.Event()

    def tick():
        while not stop.wait(0.0005):
            count[0] += 1
    thread = threading.Thread(target=tick)
    thread.start()
    seen = {}
    for name, call in calls.items():
        before = count[0]
        call()
        seen[name] = count[0] - before
    stop.set()
    thread.join()
    assert min(seen.values()) > 3, seen


def test_the_end_of_the_process_is_quiet(tmp_path):
    """Objects that are still there when Python ends, in cycles and in threads, crash nothing."""
    program = textwrap.dedent("""
        import threading, pliant
        mesh = pliant.Mesh.box((1, 1, 1), (4, 4, 4))
        worlds = [pliant.World() for _ in range(5)]
        bodies = [world.add_body(pliant.fem(mesh)) for world in worlds]
        arrays = [body.positions for body in bodies]
        for world, body in zip(worlds, bodies):
            world.add_controller(lambda w, body=body: body.positions.sum())
            world.step()
        class Cycle: pass
        cycle = Cycle(); cycle.me = cycle; cycle.world = worlds[0]
        threading.Thread(target=worlds[1].advance, args=(0.5,), daemon=True).start()
        print("end")
    """)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0 and done.stdout == "end\n" and done.stderr == "", done.stderr
