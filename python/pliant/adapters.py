"""To the objects of other packages, each imported only when its function is called."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional
import numpy as np

if TYPE_CHECKING:
    from ._types import ArrayLike
    from .body import Body
    from .world import World


def to_meshio(mesh: Mesh, point_data: Optional[Mapping[str, ArrayLike]] = None) -> Any:
    """A meshio.Mesh of a Mesh."""
    import meshio
    cells = [(kind, values) for kind, values in (("line", mesh.segments), ("triangle", mesh.triangles), ("tetra", mesh.tets)) if len(values)]
    return meshio.Mesh(np.array(mesh.points), [(kind, np.array(values)) for kind, values in cells], point_data=point_data or {})


def from_meshio(other: Any, **options: Any) -> Mesh:
    """A Mesh of a meshio.Mesh: its lines, triangles and tetrahedra."""
    from .mesh import Mesh
    cells = {"line": [], "triangle": [], "tetra": []}
    for block in other.cells:
        if block.type in cells:
            cells[block.type].append(np.asarray(block.data))
    found = {kind: np.concatenate(blocks) if blocks else None for kind, blocks in cells.items()}
    xyz = np.asarray(other.points, dtype=float)
    xyz = np.column_stack([xyz, np.zeros(len(xyz))]) if xyz.shape[1] == 2 else xyz
    return Mesh(xyz, segments=found["line"], triangles=found["triangle"], tets=found["tetra"], **options)


def to_pyvista(body: Body) -> Any:
    """A pyvista.PolyData of the surface of a body now."""
    import pyvista
    triangles = body.triangles
    return pyvista.PolyData(body.surface.copy(), np.column_stack([np.full(len(triangles), 3), triangles]).ravel())


def to_open3d(body: Body) -> Any:
    """An open3d.geometry.TriangleMesh of the surface of a body now."""
    import open3d
    made = open3d.geometry.TriangleMesh(open3d.utility.Vector3dVector(body.surface.copy()), open3d.utility.Vector3iVector(np.array(body.triangles)))
    made.compute_vertex_normals()
    return made


def log_to_rerun(world: World, path: str = "world") -> None:
    """Log the surfaces of all bodies to Rerun at the time of the world."""
    import rerun
    rerun.set_time_seconds("simulation", world.time)
    for i, body in enumerate(world.bodies):
        rerun.log(f"{path}/{body.name or i}", rerun.Mesh3D(vertex_positions=body.surface.copy(), triangle_indices=np.array(body.triangles)))
