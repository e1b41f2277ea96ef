"""Numbers that the tool writes, as Python sees them."""
import csv
import zipfile

import numpy as np
import pytest

import pliant


def table(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return {name: np.array([float(row[i]) for row in rows[1:]]) for i, name in enumerate(rows[0])}


@pytest.fixture(scope="module")
def run(tool, root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    tool("run", root / "scenes/solid-examples/scene.json", "--frames", 20, "--format", "npz", "-o", folder)
    with pliant.Scene.load(root / "scenes/solid-examples/scene.json").build() as world:
        return folder, world.record(20)


def test_npz_frames_are_arrays(run):
    folder, recording = run
    assert zipfile.ZipFile(folder / "twist.npz").testzip() is None
    arrays = np.load(folder / "twist.npz")
    assert sorted(arrays) == ["positions", "tets", "times", "triangles", "velocities"]
    assert (arrays["positions"] == recording.surfaces["twist"]).all() and (arrays["triangles"] == recording.triangles["twist"]).all()
    assert arrays["times"] == pytest.approx(np.arange(20) / 60) and arrays["tets"].shape == (0, 4)
    moved = np.gradient(arrays["positions"], 1 / 60, axis=0)
    assert arrays["velocities"] == pytest.approx(moved, abs=1e-5)


def test_weights_and_energies_of_every_frame(run):
    folder, recording = run
    weights, energy = table(folder / "weights.csv"), table(folder / "energy.csv")
    assert (weights["twist/twist"] == recording.weights["twist"][:, 0]).all() and list(weights)[:2] == ["frame", "time"]
    kinetic = sum(values for name, values in energy.items() if name.endswith("/kinetic"))
    assert kinetic == pytest.approx(recording.energies["kinetic"]) and len(energy["contacts"]) == 20


def test_a_finite_element_run_has_elastic_energy(tool, root, tmp_path):
    tool("run", root / "scenes/fem-curves/scene.json", "--frames", 4, "--format", "pc2", "-o", tmp_path)
    energy = table(tmp_path / "energy.csv")
    assert max(values.max() for name, values in energy.items() if name.endswith("/elastic")) > 0
    assert not (tmp_path / "weights.csv").exists()


def test_vtu_frames_carry_fields(tool, root, tmp_path):
    """Read by a few lines here: offsets of raw arrays after the XML."""
    import re
    tool("run", root / "scenes/solid-examples/scene.json", "--frames", 15, "--format", "vtu", "-o", tmp_path)
    data = (tmp_path / "twist_0015.vtu").read_bytes()
    start = data.index(b'encoding="raw">\n_') + len(b'encoding="raw">\n_')

    def field(name):
        offset = start + int(re.search(rb'Name="%s"[^>]*offset="(\d+)"' % name, data)[1])
        size = int.from_bytes(data[offset:offset + 8], "little")
        return np.frombuffer(data[offset + 8:offset + 8 + size])
    with pliant.Scene.load(root / "scenes/solid-examples/scene.json").build() as world:
        body = world.bodies["twist"]
        begin = body.positions.copy()
        for _ in world.frames(15):
            pass
        assert (field(b"Points").reshape(-1, 3) == body.positions).all() and (field(b"velocity").reshape(-1, 3) == body.velocities).all()
        assert (field(b"displacement").reshape(-1, 3) == body.positions - begin).all()
        mesh = body.model.mesh

        def volumes(xyz):
            corners = xyz[mesh.tets]
            return np.linalg.det(corners[:, 1:] - corners[:, :1])
        assert field(b"J") == pytest.approx(volumes(body.positions) / volumes(mesh.points), rel=1e-9)
        assert np.abs(field(b"J") - 1).max() > 0.05
