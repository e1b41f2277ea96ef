// Sharp edges. Points of a surface are shared by the triangles around them, and one normal for all would round every box. Where neighbours meet at more than an
// angle, the point gets copies, one for each smooth piece around it. Copies come after all points, so that the indices of points do not change.

const SHARPEST = Math.cos((38 * Math.PI) / 180);

export interface Creases {
  // Triangles, with copies instead of points where needed.
  index: Uint32Array<ArrayBuffer>;
  // The point of each copy.
  sources: Uint32Array;
}

function faceNormals(points: Float32Array, triangles: Uint32Array): Float32Array {
  const normals = new Float32Array(triangles.length);
  for (let f = 0; f < triangles.length; f += 3) {
    const [a, b, c] = [3 * triangles[f]!, 3 * triangles[f + 1]!, 3 * triangles[f + 2]!];
    const u = [0, 1, 2].map((i) => points[b + i]! - points[a + i]!);
    const v = [0, 1, 2].map((i) => points[c + i]! - points[a + i]!);
    const n = [u[1]! * v[2]! - u[2]! * v[1]!, u[2]! * v[0]! - u[0]! * v[2]!, u[0]! * v[1]! - u[1]! * v[0]!];
    const length = Math.hypot(n[0]!, n[1]!, n[2]!);
    for (let i = 0; i < 3; ++i) normals[f + i] = length > 0 ? n[i]! / length : 0;
  }
  return normals;
}

// Corners of triangles, sorted by point.
function cornersByPoint(triangles: Uint32Array, pointCount: number): { start: Uint32Array; corners: Uint32Array } {
  const start = new Uint32Array(pointCount + 1);
  for (const point of triangles) start[point + 1]! += 1;
  for (let i = 0; i < pointCount; ++i) start[i + 1]! += start[i]!;
  const next = start.slice();
  const corners = new Uint32Array(triangles.length);
  triangles.forEach((point, corner) => (corners[next[point]!++] = corner));
  return { start, corners };
}

export function findCreases(points: Float32Array, triangles: Uint32Array): Creases {
  const normals = faceNormals(points, triangles);
  const pointCount = points.length / 3;
  const { start, corners } = cornersByPoint(triangles, pointCount);
  const index = new Uint32Array(triangles);
  const sources: number[] = [];
  const faceOf = (corner: number): number => corner - (corner % 3);
  const hasNone = (face: number): boolean => normals[face] === 0 && normals[face + 1] === 0 && normals[face + 2] === 0;
  // Smooth: they share an edge through the point, and do not bend much there. A face without area is smooth with any.
  const isSmooth = (point: number, a: number, b: number): boolean => {
    const shared = [0, 1, 2].some((i) => triangles[a + i] !== point && [0, 1, 2].some((j) => triangles[b + j] === triangles[a + i]));
    if (!shared) return false;
    const dot = normals[a]! * normals[b]! + normals[a + 1]! * normals[b + 1]! + normals[a + 2]! * normals[b + 2]!;
    return dot > SHARPEST || hasNone(a) || hasNone(b);
  };
  for (let point = 0; point < pointCount; ++point) {
    const around = [...corners.subarray(start[point], start[point + 1])];
    let isFirst = true;
    while (around.length > 0) {
      // One smooth piece: everything that can be reached from a corner without crossing a crease.
      const piece = [around.pop()!];
      for (const corner of piece) {
        for (let i = around.length - 1; i >= 0; --i) {
          if (isSmooth(point, faceOf(corner), faceOf(around[i]!))) piece.push(...around.splice(i, 1));
        }
      }
      if (!isFirst) {
        for (const corner of piece) index[corner] = pointCount + sources.length;
        sources.push(point);
      }
      isFirst = false;
    }
  }
  return { index, sources: Uint32Array.from(sources) };
}
