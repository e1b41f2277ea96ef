"""What tests of the studio see and receive at a step of its world. A viewer lags behind the world and messages overtake each other, so nothing is compared that is not known to be of the
step it speaks of; nothing sleeps, and no result hangs on how fast a machine is."""
import time

from studio_client import PATIENCE


def points(frame, part=(0, 0)):
    return triples(frame.parts[part][1])


def distance(a, b):
    return sum((x - y) ** 2 for x, y in zip(a, b)) ** 0.5


class Shown:
    """What a page shows now: a frame holds only what has changed."""

    def __init__(self, viewer):
        self.parts = dict(viewer.parts)


def shown(viewer, step):
    """What is shown at the step where the world stands now. After every request that moves the world its moment is sent, before or after the answer; the newest frame may have come
    while the answer was waited for."""
    while viewer.step != step:
        viewer.frame()
    return Shown(viewer)


def to_start(viewer):
    """Paused at the start, and seen there: whatever is seen from now on is of this run."""
    viewer.ask("pause")
    viewer.step = None
    viewer.ask("reset")
    start = shown(viewer, 0)
    if viewer.telemetry and viewer.telemetry["time"] > 0:
        viewer.telemetry = None
    return start


def at_step(viewer, count):
    """What is shown after `count` steps from the start, paused."""
    to_start(viewer)
    viewer.ask("step", count=count)
    return shown(viewer, count)


def state_at(viewer, step):
    """The state of a world that is paused at that step. One that is on its way may be of a step before."""
    return viewer.wait(lambda m: isinstance(m, dict) and m["kind"] == "state" and m["paused"] and m["step"] == step)


def telemetry_at(viewer, step, body=0):
    """What is reported of a body at that step; it is reported once, and may have come before the frame."""
    length = viewer.scene["step"]
    while viewer.telemetry is None or abs(viewer.telemetry["time"] - step * length) > 0.1 * length:
        viewer.wait_kind("telemetry")
    return next(item for item in viewer.telemetry["bodies"] if item["body"] == body)


def gather(viewer, step, wanted):
    """Parts as they are at a step, from as many frames as it took: what a viewer has already is left out of the next frame."""
    end = time.monotonic() + PATIENCE
    while viewer.step != step or any(viewer.parts.get(key, (9,))[0] != encoding for key, encoding in wanted.items()):
        assert time.monotonic() < end, f"step {viewer.step} instead of {step}"
        viewer.receive()
    return viewer.parts


def want(viewer, **wishes):
    """Other parts from now on; those of before are forgotten, as the server sends all again."""
    viewer.parts, viewer.step = {}, None
    viewer.send("want", **wishes)


def triples(numbers):
    return [numbers[i:i + 3] for i in range(0, len(numbers), 3)]
