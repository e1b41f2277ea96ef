"""A viewer of a running `pliant view`, without Blender: a WebSocket of the standard library, and the newest points of every body (studio/PROTOCOL.md)."""
import array
import base64
import hashlib
import json
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import urllib.parse

SURFACE = 0  # kind of a part of a frame
FLOAT32 = 0  # its encoding, which a viewer gets that asks for no other


class ViewerError(Exception):
    """What is wrong, in words for an artist."""


def pack(body):
    """A text message; clients mask theirs."""
    size, mask = len(body), os.urandom(4)
    head = bytes([0x81, 0x80 | size]) if size < 126 else bytes([0x81, 0xFE]) + struct.pack(">H", size)
    return head + mask + bytes(c ^ mask[i % 4] for i, c in enumerate(body))


def surfaces_of(data):
    """Step of a frame, and the surface points of bodies in it by their index, as arrays of 3 floats per point."""
    magic, count, step, _ = struct.unpack_from("<4sIQd", data)
    if magic != b"PLF1":
        raise ViewerError("The program sends frames that this add-on does not know")
    found, at = {}, 24
    for _ in range(count):
        kind, index, encoding, _, items = struct.unpack_from("<HHHHI", data, at)
        size = {0: 12 * items, 1: (24 + 6 * items + 3) // 4 * 4, 2: 4 * items, 3: 24 * items, 4: 28}[encoding]
        at += 12
        if kind == SURFACE and encoding == FLOAT32:
            found[index] = array.array("f", data[at : at + size])
            if sys.byteorder == "big":
                found[index].byteswap()
        at += size
    return step, found


class Viewer:
    """The program with a scene, running in the background. `take()` returns what is new; `close()` ends it."""

    def __init__(self, program, scene_path):
        self.lock, self.names, self.points, self.step, self.ended = threading.Lock(), [], {}, -1, None
        self.left, self.socket = b"", None
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen([program, "view", "--no-browser", scene_path], stdout=subprocess.PIPE, stderr=self.log, env=dict(os.environ, NO_COLOR="1"))
        self.reader = threading.Thread(target=self._run, daemon=True)
        self.reader.start()

    def _run(self):
        try:
            address = self.process.stdout.readline().decode().strip()
            if not address:
                self.process.wait(timeout=10)
                raise ViewerError(self._problem())
            self._connect(urllib.parse.urlsplit(address))
            while True:
                self._receive()
        except (OSError, subprocess.SubprocessError) as error:
            self.ended = f"The preview has ended: {error}"
        except ViewerError as error:
            self.ended = str(error)

    def _problem(self):
        self.log.seek(0)
        lines = self.log.read().decode(errors="replace").splitlines()
        errors = [line for line in lines if "error:" in line] or lines[-1:] or ["the program ended"]
        return re.sub(r"^\S*: error: ", "", errors[0].strip())

    def _connect(self, address):
        token = urllib.parse.parse_qs(address.query)["token"][0]
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket = socket.create_connection((address.hostname, address.port), 20)
        self.socket.settimeout(None)
        lines = (f"GET /world?token={token} HTTP/1.1", f"Host: {address.hostname}:{address.port}", "Upgrade: websocket", "Connection: Upgrade",
                 "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}", "", "")
        self.socket.sendall("\r\n".join(lines).encode())
        while b"\r\n\r\n" not in self.left:
            self.left += self._read()
        head, _, self.left = self.left.partition(b"\r\n\r\n")
        expected = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
        if b" 101 " not in head.split(b"\r\n")[0] or expected not in head:
            raise ViewerError("The program does not answer as Pliant does")

    def _read(self):
        piece = self.socket.recv(1 << 20)
        if not piece:
            raise ViewerError("The preview has ended")
        return piece

    def _exactly(self, count):
        while len(self.left) < count:
            self.left += self._read()
        taken, self.left = self.left[:count], self.left[count:]
        return taken

    def _receive(self):
        first, second = self._exactly(2)
        size = second & 127
        if size > 125:
            size = struct.unpack(">H", self._exactly(2))[0] if size == 126 else struct.unpack(">Q", self._exactly(8))[0]
        body = self._exactly(size)
        if first & 15 == 8:
            raise ViewerError("The preview has ended")
        if first & 15 == 2:
            step, found = surfaces_of(body)
            with self.lock:
                self.step = step
                self.points.update(found)
        elif first & 15 == 1:
            message = json.loads(body)
            if message["kind"] == "scene":
                with self.lock:
                    self.names, self.points = [b["name"] for b in message["bodies"]], {}

    def send(self, kind, **fields):
        """A request, such as `pause`, `run` or `reset`."""
        if self.socket is not None and self.ended is None:
            self.socket.sendall(pack(json.dumps({"kind": kind, **fields}).encode()))

    def take(self):
        """Step, and the points by body name that have come since the last call."""
        with self.lock:
            new = {self.names[i]: points for i, points in self.points.items() if i < len(self.names)}
            self.points = {}
            return self.step, new

    def close(self):
        if self.socket is not None:
            try:
                self.socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.reader.join(timeout=10)
        if self.socket is not None:
            self.socket.close()
        self.process.stdout.close()
        self.log.close()
