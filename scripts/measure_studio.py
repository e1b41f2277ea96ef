#!/usr/bin/env python3
"""What `pliant view` gives one viewer: frames a second, bytes a frame, memory; and whether they stay what they are.

measure_studio.py                      a table for box-20k and some others, ten seconds each
measure_studio.py --soak [SECONDS]     600 s of one scene with a viewer that reads, one that stalls and one that comes and goes, looked at every ten seconds; fails unless
                                       the rate of messages and the memory are flat after the first tenth
The program is build/pliant, or $PLIANT.
"""
import argparse
import os
import sys
import threading
import time

from tree import ROOT

sys.path.insert(0, str(ROOT / "test/studio"))
from studio_client import Frame, Server  # noqa: E402

TOOL = os.environ.get("PLIANT", str(ROOT / "build/pliant"))
SCENES = ["box-20k", "jelly-drop", "solid-teddy", "rod-bunny", "fem-squeeze", "actor-cheesy"]


def count(viewer, seconds):
    """Frames, bytes and steps that arrive in the given number of seconds."""
    frames, size, begin, first, last = 0, 0, time.monotonic(), None, None
    while time.monotonic() - begin < seconds:
        message = viewer.receive()
        if isinstance(message, Frame):
            frames += 1
            size += sum(len(part) for part in message.raw.values())
            first = message.step if first is None else first
            last = message.step
    passed = time.monotonic() - begin
    return frames / passed, size / max(frames, 1), (last - first) / passed if frames else 0


def table(seconds):
    print(f"{'scene':<16} {'particles':>9} {'points':>7} {'wanted':<10} {'frames/s':>9} {'kB/frame':>9} {'steps/s':>8} {'of real time':>13} {'MB':>6}")
    for name in SCENES:
        for wish in ({}, {"quantised": True}):
            with Server(TOOL, name) as server, server.viewer() as viewer:
                scene = viewer.wait_kind("scene")
                viewer.send("want", **wish)
                count(viewer, 1)
                rate, size, steps = count(viewer, seconds)
                bodies = scene["bodies"]
                print(f"{name:<16} {sum(b['particles'] for b in bodies):>9} {sum(b['points'] for b in bodies):>7} {next(iter(wish), 'floats'):<10} {rate:>9.1f} {size / 1e3:>9.1f} "
                      f"{steps:>8.0f} {100 * steps * scene['step']:>11.0f} % {server.memory() / 1e3:>6.0f}", flush=True)


def come_and_go(server, stop):
    while not stop.is_set():
        with server.viewer() as viewer:
            viewer.frame()
            viewer.send("grab", body=0, point=0, at=[0, 1, 0])
            time.sleep(0.5)
        time.sleep(0.5)


def soak(seconds, name):
    rows, stop = [], threading.Event()
    with Server(TOOL, name) as server, server.viewer() as viewer:
        stalled = server.viewer(receive_buffer=4096)
        stalled.send("want", exact=True, particles=True)
        threading.Thread(target=come_and_go, args=(server, stop), daemon=True).start()
        begin = time.monotonic()
        while time.monotonic() - begin < seconds:
            rate, size, steps = count(viewer, min(10, seconds / 10))
            rows.append((time.monotonic() - begin, rate, size, steps, server.memory()))
            print(f"{rows[-1][0]:7.0f} s  {rate:6.1f} frames/s  {size / 1e3:8.1f} kB/frame  {steps:6.0f} steps/s  {rows[-1][4] / 1e3:7.1f} MB", flush=True)
            # Scenes come to rest or run away; what is measured is the server.
            viewer.ask("reset")
            viewer.wait(lambda m: isinstance(m, Frame) and m.step < 100)
        stop.set()
        time.sleep(1.2)
        stalled.socket.close()
    settled = rows[max(1, len(rows) // 10):]
    half = len(settled) // 2
    early, late = settled[:half], settled[half:]
    mean = lambda part, k: sum(row[k] for row in part) / len(part)
    growth, slowing = mean(late, 4) - mean(early, 4), mean(late, 1) / mean(early, 1)
    print(f"second half against first: {growth:+.0f} kB, {slowing:.3f} times the frames")
    return 0 if growth < 2000 and slowing > 0.8 else 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--soak", nargs="?", type=float, const=600.0)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--scene", default="jelly-drop")
    given = parser.parse_args()
    if given.soak:
        return soak(given.soak, given.scene)
    table(given.seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
