#!/bin/bash
# ctest: cli once long
# Pictures of textured files as other programs write them: the colours of the texture arrive, on solid bodies and on kinematic ones.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/begin.sh"

cat >colors.py <<'PY'
# colors.py FILE: numbers of pixels near the colours of the mascot: skin, iris, white of the eye, leaf.
import struct, sys, zlib
data, place, packed = open(sys.argv[1], "rb").read(), 8, b""
while place < len(data):
    size, kind = struct.unpack(">I4s", data[place:place + 8])
    body = data[place + 8:place + 8 + size]
    if kind == b"IHDR":
        width, height = struct.unpack(">II", body[:8])
    if kind == b"IDAT":
        packed += body
    place += 12 + size
raw, rows, stride = bytearray(zlib.decompress(packed)), [], 3 * width
before = bytearray(stride)
for y in range(height):
    kind, row = raw[y * (stride + 1)], raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)]
    for i in range(stride):
        a, b, c = row[i - 3] if i > 2 else 0, before[i], before[i - 3] if i > 2 else 0
        p = a + b - c
        paeth = a if abs(p - a) <= abs(p - b) and abs(p - a) <= abs(p - c) else b if abs(p - b) <= abs(p - c) else c
        row[i] = (row[i] + (0, a, b, (a + b) // 2, paeth)[kind]) & 255
    rows.append(row)
    before = row
def count(near):
    return sum(near(*row[i:i + 3]) for row in rows for i in range(0, stride, 3))
print(count(lambda r, g, b: r > 190 and r - b > 45 and g > 130), count(lambda r, g, b: max(r, g, b) < 75), count(lambda r, g, b: g - r > 25 and g - b > 25))
PY

draw() { # FILE BODY: picture.png of a body made of FILE
  cat >scene.json <<JSON
{"pliant": 1, "name": "mascot", "time": {"frames": 2}, "gravity": [0, 0, 0], "meshes": {"m": {"file": "$1"}},
 "bodies": [$2], "colliders": [{"shape": "half_space", "position": [0, -0.6, 0]}], "lighting": {"sun": [0.1, 0.5, 1]}}
JSON
  expect 0 run scene.json -o drawn --format none --picture picture.png --size 200x200 --view 0,0
  python3 colors.py picture.png
}

for dialect in blender vroid vrm0; do
  python3 "$here/make_textured.py" $dialect $dialect.glb
  for body in '{"name": "solid", "mesh": "m", "tets": {"points": 200}}' '{"name": "moved", "method": "kinematic", "kinematic": {"character": "'$dialect'.glb"}}'; do
    echo "$dialect: a face with eyes, and a leaf with holes: $body"
    read -r skin dark leaf < <(draw $dialect.glb "$body")
    [ "$skin" -gt 2500 ] && [ "$dark" -gt 60 ] && [ "$dark" -lt 3000 ] && [ "$leaf" -gt 100 ] && [ "$leaf" -lt 2000 ] || fail "$skin pixels of skin, $dark dark, $leaf of the leaf"
  done
done

echo "maps of normals, metal, roughness, occlusion and emission each change the picture"
python3 "$here/make_textured.py" maps maps.glb
draw maps.glb '{"name": "maps", "mesh": "m", "tets": {"points": 200}}' >numbers
cp picture.png all.png
for map in normalTexture occlusionTexture emissiveTexture metallicRoughnessTexture; do
  # Another key of the same length: the map is not there.
  sed "s/\"$map\"/\"x${map:1}\"/" maps.glb >without.glb
  draw without.glb '{"name": "maps", "mesh": "m", "tets": {"points": 200}}' >numbers
  cmp -s picture.png all.png && fail "$map changes nothing"
done

echo "the scene's colour and preset come first"
read -r skin dark leaf < <(draw blender.glb '{"name": "blue", "mesh": "m", "tets": {"points": 200}, "color": "#2040d0"}')
[ "$skin" -lt 50 ] && [ "$leaf" -lt 50 ] || fail "$skin pixels of skin, $leaf of the leaf"
cp picture.png plain.png
draw blender.glb '{"name": "blue", "mesh": "m", "tets": {"points": 200}, "color": "#2040d0", "appearance": "metal"}' >numbers
cmp -s picture.png plain.png && fail "a preset changes nothing"

echo "colours of vertices, unlit"
python3 "$here/make_textured.py" unlit unlit.glb
read -r skin dark leaf < <(draw unlit.glb '{"name": "unlit", "mesh": "m", "tets": {"points": 200}}')
[ "$skin" -gt 2500 ] || fail "$skin pixels of skin"

echo "--view looks from all sides, and refuses what is not a direction"
expect 0 run scene.json -o drawn --format none --picture back.png --size 200x200 --view 180,0
cmp -s picture.png back.png && fail "the same from behind"
expect 2 run scene.json -o drawn --format none --picture --view 10
expect 2 run scene.json -o drawn --format none --picture --view 0,100

echo "strength of sun and sky, and the background, by keys of the scene"
for override in lighting.sun_strength=0 lighting.sky_strength=0.2 'lighting.background_top="#102040"'; do
  expect 0 run scene.json --set "$override" --set 'bodies[0].appearance=clay' -o drawn --format none --picture other.png --size 200x200 --view 0,0
  cmp -s picture.png other.png && fail "$override changes nothing"
done

echo "films for pages"
if command -v ffmpeg >/dev/null; then
  for ending in gif webp; do
    expect 0 run scene.json -o drawn --format none --video film.$ending --size 64x64
    [ -s film.$ending ] || fail "no film.$ending"
  done
  [ "$(head -c 3 film.gif)" = GIF ] && [ "$(tail -c +9 film.webp | head -c 4)" = WEBP ] || fail "formats of the films"
fi
