"""Recordings, the page that shows them, plots and adapters."""
import json
import re
import shutil
import subprocess
import sys
import types

import numpy as np
import pytest

import pliant


@pytest.fixture(scope="module")
def recording(root):
    with pliant.Scene.load(root / "scenes/solid-examples/scene.json").build() as world:
        return world.record(40)


def test_a_recording_has_everything(recording, tmp_path):
    assert len(recording) == 40 and recording.surfaces["twist"].shape[0] == 40 and recording.examples["twist"] == ["twist"]
    assert recording.weights["twist"].shape == (40, 1) and recording.weights["twist"].max() > 0.1 and recording.energies["kinetic"].max() > 0
    saved = np.load(recording.save(tmp_path / "frames.npz"))
    assert (saved["surface/twist"] == recording.surfaces["twist"]).all() and (saved["times"] == recording.times).all()
    with pytest.raises(ValueError):
        recording.save(tmp_path / "frames.txt")
    with pytest.raises(ValueError):
        pliant.Recording(60).finish().page()


def test_the_page_needs_nothing_else(recording, tmp_path):
    page = recording.save(tmp_path / "view.html").read_text()
    assert not re.search(r"(src|href)\s*=|https?:|import\s", page)
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
    assert data["frame_count"] == 40 and data["point_count"] == sum(s.shape[1] for s in recording.surfaces.values())
    assert recording._repr_html_().startswith("<iframe srcdoc=")


@pytest.mark.skipif(not shutil.which("chromium"), reason="no chromium")
def test_the_page_draws(recording, tmp_path):
    page = recording.save(tmp_path / "view.html")
    command = ["chromium", "--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
               "--virtual-time-budget=2000", "--dump-dom", page.as_uri()]
    dumped = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
    assert int(re.search(r'data-drawn="(\d+)"', dumped)[1]) > 1


def test_plots(recording, tmp_path):
    recording.plot(3).savefig(tmp_path / "frames.png")
    pliant.plot_weights(recording, "twist").savefig(tmp_path / "weights.png")
    assert len(pliant.plot_frames(recording, [0, 20, 39]).axes) == 3 and len(pliant.plot_frames(recording, [0, 20, 39], overlay=True).axes) == 1
    assert pliant.plot_frames(recording, [0, 39]).axes and (tmp_path / "frames.png").stat().st_size > 5000
    with pytest.raises(ValueError):
        pliant.plot_weights(recording, "none")


def test_adapters(monkeypatch, world, body):
    """Stand-ins that keep what they are given: the packages themselves need not be installed."""
    made = types.SimpleNamespace
    meshio = types.ModuleType("meshio")
    meshio.Mesh = lambda points, cells, point_data: made(points=points, cells=[made(type=k, data=v) for k, v in cells], point_data=point_data)
    pyvista = types.ModuleType("pyvista")
    pyvista.PolyData = lambda points, faces: made(points=points, faces=faces)
    rerun, logged = types.ModuleType("rerun"), []
    rerun.set_time_seconds = lambda name, time: logged.append(time)
    rerun.log = lambda path, what: logged.append((path, what))
    rerun.Mesh3D = lambda **arrays: arrays
    open3d = types.ModuleType("open3d")
    open3d.utility = made(Vector3dVector=np.array, Vector3iVector=np.array)
    open3d.geometry = made(TriangleMesh=lambda points, triangles: made(points=points, triangles=triangles, compute_vertex_normals=lambda: None))
    for module in (meshio, pyvista, rerun, open3d):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    mesh = body.model.mesh
    there = pliant.adapters.to_meshio(mesh, {"height": mesh.points[:, 1]})
    back = pliant.adapters.from_meshio(there)
    assert (back.points == mesh.points).all() and (back.tets == mesh.tets).all()
    assert pliant.adapters.to_pyvista(body).faces.reshape(-1, 4)[:, 1:].tolist() == body.triangles.tolist()
    assert (pliant.adapters.to_open3d(body).points == body.surface).all()
    pliant.adapters.log_to_rerun(world)
    assert logged[0] == world.time and logged[1][0] == "world/box"
