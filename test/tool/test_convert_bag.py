# ctest: cli once
"""scripts/convert_bag.py: depth pictures of bags with plain, bz2 and lz4 chunks become the capture they were, and damaged bags are refused."""
import bz2
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import zlib

TOOL = os.environ["PLIANT"]
SCRIPT = pathlib.Path(os.environ["PLIANT_SOURCE_DIR"]) / "scripts/convert_bag.py"
WIDTH, HEIGHT, FRAMES, UNIT = 32, 24, 3, 0.0005


def fields(**values):
    return b"".join(struct.pack("<I", len(k) + 1 + len(v)) + k.encode() + b"=" + v for k, v in values.items())


def record(data, **values):
    head = fields(**values)
    return struct.pack("<I", len(head)) + head + struct.pack("<I", len(data)) + data


def text(value):
    return struct.pack("<I", len(value)) + value.encode()


def header(seconds):
    return struct.pack("<III", 0, int(seconds), round(1e9 * (seconds % 1))) + text("camera")


def lz4(data):
    """A frame of two linked blocks: the first plain, the second with matches for runs of two bytes and into the first."""
    half = len(data) // 2
    first, second, out, at = data[:half], data[half:], bytearray(), 0
    length = lambda n, of: b"" if n < of else bytes([255] * ((n - of) // 255) + [(n - of) % 255])
    literals = bytearray()
    while at < len(second) - 12:
        run = 0
        whole = first + second
        place = half + at
        while run < len(second) - 5 - at and whole[place + run] == whole[place + run - 2]:
            run += 1
        if run < 8:
            literals.append(second[at])
            at += 1
            continue
        out.append(min(15, len(literals)) << 4 | min(15, run - 4))
        out += length(len(literals), 15) + literals + struct.pack("<H", 2) + length(run - 4, 15)
        literals.clear()
        at += run
    literals += second[at:]
    out.append(min(15, len(literals)) << 4)
    out += length(len(literals), 15) + literals
    return b"\x04\x22\x4d\x18\x40\x40\0" + struct.pack("<I", len(first) | 1 << 31) + first + struct.pack("<I", len(out)) + bytes(out) + struct.pack("<I", 0)


def make_bag(path, compression, pictures):
    topics = [("/device_0/sensor_0/Depth_0/info/camera_info", "sensor_msgs/CameraInfo"), ("/device_0/sensor_0/option/Depth_Units/value", "std_msgs/Float32"),
              ("/device_0/sensor_0/Depth_0/image/data", "sensor_msgs/Image"), ("/device_0/sensor_1/Color_0/image/data", "sensor_msgs/Image"),
              ("/device_0/sensor_1/Color_0/info/camera_info", "sensor_msgs/CameraInfo")]
    info = lambda f: header(0) + struct.pack("<II", HEIGHT, WIDTH) + text("none") + struct.pack("<I", 5) + struct.pack("<5d", *[0] * 5) + struct.pack("<9d", f, 0, 15.5, 0, f + 1, 11.5, 0, 0, 1) + struct.pack("<9d", *[0] * 9) + struct.pack("<12d", *[0] * 12)
    data = b"".join(record(fields(topic=t.encode(), type=k.encode(), md5sum=b"*", message_definition=b""), op=b"\x07", conn=struct.pack("<I", i), topic=t.encode()) for i, (t, k) in enumerate(topics))
    message = lambda conn, time, body: record(body, op=b"\x02", conn=struct.pack("<I", conn), time=struct.pack("<II", int(time), round(1e9 * (time % 1))))
    data += message(4, 0, info(99)) + message(0, 0, info(30)) + message(1, 0, struct.pack("<f", UNIT))
    for i, picture in enumerate(pictures):
        time = 7 + 0.04 * i
        data += message(3, time, header(time) + struct.pack("<II", HEIGHT, WIDTH) + text("rgb8") + struct.pack("<BII", 0, 3 * WIDTH, 3 * WIDTH * HEIGHT) + bytes(3 * WIDTH * HEIGHT))
        pixels = struct.pack(f"<{WIDTH * HEIGHT}H", *picture)
        data += message(2, time, header(time) + struct.pack("<II", HEIGHT, WIDTH) + text("mono16") + struct.pack("<BII", 0, 2 * WIDTH, len(pixels)) + pixels)
    chunk = {"none": lambda d: d, "bz2": bz2.compress, "lz4": lz4}[compression](data)
    path.write_bytes(b"#ROSBAG V2.0\n" + record(b" " * 64, op=b"\x03", index_pos=struct.pack("<Q", 0), conn_count=struct.pack("<I", 5), chunk_count=struct.pack("<I", 1))
                     + record(chunk, op=b"\x05", compression=compression.encode(), size=struct.pack("<I", len(data))))


def convert(*words, code=0):
    done = subprocess.run([sys.executable, SCRIPT, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == code, (words, done.stdout, done.stderr)
    return done


def pixels_of(path):
    raw, at, data = path.read_bytes(), 8, b""
    while at < len(raw):
        size, kind = struct.unpack_from(">I4s", raw, at)
        data += raw[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += 12 + size
    rows = zlib.decompress(data)
    return [v for y in range(HEIGHT) for v in struct.unpack_from(f">{WIDTH}H", rows, y * (2 * WIDTH + 1) + 1)]


random.seed(5)
pictures = [[0 if (x - 16) ** 2 + (y - 12) ** 2 > 100 else 2000 + 10 * f + random.randrange(4) for y in range(HEIGHT) for x in range(WIDTH)] for f in range(FRAMES)]
for compression in ("none", "bz2", "lz4"):
    bag, folder = pathlib.Path(f"{compression}.bag"), pathlib.Path(compression)
    make_bag(bag, compression, pictures)
    assert "3 frames of 32 x 24" in convert(bag, folder).stdout
    for f in range(FRAMES):
        assert pixels_of(folder / f"depth/{f + 1:06d}.png") == pictures[f], (compression, f)
    described = subprocess.run([TOOL, "info", folder], capture_output=True, text=True)
    assert described.returncode == 0 and "frames" in described.stdout, described.stderr

document = json.loads(pathlib.Path("lz4/capture.json").read_text())
camera = document["cameras"][0]
assert document["times"] == [0, 0.04, 0.08] and abs(camera["depth_scale"] - UNIT) < 1e-9
assert (camera["fx"], camera["fy"], camera["cx"], camera["cy"]) == (30, 31, 15.5, 11.5), camera
convert("none.bag", "part", "--start", 1, "--frames", 1)
assert pixels_of(pathlib.Path("part/depth/000001.png")) == pictures[1] and not pathlib.Path("part/depth/000002.png").exists()

whole = pathlib.Path("lz4.bag").read_bytes()
for name, data in (("cut.bag", whole[:-900]), ("other.bag", b"#ROSBAG V1.2\n" + whole[13:]), ("damaged.bag", whole[:700] + bytes(400) + whole[1100:])):
    pathlib.Path(name).write_bytes(data)
    assert "convert_bag.py: " in convert(name, "x", code=1).stderr
assert "no depth pictures" in convert("none.bag", "x", "--topic", "infrared", code=1).stderr
