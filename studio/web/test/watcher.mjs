// A second viewer of a world, independent of the code of the page: its data is compared with that of the page.
import WebSocket from 'ws';
import { PATIENCE } from './check.mjs';

const GHOST = 2;
const SIZES = [12, undefined, 4, 24, undefined];

// Parts of a frame by "kind index", those of three numbers per point.
function partsOf(data) {
  const parts = new Map();
  const count = data.readUInt32LE(4);
  for (let i = 0, at = 24; i < count; ++i) {
    const [kind, index, encoding] = [0, 2, 4].map((offset) => data.readUInt16LE(at + offset));
    const items = data.readUInt32LE(at + 8);
    at += 12;
    if (encoding === 3) parts.set(`${kind} ${index}`, Array.from({ length: 3 * items }, (_, k) => data.readDoubleLE(at + 8 * k)));
    at += encoding === 4 ? 28 : encoding === 1 ? 4 * Math.ceil((24 + 6 * items) / 4) : SIZES[encoding] * items;
  }
  return parts;
}

export async function watch(address, wants) {
  const socket = new WebSocket(`${address.replace(/^http/, 'ws').replace('/?', '/world?')}`);
  const parts = new Map();
  let step = -1;
  let scene;
  let telemetry;
  let look = () => {};
  socket.on('message', (data, isBinary) => {
    if (isBinary) {
      step = Number(data.readBigUInt64LE(8));
      for (const [key, values] of partsOf(data)) parts.set(key, values);
    } else {
      const message = JSON.parse(String(data));
      if (message.kind === 'scene') scene = message;
      if (message.kind === 'telemetry') telemetry = message;
    }
    look();
  });
  await new Promise((resolve, reject) => {
    socket.on('open', resolve);
    socket.on('error', reject);
  });
  socket.send(JSON.stringify({ kind: 'want', ...wants }));
  return {
    // Ghost and contacts of a body in a world that is paused at that step.
    at(wanted, body) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`the other viewer is at step ${step}`)), PATIENCE);
        look = () => {
          const told = telemetry?.bodies.find((item) => item.body === body);
          const ghost = parts.get(`${GHOST} ${body}`);
          if (step !== wanted || !ghost || !told?.contacts || Math.abs(telemetry.time - wanted * scene.step) > 0.1 * scene.step) return;
          clearTimeout(timer);
          const all = telemetry.bodies.map((item) => Buffer.from(item.contacts ?? '', 'base64'));
          const contacts = all.flatMap((bytes) => Array.from({ length: bytes.length / 4 }, (_, k) => bytes.readFloatLE(4 * k)));
          resolve({ ghost, contacts });
        };
        look();
      });
    },
    close: () => socket.close(),
  };
}
