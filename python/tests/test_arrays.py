"""Arrays of bodies: views of the state without a copy, how long they live, and fields."""
import gc
import weakref

import numpy as np
import pytest

import pliant
from pliant import capi

MATERIALS = ("corotated", "neo-hookean", "edges")


@pytest.fixture(params=MATERIALS)
def falling(request, box):
    with pliant.World() as world:
        world.add_collider()
        yield world, world.add_body(pliant.fem(box, request.param, young=1e5), (0, 0.12, 0), name="box")


def copied(world, body, what):
    """What the function that copies returns."""
    found = np.empty((175, 3))
    getattr(pliant.lib, f"pl_body_get_{what}")(world._pointer, body._id, found.ctypes.data_as(pliant._object.VEC3))
    return found


def test_positions_of_finite_elements_are_the_state_itself(falling):
    world, body = falling
    positions, velocities = body.positions, body.velocities
    view = capi.pl_body_view()
    assert pliant.lib.pl_body_get_view(world._pointer, body._id, view) == 0
    assert positions.ctypes.data == pliant._object.ctypes.cast(view.positions, pliant._object.ctypes.c_void_p).value
    saved = world.snapshot()
    for act in (lambda: world.step(30), lambda: world.restore(saved), lambda: body.teleport((1, 2, 3)), body.reset,
                lambda: setattr(body, "velocities", np.ones((175, 3)))):
        act()
        assert (positions == copied(world, body, "positions")).all() and (velocities == copied(world, body, "velocities")).all()
        assert body.positions is positions and body.velocities is velocities
    with pytest.raises(ValueError):
        positions[0] = 0
    with pytest.raises(ValueError):
        positions.flags.writeable = True


def test_a_step_that_failed_shows_the_state_before(falling):
    world, body = falling
    world.step(5)
    positions, before = body.positions, body.positions.copy()

    def fail(_):
        raise KeyError("mine")
    world.add_controller(fail)
    with pytest.raises(KeyError):
        world.step()
    assert (positions == before).all()


@pytest.mark.parametrize("make", [pliant.solid, lambda mesh: pliant.fem(mesh, "fast", fast_step=1 / 240)], ids=["solid", "fast"])
def test_other_methods_share_one_buffer(box, make):
    with pliant.World() as world:
        body = world.add_body(make(box), (0, 1, 0))
        positions = body.positions
        before = positions.copy()
        world.step()
        assert (positions == before).all(), "filled when it is asked for"
        assert body.positions is positions and (positions != before).any() and (positions == copied(world, body, "positions")).all()
        body.remove()
    assert np.isfinite(positions).all()


def test_views_outlive_their_world(box):
    context = pliant.Context(threads=1)
    before = context.memory.block_count
    mesh = pliant.Mesh.box((1, 1, 1), (2, 2, 2), context=context)
    world = pliant.World(context=context)
    body = world.add_body(pliant.fem(mesh), (0, 5, 0))
    positions = body.positions
    part = positions[3:5]
    last = positions.copy()
    world.close()
    assert world.closed and (positions == last).all()
    with pytest.raises(pliant.ClosedError):
        body.positions
    with pytest.raises(pliant.ClosedError):
        world.step()
    del positions, mesh, body, world
    gc.collect()
    assert (part == last[3:5]).all() and context.memory.block_count > before, "a slice keeps the memory too"
    del part
    gc.collect()
    assert context.memory.block_count == before, "the last array takes it along"


def test_views_of_forgotten_worlds(box):
    def make():
        world = pliant.World()
        return world.add_body(pliant.fem(box)).positions, weakref.ref(world)
    positions, world = make()
    gc.collect()
    assert world() is None and np.abs(positions - box.points).max() < 1e-12


def test_views_of_scenes_outlive_them(root):
    world = pliant.Scene.load(root / "scenes/fem-cantilevers/scene.json").build()
    positions = world.bodies[0].positions
    last = positions.copy()
    world.close()
    gc.collect()
    assert (positions == last).all()


def test_a_body_whose_state_is_in_use_is_not_removed(falling):
    world, body = falling
    positions = body.positions
    slice_of_it = positions[:, 1]
    with pytest.raises(BufferError):
        body.remove()
    world.step()
    assert len(world.bodies) == 1
    del positions
    with pytest.raises(BufferError):
        body.remove()
    del slice_of_it
    body.remove()
    assert len(world.bodies) == 0
    with pytest.raises(pliant.NotFoundError):
        body.positions


def test_stress_and_modulus(box):
    scales = np.linspace(1, 2, len(box.tets))
    with pliant.World(gravity=(0, 0, 0)) as world:
        body = world.add_body(pliant.fem(box, young=1e5, poisson=0.0, young_scales=scales))
        assert body.model.young == pytest.approx(1e5 * scales)
        stretched = box.points * [1.001, 1, 1]
        body.positions = stretched
        assert body.stress[:, 0] == pytest.approx(1e5 * scales * 1e-3 * 1.0, rel=2e-3) and np.abs(body.stress[:, 1:]).max() < 1e-6 * 1e5
        solid = world.add_body(pliant.solid(box), (0, 2, 0))
        with pytest.raises(pliant.UnsupportedError):
            solid.stress
        with pytest.raises(pliant.UnsupportedError):
            solid.model.young
        body_stress = body.stress
        body.remove()
        with pytest.raises(pliant.NotFoundError):
            body.contact_pressures
        assert len(body_stress) == len(box.tets)


def test_contact_pressures_carry_the_weight(box):
    with pliant.World() as world:
        world.add_collider()
        body = world.add_body(pliant.fem(box, young=3e5, mass_damping=8.0), (0, 0.1, 0))
        world.advance(2.0)
        pressures, points, triangles = body.contact_pressures, body.surface, body.triangles
        areas = np.cross(points[triangles[:, 1]] - points[triangles[:, 0]], points[triangles[:, 2]] - points[triangles[:, 0]]) / 2
        base = areas[:, 1] < -0.9 * np.linalg.norm(areas, axis=1)
        force = -(pressures[triangles[base]].mean(axis=1) * areas[base, 1]).sum()
        assert force == pytest.approx(body.report.mass * 9.81, rel=5e-3)
