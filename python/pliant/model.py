"""Models: meshes prepared for one method. Immutable; any number of bodies in any number of worlds may share one."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, List, Mapping, Optional, Sequence, Union

import numpy as np

from . import _capi
from ._library import lib
from ._object import Handle, Object, Report, array, as_pointer, as_vec3, byref, choice, create, documented, index_array, points, set_fields, text, view
from .context import default_context
from .errors import UnsupportedError, check
from .mesh import group_list, pose_list

if TYPE_CHECKING:
    from .context import Context
    from ._types import Array, ArrayLike
    from .mesh import Mesh


class Model(Object):
    """A body prepared for simulation. Made by solid(), fem() or a fit."""

    def __init__(self, pointer, context, mesh=None):
        self._context = context
        self.mesh = mesh
        super().__init__(Handle(pointer, lib.pl_model_destroy, [context._handle]))

    @classmethod
    def _borrow(cls, pointer, owner, context, mesh=None):
        found = cls.__new__(cls)
        found._context, found.mesh = context, mesh
        Object.__init__(found, Handle(pointer, lambda _: None, [owner]))
        return found

    @property
    def report(self) -> Report:
        """method, particle_count, surface_point_count, surface_triangle_count, mass, box, byte_count, hash."""
        return Report(lib.pl_model_get_report(self._pointer))

    @property
    def surface_triangles(self) -> Array:
        """Triangles of the surface, (m, 3) surface point indices."""
        found = lib.pl_model_get_report(self._pointer)
        return view(lib.pl_model_get_surface_triangles(self._pointer), (found.surface_triangle_count, 3), self._handle, np.int32)

    @property
    def examples(self) -> List[str]:
        """Names of the examples."""
        found = lib.pl_model_get_examples(self._pointer)
        return [text(found.names[i]) for i in range(found.example_count)]

    @property
    def manifold_count(self) -> int:
        """Sets of weights: 1, one per group, or one per particle."""
        return lib.pl_model_get_examples(self._pointer).manifold_count

    @property
    def young(self) -> Array:
        """Young's modulus of every tet of a finite-element model in pascals."""
        found = np.zeros(lib.pl_fem_tet_count(self._pointer))
        if not len(found):
            raise UnsupportedError("only finite-element models of tets have moduli")
        check(lib.pl_fem_get_moduli(self._pointer, as_pointer(found, ctypes.c_double)))
        return found

    def energy(self, positions: ArrayLike) -> Any:
        """Elastic energy (J) and elastic forces (N, (n, 3)) of a finite-element model in a pose."""
        count = lib.pl_model_get_report(self._pointer).particle_count
        xyz, forces, energy, error = points(positions, count, "positions"), np.empty((count, 3)), ctypes.c_double(), _capi.pl_error()
        check(lib.pl_fem_compute_energy(self._context._pointer, self._pointer, as_vec3(xyz), byref(energy), as_vec3(forces), byref(error)), error)
        return energy.value, forces

    def __repr__(self):
        if self.closed:
            return "<Model closed>"
        found = self.report
        return f"<Model: {found.method} of {found.particle_count} particles, {found.mass:.4g} kg>"


def _common(definition, surface, examples, mesh, keep):
    count = len(mesh.points)
    if examples is None or examples is False:
        examples = {}
    elif examples is True:
        examples = mesh.poses
    elif not hasattr(examples, "items") and all(isinstance(name, str) for name in examples):
        poses = mesh.poses
        missing = [name for name in examples if name not in poses]
        if missing:
            raise KeyError(f"the mesh has no pose {missing[0]!r}; it has {', '.join(poses) or 'none'}")
        examples = {name: poses[name] for name in examples}
    definition.examples, definition.example_count = pose_list(examples, count, keep)
    if surface is not None:
        definition.surface = surface._pointer


@documented("pl_solid_def")
def solid(mesh: Mesh, *, examples: Union[None, bool, Sequence[str], Mapping[str, ArrayLike]] = None, surface: Optional[Mesh] = None,
          groups: Optional[Mapping[str, ArrayLike]] = None, **parameters: Any) -> Model:
    """A shape-matching solid of the tets of `mesh`, with or without example poses.

    `examples` is a dict of name to (n, 3) array, a list of names of poses of the mesh, or True for all of them; `surface` a finer Mesh to carry along;
    `groups` a dict of name to weights per point, for grouping="groups".
    """
    definition, keep = set_fields(lib.pl_default_solid_def(), parameters, "solid"), []
    _common(definition, surface, examples, mesh, keep)
    definition.groups, definition.group_count = group_list(groups, len(mesh.points), keep)
    return Model(create(_capi.pl_model, lib.pl_solid_build, mesh._context._pointer, byref(definition), mesh._pointer), mesh._context, mesh)


@documented("pl_fem_def", hide=("material",))
def fem(mesh: Mesh, material: str = "corotated", *, examples: Union[None, bool, Sequence[str], Mapping[str, ArrayLike]] = None,
        surface: Optional[Mesh] = None, young_scales: Optional[ArrayLike] = None, direct: bool = True, **parameters: Any) -> Model:
    """A finite-element body of the elements of `mesh`.

    `material` is corotated, neo-hookean, edges or fast (tets), shell or plane (triangles), curve (segments). `examples` and `surface` are as in solid();
    `young_scales` has a factor on `young` per element; `direct` gives the solver the sparse factorisation of the lab.
    """
    definition = lib.pl_default_fem_def(choice("pl_fem_def", "material", material))
    set_fields(definition, parameters, "fem")
    keep = []
    _common(definition, surface, examples, mesh, keep)
    if young_scales is not None:
        found = mesh._view
        count = {"shell": found.triangle_count, "plane": found.triangle_count, "curve": found.segment_count}.get(material, found.tet_count)
        scales = array(young_scales, (count,), "young_scales")
        keep.append(scales)
        definition.young_scales = as_pointer(scales, ctypes.c_double)
    if direct:
        definition.direct = lib.pl_cholmod_backend()
    return Model(create(_capi.pl_model, lib.pl_fem_build, mesh._context._pointer, byref(definition), mesh._pointer), mesh._context, mesh)


@documented("pl_rigid_def", hide=("shape",))
def rigid(shape: str = "box", mesh: Optional[Mesh] = None, *, context: Optional[Context] = None, **parameters: Any) -> Model:
    """A rigid body: a sphere, capsule or box of its own, or the mesh or hull of a Mesh."""
    definition = lib.pl_default_rigid_def()
    definition.shape = choice("pl_rigid_def", "shape", shape)
    set_fields(definition, parameters, "rigid")
    if (mesh is None) != (shape not in ("mesh", "hull")):
        raise TypeError(f"mesh: a rigid body of shape {shape!r} " + ("needs a Mesh" if mesh is None else "takes no mesh"))
    context = mesh._context if mesh is not None else context or default_context()
    pointer = create(_capi.pl_model, lib.pl_rigid_build, context._pointer, byref(definition), mesh._pointer if mesh is not None else None)
    return Model(pointer, context, mesh)


class Solution(Report):
    """An equilibrium: `positions`, `converged`, `energy`, `residual` and the other numbers of the solver."""


@documented("pl_fem_equilibrium_def")
def solve(model: Model, *, pinned: ArrayLike = (), forces: Optional[ArrayLike] = None, start: Optional[ArrayLike] = None, **parameters: Any) -> Solution:
    """The equilibrium of a finite-element model under a load: gravity as `acceleration`, `forces` in newtons per point.

    `pinned` are indices of points that stay where `start` has them; `start` is the rest shape unless given.
    """
    definition, keep = set_fields(lib.pl_default_fem_equilibrium_def(), parameters, "solve"), []
    count = model.report.particle_count
    if start is None:
        if model.mesh is None:
            raise TypeError("solve() needs `start` for a model whose mesh is not known")
        start = model.mesh.points
    positions = points(start, count, "start").copy()
    held = index_array(pinned, count, "pinned")
    definition.pinned, definition.pinned_count = as_pointer(held, ctypes.c_int32), len(held)
    if forces is not None:
        load = points(forces, count, "forces")
        keep.append(load)
        definition.forces = as_vec3(load)
    report, error = _capi.pl_fem_report(), _capi.pl_error()
    check(lib.pl_fem_equilibrium(model._context._pointer, model._pointer, byref(definition), as_vec3(positions), byref(report), byref(error)), error)
    return Solution(report, positions=positions)


class Modes:
    """Vibrations: `frequencies` in Hz, `shapes` (modes, points, 3) with the sum of mass times square 1, and `converged`."""

    def __init__(self, frequencies, shapes, converged):
        self.frequencies, self.shapes, self.converged = frequencies, shapes, converged

    def __repr__(self):
        return f"<Modes: {', '.join(f'{f:.4g}' for f in self.frequencies)} Hz>"


@documented("pl_modes_def")
def modes(model: Model, *, pinned: ArrayLike = (), positions: Optional[ArrayLike] = None, **parameters: Any) -> Modes:
    """The lowest vibrations of a finite-element model around its rest shape, or around `positions`, such as an equilibrium. Damping is left out."""
    definition = set_fields(lib.pl_default_modes_def(), parameters, "modes")
    count, number = model.report.particle_count, definition.mode_count
    held = index_array(pinned, count, "pinned")
    definition.pinned, definition.pinned_count, definition.direct = as_pointer(held, ctypes.c_int32), len(held), lib.pl_cholmod_backend()
    pose = points(positions, count, "positions") if positions is not None else None
    if pose is not None:
        definition.positions = as_vec3(pose)
    frequencies, shapes, error = np.zeros(max(number, 1)), np.zeros((max(number, 1), count, 3)), _capi.pl_error()
    status = check(lib.pl_modes_find(model._context._pointer, model._pointer, byref(definition), as_pointer(frequencies, ctypes.c_double), as_vec3(shapes),
                                     byref(error)), error)
    return Modes(frequencies, shapes, status == 0)
