#!/usr/bin/env python3
"""scripts/make_ace.py: the playing card of scenes/actor-ace, written to card.obj beside its scene.

A grid of 9 x 10 points, cut so that two legs stand below and a diamond is open in the middle, bent around an upright line so that it can stand, its legs ahead of
the rest, and leaning forward so that its centre of mass is a little ahead of the middle of its feet. The diagonals of the grid run in diamonds around the hole, the
same on both sides.
"""
import math
import os

COLUMNS, ROWS = 4, 9  # on either side of the middle; upwards
WIDTH, HEIGHT = 0.72, 0.8  # metres
RADIUS = 0.27  # metres, of the bend
LEAN = math.radians(8.5)
HOLE_ROW = 6


def is_cut(column, row):
    """Whether the square to the right of and above a grid point is missing."""
    return -2 <= column < 2 and row < 2


def is_hole(corners):
    return all(abs(c) + abs(r - HOLE_ROW) <= 1 for c, r in corners)


def triangles_of(column, row):
    a, b, c, d = (column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)
    falling = (column >= 0) == (row >= HOLE_ROW)
    return [(a, b, d), (b, c, d)] if falling else [(a, b, c), (a, c, d)]


def place(column, row):
    angle = column * WIDTH / (2 * COLUMNS) / RADIUS
    height = row * HEIGHT / ROWS
    return (RADIUS * (1 - math.cos(angle)) + math.tan(LEAN) * height - 0.12, height, -RADIUS * math.sin(angle))


def main():
    triangles = [t for row in range(ROWS) for column in range(-COLUMNS, COLUMNS) if not is_cut(column, row)
                 for t in triangles_of(column, row) if not is_hole(t)]
    points = sorted({p for t in triangles for p in t}, key=lambda p: (p[1], p[0]))
    number = {p: i + 1 for i, p in enumerate(points)}
    path = os.path.join(os.path.dirname(__file__), "..", "scenes", "actor-ace", "card.obj")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write("# Made by scripts/make_ace.py.\n")
        file.writelines("v %.6f %.6f %.6f\n" % place(*p) for p in points)
        file.writelines("f %d %d %d\n" % tuple(number[p] for p in t) for t in triangles)


main()
