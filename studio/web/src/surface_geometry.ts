// Geometry of a moving surface: positions are written in place, normals are updated, edges are made on demand.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage } from 'three';
import { findCreases } from './creases';

// Vertices of a surface that is drawn with texture coordinates: each is a point, with a normal that a group of vertices shares.
export interface VertexLayout {
  points: Uint32Array;
  triangles: Uint32Array;
  uvs: Float32Array;
  colors: Float32Array;
  groups: Uint32Array;
  parts: { material: number; start: number; count: number }[];
}

export class SurfaceGeometry extends BufferGeometry {
  readonly triangles: Uint32Array;
  // Positions of the points. The vertices are the points followed by copies of some of them, for sharp edges.
  readonly points: Float32Array;
  private copies: Uint32Array = new Uint32Array(0);
  private index32: Uint32Array;
  private sharp = false;
  private edgeIndex: BufferAttribute | undefined;
  private groupOf: Uint32Array = new Uint32Array(0);
  private groupSums = new Float32Array(0);

  constructor(pointCount: number, triangles: Uint32Array<ArrayBuffer>, layout?: VertexLayout) {
    super();
    // Indices come from the network: triangles with an index out of range are omitted.
    const sound = triangles.every((i) => i < pointCount) ? triangles : filterTriangles(triangles, pointCount);
    this.triangles = sound;
    this.index32 = sound;
    this.points = new Float32Array(3 * pointCount);
    this.allot(pointCount, sound);
    if (layout) this.lay(layout);
  }

  // The vertices of a layout are copies of points too; they take the place of those for sharp edges.
  private lay(layout: VertexLayout): void {
    const pointCount = this.points.length / 3;
    const vertexCount = layout.points.length;
    const inside = layout.points.every((point) => point < pointCount) && layout.triangles.every((vertex) => vertex < vertexCount);
    if (!inside || layout.triangles.length !== this.triangles.length || layout.uvs.length < 2 * vertexCount) return;
    this.sharp = true;
    this.copies = layout.points;
    this.allot(pointCount + vertexCount, layout.triangles.map((vertex) => vertex + pointCount) as Uint32Array<ArrayBuffer>);
    const put = (name: string, values: Float32Array, size: number): void => {
      const all = new Float32Array(size * (pointCount + vertexCount));
      all.set(values.subarray(0, size * vertexCount), size * pointCount);
      this.setAttribute(name, new BufferAttribute(all, size));
    };
    put('uv', layout.uvs, 2);
    if (layout.colors.length >= 4 * vertexCount) put('color', layout.colors, 4);
    for (const part of layout.parts) this.addGroup(3 * part.start, 3 * part.count, part.material);
    if (layout.groups.length < vertexCount) return;
    this.groupOf = layout.groups;
    this.groupSums = new Float32Array(3 * (1 + layout.groups.reduce((max, group) => Math.max(max, group), 0)));
  }

  // Whether it has the vertices of a layout.
  get isLaid(): boolean {
    return this.getAttribute('uv') !== undefined;
  }

  // Vertices of one group get the sum of their normals, so that a seam of texture coordinates does not show.
  private joinNormals(n: Float32Array): void {
    const sums = this.groupSums;
    const start = this.points.length;
    sums.fill(0);
    for (let v = 0; v < this.copies.length; ++v) {
      const g = 3 * this.groupOf[v]!;
      for (let c = 0; c < 3; ++c) sums[g + c]! += n[start + 3 * v + c]!;
    }
    for (let v = 0; v < this.copies.length; ++v) {
      const g = 3 * this.groupOf[v]!;
      for (let c = 0; c < 3; ++c) n[start + 3 * v + c] = sums[g + c]!;
    }
  }

  private allot(count: number, index: Uint32Array<ArrayBuffer>): void {
    for (const name of ['position', 'normal']) {
      const attribute = new BufferAttribute(new Float32Array(3 * count), 3);
      attribute.setUsage(DynamicDrawUsage);
      this.setAttribute(name, attribute);
    }
    this.index32 = index;
    this.setIndex(new BufferAttribute(index, 1));
  }

  // The point of a vertex.
  sourceOf(vertex: number): number {
    const count = this.points.length / 3;
    return vertex < count ? vertex : (this.copies[vertex - count] ?? 0);
  }

  // Expands values per point (colours, three each) to all vertices.
  spread(values: Float32Array): Float32Array {
    const all = new Float32Array(values.length + 3 * this.copies.length);
    all.set(values);
    this.copies.forEach((source, i) => {
      for (let c = 0; c < 3; ++c) all[values.length + 3 * i + c] = values[3 * source + c]!;
    });
    return all;
  }

  move(values: Float32Array): void {
    this.points.set(values.length > this.points.length ? values.subarray(0, this.points.length) : values);
    if (!this.sharp) {
      // Sharp edges are found once, in the first shape.
      this.sharp = true;
      const creases = findCreases(this.points, this.triangles);
      this.copies = creases.sources;
      if (creases.sources.length > 0) this.allot(this.points.length / 3 + creases.sources.length, creases.index);
    }
    const position = this.getAttribute('position') as BufferAttribute;
    const drawn = position.array as Float32Array;
    drawn.set(this.points);
    for (let i = 0, to = this.points.length; i < this.copies.length; ++i, to += 3) {
      const from = 3 * this.copies[i]!;
      drawn[to] = drawn[from]!;
      drawn[to + 1] = drawn[from + 1]!;
      drawn[to + 2] = drawn[from + 2]!;
    }
    position.needsUpdate = true;
    this.updateNormals(drawn);
    this.boundingSphere = null;
    this.boundingBox = null;
  }

  // Sums of the area vectors of triangles; faster than computeVertexNormals() of three.js, which matters for 30,000 triangles at 60 frames a second.
  private updateNormals(p: Float32Array): void {
    const n = (this.getAttribute('normal') as BufferAttribute).array as Float32Array;
    const t = this.index32;
    n.fill(0);
    for (let i = 0; i < t.length; i += 3) {
      const a = 3 * t[i]!;
      const b = 3 * t[i + 1]!;
      const c = 3 * t[i + 2]!;
      const ux = p[b]! - p[a]!;
      const uy = p[b + 1]! - p[a + 1]!;
      const uz = p[b + 2]! - p[a + 2]!;
      const vx = p[c]! - p[a]!;
      const vy = p[c + 1]! - p[a + 1]!;
      const vz = p[c + 2]! - p[a + 2]!;
      const x = uy * vz - uz * vy;
      const y = uz * vx - ux * vz;
      const z = ux * vy - uy * vx;
      n[a]! += x;
      n[a + 1]! += y;
      n[a + 2]! += z;
      n[b]! += x;
      n[b + 1]! += y;
      n[b + 2]! += z;
      n[c]! += x;
      n[c + 1]! += y;
      n[c + 2]! += z;
    }
    if (this.groupSums.length > 0) this.joinNormals(n);
    for (let i = 0; i < n.length; i += 3) {
      const length = Math.hypot(n[i]!, n[i + 1]!, n[i + 2]!) || 1;
      n[i]! /= length;
      n[i + 1]! /= length;
      n[i + 2]! /= length;
    }
    this.getAttribute('normal').needsUpdate = true;
  }

  // The edges as lines, with the same position attribute.
  edges(): BufferGeometry {
    const made = new BufferGeometry();
    made.setAttribute('position', this.getAttribute('position'));
    this.edgeIndex ??= new BufferAttribute(uniqueEdges(this.triangles, 3), 1);
    made.setIndex(this.edgeIndex);
    return made;
  }

  get middle(): [number, number, number] {
    const p = this.points;
    const sum: [number, number, number] = [0, 0, 0];
    for (let i = 0; i < p.length; i += 3) {
      sum[0] += p[i]!;
      sum[1] += p[i + 1]!;
      sum[2] += p[i + 2]!;
    }
    const count = Math.max(1, p.length / 3);
    return [sum[0] / count, sum[1] / count, sum[2] / count];
  }
}

function filterTriangles(triangles: Uint32Array, pointCount: number): Uint32Array<ArrayBuffer> {
  const kept: number[] = [];
  for (let i = 0; i + 2 < triangles.length; i += 3) {
    const corners = [triangles[i]!, triangles[i + 1]!, triangles[i + 2]!];
    if (corners.every((corner) => corner < pointCount)) kept.push(...corners);
  }
  return new Uint32Array(kept);
}

// Unique edges of triangles (size 3) or tets (size 4).
export function uniqueEdges(cells: Uint32Array, size: number): Uint32Array<ArrayBuffer> {
  const seen = new Set<number>();
  const edges: number[] = [];
  for (let cell = 0; cell + size <= cells.length; cell += size) {
    for (let i = 0; i < size; ++i) {
      for (let j = i + 1; j < size; ++j) {
        const a = Math.min(cells[cell + i]!, cells[cell + j]!);
        const b = Math.max(cells[cell + i]!, cells[cell + j]!);
        const key = a * 4294967296 + b;
        if (Number.isSafeInteger(key) && seen.has(key)) continue;
        seen.add(key);
        edges.push(a, b);
      }
    }
  }
  return new Uint32Array(edges);
}
