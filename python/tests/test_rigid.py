"""Rigid bodies, joints, attachments and rays, against closed formulas."""
import numpy as np
import pytest

import pliant


def test_a_rigid_box_has_its_mass_and_falls():
    with pliant.World() as world:
        body = world.add_body(pliant.rigid("box", half_size=(0.1, 0.2, 0.3), density=500.0), (0, 1, 0), name="box")
        assert body.report.mass == pytest.approx(500 * 8 * 0.1 * 0.2 * 0.3)
        world.advance(0.2)
        assert body.center[1] == pytest.approx(1 - 9.81 * 0.2**2 / 2, rel=0.01) and body.weights.shape == (0,)
    ball = pliant.rigid("sphere", radius=0.5, density=1000.0)
    assert ball.report.mass == pytest.approx(1000 * 4 / 3 * np.pi * 0.125)
    hull = pliant.rigid("hull", pliant.Mesh.box((1, 1, 1), (1, 1, 1)))
    assert hull.report.mass == pytest.approx(1000)
    for use in (lambda: pliant.rigid("mesh"), lambda: pliant.rigid("box", pliant.Mesh.box((1, 1, 1), (1, 1, 1))), lambda: pliant.rigid(radus=1)):
        with pytest.raises(TypeError):
            use()
    with pytest.raises(ValueError):
        pliant.rigid("cone")
    with pytest.raises(pliant.InvalidArgumentError):
        pliant.rigid("sphere", radius=-1.0)


def test_a_pendulum_swings_with_its_period():
    """A ball on a hinge, by the physical pendulum: T = 2 pi sqrt(I / m g l) for small angles."""
    with pliant.World(step=1 / 480) as world:
        ball = world.add_body(pliant.rigid("sphere", radius=0.05), (0.05, -0.9987, 0))
        joint = world.add_joint("hinge", ball, anchor=(0, 0, 0), axis=(0, 0, 1))
        xs = []
        for _ in range(1400):
            world.step()
            xs.append(ball.center[0])
        zeros = np.flatnonzero((np.array(xs)[:-1] > 0) & (np.array(xs)[1:] <= 0))
        period = (zeros[1] - zeros[0]) / 480
        assert period == pytest.approx(2 * np.pi * np.sqrt((1 + 0.4 * 0.05**2) / 9.81), rel=0.01)
        assert np.linalg.norm(joint.report.force) == pytest.approx(ball.report.mass * 9.81, rel=0.05) and not joint.report.is_broken
        joint.set_motor("speed", speed=2.0)
        world.advance(0.5)
        joint.remove()
        with pytest.raises(pliant.NotFoundError):
            joint.set_motor("off")
        with pytest.raises(ValueError):
            joint.set_motor("fast")


def test_joints_need_rigid_bodies_of_the_same_world(world, body):
    with pytest.raises(pliant.UnsupportedError):
        world.add_joint("ball", body)
    with pliant.World() as other:
        stranger = other.add_body(pliant.rigid("box"))
        with pytest.raises(pliant.InvalidArgumentError):
            world.add_joint("ball", stranger)
    with pytest.raises(TypeError):
        world.add_joint("ball", None)
    with pytest.raises(ValueError):
        world.add_joint("rope", body)


def test_attachments(box):
    top = np.flatnonzero(box.points[:, 1] > 0.099)
    with pliant.World() as world:
        soft = world.add_body(pliant.fem(box, young=3e5, mass_damping=5.0), (0, 1, 0), name="soft")
        held = world.attach(soft, top)
        weight = world.add_body(pliant.rigid("box", half_size=(0.05, 0.05, 0.05), mass=1.0), (0, 0.85, 0))
        bottom = np.flatnonzero((np.abs(box.points[:, 1] + 0.1) < 1e-9) & (np.abs(box.points[:, 0]) < 0.06) & (np.abs(box.points[:, 2]) < 0.06))
        tied = world.attach(soft, bottom, weight)
        world.advance(2.0)
        assert np.abs(soft.positions[top] - box.points[top] - [0, 1, 0]).max() < 1e-3 and 0.7 < weight.center[1] < 0.85
        assert tied.report.point_count == len(bottom) and np.linalg.norm(tied.report.force) == pytest.approx(9.81, rel=0.1)
        for i in range(50):
            held.move((0.002 * (i + 1), 0, 0))
            world.advance(1 / 60)
        world.advance(1.0)
        assert soft.positions[top].mean(axis=0)[0] == pytest.approx(0.1, abs=2e-3)
        tied.remove()
        world.advance(0.2)
        assert weight.center[1] < 0.7
        with pytest.raises(pliant.InvalidArgumentError):
            tied_again = world.attach(soft, bottom, weight)
            tied_again.move((0, 0, 0))
        with pytest.raises(IndexError):
            world.attach(soft, [9999])
        with pytest.raises(TypeError):
            world.attach(soft, [0], partners=[0])
        with pytest.raises(ValueError):
            world.attach(soft, [0, 1], weight, partners=[0])


def test_rays(box):
    with pliant.World() as world:
        ground = world.add_collider()
        body = world.add_body(pliant.solid(box), (0, 1, 0))
        hit = world.cast_ray((0, 3, 0), (0, -2, 0))
        assert hit.body is body and hit.distance == pytest.approx(1.9, abs=1e-6) and hit.normal == pytest.approx([0, 1, 0], abs=1e-6)
        assert body.surface[body.triangles[hit.triangle]].T @ hit.barycentric == pytest.approx(hit.position, abs=1e-6)
        assert world.cast_ray((1, 3, 0), (0, -1, 0)).body is None and world.cast_ray((1, 3, 0), (0, 1, 0)) is None
        assert world.cast_ray((0, 3, 0), (0, -1, 0), 1.0) is None
        with pytest.raises(pliant.InvalidArgumentError):
            world.cast_ray((0, 3, 0), (0, 0, 0))
        assert ground is not None
