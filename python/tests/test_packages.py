"""Other packages as they are, where they are installed: scripts/packages.sh packages."""
import pathlib
import shutil
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import pliant


def test_meshio_there_and_back(box, tmp_path):
    meshio = pytest.importorskip("meshio")
    there = pliant.adapters.to_meshio(box, {"height": box.points[:, 1]})
    assert isinstance(there, meshio.Mesh) and there.cells_dict["tetra"].shape == box.tets.shape
    there.write(tmp_path / "box.vtu")
    back = pliant.adapters.from_meshio(meshio.read(tmp_path / "box.vtu"))
    assert (back.points == box.points).all() and (back.tets == box.tets).all()
    own = pliant.Mesh.load(tmp_path / "box.vtu")
    assert (own.points == box.points).all() and (own.tets == box.tets).all()
    surface, _ = box.boundary()
    flat = pliant.adapters.from_meshio(pliant.adapters.to_meshio(surface))
    assert (flat.triangles == surface.triangles).all()
    plane = pliant.adapters.from_meshio(meshio.Mesh([[0.0, 0], [1, 0], [0, 1]], [("triangle", [[0, 1, 2]]), ("vertex", [[0]])]))
    assert plane.points.shape == (3, 3) and len(plane.triangles) == 1


def test_meshio_reads_the_fields_of_vtu_frames(tool, root, tmp_path):
    """A reader that is not ours finds every field with its numbers."""
    meshio = pytest.importorskip("meshio")
    tool("run", root / "scenes/fem-cantilevers/scene.json", "--frames", 3, "--format", "vtu", "-o", tmp_path)
    with pliant.Scene.load(root / "scenes/fem-cantilevers/scene.json").build() as world:
        for _ in world.frames(3):
            pass
        body = world.bodies["middle 1 MPa"] if "middle 1 MPa" in world.bodies else next(iter(world.bodies))
        name = body.name.replace("/", "_")
        mesh = meshio.read(tmp_path / f"{name}_0003.vtu")
        assert (mesh.points == body.positions).all() and (mesh.point_data["velocity"] == body.velocities).all()
        assert (mesh.cell_data["stress"][0] == body.stress).all() and np.abs(body.stress).max() > 10
        assert (np.ravel(mesh.cell_data["young"][0]) == body.model.young).all()
        assert set(mesh.point_data) == {"displacement", "velocity", "contact_pressure"} and set(mesh.cell_data) == {"J", "stress", "young"}
    tool("run", root / "scenes/solid-examples/scene.json", "--frames", 12, "--format", "vtu", "-o", tmp_path / "solid")
    with pliant.Scene.load(root / "scenes/solid-examples/scene.json").build() as world:
        recording = world.record(12)
        found = meshio.read(tmp_path / "solid/twist_0012.vtu")
        assert np.ravel(found.field_data["weights"]) == pytest.approx(recording.weights["twist"][-1])


def test_contact_pressure_in_vtu_frames(tool, root, tmp_path):
    meshio = pytest.importorskip("meshio")
    tool("run", root / "scenes/fem-stacks/scene.json", "--frames", 3, "--format", "vtu", "-o", tmp_path)
    with pliant.Scene.load(root / "scenes/fem-stacks/scene.json").build() as world:
        for _ in world.frames(3):
            pass
        body = next(iter(world.bodies))
        found = meshio.read(tmp_path / f"{body.name}_0003.vtu")
        _, indices = body.model.mesh.boundary()
        expected = np.zeros(len(body.positions))
        expected[indices] = body.contact_pressures
        assert (np.ravel(found.point_data["contact_pressure"]) == expected).all() and expected.max() > 0


def test_open3d_gets_the_surface(world, body):
    pytest.importorskip("open3d")
    found = pliant.adapters.to_open3d(body)
    assert np.abs(np.asarray(found.vertices) - body.surface).max() < 1e-12 and (np.asarray(found.triangles) == body.triangles).all()
    assert found.is_watertight() and found.get_volume() == pytest.approx(0.3 * 0.2 * 0.2, rel=1e-6)


def test_pyvista_gets_the_surface(world, body):
    pytest.importorskip("pyvista")
    found = pliant.adapters.to_pyvista(body)
    assert found.n_points == len(body.surface) and found.n_cells == len(body.triangles) and found.volume == pytest.approx(0.3 * 0.2 * 0.2, rel=1e-6)


def test_rerun_gets_the_surfaces(world, body, tmp_path):
    rerun = pytest.importorskip("rerun")
    rerun.init("pliant")
    rerun.save(str(tmp_path / "world.rrd"))
    pliant.adapters.log_to_rerun(world)
    rerun.disconnect()
    assert (tmp_path / "world.rrd").stat().st_size > 1000


def rollout_of(box):
    held = np.flatnonzero(box.points[:, 0] < -0.149)
    return pliant.Rollout(pliant.fem(box, young=8e4), pinned=held, step=1 / 120, step_count=6)


def test_torch_differentiates_a_motion(box):
    torch = pytest.importorskip("torch")
    rollout = rollout_of(box)
    motion = rollout.torch_function("young", "mass_damping", "positions")
    young = torch.full((len(box.tets),), 8e4, dtype=torch.float64, requires_grad=True)
    damping = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
    start = torch.tensor(np.array(box.points), dtype=torch.float64, requires_grad=True)
    loss = (motion(young, damping, start)[-1, :, 1] ** 2).sum()
    loss.backward()
    positions = rollout.run(young=young.detach().numpy(), mass_damping=0.3, positions=box.points)
    by = np.zeros_like(positions)
    by[-1, :, 1] = 2 * positions[-1, :, 1]
    expected = rollout.pull(by)
    assert loss.item() == pytest.approx((positions[-1, :, 1] ** 2).sum(), rel=1e-14)
    assert np.abs(young.grad.numpy() - expected["young"]).max() <= 1e-14 * np.abs(expected["young"]).max()
    assert damping.grad.item() == pytest.approx(expected["mass_damping"], rel=1e-12) and (start.grad.numpy() == expected["positions"]).all()
    # torch's own check by differences, of the damping and of the direction in which the start moves.
    assert torch.autograd.gradcheck(lambda d: motion(young.detach(), d, start.detach())[-1, -1], (damping,), eps=1e-4, atol=1e-9, rtol=1e-5)
    single = damping.detach().to(torch.float32).requires_grad_()
    motion(young.detach(), single, start.detach())[-1].sum().backward()
    assert single.grad.dtype == torch.float32


def test_torch_optimizes_by_a_motion(box):
    torch = pytest.importorskip("torch")
    rollout = rollout_of(box)
    target = torch.from_numpy(rollout.run(mass_damping=3.0))
    motion = rollout.torch_function("mass_damping")
    damping = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([damping], line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = 1e8 * ((motion(damping) - target) ** 2).sum()
        loss.backward()
        return loss
    for _ in range(3):
        optimizer.step(closure)
    assert damping.item() == pytest.approx(3.0, rel=1e-3)


def test_jax_differentiates_a_motion(box):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    rollout = rollout_of(box)
    motion = rollout.jax_function("mass_damping", "positions")
    gradient = jax.jit(jax.grad(lambda d, x: (motion(d, x)[-1, :, 1] ** 2).sum(), argnums=(0, 1)))(0.3, np.array(box.points))
    positions = rollout.run(mass_damping=0.3, positions=box.points)
    by = np.zeros_like(positions)
    by[-1, :, 1] = 2 * positions[-1, :, 1]
    expected = rollout.pull(by)
    assert float(gradient[0]) == pytest.approx(expected["mass_damping"], rel=1e-10) and np.allclose(gradient[1], expected["positions"], rtol=1e-10)


@pytest.mark.skipif(not shutil.which("mpirun"), reason="no mpirun")
def test_a_sweep_over_mpi_has_the_bits_of_one_process(tmp_path):
    """Three processes share 11 worlds; every one gets all results."""
    pytest.importorskip("mpi4py")
    program = textwrap.dedent("""
        import sys
        import numpy as np
        from mpi4py import MPI
        import pliant

        mesh = pliant.Mesh.box((0.2, 0.2, 0.2), (2, 2, 2))

        def make(i):
            world = pliant.World(context=context)
            world.add_collider()
            world.add_body(pliant.solid(mesh, stiffness=0.02 + 0.02 * i), (0, 0.15, 0))
            return world
        context = pliant.Context(threads=1)
        comm = MPI.COMM_WORLD
        with pliant.Batch(make, 11, comm=comm, context=context) as batch:
            batch.step(60)
            positions = batch.gather()
            assert positions.shape == (11, 27, 3) and len(batch) == len(pliant.split(11, comm.rank, comm.size)) and batch.first == pliant.split(11, comm.rank, comm.size).start
        np.save(f"{sys.argv[1]}/{comm.size}_{comm.rank}.npy", positions)
    """)
    (tmp_path / "sweep.py").write_text(program, encoding="utf-8")
    mpirun = ["mpirun", "--allow-run-as-root", "--oversubscribe"]
    for size in (1, 3):
        done = subprocess.run([*mpirun, "-n", str(size), sys.executable, tmp_path / "sweep.py", tmp_path], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
    one = np.load(tmp_path / "1_0.npy")
    for rank in range(3):
        assert (np.load(tmp_path / f"3_{rank}.npy") == one).all()
    assert pathlib.Path(tmp_path / "3_2.npy").exists() and np.ptp(one[:, :, 1].min(axis=1)) > 0
