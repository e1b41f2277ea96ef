// A stand-in for `pliant view`: speaks studio/PROTOCOL.md with a waving sheet instead of a simulation, so that the page can be developed and tested alone.
//   node test/double.mjs [PORT]   prints the address
import http from 'node:http';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { WebSocketServer } from 'ws';
import { captureAt, colorsAt, makeScene, particlesAt, surfaceAt, telemetryAt } from './double_scenes.mjs';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const DIST = path.join(HERE, '../dist');
const TIME = ['pause', 'run', 'step', 'back', 'reset'];
const METHODS = ['solid', 'rod', 'fem', 'actor', 'detail', 'capture'];
const KINDS = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };

// Parts of frames: [kind, index, encoding, count, bytes].
export function encodeFrame(step, time, parts) {
  const head = Buffer.alloc(24);
  head.write('PLF1');
  head.writeUInt32LE(parts.length, 4);
  head.writeBigUInt64LE(BigInt(step), 8);
  head.writeDoubleLE(time, 16);
  const pieces = [head];
  for (const [kind, index, encoding, count, bytes] of parts) {
    const own = Buffer.alloc(12);
    [kind, index, encoding, 0].forEach((value, i) => own.writeUInt16LE(value, 2 * i));
    own.writeUInt32LE(count, 8);
    pieces.push(own, bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4));
  }
  return Buffer.concat(pieces);
}

const bytesOf = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);

export function quantise(points) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  points.forEach((value, i) => {
    low[i % 3] = Math.min(low[i % 3], value);
    high[i % 3] = Math.max(high[i % 3], value);
  });
  const box = Float32Array.from([...low, ...high.map((value, c) => value - low[c])]);
  const data = Uint16Array.from(points, (value, i) => (box[3 + (i % 3)] > 0 ? Math.round((65535 * (value - box[i % 3])) / box[3 + (i % 3)]) : 0));
  return Buffer.concat([bytesOf(box), bytesOf(data)]);
}

class World {
  constructor() {
    this.viewers = new Set();
    this.scene = undefined;
    this.log = [];
  }

  open(method) {
    this.scene = makeScene(method);
    this.settings = { stiffness: 0.5 };
    this.step = 0;
    this.paused = false;
    Object.assign(this, { pull: undefined, weights: undefined, steer: undefined, goal: undefined, tool: undefined, enriched: true, frame: 0, iteration: 0, fitting: false });
    this.tell(this.scene);
    if (method === 'capture') this.tell(captureAt(this));
    this.broadcast();
  }

  get time() {
    return this.step / 240;
  }

  tell(message) {
    for (const viewer of this.viewers) viewer.send(JSON.stringify(message));
  }

  state() {
    return { kind: 'state', time: this.time, step: this.step, paused: this.paused, rate: this.paused ? 0 : 1, steps_per_second: 240, viewers: this.viewers.size, history: Math.min(this.step, 1000) };
  }

  broadcast() {
    if (!this.scene) return;
    // A viewer that does not keep up skips frames, as with the real server; the last one it gets later.
    for (const viewer of this.viewers) {
      viewer.isBehind = viewer.bufferedAmount >= 65536;
      if (!viewer.isBehind) this.show(viewer);
    }
    this.tell(this.state());
  }

  show(viewer) {
    const { want } = viewer;
    const surface = surfaceAt(this.time, this.settings, this.pull);
    const count = surface.length / 3;
    const parts = [want.quantised ? [0, 0, 1, count, quantise(surface)] : want.exact ? [0, 0, 3, count, bytesOf(Float64Array.from(surface))] : [0, 0, 0, count, bytesOf(surface)]];
    if (want.particles) parts.push([1, 0, 0, 8, bytesOf(particlesAt(this.time))]);
    if (want.ghost) parts.push([2, 0, 0, count, bytesOf(surfaceAt(this.time + 0.3, this.settings))]);
    if (want.colors && want.colors !== 'none') parts.push([3, 0, 2, count, bytesOf(colorsAt(want.colors, surface, this.time))]);
    if (want.coarse) parts.push([6, 0, 0, count, bytesOf(surface.map((value, i) => (i % 3 === 1 ? 0.4 : value)))]);
    if (want.cloud) {
      const cloud = surfaceAt(this.frame / 30, this.settings).map((value, i) => value + 0.01 * Math.sin(37 * i));
      parts.push([7, 0, 0, count, bytesOf(cloud)], [8, 0, 2, count, bytesOf(Float32Array.from({ length: count }, (_, i) => Math.abs(cloud[3 * i + 1] - surface[3 * i + 1])))]);
    }
    const swing = Math.sin(this.time / 2) / 4;
    parts.push([4, 1, 4, 1, bytesOf(Float32Array.from([0, 0, 0, 0, Math.sin(swing), 0, Math.cos(swing)]))]);
    viewer.send(encodeFrame(this.step, this.time, parts));
    viewer.send(JSON.stringify(telemetryAt(this.scene.method, this.time, this.scene.bodies[0].examples.length, { ...this, want })));
  }

  tick() {
    if (!this.scene) return;
    if (this.fitting) {
      this.iteration += 1;
      this.fitting = this.iteration < 60;
      this.tell(captureAt(this));
    }
    if (this.paused) {
      if ([...this.viewers].some((viewer) => viewer.isBehind)) this.broadcast();
      return;
    }
    this.step += 8;
    this.broadcast();
  }

  hear(viewer, message) {
    this.log.push(message);
    const done = (more = {}) => viewer.send(JSON.stringify({ kind: 'done', id: message.id, ...more }));
    const refuse = (text) => viewer.send(JSON.stringify({ kind: 'error', id: message.id, text }));
    switch (message.kind) {
      case 'open':
        return this.hearOpen(viewer, message, done, refuse);
      case 'want':
        viewer.want = message;
        if (this.scene) this.show(viewer);
        return undefined;
      case 'pause':
      case 'run':
        this.paused = message.kind === 'pause';
        break;
      case 'step':
      case 'back':
        this.paused = true;
        this.step = Math.max(0, this.step + (message.kind === 'step' ? message.count : -message.count));
        break;
      case 'reset':
        this.step = 0;
        break;
      case 'grab':
      case 'drag':
        this.pull = { ...this.pull, ...message };
        break;
      case 'release':
        this.pull = undefined;
        break;
      case 'set':
        this.settings[message.path.split('.').at(-1)] = message.value;
        done(message.path.endsWith('modulus') ? { restarted: true } : {});
        break;
      case 'example':
        this.hearExample(message);
        done();
        break;
      case 'spring':
      case 'node_collider':
        this.hearSpring(message);
        done();
        break;
      case 'weights':
        this.weights = message.weights ?? undefined;
        break;
      case 'steer':
        this.steer = message;
        break;
      case 'goal':
        this.goal = message.position ?? undefined;
        break;
      case 'tool':
        this.tool = message.at ?? undefined;
        break;
      case 'detail':
        if (message.on !== undefined) this.enriched = message.on;
        if (message.record) done({ count: 4 });
        break;
      case 'capture':
        if (message.action === 'seek') this.frame = message.frame;
        else if (message.action === 'shape') this.shape = message.shape;
        else this.fitting = message.action === 'fit';
        if (message.action === 'fit') this.iteration = 0;
        this.tell(captureAt(this));
        done();
        break;
      case 'save':
      case 'export':
        viewer.send(JSON.stringify({ kind: 'progress', id: message.id, done: 0.5, text: 'half of it' }));
        done({ file: message.kind === 'save' ? 'scene' : 'frames' });
        break;
      case 'camera':
      case 'pin':
        return undefined;
      default:
        return refuse(`there is no message ${message.kind}`);
    }
    this.broadcast();
    if (message.id !== undefined && TIME.includes(message.kind)) done();
    return undefined;
  }

  hearOpen(viewer, message, done, refuse) {
    if (message.gallery) {
      this.open(message.gallery.replace('double-', ''));
      return done();
    }
    const items = [
      { severity: 'error', file: message.name, line: 3, column: 12, path: 'bodies[0].colour', text: "there is no key 'colour' here", fix: 'did you mean color?' },
      { severity: 'warning', file: message.name, line: 5, column: 3, path: 'time', text: 'the step is long for this stiffness' },
    ];
    viewer.send(JSON.stringify({ kind: 'findings', items }));
    return refuse(`${message.name}: 1 error`);
  }

  hearSpring(message) {
    const key = message.kind === 'spring' ? 'springs' : 'node_colliders';
    const list = (this.scene.bodies[0][key] ??= []);
    if (message.action === 'add') list.push({ name: message.name ?? message.nodes?.[0] ?? message.node, nodes: message.nodes, node: message.node, shape: message.shape, settings: [] });
    if (message.action === 'delete') list.splice(message.index, 1);
    this.tell(this.scene);
  }

  hearExample(message) {
    const { examples } = this.scene.bodies[0];
    if (message.action === 'add') examples.push({ name: message.name ?? `pose ${examples.length}`, view: [0.6, 0.2, 0.7], extent: 0.5 });
    if (message.action === 'rename') examples[message.index].name = message.name;
    if (message.action === 'mute' || message.action === 'solo') examples[message.index][message.action] = message.on;
    if (message.action === 'delete') examples.splice(message.index, 1);
    this.tell(this.scene);
  }
}

function serve(token, request, response) {
  const address = new URL(request.url, 'http://x');
  const send = (status, kind, data) => response.writeHead(status, { 'Content-Type': kind }).end(data);
  const name = address.pathname === '/' ? '/index.html' : address.pathname;
  if (!name.startsWith('/assets/') && address.searchParams.get('token') !== token) return send(403, 'text/plain', 'no');
  if (name === '/gallery') {
    const entries = METHODS.map((method) => ({ name: `double-${method}`, title: `A waving sheet (${method})`, method, description: 'It waves, whatever one does to it.', picture: `${method}.svg` }));
    return send(200, 'application/json', JSON.stringify(entries));
  }
  if (name.startsWith('/pictures/')) return send(200, 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 10"><path d="M2 6q3-5 6 0t6 0" stroke="#e4572e" fill="none"/></svg>');
  if (name.startsWith('/file/')) return send(200, 'application/octet-stream', '{}');
  const file = path.join(DIST, path.normalize(name));
  if (!file.startsWith(DIST) || !fs.existsSync(file)) return send(404, 'text/plain', 'nothing here');
  return send(200, KINDS[path.extname(file)] ?? 'application/octet-stream', fs.readFileSync(file));
}

export async function startDouble({ port = 0, open } = {}) {
  const token = 'double';
  const world = new World();
  const server = http.createServer((request, response) => serve(token, request, response));
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    if (!request.url.includes(`token=${token}`)) {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (viewer) => {
      viewer.want = {};
      world.viewers.add(viewer);
      viewer.on('message', (data) => world.hear(viewer, JSON.parse(String(data))));
      viewer.on('close', () => world.viewers.delete(viewer));
      viewer.send(JSON.stringify({ kind: 'hello', version: 1, pliant: 'double', scene: world.scene !== undefined }));
      if (world.scene) viewer.send(JSON.stringify(world.scene));
    });
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  if (open) world.open(open);
  const timer = setInterval(() => world.tick(), 33);
  return {
    world,
    port: server.address().port,
    address: `http://127.0.0.1:${server.address().port}/?token=${token}`,
    close() {
      clearInterval(timer);
      for (const viewer of world.viewers) viewer.terminate();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log((await startDouble({ port: Number(process.argv[2] ?? 0) })).address);
}
