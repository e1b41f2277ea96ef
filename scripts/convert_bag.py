#!/usr/bin/env python3
"""Depth pictures of a ROS 1 bag, such as a recording of a RealSense camera, as a capture that `pliant track` reads.

convert_bag.py FILE.bag FOLDER [--topic TEXT] [--start N] [--frames N]

Writes FOLDER/depth/NNNNNN.png and FOLDER/capture.json. The camera lies at the origin and looks along +z with y down; gravity is written as seen by a camera
that is held level, along +y. Edit `rotation`, `position` and `gravity` in capture.json for another pose. Needs Python alone: chunks may be plain, bz2 or lz4.
"""
import argparse
import bz2
import json
import pathlib
import re
import struct
import sys
import zlib

MAGIC = b"#ROSBAG V2.0\n"
CHUNK, CONNECTION, MESSAGE = 5, 7, 2


class BagError(Exception):
    pass


def lz4_block(data, window):
    """One block of LZ4; `window` is what was decoded before it, which matches may reach into. Returns all of it."""
    out, at = bytearray(window), 0
    while at < len(data):
        token = data[at]
        at += 1
        length = token >> 4
        if length == 15:
            while True:
                length += data[at]
                at += 1
                if data[at - 1] != 255:
                    break
        out += data[at:at + length]
        at += length
        if at >= len(data):
            break  # the last sequence has no match
        offset = data[at] | data[at + 1] << 8
        at += 2
        length = (token & 15) + 4
        if length == 19:
            while True:
                length += data[at]
                at += 1
                if data[at - 1] != 255:
                    break
        start = len(out) - offset
        if offset == 0 or start < 0:
            raise BagError("an lz4 chunk is damaged")
        while length > 0:  # a match may overlap what it writes
            part = out[start:start + length]
            out += part
            length -= len(part)
    return out


def lz4_frame(data):
    if data[:4] != b"\x04\x22\x4d\x18":
        raise BagError("an lz4 chunk does not begin as one")
    flags, at = data[4], 6
    at += (8 if flags & 8 else 0) + (4 if flags & 1 else 0) + 1
    linked, out = not flags & 32, bytearray()
    while True:
        size, = struct.unpack_from("<I", data, at)
        at += 4
        if size == 0:
            return bytes(out)
        plain, size = size >> 31, size & 0x7fffffff
        block = data[at:at + size]
        at += size + (4 if flags & 16 else 0)
        if plain:
            out += block
        elif linked:
            window = out[-65536:]
            out += lz4_block(block, window)[len(window):]
        else:
            out += lz4_block(block, b"")


def records(data):
    """(fields, data) of each record."""
    at = 0
    while at + 4 <= len(data):
        size, = struct.unpack_from("<I", data, at)
        head, fields, inside = data[at + 4:at + 4 + size], {}, 0
        while inside < len(head):
            length, = struct.unpack_from("<I", head, inside)
            name, _, value = head[inside + 4:inside + 4 + length].partition(b"=")
            fields[name.decode()] = value
            inside += 4 + length
        at += 4 + size
        size, = struct.unpack_from("<I", data, at)
        if at + 4 + size > len(data):
            raise BagError("the file is cut off")
        yield fields, data[at + 4:at + 4 + size]
        at += 4 + size


def messages(data):
    """(topic, type, seconds, bytes) of each message, in the order of the file."""
    connections = {}
    unpack = {b"none": lambda d: d, b"bz2": bz2.decompress, b"lz4": lz4_frame}

    def walk(data):
        for fields, body in records(data):
            op = fields.get("op", b"\0")[0]
            if op == CHUNK:
                if fields["compression"] not in unpack:
                    raise BagError(f"chunks are compressed by {fields['compression'].decode()}, which is not known")
                yield from walk(unpack[fields["compression"]](body))
            elif op == CONNECTION:
                # The data of a connection has fields like a header, without its length.
                (inner, _), = records(struct.pack("<I", len(body)) + body + struct.pack("<I", 0))
                connections[fields["conn"]] = (fields["topic"].decode(), inner.get("type", b"").decode())
            elif op == MESSAGE:
                if fields["conn"] not in connections:
                    raise BagError("a message comes before its connection")
                seconds, nanoseconds = struct.unpack("<II", fields["time"])
                yield (*connections[fields["conn"]], seconds + 1e-9 * nanoseconds, body)

    yield from walk(data)


def read_text(body, at):
    size, = struct.unpack_from("<I", body, at)
    return body[at + 4:at + 4 + size].decode("utf-8", "replace"), at + 4 + size


def read_image(body):
    """Width, height, seconds and rows of 16 bits, the high byte first; None for another kind of image."""
    _, seconds, nanoseconds = struct.unpack_from("<III", body, 0)
    _, at = read_text(body, 12)
    height, width = struct.unpack_from("<II", body, at)
    encoding, at = read_text(body, at + 8)
    big, step, size = struct.unpack_from("<BII", body, at)
    pixels = body[at + 9:at + 9 + size]
    if encoding.lower() not in ("16uc1", "mono16", "z16"):
        return None
    if step < 2 * width or len(pixels) < step * height:
        raise BagError("a depth picture is cut off")
    rows = []
    for y in range(height):
        row = bytearray(pixels[y * step:y * step + 2 * width])
        if not big:
            row[0::2], row[1::2] = row[1::2], row[0::2]
        rows.append(bytes(row))
    return width, height, seconds + 1e-9 * nanoseconds, rows


def read_camera(body):
    _, at = read_text(body, 12)
    height, width = struct.unpack_from("<II", body, at)
    _, at = read_text(body, at + 8)
    count, = struct.unpack_from("<I", body, at)
    k = struct.unpack_from("<9d", body, at + 4 + 8 * count)
    return {"width": width, "height": height, "fx": k[0], "fy": k[4], "cx": k[2], "cy": k[5]}


def png(width, height, rows):
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", width, height, 16, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows), 1)) + chunk(b"IEND", b"")


def convert(bag, folder, wanted, start, limit):
    data = bag.read_bytes()
    if not data.startswith(MAGIC):
        raise BagError(f"{bag} is not a ROS 1 bag of version 2.0; bags of ROS 2 are not read")
    topic, cameras, scale, times, seen = None, {}, 0.001, [], 0
    (folder / "depth").mkdir(parents=True, exist_ok=True)
    for name, kind, seconds, body in messages(data[len(MAGIC):]):
        if kind == "sensor_msgs/CameraInfo":
            cameras.setdefault(name, read_camera(body))
        elif kind == "std_msgs/Float32" and re.search(r"depth.units/value$", name, re.IGNORECASE):
            scale, = struct.unpack_from("<f", body, 0)
        elif kind == "sensor_msgs/Image" and wanted.lower() in name.lower() and topic in (None, name):
            image = read_image(body)
            if image is None:
                continue
            topic = name
            seen += 1
            if seen <= start or (limit and len(times) >= limit):
                continue
            width, height, stamp, rows = image
            time = stamp if stamp > 0 else seconds
            if times and time <= times[-1]:
                continue  # a frame that was recorded twice
            times.append(time)
            (folder / f"depth/{len(times):06d}.png").write_bytes(png(width, height, rows))
    if not times:
        raise BagError(f"no depth pictures of 16 bits in topics with '{wanted}'")
    # The description of a camera lies next to its pictures: the longest common beginning.
    common = lambda a: next((i for i, (x, y) in enumerate(zip(a, topic)) if x != y), min(len(a), len(topic)))
    if not cameras:
        raise BagError("the bag has no sensor_msgs/CameraInfo, so the focal length is not known")
    camera = cameras[max(cameras, key=common)]
    if (camera["width"], camera["height"]) != (width, height):
        raise BagError(f"pictures of {topic} have {width} x {height} pixels, their camera {camera['width']} x {camera['height']}")
    document = {"name": bag.stem, "times": [round(t - times[0], 6) for t in times], "gravity": [0, 9.81, 0],
                "cameras": [{"name": "depth", "depth": "depth", "depth_scale": float(f"{scale:.7g}"), **camera, "rotation": [0, 0, 0, 1], "position": [0, 0, 0]}]}
    (folder / "capture.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    print(f"{topic}: {len(times)} frames of {width} x {height}, {document['times'][-1]:.3f} s, written to {folder}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("bag", type=pathlib.Path, help="recording of ROS 1, such as those of RealSense cameras")
    parser.add_argument("folder", type=pathlib.Path, help="folder for the capture")
    parser.add_argument("--topic", default="depth", help="part of the topic of the pictures (default depth)")
    parser.add_argument("--start", type=int, default=0, help="number of depth pictures to leave out at the start (default 0)")
    parser.add_argument("--frames", type=int, default=0, help="maximum number of frames (default all)")
    words = parser.parse_args()
    try:
        convert(words.bag, words.folder, words.topic, words.start, words.frames)
    except (BagError, OSError) as error:
        sys.exit(f"convert_bag.py: {error}")
    except (struct.error, IndexError, KeyError, ValueError, EOFError) as error:
        sys.exit(f"convert_bag.py: {words.bag} is damaged: {error}")


if __name__ == "__main__":
    main()
