// Chains of bones: what a first and a last bone stand for.
import assert from 'node:assert/strict';
import test from 'node:test';
import { compiled } from './compiled.mjs';

const { chainOf, clicked, depthOf, inTreeOrder, isBelow, namesOf, nodesOf } = await compiled('bones.ts');

// root - head - (ear - tip, horn), listed with children before their parents.
const nodes = [
  { name: 'tip', parent: 2 },
  { name: 'head', parent: 4 },
  { name: 'ear', parent: 1 },
  { name: 'horn', parent: 1 },
  { name: 'root', parent: -1 },
];

test('a chain goes down from the first bone to the last, and is empty where there is none', () => {
  assert.deepEqual(chainOf(nodes, 1, 0), [1, 2, 0]);
  assert.deepEqual(chainOf(nodes, 3, 0), []);
  assert.deepEqual(chainOf([{ name: 'a', parent: 1 }, { name: 'b', parent: 0 }], 7, 0), []);
  assert.ok(isBelow(nodes, 0, 4) && !isBelow(nodes, 4, 0) && !isBelow(nodes, 1, 1));
});

test('one bone stands for all below it', () => {
  assert.deepEqual(nodesOf(nodes, { first: 1, last: -1 }), [0, 1, 2, 3]);
  assert.deepEqual(namesOf(nodes, { first: 1, last: -1 }), ['head']);
  assert.deepEqual(namesOf(nodes, { first: 1, last: 0 }), ['head', 'ear', 'tip']);
  assert.deepEqual(nodesOf(nodes, { first: -1, last: -1 }), []);
});

test('a click begins a chain, and with Shift ends it if it is below', () => {
  assert.deepEqual(clicked(nodes, { first: -1, last: -1, picking: true }, 2, false), { first: 2, last: -1, picking: true });
  assert.deepEqual(clicked(nodes, { first: 1, last: -1, picking: true }, 0, true), { first: 1, last: 0, picking: true });
  assert.deepEqual(clicked(nodes, { first: 2, last: 0, picking: true }, 3, true), { first: 3, last: -1, picking: true });
});

test('nodes are listed as their tree', () => {
  assert.deepEqual(inTreeOrder(nodes), [4, 1, 2, 0, 3]);
  assert.deepEqual(nodes.map((_, i) => depthOf(nodes, i)), [3, 1, 2, 2, 0]);
});
