#!/bin/bash
# ctest: cli once
# pliant sense and pliant track: a body of a scene is captured and followed; the truth, resuming, lost tracks and wrong use.
. "$(dirname "$0")/begin.sh"

cat >scene.json <<'JSON'
{
  "pliant": 1,
  "name": "beam",
  "time": {"step": 0.008333333333, "frame_rate": 30, "frames": 12, "warm_up": 0.5},
  "meshes": {"beam": {"box": {"size": [0.4, 0.08, 0.08], "cells": [20, 4, 4]}}},
  "bodies": [
    {"name": "beam", "mesh": "beam", "method": "fem", "fem": {"young": 300000, "mass_damping": 1}, "collides": false,
     "pins": [{"within": {"min": [-0.21, -0.1, -0.1], "max": [-0.19, 0.1, 0.1]}},
              {"within": {"min": [0.19, -0.1, -0.1], "max": [0.21, 0.1, 0.1]}, "until": 0.1, "keys": [{"time": 0}, {"time": 0.1, "position": [0, -0.03, 0.01]}]}]}
  ],
  "colliders": [{"name": "post", "shape": "capsule", "radius": 0.01, "half_length": 0.3, "position": [0.05, 0, 0.2]}]
}
JSON

echo "a capture has its pictures, the body at rest, what is held and the truth"
expect 0 sense scene.json -o shot --frames 6 --size 160x120 --start 0.1
for file in capture.json camera1/depth_0001.png camera3/depth_0006.png static.vtu surface.ply rest.vtu held.csv truth_points.pc2 truth_surface.pc2 truth_young.csv; do
  [ -s "shot/$file" ] || fail "no $file"
done
[ "$(wc -l <shot/held.csv)" = 26 ] || fail "25 points are held"
[ "$(sort -u shot/truth_young.csv | tr '\n' ' ')" = "300000 young " ] || fail "moduli of the tets: $(sort -u shot/truth_young.csv)"
grep -q "6 frames at 30/s" err || fail "frames are not told"

echo "the same scene gives the same pictures for any number of threads, another seed others"
expect 0 sense scene.json -o again --frames 6 --size 160x120 --start 0.1 --threads 3
cmp shot/camera2/depth_0002.png again/camera2/depth_0002.png || fail "pictures differ"
expect 0 sense scene.json -o other --frames 6 --size 160x120 --start 0.1 --seed 2
! cmp -s shot/camera2/depth_0002.png other/camera2/depth_0002.png || fail "pictures do not differ"

echo "what is held until it rests is at rest in the first frames, and moves without that"
# moved FOLDER: largest distance of a point between the first two frames, in micrometres
moved() {
  python3 - "$1/truth_points.pc2" <<'PY'
import math, struct, sys
data = open(sys.argv[1], "rb").read()
count, = struct.unpack_from("<i", data, 16)
a, b = (struct.unpack_from(f"<{3 * count}f", data, 32 + 12 * count * f) for f in (0, 1))
print(int(1e6 * max(math.dist(a[3 * i:3 * i + 3], b[3 * i:3 * i + 3]) for i in range(count))))
PY
}
held=(sense scene.json --frames 2 --size 80x60 --rate 120 --start 0.07 --set time.warm_up=0
  --set 'bodies[0].pins[1].keys=[{"time":0},{"time":0.05,"position":[0,-0.03,0.01]}]')
expect 0 "${held[@]}" -o held
expect 0 "${held[@]}" -o rested --settle 0.06
[ "$(moved held)" -gt 300 ] || fail "the beam is at rest by itself: $(moved held) um"
[ "$(moved rested)" -lt 10 ] || fail "the beam is not at rest: $(moved rested) um"

echo "the body is tracked to within the noise"
follow=(track shot shot/static.vtu --hold shot/held.csv --young 1e5)
expect 0 "${follow[@]}" -o whole --truth shot/truth_surface.pc2 --format pc2,vtu,csv
grep -q "points: .* per frame" err || fail "points are not told"
grep -q "invalid: .* % of the pixels" err || fail "pixels are not told"
[ "$(wc -l <whole/residuals.csv)" = 7 ] || fail "a row per frame"
for file in track_points.pc2 track_surface.pc2 track_points.pvd track_points.csv; do
  [ -s "whole/$file" ] || fail "no $file"
done
awk -F, 'NR > 1 && !($21 < 0.003) { bad = 1 } END { exit bad }' whole/residuals.csv || fail "errors are larger than 3 mm: $(cat whole/residuals.csv)"
[ ! -e whole/track.resume ] || fail "what is only for resuming is left"

echo "an interrupted track continues to the same bytes"
expect 0 "${follow[@]}" -o parts --frames 6
"$PLIANT" "${follow[@]}" -o killed >/dev/null 2>&1 &
while kill -0 $! 2>/dev/null && [ ! -s killed/track.resume ]; do sleep 0.02; done  # one that is at its end already is as good
kill -9 $! 2>/dev/null || true
wait $! 2>/dev/null || true
if [ -s killed/track.resume ]; then expect 0 "${follow[@]}" -o killed --resume --threads 2; fi
cmp parts/track_points.pc2 killed/track_points.pc2 || fail "the resumed track differs"
expect 1 "${follow[@]}" -o parts --resume
grep -q "no unfinished track" err || fail "nothing to resume is not told"

echo "clouds work too, without cameras"
expect 0 sense scene.json -o clouds --frames 3 --size 160x120 --start 0.1 --clouds --outliers 0
expect 0 track clouds/capture.json clouds/static.vtu --hold -0.21,-1,-1,-0.19,1,1 -o from-clouds --truth clouds/truth_surface.pc2
awk -F, 'NR > 1 && !($21 < 0.006) { bad = 1 } END { exit bad }' from-clouds/residuals.csv || fail "errors are large: $(cat from-clouds/residuals.csv)"

echo "an empty frame and a lost one are warnings and exit status 3"
printf 'ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\nproperty float z\nend_header\n' >clouds/clouds/cloud_0002.ply
expect 3 track clouds clouds/static.vtu --hold clouds/held.csv -o holes
grep -q "frame 1: 0 points near the body (0 in all), fewer than the 30" err || fail "the empty frame is not told"
python3 -c "
n = 4000
print('ply\nformat ascii 1.0\nelement vertex', n, '\nproperty float x\nproperty float y\nproperty float z\nend_header')
for i in range(n): print(-0.3 + 0.6 * (i % 80) / 80, -0.17, -0.2 + 0.4 * (i // 80) / 50)" >clouds/clouds/cloud_0003.ply
expect 3 track clouds clouds/static.vtu --hold clouds/held.csv -o lost
grep -q "the track was lost in 1 of 3 frames" err || fail "the lost frame is not told"

echo "millimetres are suspected, and mistakes are reported"
python3 -c "
print(*('%d %d %d' % (1000 * i % 90000, 37 * i % 80000, i) for i in range(500)), sep='\n')" >far.xyz
echo '{"clouds": "far.xyz", "rate": 30}' >far.json
expect 3 track far.json shot/static.vtu -o far
grep -q "units" err || fail "millimetres are not suspected"
python3 -c "
for i in range(500): print(0.3 * (i % 20) / 20, 0.2 * (i // 20) / 25, 0)
for i in range(5): print(1000 + i, 70, -300)" >stray.xyz
echo '{"clouds": "stray.xyz", "rate": 30}' >stray.json
expect 0 info stray.json
! grep -q "units" err || fail "five far points of 505 make millimetres of metres"
expect 1 track shot shot/static.vtu --hold no-such-file -o x
expect 1 track shot shot/static.vtu --truth clouds/truth_surface.pc2 -o x
expect 1 track shot no-such-mesh.vtu -o x
expect 1 track shot/static.vtu shot/static.vtu -o x
expect 2 track shot -o x
expect 1 sense scene.json --body nobody -o x
expect 2 sense scene.json --outliers 2 -o x
sed 's/"rotation": \[[^]]*\]/"rotation": [1, 1, 1, 1]/' shot/capture.json >shot/bent.json
expect 1 track shot/bent.json shot/static.vtu -o x
grep -q "rotation" err || fail "a camera's matrix that is none is not told"

echo "a body that is not the filmed one is doubted in every frame, although all frames are alike"
for size in 0.4,0.14,0.08/20,6,4 0.4,0.04,0.04/20,2,2 0.28,0.08,0.08/14,4,4; do
  sed -e 's|"size": \[[^]]*\], "cells": \[[^]]*\]|"size": ['"${size%/*}"'], "cells": ['"${size#*/}"']|' -e 's/"within": {[^}]*}/"particles": [0, 1, 2]/g' scene.json >other.json
  expect 0 sense other.json -o other --frames 1 --size 80x60
  expect 3 track shot other/rest.vtu -o wrong
  [ "$(grep -c "may not be the filmed one" err)" = 6 ] || fail "the body of $size is not doubted"
done

echo "nothing matched is not a residual of 0, and too few points are given as the cause"
python3 -c "
for i in range(12): print(0.01 * i, 0, 0)" >few.xyz
echo '{"clouds": "few.xyz", "rate": 30}' >few.json
expect 3 track few.json shot/static.vtu -o few
grep -q "12 points near the body (12 in all), fewer than the 30 that a frame needs" err || fail "30 points are not mentioned"
grep -q "no point was matched" err || fail "a residual of nothing"
! grep -q "residual:  0 mm" err || fail "a residual of 0 mm of nothing"

echo "info knows clouds and captures"
for file in few.xyz few.json shot shot/capture.json; do expect 0 info $file; done
grep -q "^kind  *capture" out || fail "the capture is not known"
expect 0 info few.xyz
grep -q "^points  *12" out || fail "the cloud has 12 points"
printf '# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 2\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 2\nDATA ascii\n0 0 0\n1 2 3\n' >two.pcd
expect 0 info two.pcd
grep -q "^points  *2" out || fail "the cloud has 2 points"
python3 - <<'PYTHON'
import io, struct, zipfile
def npy(rows):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 3), }" % len(rows)
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + b"".join(struct.pack("<3f", *row) for row in rows)
rows = [(0.01 * i, 0.02, 0.03) for i in range(5)]
open("five.npy", "wb").write(npy(rows))
with zipfile.ZipFile("five.npz", "w") as file:
    file.writestr("points.npy", npy(rows))
open("five.ply", "w").write("ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\nend_header\n" + "".join("%g %g %g\n" % row for row in rows))
PYTHON
for file in five.npy five.npz five.ply; do
  expect 0 info $file
  grep -q "^points  *5" out || fail "$file has 5 points: $(cat out)"
done

echo "a beam of 10 cm is filmed from outside the blind range, and one frame does not hold all of it"
sed -e 's/"size": \[0.4, 0.08, 0.08\]/"size": [0.1, 0.02, 0.02]/' -e 's/\[-0.21, -0.1, -0.1\]/[-0.051, -0.1, -0.1]/; s/\[-0.19, 0.1, 0.1\]/[-0.049, 0.1, 0.1]/' \
  -e 's/\[0.19, -0.1, -0.1\]/[0.049, -0.1, -0.1]/; s/\[0.21, 0.1, 0.1\]/[0.051, 0.1, 0.1]/; s/"colliders": .*\]$/"colliders": []/' scene.json >small.json
expect 0 sense small.json -o small --frames 1 --size 160x120
[ "$(sed -n 's/^points: *\([0-9]*\) per frame.*/\1/p' err)" -gt 100 ] || fail "the beam of 10 cm is not filmed: $(cat err)"
[ "$(wc -l <small/held.csv)" = 26 ] || fail "$(wc -l <small/held.csv) lines of held points instead of 26"
expect 0 sense small.json -o still --frames 1 --size 80x60 --set gravity=[0,0,0] --set 'bodies[0].pins[1].keys=[{"time":0}]'
grep -q "no point of the body moves, so held.csv has all" err || fail "a body that does not move is not told: $(cat err)"
expect 1 sense small.json -o none --frames 2 --size 160x120 --dropout 1
grep -q "measured no point of the body" err || fail "an empty capture is not told"

echo "capture without held points fails before it tracks, in words of the command line"
expect 1 capture shot/static.vtu shot -o unheld
grep -q -- "--hold" err && ! grep -q "tracked" err || fail "not told at once what is missing"

echo "a folder of Open3D is a capture of one camera"
mkdir -p open3d/depth
cp shot/camera1/*.png open3d/depth
echo '{"width": 160, "height": 120, "intrinsic_matrix": [131.25, 0, 0, 0, 131.25, 0, 79.5, 59.5, 1]}' >open3d/camera_intrinsic.json
expect 0 info open3d
grep -q "^frames  *6" out && grep -q "^cameras  *1" out || fail "the folder of Open3D is not read"
sed -i 's/131.25, 0, 0/-1, 0, 0/' open3d/camera_intrinsic.json
expect 1 info open3d

echo "a mesh is made of the first cloud, and tracked"
expect 0 sense scene.json -o all-around --frames 3 --size 240x180 --start 0.1 --cameras 5 --set colliders=[]
expect 0 mesh all-around -o cloud.ply
grep -q "triangles, closed" err || fail "the beam is not a closed surface"
expect 0 track all-around cloud.ply --points 300 --hold=-0.21,-1,-1,-0.185,1,1 -o from-first-cloud
awk -F, 'NR > 1 && !($6 < 0.003 && $7 > 0.8) { bad = 1 } END { exit bad }' from-first-cloud/residuals.csv || fail "not tracked: $(cat from-first-cloud/residuals.csv)"
expect 0 mesh all-around -o cloud.vtu --points 200
expect 2 mesh shot/surface.ply -o cloud.ply
expect 1 mesh clouds -o cloud.ply
grep -q "without cameras" err || fail "a cloud without cameras"

echo "a surface is tracked as a shell"
python3 - <<'PYTHON'
import math, random
random.seed(3)
nx, nz = 16, 10
with open("sheet.obj", "w") as file:
    for j in range(nz + 1):
        for i in range(nx + 1):
            file.write("v %.9g 0 %.9g\n" % (0.3 * i / nx, 0.2 * j / nz - 0.1))
    for j in range(nz):
        for i in range(nx):
            a = 1 + j * (nx + 1) + i
            b, c, d = a + 1, a + nx + 1, a + nx + 2
            for t in (((a, c, b), (b, c, d)) if (i + j) % 2 == 0 else ((a, c, d), (a, d, b))):
                file.write("f %d %d %d\n" % t)
for f in range(3):
    k = 1.2 + 0.4 * f
    with open("sheet_%d.xyz" % f, "w") as file:
        for _ in range(2500):
            s, z = 0.3 * random.random(), 0.2 * random.random() - 0.1
            e = random.gauss(0, 0.001)
            file.write("%.6f %.6f %.6f\n" % (math.sin(k * s) / k - e * math.sin(k * s), (1 - math.cos(k * s)) / k + e * math.cos(k * s), z))
PYTHON
echo '{"clouds": "sheet_*.xyz", "rate": 30}' >sheet.json
expect 0 track sheet.json sheet.obj --thickness 0.001 --hold=-1,-1,-1,0.001,1,1 --noise 0.001 --format obj -o sheet
grep -q "187 points in a shell, 11 held" err || fail "the shell is not told"
awk -F, 'NR > 1 && !($6 < 0.0015 && $7 > 0.9) { bad = 1 } END { exit bad }' sheet/residuals.csv || fail "the shell is not tracked: $(cat sheet/residuals.csv)"
python3 - <<'PYTHON' || fail "the tip of the shell is elsewhere"
import glob, math, sys
last = sorted(glob.glob("sheet/track_surface*.obj"))[-1]
points = [tuple(map(float, line.split()[1:4])) for line in open(last) if line.startswith("v ")]
tip = points[16 + 5 * 17]
k = 2.0
sys.exit(math.dist(tip, (math.sin(0.3 * k) / k, (1 - math.cos(0.3 * k)) / k, 0)) > 0.003)
PYTHON
expect 1 track shot shot/static.vtu --thickness 0.001 -o x
grep -q -- "--thickness is for a MESH of triangles" err || fail "tets as a shell"

echo "a mesh that lies elsewhere is aligned with the first cloud"
expect 0 convert shot/static.vtu static.mesh
python3 - <<'PYTHON'
import math
lines = open("static.mesh").read().split("\n")
at = lines.index("Vertices")
count = int(lines[at + 1])
c, s = math.cos(2.2), math.sin(2.2)
for i in range(at + 2, at + 2 + count):
    x, y, z, tag = lines[i].split()
    x, y, z = float(x), float(y), float(z)
    x, y = c * x - s * y, s * x + c * y
    y, z = c * y - s * z, s * y + c * z
    lines[i] = "%.17g %.17g %.17g %s" % (x + 1.5, y - 0.7, z + 0.3, tag)
open("elsewhere.mesh", "w").write("\n".join(lines))
PYTHON
expect 3 track shot elsewhere.mesh -o far-away
grep -q "lie 1..* m from the mesh; move it there, or give --align" err || fail "a mesh that lies elsewhere is not told: $(cat err)"
sed 's/"depth_scale": 0.0001/"depth_scale": 0.001/g' shot/capture.json >shot/tenfold.json
expect 3 track shot/tenfold.json elsewhere.mesh --align -o far-away --frames 1
grep -q "extend over .* m, the mesh over 0.5.* m; check the units" err || fail "tenfold depths are not told: $(cat err)"
expect 3 capture shot/static.vtu shot/tenfold.json --hold shot/held.csv --rounds 1 --max-iterations 1 --no-warm-start -o far-capture
grep -q "check the units" err || fail "tenfold depths are not told by capture: $(cat err)"
expect 0 track shot elsewhere.mesh --align -o aligned
grep -q "^aligned" err || fail "the alignment is not reported"
awk -F, 'NR > 1 && !($6 < 0.0025 && $7 > 0.85) { bad = 1 } END { exit bad }' aligned/residuals.csv || fail "not aligned: $(cat aligned/residuals.csv)"
