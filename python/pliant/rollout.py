"""Motions with gradients: Rollout, and functions for SciPy, PyTorch and JAX on top of it."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Callable, Dict, Optional, Sequence, Tuple, Union

import numpy as np

from . import _capi
from ._library import lib
from ._object import Error, Handle, Object, array, as_pointer, as_vec3, byref, create, documented, index_array, set_fields, vec3
from .errors import check

if TYPE_CHECKING:
    from ._types import Array, ArrayLike
    from .model import Model

_SCALARS = ("poisson", "mass_damping", "stiffness_damping")


class Rollout(Object):
    """The motion of a finite-element body as a differentiable function of its inputs.

    Inputs are keywords of run(): `young` (Pa per tet), `poisson`, `mass_damping`, `stiffness_damping`, `rest` (rest shape, (n, 3)) or `weights` (of the
    examples), `positions` and `velocities` at the start ((n, 3)), `forces` ((steps, n, 3), N). What is not given is that of the model.

    `planes` is a list of (normal, offset): planes that the surface does not pass, by the springs of worlds without friction. Other contact is not part of it.
    """

    _shared = False
    INPUTS = ("young", "poisson", "mass_damping", "stiffness_damping", "rest", "weights", "positions", "velocities", "forces")

    def __init__(self, model: Model, *, pinned: ArrayLike = (), planes: Sequence[Tuple[ArrayLike, float]] = (), direct: bool = True, **parameters: Any) -> None:
        definition = set_fields(lib.pl_default_rollout_def(), parameters, "Rollout")
        self._context, self.model = model._context, model
        count = model.report.particle_count
        held = index_array(pinned, count, "pinned")
        definition.model, definition.pinned, definition.pinned_count = model._pointer, as_pointer(held, ctypes.c_int32), len(held)
        found_planes = (_capi.pl_rollout_plane * max(len(planes), 1))(*(_capi.pl_rollout_plane(vec3(normal, "planes"), float(offset)) for normal, offset in planes))
        definition.planes, definition.plane_count = found_planes, len(planes)
        if direct:
            definition.direct = lib.pl_cholmod_backend()
        pointer = create(_capi.pl_rollout, lib.pl_rollout_create, self._context._pointer, byref(definition))
        super().__init__(Handle(pointer, lib.pl_rollout_destroy, [self._context._handle, model._handle]))
        self.point_count, self.step_count = count, definition.step_count
        tets = len(model.mesh.tets)
        self.shapes = {"young": (tets,), "poisson": (), "mass_damping": (), "stiffness_damping": (), "rest": (count, 3), "weights": (len(model.examples),),
                       "positions": (count, 3), "velocities": (count, 3), "forces": (self.step_count, count, 3)}
        self._given = {}

    @property
    def frame_shape(self) -> Tuple[int, int, int]:
        """Shape of a motion: (steps + 1, points, 3)."""
        return self.step_count + 1, self.point_count, 3

    def _array(self, name, value):
        if name not in self.shapes:
            raise TypeError(f"a rollout has no input {name!r}; it has {', '.join(self.INPUTS)}")
        if name == "young" and np.ndim(value) == 0:
            value = np.full(self.shapes[name], float(value))
        if name == "forces" and np.ndim(value) == 2:
            value = np.broadcast_to(value, self.shapes[name])
        return array(np.atleast_1d(value) if name in _SCALARS else value, self.shapes[name] or (1,), name)

    def _inputs(self, values, keep):
        found = _capi.pl_rollout_inputs()
        for name, value in values.items():
            if value is None:
                continue
            numbers = self._array(name, value)
            keep.append(numbers)
            setattr(found, name, as_vec3(numbers) if name in ("rest", "positions", "velocities", "forces") else as_pointer(numbers, ctypes.c_double))
        return found

    def run(self, *, with_velocities: bool = False, **inputs: Any) -> Any:
        """Positions over time, (steps + 1, points, 3), the start first; with velocities, a pair."""
        keep, error = [], Error()
        given = self._inputs(inputs, keep)
        positions = np.empty(self.frame_shape)
        velocities = np.empty(self.frame_shape) if with_velocities else None
        pointer = self._enter()
        try:
            check(lib.pl_rollout_run(pointer, byref(given), as_vec3(positions), as_vec3(velocities) if with_velocities else None, byref(error)), error)
            self._given = dict(inputs)
        finally:
            self._leave()
        return (positions, velocities) if with_velocities else positions

    def push(self, *directions: Any, **direction: Any) -> Array:
        """Forward mode: the change of the positions of the last run along a direction, given as keywords, (steps + 1, points, 3); or along several, given as
        dicts, (directions, steps + 1, points, 3)."""
        single = not directions
        rows = [direction] if single else list(directions)
        keep, error = [], Error()
        given = (_capi.pl_rollout_inputs * len(rows))(*(self._inputs(row, keep) for row in rows))
        changes = np.empty((len(rows), *self.frame_shape))
        pointer = self._enter()
        try:
            check(lib.pl_rollout_push(pointer, given, len(rows), as_vec3(changes), byref(error)), error)
        finally:
            self._leave()
        return changes[0] if single else changes

    def pull(self, by_positions: Optional[ArrayLike] = None, by_velocities: Optional[ArrayLike] = None,
             wanted: Union[None, str, Sequence[str]] = None) -> Dict[str, Any]:
        """Backward mode (adjoint): the gradient by the inputs of a function of the last run whose derivatives by its positions (and velocities) are given.
        `wanted` are names of inputs, by default those that were given to run(). Returns a dict."""
        wanted = tuple(self._given) if wanted is None else (wanted,) if isinstance(wanted, str) else tuple(wanted)
        keep, error, found, given = [], Error(), {}, _capi.pl_rollout_inputs()
        for name in wanted:
            if name not in self.shapes:
                raise TypeError(f"a rollout has no input {name!r}; it has {', '.join(self.INPUTS)}")
            numbers = found[name] = np.zeros(self.shapes[name] or (1,))
            setattr(given, name, as_vec3(numbers) if numbers.ndim > 1 else as_pointer(numbers, ctypes.c_double))
        gradients = []
        for values, name in ((by_positions, "by_positions"), (by_velocities, "by_velocities")):
            gradients.append(array(values, self.frame_shape, name) if values is not None else None)
        pointer = self._enter()
        try:
            check(lib.pl_rollout_pull(pointer, *(as_vec3(g) if g is not None else None for g in gradients), byref(given), byref(error)), error)
        finally:
            self._leave()
        del keep
        return {name: float(numbers[0]) if name in _SCALARS else numbers for name, numbers in found.items()}

    def value_and_gradient(self, loss: Callable[[Array], Tuple[float, Array]], **inputs: Any) -> Tuple[float, Dict[str, Any]]:
        """`loss(positions)` returns (value, derivative by positions). Returns (value, gradient by the inputs as a dict)."""
        value, by_positions = loss(self.run(**inputs))
        return value, self.pull(by_positions)

    def vector_function(self, name: str, loss: Callable[[Array], Tuple[float, Array]], **fixed: Any) -> Callable[[Array], Tuple[float, Array]]:
        """For scipy.optimize.minimize(..., jac=True): a function of one input as a flat vector that returns (value, gradient)."""
        def function(vector):
            shape = self.shapes[name] or (1,)
            value, gradient = self.value_and_gradient(loss, **{name: np.reshape(vector, shape) if shape != (1,) else float(vector[0])}, **fixed)
            return value, np.ravel(gradient[name])
        return function

    def residual_functions(self, names: Sequence[str], residual: Callable[[Array], Any],
                           **fixed: Any) -> Tuple[Callable[[Array], Array], Callable[[Array], Array]]:
        """For scipy.optimize.least_squares(fun, x0, jac=jac): functions of a vector of the inputs `names`, one after the other; all of them small (a modulus, damping,
        weights). `residual(positions)` returns (residuals, function that maps changes of positions (k, steps + 1, points, 3) to (k, residuals))."""
        sizes = [int(np.prod(self.shapes[name], dtype=int)) if name != "young" else 1 for name in names]
        state = {}

        def split(vector):
            parts = np.split(np.asarray(vector, float), np.cumsum(sizes)[:-1])
            return {name: part[0] if name in _SCALARS or name == "young" else part.reshape(self.shapes[name]) for name, part in zip(names, parts)}

        def fun(vector):
            values, state["map"] = residual(self.run(**split(vector), **fixed))
            state["at"] = np.array(vector)
            return values

        def jac(vector):
            if "at" not in state or not np.array_equal(state["at"], vector):
                fun(vector)
            directions = [split(row) for row in np.eye(len(vector))]
            return state["map"](self.push(*directions)).T
        return fun, jac

    def torch_function(self, *names: str) -> Callable[..., Any]:
        """A function of PyTorch tensors, the inputs `names` in order, that returns the positions as a tensor and can be differentiated backward. PyTorch is
        imported here and needed nowhere else."""
        import torch
        rollout = self

        class Motion(torch.autograd.Function):
            """One run and its adjoint."""

            @staticmethod
            def forward(context, *tensors):
                context.values = {name: tensor.detach().cpu().double().numpy() for name, tensor in zip(names, tensors)}
                context.like = tensors
                return torch.from_numpy(rollout.run(**context.values))

            @staticmethod
            def backward(context, gradient):
                rollout._rerun(context.values)
                found = rollout.pull(gradient.contiguous().double().numpy(), wanted=names)
                return tuple(torch.as_tensor(found[name], dtype=tensor.dtype).reshape(tensor.shape) for name, tensor in zip(names, context.like))
        return Motion.apply

    def jax_function(self, *names: str) -> Callable[..., Any]:
        """The same for JAX: a function with a custom derivative in reverse mode, by host callbacks."""
        import jax
        rollout = self
        result = jax.ShapeDtypeStruct(self.frame_shape, np.float64)

        def host_run(*values):
            return rollout.run(**dict(zip(names, map(np.asarray, values))))

        def host_pull(gradient, *values):
            rollout._rerun(dict(zip(names, map(np.asarray, values))))
            found = rollout.pull(np.asarray(gradient), wanted=names)
            return tuple(np.reshape(found[name], np.shape(value)) for name, value in zip(names, values))

        @jax.custom_vjp
        def motion(*values):
            return jax.pure_callback(host_run, result, *values)

        def forward(*values):
            return motion(*values), values

        def backward(values, gradient):
            shapes = tuple(jax.ShapeDtypeStruct(np.shape(value), np.float64) for value in values)
            return jax.pure_callback(host_pull, shapes, gradient, *values)
        motion.defvjp(forward, backward)
        return motion

    def _rerun(self, values):
        """Run again unless the last run was with these values: another one may have come between forward and backward."""
        same = set(values) == set(self._given) and all(np.array_equal(values[name], self._given[name]) for name in values)
        if not same:
            self.run(**values)

    def __repr__(self):
        return "<Rollout closed>" if self.closed else f"<Rollout of {self.point_count} points over {self.step_count} steps>"


Rollout.__init__ = documented("pl_rollout_def")(Rollout.__init__)
