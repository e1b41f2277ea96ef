#!/usr/bin/env python3
"""plot_actor.py SCENE_OR_TABLE... --picture FILE.svg [--only PANEL,...]: how actors move, as curves over time.

A scene (.json) is run first, by build/pliant or $PLIANT; a table (NAME.actor.csv, from `pliant run SCENE --format actors`) is drawn as it is. Every
actor is a curve in each panel:

forward       way of the centre of mass over the ground, along the line from its first position to its last (m)
height        of the centre of mass (m)
sway          of the centre of mass to the right of that line (m)
twist         of the upper third of the body against its middle third, about the vertical (degrees)
acceleration  of the centre of mass, over a tenth of a second (m/s²), as `max_acceleration` in scenes limits it
rest_rate     how fast the strain of the rest shape changes (1/s), as `max_rest_rate` limits it

Panels in which nothing happens (the sway of a plane body, the twist of one that rolls) are left out. The numbers next to the curves are also printed.
"""
import argparse
import csv
import html
import math
import os
import pathlib
import subprocess
import sys
import tempfile

PANELS = {"forward": ("centre of mass: forward", "m"), "height": ("centre of mass: height", "m"), "sway": ("centre of mass: to the right", "m"),
          "twist": ("twist about the vertical", "degrees"), "acceleration": ("acceleration of the centre of mass", "m/s²"),
          "rest_rate": ("rate of the rest shape", "1/s")}
COLOURS = ["#8a3b12", "#1f77b4", "#2a9d2a", "#9b5de5", "#d1495b", "#555555"]
WIDTH, PANEL_HEIGHT, GAP, LEFT, RIGHT, TOP, BOTTOM = 860, 104, 30, 60, 210, 54, 44
# Seconds of the acceleration's difference, and of the running mean that swaying and twisting go about.
SHORT, LONG = 0.1, 1.0
SLIGHT = 1e-6


def run_scene(scene, folder):
    tool = os.environ.get("PLIANT", pathlib.Path(__file__).resolve().parent.parent / "build/pliant")
    done = subprocess.run([tool, "run", scene, "-o", folder, "--format", "actors"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode not in (0, 3):
        sys.exit(f"{scene}: {done.stderr}")
    return sorted(pathlib.Path(folder).glob("*.actor.csv"))


def read_table(path):
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if not rows or not {"time", "x", "y", "z", "vx", "advance", "turned", "rest_rate", "twist"} <= set(rows[0]):
        sys.exit(f"{path}: not the table of an actor")
    return {key: [float(row[key]) for row in rows] for key in rows[0]}


def accelerations(table):
    times, speeds = table["time"], list(zip(table["vx"], table["vy"], table["vz"]))
    step = (times[-1] - times[0]) / max(len(times) - 1, 1)
    back = max(round(SHORT / step), 1) if step > 0 else 1
    return [math.dist(speeds[i], speeds[i - back]) / (times[i] - times[i - back]) if i >= back else 0.0 for i in range(len(times))]


def curves(table):
    """Panel -> a number per frame."""
    x, z = table["x"], table["z"]
    way = (x[-1] - x[0], z[-1] - z[0])
    length = math.hypot(*way)
    # Whoever went backwards did not go forward.
    length = -length if table["advance"][-1] < 0 else length
    ahead = (way[0] / length, way[1] / length) if abs(length) > SLIGHT else (1.0, 0.0)
    # A body that rolls has no upper third any more.
    twist = table["twist"] if max(map(abs, table["turned"])) < math.pi else [0.0] * len(x)
    places = [(a - x[0], b - z[0]) for a, b in zip(x, z)]
    return {"forward": [a * ahead[0] + b * ahead[1] for a, b in places], "height": table["y"],
            "sway": [b * ahead[0] - a * ahead[1] for a, b in places], "twist": twist, "acceleration": accelerations(table),
            "rest_rate": table["rest_rate"]}


def swing(times, values):
    """Root mean square about the running mean: how far it swings, whatever it drifts."""
    step = (times[-1] - times[0]) / max(len(times) - 1, 1)
    reach, squares = max(round(LONG / 2 / step), 1) if step > 0 else 1, []
    for i in range(reach, len(values) - reach):
        near = values[i - reach:i + reach + 1]
        squares.append((values[i] - sum(near) / len(near)) ** 2)
    return math.sqrt(sum(squares) / len(squares)) if squares else 0.0


def remark(panel, times, values):
    if panel in ("sway", "twist"):
        return f"swings by {swing(times, values):.2g} (rms)"
    if panel == "forward":
        return f"{values[-1]:.3g} in all"
    if panel == "height":
        return f"{min(values):.3g} … {max(values):.3g}"
    return f"at most {max(values):.3g}, mean {sum(values) / len(values):.2g}"


def round_step(span, count):
    """A step of 1, 2 or 5 times a power of ten that divides `span` into about `count` pieces."""
    raw = span / count
    power = 10 ** math.floor(math.log10(raw))
    return next(k * power for k in (1, 2, 5, 10) if k * power >= raw * 0.999)


def ticks(lowest, highest, count):
    step = round_step(highest - lowest, count)
    first = math.ceil(lowest / step - 1e-9)
    return [k * step for k in range(first, math.floor(highest / step + 1e-9) + 1)]


def draw_panel(panel, actors, top, end):
    """SVG of one panel whose upper edge is at `top`."""
    title, unit = PANELS[panel]
    numbers = [v for _, _, values in actors for v in values[panel]]
    lowest, highest = min(numbers), max(numbers)
    if panel in ("acceleration", "rest_rate", "forward"):
        lowest = min(lowest, 0.0)
    if highest - lowest < SLIGHT:
        lowest, highest = lowest - 0.5, highest + 0.5
    across, down = (WIDTH - LEFT - RIGHT) / end, PANEL_HEIGHT / (highest - lowest)
    height_of = lambda value: top + PANEL_HEIGHT - (value - lowest) * down
    out = [f'<rect x="{LEFT}" y="{top}" width="{WIDTH - LEFT - RIGHT}" height="{PANEL_HEIGHT}" fill="none" stroke="#999"/>']
    for value in ticks(lowest, highest, 4):
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{height_of(value):.1f}" y2="{height_of(value):.1f}" stroke="#e4e4e4"/>')
        out.append(f'<text x="{LEFT - 6}" y="{height_of(value) + 4:.1f}" text-anchor="end">{value:.4g}</text>')
    for second in ticks(0, end, 10):
        out.append(f'<line x1="{LEFT + second * across:.1f}" x2="{LEFT + second * across:.1f}" y1="{top}" y2="{top + PANEL_HEIGHT}" stroke="#eeeeee"/>')
    out.append(f'<text x="{LEFT}" y="{top - 6}">{title} ({unit})</text>')
    for k, (_, times, values) in enumerate(actors):
        points = " ".join(f"{LEFT + t * across:.1f},{height_of(v):.1f}" for t, v in zip(times, values[panel]))
        colour = COLOURS[k % len(COLOURS)]
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.4"/>')
        out.append(f'<text x="{WIDTH - RIGHT + 8}" y="{top + 16 + 17 * k}" fill="{colour}">{remark(panel, times, values[panel])}</text>')
    return out


def draw(actors, wanted):
    panels = [p for p in wanted if any(max(map(abs, values[p])) > SLIGHT for _, _, values in actors)]
    end = max(times[-1] for _, times, _ in actors) or 1.0
    height = TOP + len(panels) * (PANEL_HEIGHT + GAP) - GAP + BOTTOM
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
           'font-family="sans-serif" font-size="12" fill="#222">', f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>']
    for k, (name, _, _) in enumerate(actors):
        out.append(f'<text x="{LEFT + 150 * k}" y="20" font-size="14" font-weight="bold" fill="{COLOURS[k % len(COLOURS)]}">{html.escape(name)}</text>')
    for k, panel in enumerate(panels):
        out += draw_panel(panel, actors, TOP + k * (PANEL_HEIGHT + GAP), end)
    for second in ticks(0, end, 10):
        x = LEFT + second * (WIDTH - LEFT - RIGHT) / end
        out.append(f'<text x="{x:.1f}" y="{height - BOTTOM + 16}" text-anchor="middle">{second:g}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{height - 8}" text-anchor="middle">time (s)</text>')
    return "\n".join(out + ["</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+", metavar="SCENE_OR_TABLE")
    parser.add_argument("--picture", required=True, metavar="FILE.svg")
    parser.add_argument("--only", default=",".join(PANELS), metavar="PANEL,...")
    arguments = parser.parse_args()
    wanted = arguments.only.split(",")
    unknown = [panel for panel in wanted if panel not in PANELS]
    if unknown:
        parser.error(f"there is no panel {', '.join(unknown)}; there are {', '.join(PANELS)}")
    actors = []
    with tempfile.TemporaryDirectory() as scratch:
        for k, source in enumerate(arguments.sources):
            tables = run_scene(source, os.path.join(scratch, str(k))) if source.endswith(".json") else [pathlib.Path(source)]
            for path in tables:
                table = read_table(path)
                actors.append((path.name.removesuffix(".actor.csv"), table["time"], curves(table)))
    if not actors:
        sys.exit("no actor in " + ", ".join(arguments.sources))
    pathlib.Path(arguments.picture).write_text(draw(actors, wanted), encoding="utf-8")
    for name, times, values in actors:
        for panel in wanted:
            print(f"{name:16} {panel:12} {remark(panel, times, values[panel])} {PANELS[panel][1]}")


if __name__ == "__main__":
    main()
