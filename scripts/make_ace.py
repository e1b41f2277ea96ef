#!/usr/bin/env python3
"""scripts/make_ace.py: the playing card of scenes/actor-ace, scenes/actor-ace-cage and scenes/actor-ace-twist, written to card.obj next to each scene, and the cage of the last two, to cage.obj.

The card is bent into an arch and stands on its two short ends. A grid of 13 x 7 points with a diamond open on top, the ace; the diagonals of the grid run in diamonds
around it, the same on all sides. The cage is a prism of seven corners around the arch.
"""
import math
import os

ALONG, ACROSS = 12, 6  # squares from end to end, and from side to side
HALF_SPAN, HEIGHT, DEPTH = 0.25, 0.42, 0.44  # metres
ROUNDNESS = 2.6  # 2 is an ellipse, more is squarer
GAP = 0.06  # metres, between card and cage
MIDDLE = (ALONG // 2, ACROSS // 2)


def profile(angle):
    c, s = math.cos(angle), math.sin(angle)
    r = (abs(c / HALF_SPAN) ** ROUNDNESS + abs(s / HEIGHT) ** ROUNDNESS) ** (-1 / ROUNDNESS)
    return -r * c, r * s


def even_profile():
    """Points of the arch at equal distances along it."""
    fine = [profile(math.pi * i / 2000) for i in range(2001)]
    way = [0.0]
    for a, b in zip(fine, fine[1:]):
        way.append(way[-1] + math.dist(a, b))
    points = [fine[min(range(len(fine)), key=lambda i: abs(way[i] - way[-1] * k / ALONG))] for k in range(ALONG + 1)]
    return [(-HALF_SPAN, 0.0)] + points[1:-1] + [(HALF_SPAN, 0.0)]


def triangles_of(i, j):
    a, b, c, d = (i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)
    falling = (i >= MIDDLE[0]) == (j >= MIDDLE[1])
    return [(a, b, d), (b, c, d)] if falling else [(a, b, c), (a, c, d)]


def write(path, points, faces):
    with open(path, "w", encoding="utf-8") as file:
        file.write("# Made by scripts/make_ace.py.\n")
        file.writelines("v %.6f %.6f %.6f\n" % p for p in points)
        file.writelines("f %d %d %d\n" % tuple(k + 1 for k in f) for f in faces)


def card():
    arch = even_profile()
    triangles = [t for i in range(ALONG) for j in range(ACROSS) for t in triangles_of(i, j) if MIDDLE not in t]
    used = sorted({p for t in triangles for p in t})
    number = {p: k for k, p in enumerate(used)}
    points = [(arch[i][0], arch[i][1], DEPTH * (0.5 - j / ACROSS)) for i, j in used]
    return points, [tuple(number[p] for p in t) for t in triangles]


def cage():
    a, top = HALF_SPAN + GAP, HEIGHT + GAP
    corners = [(-a, -GAP), (a, -GAP), (a, 0.5 * HEIGHT), (0.6 * a, top), (0, HEIGHT + 1.3 * GAP), (-0.6 * a, top), (-a, 0.5 * HEIGHT)]
    n = len(corners)
    points = [(x, y, z) for z in (0.5 * DEPTH + GAP, -0.5 * DEPTH - GAP) for x, y in corners]
    faces = [(0, i, i + 1) for i in range(1, n - 1)] + [(n, n + i + 1, n + i) for i in range(1, n - 1)]
    for i in range(n):
        j = (i + 1) % n
        faces += [(i, n + i, n + j), (i, n + j, j)]
    return points, faces


def main():
    scenes = os.path.join(os.path.dirname(__file__), "..", "scenes")
    for name in ("actor-ace", "actor-ace-cage", "actor-ace-twist"):
        os.makedirs(os.path.join(scenes, name), exist_ok=True)
        write(os.path.join(scenes, name, "card.obj"), *card())
    for name in ("actor-ace-cage", "actor-ace-twist"):
        write(os.path.join(scenes, name, "cage.obj"), *cage())


main()
