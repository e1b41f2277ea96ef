"""Plots by Matplotlib, which is needed only here."""
from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

LIGHT = np.array([0.5, -0.5, 0.7]) / np.linalg.norm([0.5, -0.5, 0.7])


def _axes(axes, **options):
    from matplotlib.figure import Figure
    if axes is not None:
        return axes.figure, axes
    figure = Figure(figsize=options.pop("figsize", (7, 3.5)), layout="constrained")
    return figure, figure.add_subplot(**options)


def _triangles(recording, index):
    """Corners and colours of all triangles of a frame, lit from above; +Y is up, and Matplotlib draws +Z upwards."""
    corners, colors = [], []
    for name, surface in recording.surfaces.items():
        found = surface[index][:, [2, 0, 1]][recording.triangles[name]]
        normals = np.cross(found[:, 1] - found[:, 0], found[:, 2] - found[:, 0])
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
        light = 0.45 + 0.55 * np.clip(normals @ LIGHT, 0, 1)
        corners.append(found)
        colors.append(np.clip(light[:, None] * np.array(recording.colors[name]), 0, 1))
    return np.concatenate(corners), np.concatenate(colors)


def _draw(axes, frames, bounds, zoom):
    """Frames into one plot, on a floor under the lowest point."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection
    (a, b, low), (c, d, _) = bounds
    axes.computed_zorder = False
    axes.add_collection3d(Poly3DCollection([[(a, b, low), (c, b, low), (c, d, low), (a, d, low)]], facecolors="0.93", zorder=0))
    corners, colors = (np.concatenate(parts) for parts in zip(*frames))  # in one list, so that what is in front hides what is behind
    axes.add_collection3d(Poly3DCollection(corners, facecolors=colors, zorder=1))
    sizes = np.ptp(bounds, axis=0)
    axes.set(xlim=bounds[:, 0], ylim=bounds[:, 1], zlim=bounds[:, 2])
    axes.set_box_aspect(np.maximum(sizes, 0.05 * sizes.max()), zoom=zoom)
    axes.set_axis_off()


def plot_frames(recording: Any, frames: Any = 5, *, size: Tuple[float, float] = (2.4, 2.6), elevation: float = 15, heading: float = -60,
                overlay: bool = False) -> Any:
    """Frames of a recording side by side, or with `overlay` in one picture where they happened. `frames` is their number or a list of indices. Returns the
    figure; save it with figure.savefig()."""
    from matplotlib.figure import Figure
    indices = np.linspace(0, len(recording) - 1, frames).round().astype(int) if np.ndim(frames) == 0 else np.asarray(frames)
    everything = np.concatenate([surface[indices].reshape(-1, 3) for surface in recording.surfaces.values()])
    low, high = everything.min(axis=0), everything.max(axis=0)
    bounds = np.array([low, np.maximum(high, low + 1e-6)])[:, [2, 0, 1]]
    figure = Figure(figsize=(size[0] * len(indices), size[1]))
    groups = [list(indices)] if overlay else [[index] for index in indices]
    for column, group in enumerate(groups):
        # Matplotlib fits a motion into a square: with an overlay one as wide as the figure, of which the figure shows the middle.
        square = size[0] * len(indices) / size[1]
        place = (0, 0.53 - square / 2, 1, square) if overlay else (column / len(groups), 0.06, 1 / len(groups), 0.94)
        axes = figure.add_axes(place, projection="3d")
        _draw(axes, [_triangles(recording, index) for index in group], bounds, 0.75 if overlay else 1.25)
        axes.view_init(elevation, heading)
        times = ", ".join(f"{recording.times[index]:.2f}" for index in group)
        figure.text((column + 0.5) / len(groups), 0.03, f"{times} s", ha="center", va="center", fontsize=9)
    return figure


def plot_weights(recording: Any, body: Optional[str] = None, axes: Any = None) -> Any:
    """Weights of the examples of a body over time. Returns the figure."""
    name = body or next((key for key, names in recording.examples.items() if names), None)
    if name is None or not recording.examples.get(name):
        raise ValueError(f"body {name!r} has no examples")
    figure, axes = _axes(axes)
    weights = recording.weights[name]
    axes.plot(recording.times, 1 - weights.sum(axis=1), color="0.6", label="rest")
    for column, example in enumerate(recording.examples[name]):
        axes.plot(recording.times, weights[:, column], label=example)
    axes.set(xlabel="time (s)", ylabel="weight", title=name, ylim=(-0.03, 1.03))
    axes.legend(frameon=False)
    return figure


def plot_fit(result: Any, axes: Any = None) -> Any:
    """Estimates of a fit with their 95 % intervals, relative to the value, and the distance over the iterations. Returns the figure."""
    from matplotlib.figure import Figure
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    shown = [estimate for estimate in result.estimates if estimate.verdict != "held"]
    for row, estimate in enumerate(shown):
        low, high = estimate.interval
        color = {"determined": "#00665c"}.get(estimate.verdict, "#d1495b")
        left.plot([low / estimate.value, high / estimate.value], [row, row], color=color, lw=3, solid_capstyle="butt")
        left.plot([1], [row], "o", color=color)
        left.text(1, row + 0.18, f"{estimate.value:.4g}", ha="center")
    left.set(yticks=range(len(shown)), yticklabels=[estimate.name for estimate in shown], xlabel="95 % interval / value", ylim=(-0.6, len(shown) - 0.3))
    if result.history:
        right.semilogy([row.rms for row in result.history], ".-", color="#30638e")
    right.set(xlabel="iteration", ylabel="rms (m)")
    return figure
