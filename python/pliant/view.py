"""Recordings of worlds, and a page that shows them: one file without anything to fetch."""
from __future__ import annotations

import base64
import html as escape
import json
import pathlib
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._types import PathLike
    from .world import World

_PALETTE = [(0.82, 0.29, 0.36), (0.19, 0.39, 0.56), (0.93, 0.68, 0.29), (0.0, 0.47, 0.42), (0.55, 0.42, 0.62), (0.36, 0.54, 0.66)]


class Recording:
    """Surfaces, weights and energies of a world over time. Made by World.record(); notebooks show it as a viewer.

    `times` (frames,), `surfaces` name -> (frames, points, 3), `triangles` name -> (m, 3), `weights` name -> (frames, examples), `examples` name -> names,
    `energies` {"kinetic": (frames,), "elastic": (frames,)}.
    """

    def __init__(self, frame_rate: float, title: str = "pliant") -> None:
        self.frame_rate, self.title = float(frame_rate), title
        self.times, self.surfaces, self.triangles, self.colors = [], {}, {}, {}
        self.weights, self.examples, self.energies = {}, {}, {"kinetic": [], "elastic": []}

    @classmethod
    def of(cls, world: World, frames: Any = None) -> Recording:
        """Run `frames` frames (of a scene: all of them) and keep them."""
        made = cls(world.frame_rate, world.scene.report.name if world.scene else "pliant")
        for _ in world.frames(frames):
            made.add(world)
        return made.finish()

    def add(self, world: World) -> Any:
        """Keep the world as it is now as the next frame."""
        self.times.append(world.time)
        for i, body in enumerate(world.bodies):
            name = body.name or f"body {i}"
            drawn = hasattr(body, "drawn_surface")
            if name not in self.surfaces:
                self.triangles[name] = np.array(body.drawn_triangles if drawn else body.triangles)
                self.colors[name] = (getattr(body, "color", None) or _PALETTE[i % len(_PALETTE)])[:3]
                self.surfaces[name], self.weights[name], self.examples[name] = [], [], body.model.examples
            self.surfaces[name].append(np.array(body.drawn_surface if drawn else body.surface))
            self.weights[name].append(body.weights)
        for kind, value in world.energy.items():
            self.energies[kind].append(value)

    def finish(self) -> Recording:
        """The lists as arrays; add() must not be called any more."""
        self.times = np.array(self.times)
        self.surfaces = {name: np.array(frames) for name, frames in self.surfaces.items()}
        self.weights = {name: np.array(frames) for name, frames in self.weights.items()}
        self.energies = {kind: np.array(values) for kind, values in self.energies.items()}
        return self

    def __len__(self) -> int:
        return len(self.times)

    def page(self) -> str:
        """The viewer as one HTML text."""
        if not self.surfaces or not len(self.times):
            raise ValueError("a recording without bodies or frames has nothing to show")
        points = np.concatenate(list(self.surfaces.values()), axis=1)
        starts = np.cumsum([0] + [frames.shape[1] for frames in self.surfaces.values()])
        triangles = np.concatenate([np.asarray(t, np.uint32) + start for t, start in zip(self.triangles.values(), starts)])
        colors = np.concatenate([np.tile(np.uint8(np.clip(np.array(self.colors[name]) * 255, 0, 255)), (frames.shape[1], 1))
                                 for name, frames in self.surfaces.items()])
        low, high = points.min(axis=(0, 1)), points.max(axis=(0, 1))
        size = np.maximum(high - low, 1e-9)
        data = {"frame_count": len(points), "frame_rate": self.frame_rate, "point_count": points.shape[1], "times": self.times.tolist(),
                "box": [low.tolist(), (low + size).tolist()], "positions": _encode(np.round((points - low) / size * 65535).astype("<u2")),
                "triangles": _encode(triangles.astype("<u4")), "colors": _encode(colors)}
        text = (pathlib.Path(__file__).parent / "viewer.html").read_text(encoding="utf-8")
        return text.replace("TITLE", escape.escape(self.title)).replace("DATA", json.dumps(data))

    def save(self, file: PathLike) -> pathlib.Path:
        """Write the viewer as an HTML file, or all arrays as .npz."""
        file = pathlib.Path(file)
        if file.suffix == ".npz":
            arrays = {"times": self.times, **{f"energy/{kind}": values for kind, values in self.energies.items()}}
            for name, frames in self.surfaces.items():
                arrays.update({f"surface/{name}": frames, f"triangles/{name}": self.triangles[name], f"weights/{name}": self.weights[name],
                               f"examples/{name}": np.array(self.examples[name], dtype=str)})
            np.savez_compressed(file, **arrays)
        elif file.suffix == ".html":
            file.write_text(self.page(), encoding="utf-8")
        else:
            raise ValueError(f"{file}: the ending must be .html or .npz")
        return file

    def _repr_html_(self):
        return f'<iframe srcdoc="{escape.escape(self.page())}" style="width: 100%; height: 420px; border: 0"></iframe>'

    def plot(self, frames: Any = 5, **options: Any) -> Any:
        """Frames side by side, by Matplotlib; returns the figure."""
        from .plot import plot_frames
        return plot_frames(self, frames, **options)

    def __repr__(self):
        return f"<Recording of {len(self)} frames, {len(self.surfaces)} bodies>"


def _encode(values):
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode()
