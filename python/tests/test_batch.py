"""Batches of worlds."""
import numpy as np
import pytest

import pliant


@pytest.fixture(scope="module")
def model(box):
    return pliant.solid(box)


def make(model, context=None):
    def world(i):
        made = pliant.World(context=context)
        made.add_collider()
        made.add_body(model, (0, 0.15 + 0.01 * i, 0), name="box")
        return made
    return world


def test_a_batch_has_the_bits_of_single_worlds(model):
    with pliant.Batch(make(model), 8, body="box") as batch, pliant.Context(threads=3) as context:
        assert len(batch) == 8 and batch.point_count == 175 and "8 worlds" in repr(batch)
        batch.step(10)
        batch.step(10)
        alone = [make(model)(i) for i in range(8)]
        for world in alone:
            world.step(20)
        assert batch.hashes == [world.hash for world in alone]
        assert (batch.positions == np.array([world.bodies[0].positions for world in alone])).all()
        assert batch.positions.shape == batch.velocities.shape == (8, 175, 3)
        with pliant.Batch(make(model, context), 8) as other:
            other.step(20)
            assert other.hashes == batch.hashes


def test_states_of_a_batch_can_be_set_and_restored(model):
    with pliant.Batch(make(model), 3) as batch:
        start = batch.snapshot()
        before = batch.hashes
        batch.positions = batch.positions + np.arange(3)[:, None, None]
        batch.velocities = np.ones((3, 175, 3))
        assert np.abs(batch.velocities - 1).max() < 1e-6 and batch.hashes != before
        batch.restore(start)
        assert batch.hashes == before
        batch.step()
        batch.restore([start[1]], worlds=[1])
        assert [same for same in np.array(batch.hashes) == np.array(before)] == [False, True, False]
        with pytest.raises(ValueError):
            batch.positions = np.zeros((3, 174, 3))


def test_a_failure_stays_in_its_world(model):
    with pliant.Batch(make(model), 4) as batch:
        batch.worlds[2].bodies[0].velocities = np.full((175, 3), 1e300)
        assert batch.step(2, failures="return").tolist() == [False, False, True, False]
        assert [world.step_count for world in batch.worlds] == [2, 2, 0, 2]
        with pytest.raises(pliant.PliantError, match="world 2"):
            batch.step()


def test_misuse_of_batches(model, box):
    world = make(model)(0)
    for worlds, kind in (([world, world], ValueError), ([], ValueError), ([box], TypeError)):
        with pytest.raises(kind):
            pliant.Batch(worlds)
    with pytest.raises(TypeError):
        pliant.Batch(make(model))
    other = pliant.World()
    other.add_body(pliant.solid(pliant.Mesh.box((1, 1, 1), (1, 1, 1))))
    with pytest.raises(ValueError):
        pliant.Batch([world, other])
    batch = pliant.Batch([world])
    world.add_controller(lambda w: None)
    with pytest.raises(pliant.InvalidArgumentError):
        batch.step()
    world.step()
    world.close()
    with pytest.raises(pliant.ClosedError):
        batch.step()


class Comm:
    """A process of several, as mpi4py has it; the parts of all are put into one list beforehand."""

    def __init__(self, rank, parts):
        self.rank, self.size, self.parts = rank, len(parts), parts

    def allgather(self, part):
        self.parts[self.rank] = part
        return [found if found is not None else part[:0] for found in self.parts]


def test_processes_share_the_worlds_of_a_batch(model):
    parts, whole = [None] * 3, pliant.Batch(make(model), 7)
    whole.step(10)
    for rank in range(3):
        with pliant.Batch(make(model), 7, comm=Comm(rank, parts)) as batch:
            assert batch.first == pliant.split(7, rank, 3).start and len(batch) == len(pliant.split(7, rank, 3))
            batch.step(10)
            gathered = batch.gather()
            parts[rank] = batch.positions.copy()
            with pytest.raises(ValueError):
                batch.gather([1])
    assert (gathered == whole.positions).all() and (whole.gather() == whole.positions).all()
    with pytest.raises(ValueError):
        pliant.Batch(make(model), 2, comm=Comm(0, parts))
    with pytest.raises(TypeError):
        pliant.Batch(whole.worlds, comm=Comm(0, parts))


def test_split_gives_every_job_to_one_process():
    for count, size in ((1000, 7), (3, 5), (0, 2)):
        assert [i for rank in range(size) for i in pliant.split(count, rank, size)] == list(range(count))
    with pytest.raises(ValueError):
        pliant.split(10, 2, 2)
