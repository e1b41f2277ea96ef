# ctest: cli
"""The parts of the Blender add-on that need no Blender: its mesh files, point caches and axes, and the parameters that it takes from the schema."""
import array
import os
import subprocess
import sys
import tempfile

source = os.environ["PLIANT_SOURCE_DIR"]
sys.path.insert(0, os.path.join(source, "blender"))
from pliant_blender import files, schema  # noqa: E402

tool = os.environ["PLIANT"]
os.chdir(tempfile.mkdtemp())

# A mesh as the tool reads it: points in their order, poses and groups under their names.
points = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.5)]
faces = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
files.write_mesh("a.vtu", points, faces, [('bent <"&>', [(x + 0.25, y, z) for x, y, z in points])], [("top & tail", [0, 0.25, 0.5, 1])])
said = subprocess.run([tool, "info", "a.vtu"], capture_output=True, text=True, check=True).stdout
for line in ("points             4", "triangles          4", "groups             1: top & tail", 'poses              1: bent <"&>', "max                1 1 1.5 m"):
    assert line in said, (line, said)
subprocess.run([tool, "convert", "a.vtu", "a.vtk"], check=True)
text = open("a.vtk").read().split()
start = text.index("POINTS") + 3
assert [float(n) for n in text[start : start + 12]] == [c for p in points for c in p]

# Point caches, there and back, and as the tool reads them.
frames = [array.array("f", (i + 0.5 * c for p in points for c in p)) for i in range(3)]
files.write_frames("a.pc2", frames, 5.0)
assert [list(f) for f in files.read_frames("a.pc2")] == [list(f) for f in frames]
said = subprocess.run([tool, "info", "a.pc2"], capture_output=True, text=True, check=True).stdout
assert "points             4" in said and "frames             3" in said, said
open("b.pc2", "wb").write(open("a.pc2", "rb").read()[:-4])
try:
    files.read_frames("b.pc2")
    raise SystemExit("a cut file is read")
except ValueError:
    pass

# Axes: a quarter turn around X, and its inverse; then into the frame of an object that is moved and scaled.
assert files.to_pliant((1, 2, 3)) == (1, 3, -2) and files.to_blender(files.to_pliant((1, 2, 3))) == (1, 2, 3)
frame = array.array("f", [c for p in points for c in files.to_pliant(p)])
inverse = ((0.5, 0, 0, -1), (0, 2, 0, 3), (0, 0, -1, 0.25), (0, 0, 0, 1))
placed = files.place(frame, inverse)
for i, (x, y, z) in enumerate(points):
    assert list(placed[3 * i : 3 * i + 3]) == [0.5 * x - 1, 2 * y + 3, -z + 0.25]

# Parameters are those of the tables: every number, switch and choice of a method, with its default and range.
tables = schema.load(os.path.join(source, "docs", "scene.schema.json"))
for method in schema.METHODS:
    entries = tables["$defs"][method]["properties"]
    found = schema.parameters(tables, method)
    assert [p.key for p in found] == [k for k in entries if k in {p.key for p in found}]
    for parameter in found:
        entry = entries[parameter.key]
        assert parameter.default == entry["default"] and parameter.about == entry["description"]
        if parameter.kind == "choice":
            assert parameter.default in parameter.choices
        elif parameter.kind != "boolean" and parameter.min is not None:
            assert parameter.min <= parameter.default <= parameter.max, parameter.key
stiffness = next(p for p in schema.parameters(tables, "solid") if p.key == "stiffness")
assert (stiffness.default, stiffness.min, stiffness.max, stiffness.min_above) == (0.5, 0, 1, True)
assert schema.supports(tables, "body", "pins") and not schema.supports(tables, "body", "pin")
assert files.safe_name("Soft Cube ä/1") == "Soft_Cube___1"
print("ok")
