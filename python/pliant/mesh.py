"""Meshes: points with segments, triangles or tets, poses and groups."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Sequence, Tuple

import numpy as np

from . import _capi
from ._library import lib
from ._object import (Error, FindingList, Handle, Object, Report, array, as_pointer, as_vec3, byref, call, create, documented, path, points, set_fields, text,
                      vec3, view)
from .context import default_context
from .errors import check

if TYPE_CHECKING:
    from ._types import Array, ArrayLike, PathLike
    from .context import Context


class Mesh(Object):
    """An immutable mesh. Arrays are read-only views of the library's memory, without a copy.

    Parameters
    ----------
    points : (n, 3) array
        Metres.
    tets, triangles, segments : (m, 4), (m, 3), (m, 2) arrays of indices
    poses : dict of name to (n, 3) array
        Example poses: other positions of the same points.
    groups : dict of name to (n,) array
        Weights per point, 0 to 1.
    tags : (m,) array
        Material tag per tet.
    """

    def __init__(self, points: ArrayLike, *, tets: Optional[ArrayLike] = None, triangles: Optional[ArrayLike] = None, segments: Optional[ArrayLike] = None,
                 poses: Optional[Mapping[str, ArrayLike]] = None, groups: Optional[Mapping[str, ArrayLike]] = None, tags: Optional[ArrayLike] = None,
                 context: Optional[Context] = None) -> None:
        context = context or default_context()
        xyz = _points_of(points)
        keep, definition = [xyz], _capi.pl_mesh_view()
        definition.point_count, definition.points = len(xyz), as_vec3(xyz)
        for name, width, values in (("segment", 2, segments), ("triangle", 3, triangles), ("tet", 4, tets)):
            if values is not None and len(values):
                indices = array(values, (None, width), f"{name}s", np.int32)
                keep.append(indices)
                setattr(definition, f"{name}_count", len(indices))
                setattr(definition, f"{name}s", as_pointer(indices, ctypes.c_int32))
        if tags is not None:
            numbers = array(tags, (definition.tet_count,), "tags", np.int32)
            keep.append(numbers)
            definition.tet_tags = as_pointer(numbers, ctypes.c_int32)
        definition.poses, definition.pose_count = pose_list(poses, len(xyz), keep)
        definition.groups, definition.group_count = group_list(groups, len(xyz), keep)
        self._take(create(_capi.pl_mesh, lib.pl_mesh_create, context._pointer, byref(definition)), context)
        del keep

    def _take(self, pointer, context):
        self._context = context
        super().__init__(Handle(pointer, lib.pl_mesh_destroy, [context._handle]))
        return self

    @classmethod
    def _own(cls, pointer, context):
        return cls.__new__(cls)._take(pointer, context)

    @classmethod
    def _borrow(cls, pointer, owner, context):
        """A mesh that belongs to another object, which stays alive as long as this one."""
        found = cls.__new__(cls)
        found._context = context
        Object.__init__(found, Handle(pointer, lambda _: None, [owner]))
        return found

    @classmethod
    def load(cls, file: PathLike, *, context: Optional[Context] = None) -> Mesh:
        """Load a mesh file; the format follows from its content (OBJ, PLY, STL, Gmsh, TetGen, VTK, VTU, Medit, glTF)."""
        context = context or default_context()
        pointer, error = ctypes.POINTER(_capi.pl_mesh)(), Error()
        with FindingList(context) as findings:
            findings.check(lib.pl_mesh_load(context._pointer, path(file), byref(pointer), findings.pointer, byref(error)), error)
        return cls._own(pointer, context)

    def save(self, file: PathLike) -> None:
        """Save the mesh; the ending selects the format: .obj .ply .stl .msh .vtk .vtu .mesh .node .glb."""
        call(lib.pl_mesh_save, self._context._pointer, path(file), self._pointer)

    @classmethod
    def box(cls, size: ArrayLike, cells: Sequence[int], *, context: Optional[Context] = None) -> Mesh:
        """A box of tets around the origin: edge lengths `size` in metres, `cells` per axis; points in x-fastest order."""
        context = context or default_context()
        counts = array(cells, (3,), "cells", np.int32)
        return cls._own(create(_capi.pl_mesh, lib.pl_mesh_create_box, context._pointer, vec3(size, "size"), as_pointer(counts, ctypes.c_int32)), context)

    @property
    def _view(self):
        return lib.pl_mesh_get_view(self._pointer)

    @property
    def points(self) -> Array:
        """Positions in metres, (n, 3)."""
        found = self._view
        return view(found.points, (found.point_count, 3), self._handle)

    @property
    def tets(self) -> Array:
        """Point indices of the tets, (m, 4)."""
        found = self._view
        return view(found.tets, (found.tet_count, 4), self._handle, np.int32)

    @property
    def triangles(self) -> Array:
        """Point indices of the triangles, (m, 3)."""
        found = self._view
        return view(found.triangles, (found.triangle_count, 3), self._handle, np.int32)

    @property
    def segments(self) -> Array:
        """Point indices of the segments, (m, 2)."""
        found = self._view
        return view(found.segments, (found.segment_count, 2), self._handle, np.int32)

    @property
    def tags(self) -> Array:
        """Material tag per tet, or None."""
        found = self._view
        return view(found.tet_tags, (found.tet_count,), self._handle, np.int32) if found.tet_tags else None

    @property
    def poses(self) -> Dict[str, Array]:
        """Example poses: name to (n, 3) array."""
        found = self._view
        return {text(found.poses[i].name): view(found.poses[i].points, (found.point_count, 3), self._handle) for i in range(found.pose_count)}

    @property
    def groups(self) -> Dict[str, Array]:
        """Named weights per point: name to (n,) array."""
        found = self._view
        return {text(found.groups[i].name): view(found.groups[i].weights, (found.point_count,), self._handle, np.float32) for i in range(found.group_count)}

    def boundary(self) -> Tuple[Mesh, Array]:
        """The boundary of the tets as a surface mesh, and the mesh point of each of its points."""
        indices = np.empty(self._view.point_count, np.int32)
        pointer, error = ctypes.POINTER(_capi.pl_mesh)(), Error()
        check(lib.pl_mesh_build_boundary(self._context._pointer, self._pointer, byref(pointer), as_pointer(indices, ctypes.c_int32), byref(error)), error)
        surface = Mesh._own(pointer, self._context)
        return surface, indices[:len(surface.points)].copy()

    def check(self) -> Any:
        """Whether the mesh can be simulated: (report, findings)."""
        report, error = _capi.pl_mesh_check_report(), Error()
        with FindingList(self._context) as findings:
            findings.check(lib.pl_mesh_check(self._context._pointer, self._pointer, findings.pointer, byref(report), byref(error)), error)
            return Report(report), findings.list()

    @documented("pl_lattice_def")
    def fill(self, **parameters: Any) -> Any:
        """Tets on a lattice around this surface; they enclose it. Returns the new mesh."""
        definition = set_fields(lib.pl_default_lattice_def(), parameters, "Mesh.fill")
        pointer, error = ctypes.POINTER(_capi.pl_mesh)(), Error()
        check(lib.pl_lattice_build(self._context._pointer, byref(definition), self._pointer, byref(pointer), None, byref(error)), error)
        return Mesh._own(pointer, self._context)

    def with_poses(self, poses: Mapping[str, ArrayLike]) -> Mesh:
        """A copy with these example poses (name to (n, 3) array) instead of its own."""
        return Mesh(self.points, tets=self.tets, triangles=self.triangles, segments=self.segments, poses=poses, groups=self.groups, tags=self.tags,
                    context=self._context)

    def __repr__(self):
        if self.closed:
            return "<Mesh closed>"
        found = self._view
        counts = [f"{count} {name}" for name, count in (("points", found.point_count), ("segments", found.segment_count),
                                                        ("triangles", found.triangle_count), ("tets", found.tet_count), ("poses", found.pose_count)) if count]
        return f"<Mesh of {', '.join(counts)}>"


def _points_of(values):
    return points(values, None, "points")


def pose_list(poses, count, keep):
    """(pl_mesh_pose array, its length) of a dict, a list of arrays or None; what it points to goes to `keep`."""
    if not poses:
        return None, 0
    if not hasattr(poses, "items"):
        poses = {f"example {i + 1}": pose for i, pose in enumerate(poses)}
    found = (_capi.pl_mesh_pose * len(poses))()
    for item, (name, values) in zip(found, poses.items()):
        xyz = points(values, count, f"pose {name!r}")
        keep.append(xyz)
        item.name, item.points = str(name).encode(), as_vec3(xyz)
    keep.append(found)
    return found, len(poses)


def group_list(groups, count, keep):
    """The same for groups."""
    if not groups:
        return None, 0
    found = (_capi.pl_mesh_group * len(groups))()
    for item, (name, values) in zip(found, groups.items()):
        weights = array(values, (count,), f"group {name!r}", np.float32)
        keep.append(weights)
        item.name, item.weights = str(name).encode(), as_pointer(weights, ctypes.c_float)
    keep.append(found)
    return found, len(groups)

