"""Files between Blender and Pliant, without Blender: meshes as VTU, motions as PC2, and the axes.

Points are sequences of floats, x y z after each other. Blender has +Z up, Pliant +Y up: (x, y, z) of Blender is (x, z, -y) of Pliant.
"""
import array
import base64
import struct
import sys


def to_pliant(point):
    return (point[0], point[2], -point[1])


def to_blender(point):
    return (point[0], -point[2], point[1])


def _little(values):
    if sys.byteorder == "big":
        values = array.array(values.typecode, values)
        values.byteswap()
    return values.tobytes()


def _data(kind, name, components, values):
    raw = _little(values)
    text = base64.b64encode(struct.pack("<I", len(raw)) + raw).decode()
    for character, code in ("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"):
        name = name.replace(character, code)
    return f'<DataArray type="{kind}" Name="{name}" NumberOfComponents="{components}" format="binary">{text}</DataArray>\n'


def write_mesh(path, points, triangles, poses=(), groups=()):
    """A surface: points and poses as lists of (x, y, z), poses as (name, points), groups as (name, weights)."""
    flat = array.array("d", (c for p in points for c in p))
    corners = array.array("i", (c for t in triangles for c in t))
    count = len(points)
    with open(path, "w", encoding="utf-8") as file:
        file.write('<?xml version="1.0"?>\n<VTKFile type="UnstructuredGrid" version="0.1" byte_order="LittleEndian" header_type="UInt32">\n')
        file.write(f'<UnstructuredGrid>\n<Piece NumberOfPoints="{count}" NumberOfCells="{len(triangles)}">\n<Points>\n')
        file.write(_data("Float64", "Points", 3, flat))
        file.write("</Points>\n<Cells>\n")
        file.write(_data("Int32", "connectivity", 1, corners))
        file.write(_data("Int32", "offsets", 1, array.array("i", range(3, 3 * len(triangles) + 1, 3))))
        file.write(_data("UInt8", "types", 1, array.array("B", [5] * len(triangles))))
        file.write("</Cells>\n<PointData>\n")
        for name, posed in poses:
            moves = array.array("d", (a - b for p, q in zip(posed, points) for a, b in zip(p, q)))
            file.write(_data("Float64", "pose:" + name, 3, moves))
        for name, weights in groups:
            file.write(_data("Float32", "group:" + name, 1, array.array("f", weights)))
        file.write("</PointData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n")


def write_frames(path, frames, start=0.0):
    """A PC2 file of frames, each an array of 3 floats per point."""
    with open(path, "wb") as file:
        file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(frames[0]) // 3, start, 1.0, len(frames)))
        for frame in frames:
            file.write(_little(frame if isinstance(frame, array.array) and frame.typecode == "f" else array.array("f", frame)))


def read_frames(path):
    """The frames of a PC2 file, each an array of 3 floats per point."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:12] != b"POINTCACHE2\0":
        raise ValueError(f"{path} is not a PC2 file")
    points, _, _, count = struct.unpack_from("<iffi", data, 16)
    frames = []
    for i in range(count):
        frame = array.array("f")
        frame.frombytes(data[32 + 12 * points * i : 32 + 12 * points * (i + 1)])
        if sys.byteorder == "big":
            frame.byteswap()
        if len(frame) != 3 * points:
            raise ValueError(f"{path} ends in frame {i + 1}")
        frames.append(frame)
    return frames


def place(frame, matrix):
    """Points of Pliant in the frame of a Blender object; `matrix` has the three rows of the inverse of its placement."""
    (a, b, c, d), (e, f, g, h), (i, j, k, l) = (tuple(row)[:4] for row in list(matrix)[:3])
    placed = array.array("f", bytes(4 * len(frame)))
    x, y, z = frame[0::3], frame[1::3], frame[2::3]
    # (x, y, z) of Pliant is (x, -z, y) of Blender.
    placed[0::3] = array.array("f", (a * p - b * r + c * q + d for p, q, r in zip(x, y, z)))
    placed[1::3] = array.array("f", (e * p - f * r + g * q + h for p, q, r in zip(x, y, z)))
    placed[2::3] = array.array("f", (i * p - j * r + k * q + l for p, q, r in zip(x, y, z)))
    return placed


def safe_name(name):
    """A name of letters, digits and a few signs, for files on every system."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in name)
