"""Meshes and models."""
import gc

import numpy as np
import pytest

import pliant


def test_arrays_are_views_that_outlive_the_mesh():
    mesh = pliant.Mesh.box((1, 1, 1), (2, 2, 2))
    xyz, tets = mesh.points, mesh.tets
    assert xyz.shape == (27, 3) and tets.shape[1] == 4 and not xyz.flags.owndata and not xyz.flags.writeable
    assert np.shares_memory(xyz, mesh.points)
    copy = xyz.copy()
    mesh.close()
    with pytest.raises(pliant.ClosedError):
        mesh.points
    del mesh
    gc.collect()
    junk = [pliant.Mesh.box((1, 1, 1), (2, 2, 2)) for _ in range(50)]
    assert (xyz == copy).all() and len(junk) == 50


def test_mesh_from_arrays_and_files(tmp_path, box, twisted):
    weights = np.linspace(0, 1, len(box.points)).astype(np.float32)
    mesh = pliant.Mesh(box.points, tets=box.tets, poses={"twist": twisted}, groups={"left": weights}, tags=np.arange(len(box.tets)))
    assert (mesh.poses["twist"] == twisted).all() and (mesh.groups["left"] == weights).all() and mesh.tags[-1] == len(box.tets) - 1
    mesh.save(tmp_path / "box.vtu")
    loaded = pliant.Mesh.load(tmp_path / "box.vtu")
    assert (loaded.points == box.points).all() and (loaded.tets == box.tets).all()
    surface, indices = mesh.boundary()
    assert (surface.points == mesh.points[indices]).all() and len(surface.segments) == 0
    report, findings = mesh.check()
    assert report.inverted_tet_count == 0 and report.component_count == 1 and findings == []
    assert len(surface.fill(target_point_count=200).tets) > 50
    assert list(mesh.with_poses({}).poses) == []
    assert "175 points" in repr(mesh)


@pytest.mark.parametrize("arguments, kind", [
    (dict(points=np.zeros((4, 2))), ValueError),
    (dict(points=np.zeros(12)), ValueError),
    (dict(points=[["a", "b", "c"]]), TypeError),
    (dict(points=np.zeros((4, 3), complex)), TypeError),
    (dict(points=np.full((4, 3), np.nan)), pliant.InvalidDataError),
    (dict(points=np.eye(4, 3), tets=[[0, 1, 2, 9]]), pliant.InvalidDataError),
    (dict(points=np.eye(4, 3), tets=[[0.0, 1.0, 2.0, 3.0]]), TypeError),
    (dict(points=np.eye(4, 3), tets=[[0, 1, 2, 2**40]]), ValueError),
    (dict(points=np.eye(4, 3), poses={"a": np.zeros((3, 3))}), ValueError),
    (dict(points=np.eye(4, 3), groups={"a": np.zeros(3)}), ValueError),
])
def test_wrong_arrays_are_refused(arguments, kind):
    with pytest.raises(kind):
        pliant.Mesh(**arguments)


def test_a_file_that_is_wrong_says_where(tmp_path):
    (tmp_path / "bad.obj").write_text("v 0 0 0\nv 1 zero 0\n")
    with pytest.raises(pliant.InvalidDataError) as caught:
        pliant.Mesh.load(tmp_path / "bad.obj")
    assert caught.value.line == 2 and caught.value.file.endswith("bad.obj") and caught.value.status == "PL_ERROR_INVALID_DATA"
    with pytest.raises(LookupError):
        pliant.Mesh.load(tmp_path / "missing.obj")


def test_models_take_keywords_of_the_tables(box, twisted):
    model = pliant.solid(box, stiffness=0.3, examples={"twist": twisted}, goal_rotation="paper", hold_examples=False)
    assert model.report.method == "solid" and model.report.particle_count == 175 and model.examples == ["twist"] and model.manifold_count == 1
    posed = box.with_poses({"twist": twisted})
    assert pliant.solid(posed, examples=["twist"]).examples == pliant.solid(posed, examples=True).examples == ["twist"]
    assert pliant.solid(box, examples=[twisted, twisted * 1.1]).examples == ["example 1", "example 2"]
    assert model.surface_triangles.max() + 1 == model.report.surface_point_count
    surface, _ = box.boundary()
    assert pliant.solid(box, surface=surface).report.surface_point_count == len(surface.points)
    assert pliant.fem(box, "neo-hookean", young=2e4, young_scales=np.ones(len(box.tets))).report.method == "fem"
    with pytest.raises(TypeError, match="did you mean 'stiffness'"):
        pliant.solid(box, stifness=0.3)
    with pytest.raises(ValueError, match="not one of conserving, paper"):
        pliant.solid(box, goal_rotation="wrong")
    with pytest.raises(pliant.InvalidArgumentError) as caught:
        pliant.fem(box, poisson=0.7)
    assert caught.value.field == "poisson"
    with pytest.raises(TypeError):
        pliant.solid(box, stiffness="soft")
    with pytest.raises(TypeError):
        pliant.solid(box, self_contact=1.5)
    with pytest.raises(ValueError):
        pliant.fem(box, max_newton_iterations=2**40)
    with pytest.raises(KeyError):
        pliant.solid(posed, examples=["bend"])
    with pytest.raises(ValueError):
        pliant.fem(box, young_scales=np.ones(3))


def test_energy_is_the_potential_of_the_forces(box):
    model = pliant.fem(box, "neo-hookean", young=1e4)
    rng = np.random.default_rng(1)
    pose = box.points + 0.005 * rng.standard_normal(box.points.shape)
    energy, forces = model.energy(pose)
    assert energy > 0 and np.abs(forces.sum(axis=0)).max() < 1e-9
    step = 1e-6 * rng.standard_normal(pose.shape)
    difference = (model.energy(pose + step)[0] - model.energy(pose - step)[0]) / 2
    assert difference == pytest.approx(-(forces * step).sum(), rel=1e-6)


def test_equilibrium_of_a_pulled_bar(box):
    """Uniaxial: the ends of a bar of Young's modulus E under the force F on its end move apart by F L / (E A)."""
    model = pliant.fem(box, young=1e5, poisson=0.0)
    left, right = np.flatnonzero(box.points[:, 0] < -0.149), np.flatnonzero(box.points[:, 0] > 0.149)
    fraction = np.ones(25).reshape(5, 5)
    fraction[[0, -1]] *= 0.5
    fraction[:, [0, -1]] *= 0.5
    forces = np.zeros_like(box.points)
    forces[right, 0] = 4.0 * fraction.ravel() / fraction.sum()
    found = pliant.solve(model, pinned=left, forces=forces)
    assert found.converged and found.energy > 0
    pulled = found.positions[right, 0].mean() - box.points[right, 0].mean()
    assert pulled == pytest.approx(4.0 * 0.3 / (1e5 * 0.04), rel=1e-2)
    with pytest.raises(IndexError):
        pliant.solve(model, pinned=[175])
    with pytest.raises(pliant.UnsupportedError):
        pliant.solve(pliant.solid(box), pinned=left)


def test_vibrations_of_a_bar(box):
    """Without Poisson's effect a bar held at one end stretches at c / (4 L)."""
    model = pliant.fem(box, young=1e6, poisson=0.0)
    left = np.flatnonzero(box.points[:, 0] < -0.149)
    found = pliant.modes(model, pinned=left, mode_count=8)
    assert found.converged and found.shapes.shape == (8, 175, 3) and (np.diff(found.frequencies) >= 0).all() and "Hz" in repr(found)
    expected = np.sqrt(1e6 / 1000) / (4 * 0.3)
    assert np.abs(found.frequencies / expected - 1).min() < 0.01
    assert np.abs(pliant.modes(model).frequencies).max() < 0.1, "a free body has six rigid motions"
    with pytest.raises(pliant.InvalidArgumentError):
        pliant.modes(model, mode_count=0)
    with pytest.raises(pliant.UnsupportedError):
        pliant.modes(pliant.solid(box))
