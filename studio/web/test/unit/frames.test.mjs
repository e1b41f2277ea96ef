// Frames as the protocol lays them out, against an encoder of its own (that of the test double), and hostile ones.
import assert from 'node:assert/strict';
import test from 'node:test';
import { encodeFrame, quantise } from '../double.mjs';
import { compiled } from './compiled.mjs';

const { decodeFrame, indicesOf } = await compiled('frames.ts');
const bytes = (array) => Buffer.from(array.buffer);
const decode = (buffer) => decodeFrame(buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.length));
const points = Float32Array.from([0, 1, 2, -3, 4.5, 5, 6, 7, 8.25]);

test('float32, float64, numbers and placements come out as they went in', () => {
  const placement = Float32Array.from([1, 2, 3, 0, 0, 0, 1]);
  const frame = decode(encodeFrame(7, 0.25, [[0, 0, 0, 3, bytes(points)], [1, 2, 3, 3, bytes(Float64Array.from(points))], [3, 1, 2, 9, bytes(points)], [4, 5, 4, 1, bytes(placement)]]));
  assert.equal(frame.step, 7);
  assert.equal(frame.time, 0.25);
  assert.deepEqual(frame.parts.map((part) => [part.kind, part.index, part.count]), [[0, 0, 3], [1, 2, 3], [3, 1, 9], [4, 5, 1]]);
  for (const part of frame.parts.slice(0, 3)) assert.deepEqual([...part.values], [...points]);
  assert.deepEqual([...frame.parts[3].values], [...placement]);
});

test('quantised points are within half a step of the box, also when padding follows', () => {
  const frame = decode(encodeFrame(1, 0, [[0, 0, 1, 3, quantise(points)], [3, 0, 2, 9, bytes(points)]]));
  frame.parts[0].values.forEach((value, i) => assert.ok(Math.abs(value - points[i]) <= 9 / 65535, `${value} for ${points[i]}`));
  assert.deepEqual([...frame.parts[1].values], [...points]);
});

test('a frame that does not hold what it promises is refused', () => {
  const whole = encodeFrame(1, 0, [[0, 0, 0, 3, bytes(points)]]);
  for (let size = 0; size < whole.length; ++size) assert.throws(() => decode(whole.subarray(0, size)), /frame/, `${size} bytes`);
  assert.throws(() => decode(Buffer.from('PLF2'.padEnd(24))), /PLF1/);
  assert.throws(() => decode(encodeFrame(1, 0, [[0, 0, 9, 0, Buffer.alloc(0)]])), /encoding 9/);
  const many = Buffer.from(whole);
  many.writeUInt32LE(0xffffffff, 32);
  assert.throws(() => decode(many), /truncated/);
});

test('indices come from base64, and nothing from nothing', () => {
  assert.deepEqual([...indicesOf(bytes(Uint32Array.from([3, 1, 4000000000])).toString('base64'))], [3, 1, 4000000000]);
  assert.equal(indicesOf(undefined).length, 0);
});
