# ctest: cli
"""Whoever has no business with `pliant view` is refused, and the log says so; whoever sends malformed messages is disconnected; the world moves on unharmed. Under the address sanitizer this is also a
test of what reads the network."""
import json
import os
import pathlib
import random
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
    """Status with which a conversation was refused."""
    try:
        server.viewer(**options)
    except Closed as closed:
        return closed.code
    raise AssertionError(f"{options} was let in")


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
    time.sleep(1.1)  # the log takes so many lines a second
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


def long_messages_are_cut_off(server):
    before = server.memory()
    viewer = server.viewer()
    viewer.socket.sendall(b"\x81\xff" + struct.pack(">Q", 100_000_000) + b"\0\0\0\0")
    piece, sent = b"a" * (1 << 20), 0
    try:
        while sent < 100_000_000:
            viewer.socket.sendall(piece)
            sent += len(piece)
    except OSError:
        pass
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
    assert "close code 1009" in server.log(), server.log()


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


def messages_faster_than_answers_are_cut_off(server):
    with server.viewer() as viewer:
        # Answers are not read.
        try:
            for _ in range(40000):
                viewer.send("nonsense", id=1)
        except OSError:
            pass


def main():
    told = subprocess.run([TOOL, "view", "no-such-scene", "--no-browser"], capture_output=True, text=True)
    if "without the studio" in told.stderr:
        print("skipped: built without the studio")
        sys.exit(77)
    pathlib.Path("small.json").write_text(json.dumps(SMALL))
    with Server(TOOL, "small.json") as server:
        for claim in (wrong_tokens_and_foreign_pages_are_refused, paths_lead_nowhere, long_messages_are_cut_off, bad_messages_end_the_conversation, nonsense_is_answered_with_an_error,
                      half_requests_do_not_hold_the_door, there_are_not_too_many_viewers, messages_faster_than_answers_are_cut_off, floods_of_connections_harm_nobody):
            begin = time.monotonic()
            claim(server)
            is_alive_again(server)
            print(f"ok {claim.__name__} ({time.monotonic() - begin:.1f} s)", flush=True)
        assert server.end() == 0, server.log()
        assert "ERROR: " not in server.log() and "runtime error" not in server.log(), server.log()


main()
