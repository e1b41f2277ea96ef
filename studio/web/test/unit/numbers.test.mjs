// Weights, colours, edges and numbers as text.
import assert from 'node:assert/strict';
import test from 'node:test';
import { compiled } from './compiled.mjs';

const { distanceRange, followRange, paint } = await compiled('colormap.ts');
const { uniqueEdges, SurfaceGeometry } = await compiled('surface_geometry.ts');
const { positionOf, weightsOf } = await compiled('panels/triangle.ts');
const { precise, short } = await compiled('dom.ts');

test('a place in the triangle and its weights belong together, and outside the nearest edge counts', () => {
  for (const weights of [[1, 0, 0], [0, 1, 0], [0.2, 0.3, 0.5]]) {
    weightsOf(...positionOf(weights)).forEach((weight, i) => assert.ok(Math.abs(weight - weights[i]) < 1e-9));
  }
  const outside = weightsOf(-500, 900);
  assert.ok(outside.every((weight) => weight >= 0) && Math.abs(outside[0] + outside[1] + outside[2] - 1) < 1e-9);
});

test('a range grows at once, shrinks slowly, and is even around a middle', () => {
  const first = followRange(undefined, Float32Array.from([0, 4]), undefined);
  assert.deepEqual([first.low, first.high], [0, 4]);
  const second = followRange(first, Float32Array.from([0, 1]), undefined);
  assert.ok(second.high < 4 && second.high > 3.9);
  const around = followRange(undefined, Float32Array.from([-0.1, 0.4]), 0);
  assert.ok(Math.abs(around.low + 0.4) < 1e-6 && Math.abs(around.high - 0.4) < 1e-6);
});

test('the range of distances is that of most of them, rounded up, and none without any', () => {
  const values = Float32Array.from({ length: 100 }, (_, i) => (i < 90 ? 0.0034 : 0.3));
  assert.equal(distanceRange(values).high, 0.005);
  assert.equal(distanceRange(values.map((value) => 10 * value)).high, 0.05);
  assert.equal(distanceRange(new Float32Array(0)), undefined);
});

test('estimates have as many digits as are asked for', () => {
  const four = [681955, 0.00112345, 0.3, 0, 1.23456e-6, 2.5e10].map((value) => precise(value, 4));
  assert.deepEqual(four, ['682,000', '0.001123', '0.3', '0', '1.235e-6', '2.500e10']);
  assert.equal(precise(676741.06, 5), '676,740');
});

test('painted colours are in range for any number, also one that is none', () => {
  const colors = new Float32Array(12);
  paint(Float32Array.from([NaN, -1e30, 1e30, 0.5]), { low: 0, high: 1, diverging: false }, colors);
  assert.ok(colors.every((value) => value >= 0 && value <= 1 && Number.isFinite(value)));
});

test('edges of two tets that share a face are nine', () => {
  assert.equal(uniqueEdges(Uint32Array.from([0, 1, 2, 3, 1, 2, 3, 4]), 4).length / 2, 9);
});

test('normals of a flat triangle point up, and triangles with foreign indices are left out', () => {
  const geometry = new SurfaceGeometry(3, Uint32Array.from([0, 1, 2, 0, 1, 99]));
  geometry.move(Float32Array.from([0, 0, 0, 0, 0, 1, 1, 0, 0]));
  assert.equal(geometry.triangles.length, 3);
  assert.deepEqual([...geometry.getAttribute('normal').array.slice(0, 3)], [0, 1, 0]);
});

test('edges of a cube are sharp, those of a ball are not, and copies stand for the points they are copies of', async () => {
  const { findCreases } = await compiled('creases.ts');
  const corners = Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1]);
  const cube = Uint32Array.from([0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5]);
  const { index, sources } = findCreases(corners, cube);
  assert.equal(sources.length, 16);
  index.forEach((vertex, i) => assert.equal(vertex < 8 ? vertex : sources[vertex - 8], cube[i]));
  const points = [];
  const triangles = [];
  const n = 24;
  for (let i = 0; i <= n; ++i) for (let j = 0; j < n; ++j) points.push(Math.sin((Math.PI * i) / n) * Math.cos((2 * Math.PI * j) / n), Math.cos((Math.PI * i) / n), Math.sin((Math.PI * i) / n) * Math.sin((2 * Math.PI * j) / n));
  for (let i = 1; i + 1 < n; ++i) for (let j = 0; j < n; ++j) triangles.push(i * n + j, i * n + ((j + 1) % n), (i + 1) * n + j, i * n + ((j + 1) % n), (i + 1) * n + ((j + 1) % n), (i + 1) * n + j);
  assert.equal(findCreases(Float32Array.from(points), Uint32Array.from(triangles)).sources.length, 0);
});

test('numbers are written with three digits', () => {
  assert.deepEqual([0, 0.12345, 1.2345, 12.345, 1234.5, 2e6, 1e-5, NaN].map(short), ['0', '0.123', '1.23', '12.3', '1235', '2.0e6', '1.0e-5', '–']);
});
