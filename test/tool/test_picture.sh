#!/bin/bash
# ctest: cli once
# Pictures and videos of a run, and of the gallery.
set -eu
. "$(dirname "$0")/small_scene.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
small_scene scene.json 6
sed -i 's/"colliders"/"camera": {"eye": [2, 1, 3], "target": [0, 0.5, 0]},\n  "colliders"/' scene.json

fail() {
  echo "FAILED: $*" >&2
  cat err >&2
  exit 1
}

# Width, height and number of different colours of an 8-bit RGB PNG.
cat >png.py <<'PY'
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n"
place, packed = 8, b""
while place < len(data):
    size, kind = struct.unpack(">I4s", data[place:place + 8])
    body = data[place + 8:place + 8 + size]
    if kind == b"IHDR":
        width, height, depth, color = struct.unpack(">IIBB", body[:10])
    if kind == b"IDAT":
        packed += body
    place += 12 + size
raw = zlib.decompress(packed)
assert (depth, color) == (8, 2) and len(raw) == height * (1 + 3 * width)
print(width, height, len(set(raw)))
PY

echo "--picture draws the last frame in the size asked for, and not a blank one"
"$PLIANT" run scene.json -o drawn --format none --picture --size 320x200 2>err || fail "run"
read -r width height bytes < <(python3 png.py drawn/picture.png)
[ "$width $height" = "320 200" ] || fail "size $width x $height"
[ "$bytes" -gt 20 ] || fail "blank picture"

echo "--picture takes a name, with = or as the next word"
"$PLIANT" run scene.json -o drawn --format none --picture=one.png --size 64x64 2>err || fail "run"
"$PLIANT" run --picture two.png scene.json -o drawn --format none --size 64x64 2>err || fail "run"
cmp one.png two.png || fail "pictures differ"

echo "--strip draws several frames side by side"
"$PLIANT" run scene.json -o drawn --format none --strip 3 --size 64x48 --picture=strip.png 2>err || fail "run"
read -r width height bytes < <(python3 png.py strip.png)
[ "$width $height" = "192 48" ] || fail "strip of $width x $height"
[ "$bytes" -gt 20 ] || fail "blank strip"

echo "--strip-times chooses the frames: those of an even strip give the same picture"
"$PLIANT" run scene.json -o drawn --format none --strip-times 0,0.04,0.1 --size 64x48 --picture=times.png 2>err || fail "run"
"$PLIANT" run scene.json -o drawn --format none --strip 3 --size 64x48 --picture=strip.png 2>err || fail "run"
cmp times.png strip.png || fail "strips differ"
"$PLIANT" run scene.json -o drawn --format none --strip-times 0.1,0 --size 64x48 --picture=back.png 2>err || fail "run"
cmp -s times.png back.png && fail "the order of the times has no effect"

echo "--title, --checker and --overlay change the picture"
for option in "--title Other" "--checker 0.2" "--fixed-camera" "--overlay"; do
  "$PLIANT" run scene.json -o drawn --format none --strip 3 $option --size 64x48 --picture=other.png 2>err || fail "run $option"
  cmp -s other.png strip.png && fail "$option has no effect"
done
"$PLIANT" run scene.json -o drawn --format none --fixed-camera --size 64x48 --picture=still.png 2>err || fail "run"
"$PLIANT" run scene.json -o drawn --format none --size 64x48 --picture=moving.png 2>err || fail "run"
cmp -s still.png moving.png && fail "--fixed-camera has no effect on a single picture"
read -r width height bytes < <(python3 png.py other.png)
[ "$width $height" = "64 48" ] || fail "overlay of $width x $height"

echo "wrong strips are refused before anything is simulated, with the reason"
refused() {
  code=0
  "$PLIANT" run scene.json -o refused --format none "${@:3}" 2>err || code=$?
  [ $code = "$1" ] && grep -qF -- "$2" err && [ ! -e refused/picture.png ] || fail "${*:3}: exit $code"
}
refused 2 "--strip and --strip-times exclude each other" --strip 3 --strip-times 0,0.1
refused 2 "--strip-times needs 1 to 24 times in seconds" --strip-times 0,soon
refused 2 "--strip-times needs 1 to 24 times in seconds" --strip-times 0,
refused 2 "--strip-times needs 1 to 24 times in seconds" --strip-times -1
refused 2 "--overlay needs the frames to draw" --overlay
refused 1 "--strip-times has 0.2 s, but the run ends at 0.1 s" --strip-times 0,0.2

echo "a run that is resumed keeps the choices of its picture"
code=0
"$PLIANT" run scene.json -o chosen --format none --strip-times 0,0.1 --fixed-camera --overlay --checker 0.2 --title "Two boxes" --size 64x48 --picture=later/x.png 2>err || code=$?
[ $code = 1 ] || fail "exit $code"
mkdir later
"$PLIANT" run --resume chosen 2>err || fail "resume"
"$PLIANT" run scene.json -o drawn --format none --strip-times 0,0.1 --overlay --checker 0.2 --title "Two boxes" --size 64x48 --picture=now.png 2>err || fail "run"
cmp later/x.png now.png || fail "picture after resuming"

echo "a picture that cannot be written is a failure, and the run can continue from there"
code=0
"$PLIANT" run scene.json -o kept --format none --picture=nowhere/x.png --size 64x64 2>err || code=$?
[ $code = 1 ] && grep -q "nowhere/x.png: error: " err && [ -f kept/pliant.checkpoint ] || fail "exit $code: $(ls kept)"
mkdir nowhere
"$PLIANT" run --resume kept 2>err || fail "resume"
cmp nowhere/x.png one.png || fail "picture after resuming"

if command -v ffmpeg >/dev/null && command -v ffprobe >/dev/null; then
  echo "--video writes an MP4 of all frames"
  "$PLIANT" run scene.json -o drawn --format none --video --size 160x96 2>err || fail "run"
  found=$(ffprobe -v error -count_frames -select_streams v -show_entries stream=width,height,nb_read_frames -of csv=p=0 drawn/video.mp4)
  [ "$found" = "160,96,6" ] || fail "video: $found"
fi

echo "without ffmpeg a video is refused before anything is simulated"
code=0
PATH=$scratch "$PLIANT" run scene.json -o none --format none --video 2>err || code=$?
[ $code = 1 ] && grep -q "ffmpeg is not installed" err && [ -z "$(ls none)" ] || fail "no ffmpeg: exit $code"

echo "demo: the gallery is listed, a scene of it becomes frames and a picture"
mkdir -p gallery/falls gallery/empty
cp scene.json gallery/falls/scene.json
export PLIANT_SCENES=$scratch/gallery
"$PLIANT" demo --list >list 2>err || fail "list"
grep -qE '^falls +A small soft box falls\.$' list || fail "list: $(cat list)"
"$PLIANT" demo falls -o shown --frames 3 --size 64x64 --hash >hash 2>err || fail "demo"
[ "$(ls shown/falls | tr '\n' ' ')" = "energy.csv first.glb first.pc2 picture.png second_001.glb second_001.pc2 second_002.glb second_002.pc2 " ] ||
  fail "files: $(ls shown/falls)"
"$PLIANT" demo -o all --frames 2 --format none --size 64x64 2>err || fail "demo of everything"
[ -f all/falls/picture.png ] || fail "no picture"
code=0
"$PLIANT" demo fals 2>err || code=$?
[ $code = 2 ] && grep -q "did you mean falls?" err || fail "suggestion"

echo "the scenes that come with the tool are sound"
unset PLIANT_SCENES
"$PLIANT" demo --list >list 2>err || fail "list"
[ "$(wc -l <list)" -ge 1 ] || fail "no scenes"
