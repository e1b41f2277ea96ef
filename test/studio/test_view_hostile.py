# ctest: cli
"""Requests without permission are refused and logged by `pliant view`; viewers that send malformed messages are disconnected; the world keeps running. Under the address sanitizer this is also a
test of what reads the network."""
import json
import os
import pathlib
import random
import re
import socket
import struct
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from studio_client import PATIENCE, Closed, Frame, Server  # noqa: E402

TOOL = os.environ["PLIANT"]
SMALL = {"pliant": 1, "name": "small", "description": "A box falls.", "time": {"frames": 4, "frame_rate": 50, "step": 0.004},
         "meshes": {"box": {"box": {"size": [0.4, 0.4, 0.6], "cells": [3, 3, 4]}}},
         "bodies": [{"name": "first", "mesh": "box", "position": [0, 0.5, 0]}], "colliders": [{"name": "ground", "shape": "half_space"}]}


def refused(server, **options):
    """HTTP status of a refused WebSocket."""
    try:
        server.viewer(**options)
    except Closed as closed:
        return closed.code
    raise AssertionError(f"{options} was not refused")


def wait_for_close(viewer):
    """Close code of the server; None when it broke the connection."""
    try:
        while True:
            viewer.receive()
    except Closed as closed:
        return closed.code
    except ConnectionError:
        return None


def is_alive(server):
    """The world continues and answers."""
    with server.viewer() as viewer:
        assert viewer.receive()["kind"] == "hello"
        first = viewer.frame().step
        viewer.wait(lambda m: isinstance(m, Frame) and m.step > first)
        viewer.ask("step", count=1)
        viewer.ask("run")


def is_alive_again(server):
    """As above, as soon as there is room: who has left may not have been noticed yet."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            is_alive(server)
            return
        except (Closed, OSError):
            assert time.monotonic() < end, "it does not answer any more"
            time.sleep(0.2)


def wrong_tokens_and_foreign_pages_are_refused(server):
    for token in ("", "0" * 32, server.token[:-1], server.token + "0", "%00" * 32, server.token.upper() + " "):
        assert refused(server, token=token) == 403, token
        for path in ("/", "/gallery", "/pictures/jelly-drop", "/file/0"):
            assert server.get(f"{path}?token={token}", token=False)[0] == 403, (path, token)
    time.sleep(1.1)  # the log accepts a limited number of lines a second
    for origin in ("http://evil.example", "https://evil.example", "null", f"http://127.0.0.1:{server.port + 1}", f"http://127.0.0.1.evil.example:{server.port}", "file://"):
        assert refused(server, origin=origin) == 403, origin
    server.viewer(origin=f"http://{server.host}:{server.port}").socket.close()
    # A name that was made to point at this machine (DNS rebinding).
    answer = server.request(f"GET /world?token={server.token} HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\nUpgrade: websocket\r\n"
                            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
    assert b" 403 " in answer[:20], answer[:80]
    assert refused(server, key="short") == 400
    log = server.log()
    assert "token is missing or wrong" in log and "page of another site" in log, log


def other_hosts_are_refused_on_every_path(server):
    """A name of another site that was made to point at this machine (DNS rebinding) gets nothing, not even with the token."""
    assets = re.findall(r'/assets/[^"]+', server.get("/")[1].decode())
    for path in ["/", "/gallery", "/pictures/jelly-drop", "/file/0", "/world", "/nothing", *assets[:1]]:
        for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1.evil.example", "localhost.evil.example", "evil.example#127.0.0.1", "[::1", "127.0.0.1:80x", "0.0.0.0"):
            status, body = server.get(path, host=host)
            assert status == 403 and b"host" in body, (path, host, status, body)
    for host in ("localhost", f"LOCALHOST:{server.port}", "127.0.0.1:8080", f"[::1]:{server.port}", "[::1]"):
        assert server.get("/", host=host)[0] == 200, host
    assert "host is not a name of this server" in server.log(), server.log()


def a_server_for_other_machines_has_its_addresses_and_its_name():
    with Server(TOOL, "small.json", "--host", "0.0.0.0") as server:
        for host in ("192.0.2.7", "[2001:db8::1]:80", "localhost", socket.gethostname()):
            assert server.get("/", host=host)[0] == 200, host
        assert server.get("/", host="evil.example")[0] == 403


def paths_lead_nowhere(server):
    for path in ("/../../etc/passwd", "/assets/../../etc/passwd", "/assets/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/pictures/../../README", "/pictures/..%2f..%2fREADME.md",
                 "/pictures/%2e%2e/docs", "/file/../../../etc/passwd", "/file/", "/pictures/", "/world/", "/nothing", "/" + "a" * 5000):
        status, body = server.get(path)
        assert status in (404, 400, 414, 431, 403) and b"root:" not in body, (path, status)
    for method in ("POST", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "X" * 4000):
        answer = server.request(f"{method} /?token={server.token} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        assert b" 200 " not in answer[:20], method
    with server.viewer() as viewer:
        for message in ({"gallery": "../../../etc"}, {"gallery": "jelly-drop/.."}, {"path": "/etc/passwd"}, {"path": "/dev/zero"}, {"path": "."}):
            try:
                viewer.ask("open", **message)
                raise AssertionError(f"{message} was opened")
            except RuntimeError:
                pass


def send_too_long(viewer):
    """A message of 100 MB, as far as the server takes it: it may judge by what arrives, not by the length announced."""
    piece, sent = b"a" * (1 << 20), 0
    try:
        viewer.socket.sendall(b"\x81\xff" + struct.pack(">Q", 100_000_000) + b"\0\0\0\0")
        while sent < 100_000_000:
            viewer.socket.sendall(piece)
            sent += len(piece)
    except OSError:
        pass


def long_messages_are_cut_off(server):
    before = server.memory()
    viewer = server.viewer()
    send_too_long(viewer)
    code = wait_for_close(viewer)
    assert code in (1009, None), code
    # The same in fragments, none of which is too long.
    viewer = server.viewer()
    try:
        viewer.send_raw(1, b"b" * (1 << 20), fin=False)
        for _ in range(20):
            viewer.send_raw(0, b"b" * (1 << 20), fin=False)
    except OSError:
        pass
    assert wait_for_close(viewer) in (1009, None)
    assert server.memory() < before + 80_000, (before, server.memory())
    # The log drops lines of a busy second: violate the limit again until a line is written.
    end = time.monotonic() + PATIENCE
    while "close code 1009" not in server.log():
        assert time.monotonic() < end, server.log()
        viewer = server.viewer()
        send_too_long(viewer)
        assert wait_for_close(viewer) in (1009, None)


def bad_messages_end_the_conversation(server):
    for opcode, body, codes in ((2, b"\0\1\2\3", (1003,)), (1, b"\xff\xfe\xfd", (1007,)), (1, b"not json", (1007,)), (1, b"[]", (1007,)), (1, b"{\"kind\": 5}", (1007,)), (1, b"", (1007,)),
                                (1, b"[" * 100000, (1007,)), (1, b"{\"kind\":\"" + b"x" * 100, (1007,)), (3, b"abc", (1002,)), (0, b"abc", (1002,)), (9, b"p" * 126, (1002, None)), (8, b"\x01", (1002, 1005, None))):
        with server.viewer() as viewer:
            viewer.send_raw(opcode, body)
            code = wait_for_close(viewer)
            assert code in codes, (opcode, body[:20], code)
    # Not masked; reserved bits; a length that is not the shortest.
    for raw in (b"\x81\x02{}", b"\xf1\x82\0\0\0\0{}", b"\x81\xfe\0\2\0\0\0\0{}"):
        with server.viewer() as viewer:
            viewer.socket.sendall(raw)
            assert wait_for_close(viewer) in (1002, 1007, None), raw


def nonsense_is_answered_with_an_error(server):
    values = [None, True, -1, 0, 1e308, 2 ** 63, -2 ** 63, "", "x" * 10000, [], {}, [1, 2], [1, 2, 3], ["a", "b", "c"], [1e308] * 3, {"a": {}}]
    kinds = ["pause", "run", "reset", "step", "back", "want", "grab", "drag", "release", "pin", "set", "camera", "weights", "example", "steer", "goal", "tool", "detail", "nonsense", ""]
    keys = ["id", "body", "point", "at", "count", "path", "value", "eye", "manifold", "weights", "action", "index", "name", "on", "speed", "heading", "position", "format", "frames", "colors", "exact"]
    chance = random.Random(5)
    actions = ["add", "rename", "mute", "solo", "delete", "fly"]
    with server.viewer() as viewer:
        for number in range(400):
            fields = {key: chance.choice(values + actions + ["bodies[0].solid.stiffness"]) for key in chance.sample(keys, 6)}
            fields.pop("path", None) if chance.random() < 0.5 else None
            viewer.send_raw(1, json.dumps({"kind": chance.choice(kinds), **fields}).encode())
            if number % 20 == 19:
                viewer.ask("run")
        viewer.ask("open", path=os.path.abspath("small.json"))


def floods_of_connections_harm_nobody(server):
    with server.viewer() as viewer:
        viewer.frame()
        count, begin = 0, time.monotonic()
        held = []
        while time.monotonic() - begin < 3 and count < 3000:
            connection = socket.socket()
            connection.setblocking(False)
            try:
                connection.connect((server.host, server.port))
            except BlockingIOError:
                pass
            count += 1
            if count % 3 == 0:
                try:
                    connection.send(b"GET /world?token=wrong HTTP/1.1\r\nHost: a\r\n\r\n")
                except OSError:
                    pass
            if count % 5 == 0 and len(held) < 200:
                held.append(connection)
            else:
                connection.close()
        rate = count / (time.monotonic() - begin)
        step = viewer.frame().step
        viewer.wait(lambda m: isinstance(m, Frame) and m.step > step + 10)
        for connection in held:
            connection.close()
    print(f"  {count} connections, {rate:.0f} a second")
    is_alive_again(server)


def there_are_not_too_many_viewers(server):
    viewers = []
    code = None
    for _ in range(40):
        try:
            viewers.append(server.viewer())
        except Closed as closed:
            code = closed.code
            break
    assert code == 503 and len(viewers) <= 32, (code, len(viewers))
    for viewer in viewers:
        viewer.socket.close()
    is_alive_again(server)


def half_requests_do_not_hold_the_door(server):
    slow = [socket.create_connection((server.host, server.port)) for _ in range(30)]
    for connection in slow:
        connection.sendall(b"GET / HTTP/1.1\r\nHost:")
    is_alive(server)
    for connection in slow:
        connection.close()


def a_crowd_at_the_door_keeps_nobody_out(server):
    """Connections that say nothing useful, and say it often enough not to be closed for silence: a viewer gets in while they are there."""
    crowd = [socket.create_connection((server.host, server.port), PATIENCE) for _ in range(100)]
    over = threading.Event()

    def send_on():
        text = b"GET / HTTP/1.1\r\nX: "
        while not over.wait(0.2):
            for connection in crowd:
                try:
                    connection.send(text)
                except OSError:
                    pass
            text = b"x"

    sender = threading.Thread(target=send_on)
    sender.start()
    try:
        crowd += [socket.create_connection((server.host, server.port), PATIENCE) for _ in range(100)]
        # Long before it would give up, for someone who sends on for ever.
        with server.viewer(patience=60) as viewer:
            assert viewer.receive()["kind"] == "hello"
            viewer.frame()
        assert server.get("/")[0] == 200
    finally:
        over.set()
        sender.join()
        for connection in crowd:
            connection.close()


def pings_without_reading_end_the_conversation(server):
    before = server.memory()
    viewer = server.viewer(receive_buffer=4096, patience=20)
    pings = viewer.pack(9, b"p" * 100) * 1000
    try:
        for _ in range(1000):
            viewer.socket.sendall(pings)
    except OSError:
        pass
    grown = server.memory() - before
    assert grown < 60_000, f"a million pings cost {grown} kB"
    assert wait_for_close(viewer) in (1008, None)
    # Whoever reads may ping as often as he likes: every ping of a burst is answered.
    with server.viewer() as viewer:
        count = 5000
        viewer.socket.sendall(viewer.pack(9, b"q") * count)
        pongs = 0
        while pongs < count:
            first, second = viewer.read_exactly(2)
            size = second & 127
            if size == 126:
                size = struct.unpack(">H", viewer.read_exactly(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", viewer.read_exactly(8))[0]
            viewer.read_exactly(size)
            assert first & 15 != 8, "a viewer that reads was dismissed"
            pongs += first & 15 == 10


def small_pieces_of_messages_are_not_hoarded(server):
    before = server.memory()
    viewer = server.viewer(patience=20)
    viewer.send_raw(1, b"[", fin=False)
    pieces = viewer.pack(0, b"[", fin=False) * 10000
    try:
        for _ in range(100):
            viewer.socket.sendall(pieces)
    except OSError:
        pass
    grown = server.memory() - before
    assert grown < 40_000, f"a million bytes in pieces of one cost {grown} kB"
    assert wait_for_close(viewer) in (1009, None)


def messages_of_many_values_are_refused(server):
    with server.viewer() as viewer:
        viewer.send_raw(1, b'{"kind": "pause", "id": 1, "x": [' + b"0," * 3_000_000 + b"0]}")
        try:
            viewer.wait_kind("done")
            raise AssertionError("three million values were taken")
        except Closed as closed:
            assert closed.code in (1009, None), closed
        except ConnectionError:
            pass
    # A comma in a text is not a value.
    with server.viewer() as viewer:
        try:
            viewer.ask("open", text="," * 1_000_000 + '\\",', name="commas.json")
            raise AssertionError("commas were opened")
        except RuntimeError:
            pass


def messages_that_wait_are_bounded():
    """While the world is busy for minutes, files are sent to be opened."""
    large = {**SMALL, "meshes": {"box": {"box": {"size": [1, 1, 1], "cells": [12, 12, 12]}}}}
    pathlib.Path("large.json").write_text(json.dumps(large))
    with Server(TOOL, "large.json") as server:
        with server.viewer() as viewer:
            viewer.frame()
            before = server.memory()
            viewer.send_together(*[{"kind": "step", "count": 1000}] * 40)
            text = viewer.pack(1, json.dumps({"kind": "open", "text": "x" * 7_000_000, "name": "x.json"}).encode())
            try:
                for _ in range(40):
                    viewer.socket.sendall(text)
            except OSError:
                pass
            grown = server.memory() - before
        # It would do all those steps before it ends.
        server.process.kill()
    print(f"  {grown} kB")
    assert grown < 250_000, f"files that wait take {grown} kB"


def long_ids_are_refused(server):
    with server.viewer() as viewer:
        viewer.send("nonsense", id="x" * 1_000_000)
        answer = viewer.wait(lambda m: isinstance(m, dict) and m["kind"] == "error")
        assert "id" not in answer and "too long" in answer["text"], answer
        viewer.send("run", id="a" * 60)
        viewer.wait(lambda m: isinstance(m, dict) and m["kind"] == "done" and m.get("id") == "a" * 60)


def answers_are_always_utf_8(server):
    """Names are cut off at a number of bytes, which may be inside a character. Whoever gets half a character ends the conversation."""
    with server.viewer() as viewer, server.viewer() as other:
        viewer.ask("open", path=os.path.abspath("small.json"))
        for shift in range(4):
            name = "a" * shift + "\U0001F98B" * 60
            for kind, fields in ((name, {}), ("example", {"body": 0, "action": name}), ("example", {"body": 0, "action": "add", "name": name}), ("set", {"path": name, "value": 1})):
                try:
                    viewer.ask(kind, **fields)
                except RuntimeError as problem:
                    assert "\ufffd" not in str(problem)
        other.ask("pause")
        names = [example["name"] for example in other.scene["bodies"][0]["examples"]]
        assert len(names) == 4 and all("\U0001F98B" in name for name in names), names
        assert json.loads(server.get("/file/" + viewer.ask("save")["file"])[1].decode())["bodies"]
        viewer.ask("open", path=os.path.abspath("small.json"))


def devices_are_not_read(server):
    before = server.memory()
    with server.viewer() as viewer:
        for file in ("/dev/zero", "/dev/urandom"):
            text = json.dumps({**SMALL, "meshes": {"box": {"file": file}}})
            try:
                viewer.ask("open", text=text, name="device.json")
                raise AssertionError(f"{file} was read")
            except RuntimeError as problem:
                assert "device" in str(problem), problem
    assert server.memory() < before + 20_000, (before, server.memory())


def messages_faster_than_answers_are_cut_off(server):
    with server.viewer() as viewer:
        # Answers are not read.
        try:
            for _ in range(40000):
                viewer.send("nonsense", id=1)
        except OSError:
            pass


def main():
    # The address sanitizer keeps freed memory for a while, 256 MiB by default, which would count as growth of the server.
    os.environ["ASAN_OPTIONS"] = "quarantine_size_mb=8:" + os.environ.get("ASAN_OPTIONS", "")
    result = subprocess.run([TOOL, "view", "no-such-scene", "--no-browser"], capture_output=True, text=True)
    if "without the studio" in result.stderr:
        print("skipped: built without the studio")
        sys.exit(77)
    pathlib.Path("small.json").write_text(json.dumps(SMALL))
    with Server(TOOL, "small.json") as server:
        for claim in (wrong_tokens_and_foreign_pages_are_refused, other_hosts_are_refused_on_every_path, paths_lead_nowhere, devices_are_not_read, long_ids_are_refused, answers_are_always_utf_8,
                      a_crowd_at_the_door_keeps_nobody_out, pings_without_reading_end_the_conversation, small_pieces_of_messages_are_not_hoarded, messages_of_many_values_are_refused,
                      long_messages_are_cut_off, bad_messages_end_the_conversation, nonsense_is_answered_with_an_error,
                      half_requests_do_not_hold_the_door, there_are_not_too_many_viewers, messages_faster_than_answers_are_cut_off, floods_of_connections_harm_nobody):
            if sys.argv[1:] and claim.__name__ not in sys.argv[1:]:
                continue
            begin = time.monotonic()
            claim(server)
            is_alive_again(server)
            print(f"ok {claim.__name__} ({time.monotonic() - begin:.1f} s)", flush=True)
        assert server.end() == 0, server.log()
        assert "ERROR: " not in server.log() and "runtime error" not in server.log(), server.log()
    for claim in (a_server_for_other_machines_has_its_addresses_and_its_name, messages_that_wait_are_bounded):
        if not sys.argv[1:] or claim.__name__ in sys.argv[1:]:
            claim()
            print(f"ok {claim.__name__}", flush=True)


main()
