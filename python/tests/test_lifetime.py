"""Objects are destroyed in the right order, and nothing grows."""
import gc
import resource
import weakref

import pliant


def memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def test_ten_thousand_worlds_do_not_grow(box):
    context = pliant.Context(threads=1)
    mesh = pliant.Mesh.box((1, 1, 1), (1, 1, 1), context=context)
    model = pliant.solid(mesh)
    before, peak = context.memory, None
    for i in range(10_000):
        with pliant.World(context=context) as world:
            world.add_body(model)
            world.add_controller(lambda w: None)  # a cycle through the world
        if i == 2_000:
            gc.collect()
            peak = memory()
    gc.collect()
    after = context.memory
    assert after.block_count == before.block_count and after.byte_count == before.byte_count
    assert memory() - peak < 4096, "kilobytes that the process grew by"


def test_forgotten_worlds_are_destroyed_before_their_models(box):
    context = pliant.Context(threads=1)
    before = context.memory.block_count

    def make():
        mesh = pliant.Mesh.box((1, 1, 1), (2, 2, 2), context=context)
        world = pliant.World(context=context)
        body = world.add_body(pliant.solid(mesh))
        world.add_controller(lambda w: body.positions)  # keeps the world in a cycle
        world.step()
        return weakref.ref(world)
    worlds = [make() for _ in range(20)]
    gc.collect()
    assert all(world() is None for world in worlds)
    assert context.memory.block_count == before


def test_a_closed_context_stays_while_it_is_used():
    context = pliant.Context(threads=2)
    assert context.threads == 2 and "2 threads" in repr(context)
    mesh = pliant.Mesh.box((1, 1, 1), (2, 2, 2), context=context)
    context.close()
    assert "closed" in repr(context)
    assert mesh.points.shape == (27, 3)
    try:
        context.threads
    except pliant.ClosedError:
        return
    raise AssertionError("a closed context was used")


def test_log_and_threads(root):
    lines = []
    with pliant.Context(threads=1, log=lambda level, text: lines.append((level, text))) as context:
        world = pliant.Scene.load(root / "scenes/jelly-drop/scene.json", context=context).build()
        world.step()
        first = world.hash
        world.close()
    with pliant.Context(threads=3) as context:
        world = pliant.Scene.load(root / "scenes/jelly-drop/scene.json", context=context).build()
        world.step()
        assert world.hash == first
    assert all(isinstance(text, str) for _, text in lines)
    assert pliant.default_context() is pliant.default_context() and pliant.version() == pliant.__version__
