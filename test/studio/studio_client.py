"""A viewer of the studio, for tests: a WebSocket client of the standard library alone, and the frames of PROTOCOL.md."""
import base64
import hashlib
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.parse

# Seconds after which something that must come is taken to hang. Far longer than anything takes on a busy machine under a sanitizer: no test is about time.
PATIENCE = 600


class Closed(Exception):
    """The server closed the connection; `code` is its close code, None if the connection broke."""

    def __init__(self, code, reason=""):
        super().__init__(f"closed with {code} {reason}")
        self.code = code


class Frame:
    """A decoded binary frame: `parts` maps (kind, index) to (encoding, list of numbers)."""

    def __init__(self, data):
        magic, count, self.step, self.time = struct.unpack_from("<4sIQd", data)
        assert magic == b"PLF1", magic
        self.parts, self.raw, at = {}, {}, 24
        for _ in range(count):
            kind, index, encoding, zero, items = struct.unpack_from("<HHHHI", data, at)
            assert zero == 0 and at % 4 == 0, (zero, at)
            at += 12
            size = {0: 12 * items, 1: (24 + 6 * items + 3) // 4 * 4, 2: 4 * items, 3: 24 * items, 4: 28}[encoding]
            body = data[at:at + size]
            assert len(body) == size, (encoding, items, len(body))
            at += size
            self.raw[kind, index] = body
            self.parts[kind, index] = (encoding, self.numbers(encoding, items, body))
        assert at == len(data), (at, len(data))

    @staticmethod
    def numbers(encoding, items, body):
        if encoding == 1:
            box = struct.unpack_from("<6f", body)
            return [box[i % 3] + q / 65535 * box[3 + i % 3] for i, q in enumerate(struct.unpack_from(f"<{3 * items}H", body, 24))]
        if encoding == 3:
            return list(struct.unpack(f"<{3 * items}d", body))
        return list(struct.unpack(f"<{len(body) // 4}f", body))


class Server:
    """`pliant view`, started on a free port. Use as a context; its standard error is in `log()`."""

    def __init__(self, program, *words, environment=None):
        self.file = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([program, "view", "--no-browser", *words], stdout=subprocess.PIPE, stderr=self.file, text=True,
                                        env={**os.environ, **(environment or {})})
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            self.process.wait()
            raise RuntimeError("no address:\n" + self.log())
        parts = urllib.parse.urlsplit(self.address)
        self.host, self.port = parts.hostname, parts.port
        self.token = urllib.parse.parse_qs(parts.query)["token"][0]

    def __enter__(self):
        return self

    def __exit__(self, problem, *_):
        self.end()
        if problem:
            print(f"pliant view ended with {self.process.returncode} and said:\n{self.log()}", file=sys.stderr)

    def end(self):
        """Ctrl-C; the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(2)
        self.process.stdout.close()
        return self.process.wait(PATIENCE)

    def log(self):
        self.file.flush()
        self.file.seek(0)
        return self.file.read()

    def memory(self):
        """Kilobytes of memory that the server holds."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(next(line for line in status if line.startswith("VmRSS")).split()[1])

    def request(self, text):
        """Send a raw request and return all that comes back."""
        with socket.create_connection((self.host, self.port), PATIENCE) as connection:
            connection.sendall(text.encode() if isinstance(text, str) else text)
            answer = b""
            while piece := connection.recv(1 << 16):
                answer += piece
        return answer

    def get(self, path, token=True, headers="", host=None):
        """Status and body of a GET; `host` is what the request calls the server."""
        mark = ("&" if "?" in path else "?") + "token=" + self.token if token else ""
        host = host or f"{self.host}:{self.port}"
        answer = self.request(f"GET {path}{mark} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n")
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), body

    def viewer(self, **options):
        return Viewer(self, **options)


class Viewer:
    """A WebSocket to the server."""

    def __init__(self, server, token=None, origin=None, key="dGhlIHNhbXBsZSBub25jZQ==", receive_buffer=None, patience=PATIENCE):
        self.server, self.left, self.last_id, self.scene = server, b"", 0, None
        self.parts, self.step, self.telemetry = {}, None, None  # what a page would show: the newest of every part
        self.capture = None  # the newest of its messages
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(patience)
        self.socket.connect((server.host, server.port))
        token = server.token if token is None else token
        lines = [f"GET /world?token={token} HTTP/1.1", f"Host: {server.host}:{server.port}", "Upgrade: websocket", "Connection: Upgrade",
                 "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}"]
        lines += [f"Origin: {origin}"] if origin else []
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.left:
            piece = self.socket.recv(4096)
            if not piece:
                raise Closed(None)
            self.left += piece
        head, _, self.left = self.left.partition(b"\r\n\r\n")
        self.status = int(head.split()[1])
        if self.status != 101:
            raise Closed(self.status, "refused")
        expected = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
        assert f"sec-websocket-accept: {expected}".lower() in head.decode().lower(), head

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def read_exactly(self, count):
        while len(self.left) < count:
            piece = self.socket.recv(1 << 20)
            if not piece:
                raise Closed(None)
            self.left += piece
        taken, self.left = self.left[:count], self.left[count:]
        return taken

    def receive(self):
        """The next message: a dict, a Frame, or Closed is raised."""
        while True:
            first, second = self.read_exactly(2)
            assert first & 0x80, "fragments are not expected"
            size = second & 127
            if size == 126:
                size = struct.unpack(">H", self.read_exactly(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self.read_exactly(8))[0]
            body, opcode = self.read_exactly(size), first & 15
            if opcode == 8:
                raise Closed(struct.unpack(">H", body[:2])[0] if len(body) >= 2 else 1005, body[2:].decode())
            if opcode == 1:
                message = json.loads(body)
                if message["kind"] == "scene":
                    self.scene, self.parts, self.step, self.telemetry, self.capture = message, {}, None, None, None
                if message["kind"] == "capture":
                    self.capture = message
                if message["kind"] == "telemetry":
                    self.telemetry = message
                return message
            if opcode == 2:
                frame = Frame(body)
                self.step = frame.step
                self.parts.update(frame.parts)
                return frame

    @staticmethod
    def pack(opcode, body, fin=True, mask=b"\1\2\3\4"):
        size = len(body)
        head = bytes([opcode | (0x80 if fin else 0)])
        head += bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size) if size < 65536 else b"\xff" + struct.pack(">Q", size)
        pad = (mask * (size // 4 + 1))[:size]
        masked = (int.from_bytes(body, "big") ^ int.from_bytes(pad, "big")).to_bytes(size, "big") if size else b""
        return head + mask + masked

    def send_raw(self, opcode, body, fin=True):
        self.socket.sendall(self.pack(opcode, body, fin))

    def send(self, kind, **fields):
        self.send_together({"kind": kind, **fields})

    def send_together(self, *messages):
        """Messages that arrive at once, with no time between them."""
        self.socket.sendall(b"".join(self.pack(1, json.dumps(message).encode()) for message in messages))

    def wait(self, wanted, seconds=PATIENCE):
        """Receive until `wanted(message)` is true and return that message. Frames and dicts alike are passed to it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            message = self.receive()
            if wanted(message):
                return message
        raise TimeoutError("nothing of the kind came")

    def wait_kind(self, kind, seconds=PATIENCE):
        return self.wait(lambda m: isinstance(m, dict) and m["kind"] == kind, seconds)

    def frame(self, seconds=PATIENCE, step=None):
        """The next frame, of that step if one is given."""
        return self.wait(lambda m: isinstance(m, Frame) and (step is None or m.step == step), seconds)

    def ask(self, kind, seconds=PATIENCE, **fields):
        """Send a request with an id and wait for its answer; an error is raised as RuntimeError."""
        self.last_id += 1
        self.send(kind, id=self.last_id, **fields)
        answer = self.wait(lambda m: isinstance(m, dict) and m["kind"] in ("done", "error") and m.get("id") == self.last_id, seconds)
        if answer["kind"] == "error":
            raise RuntimeError(answer["text"])
        return answer

    def state(self, seconds=PATIENCE):
        return self.wait_kind("state", seconds)
