// A baked character against its source and its motion: node compare_character.mjs SOURCE RESULT EXPECTED
// SOURCE and RESULT are glTF or GLB files ("-" for no source); EXPECTED has, per frame, the places of nodes and of the skin's points. Nodes, names, skins, meshes
// and the bytes behind them must be those of the source; three.js must put joints and points where they are expected, to 1e-4 m.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { play } from './play_gltf.mjs';

const TOLERANCE = 1e-4;
const TYPES = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };
const SIZES = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };

function fail(text) {
  console.error(`FAILED: ${text}`);
  process.exit(1);
}

function open(path) {
  const bytes = readFileSync(path);
  if (bytes.toString('latin1', 0, 4) !== 'glTF') return { path, json: JSON.parse(bytes.toString('utf8')) };
  const size = bytes.readUInt32LE(12);
  return { path, json: JSON.parse(bytes.toString('utf8', 20, 20 + size)), binary: bytes.subarray(28 + size) };
}

function bufferBytes(file, index) {
  const { uri } = file.json.buffers[index];
  if (uri === undefined) return file.binary;
  if (uri.startsWith('data:')) return Buffer.from(uri.slice(uri.indexOf(',') + 1), 'base64');
  return readFileSync(join(dirname(file.path), decodeURIComponent(uri)));
}

// The elements of an accessor as bytes, packed.
function elements(file, index) {
  const accessor = file.json.accessors[index], view = file.json.bufferViews[accessor.bufferView];
  const size = TYPES[accessor.type] * SIZES[accessor.componentType], stride = view.byteStride ?? size;
  const start = (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0), bytes = bufferBytes(file, view.buffer);
  return Buffer.concat(Array.from({ length: accessor.count }, (_, i) => bytes.subarray(start + i * stride, start + i * stride + size)));
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function compareFiles(source, result) {
  const names = (file) => file.json.nodes.map((node) => [node.name, node.children, node.mesh, node.skin]);
  if (!same(names(source), names(result))) fail('names, order or children of nodes have changed');
  for (const key of ['skins', 'meshes', 'materials', 'scenes', 'scene', 'extensions', 'extensionsUsed', 'extras'])
    if (!same(source.json[key], result.json[key])) fail(`"${key}" has changed`);
  for (const key of ['accessors', 'bufferViews', 'animations'])
    if (!same(source.json[key], result.json[key].slice(0, source.json[key]?.length ?? 0))) fail(`"${key}" has changed`);
  let count = 0;
  for (let i = 0; i < (source.json.accessors?.length ?? 0); ++i, ++count)
    if (!elements(source, i).equals(elements(result, i))) fail(`the bytes of accessor ${i} have changed`);
  return count;
}

const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

const [sourcePath, resultPath, expectedPath] = process.argv.slice(2);
const expected = JSON.parse(readFileSync(expectedPath, 'utf8')), result = open(resultPath);
const compared = sourcePath === '-' ? 0 : compareFiles(open(sourcePath), result);
const played = await play(resultPath, expected.animation, expected.frames.map((frame) => frame.time));
if (played.name !== expected.name) fail(`animation ${expected.animation} is called ${played.name}`);
if (!same(played.names, result.json.nodes.map((node) => node.name))) fail('three.js has other nodes');
let worstJoint = 0, worstPoint = 0;
expected.frames.forEach((frame, f) => {
  expected.nodes.forEach((node, i) => {
    if (node >= 0) worstJoint = Math.max(worstJoint, distance(played.matrices[f][node].slice(12, 15), frame.positions[i]));
  });
  if (frame.points.length > 0 && frame.points.length !== played.points[f].length) fail('three.js has another number of points');
  frame.points.forEach((point, i) => (worstPoint = Math.max(worstPoint, distance(played.points[f][i], point))));
});
console.log(`${resultPath}: ${compared} accessors as in the source; joints within ${worstJoint.toExponential(1)} m, points within ${worstPoint.toExponential(1)} m`);
if (!(worstJoint <= TOLERANCE && worstPoint <= TOLERANCE)) fail(`${resultPath} plays elsewhere`);
