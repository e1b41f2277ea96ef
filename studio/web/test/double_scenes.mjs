// Scenes of the test double: small made-up bodies, one per method, with everything that the protocol can say about them.

const base64 = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('base64');

// A sheet of n x n points with its triangles.
function sheet(n) {
  const triangles = [];
  for (let j = 0; j + 1 < n; ++j) {
    for (let i = 0; i + 1 < n; ++i) {
      const a = j * n + i;
      triangles.push(a, a + n, a + 1, a + 1, a + n, a + n + 1);
    }
  }
  return Uint32Array.from(triangles);
}

// Particles of a block of 2 x 2 x 2 points and its five tets.
const TETS = Uint32Array.from([0, 1, 2, 4, 1, 3, 2, 7, 1, 4, 5, 7, 2, 4, 7, 6, 1, 2, 4, 7]);
const EDGES = Uint32Array.from([0, 1, 0, 2, 0, 4, 1, 3, 1, 5, 2, 3, 2, 6, 3, 7, 4, 5, 4, 6, 5, 7, 6, 7]);

export const SIDE = 24;
const COLORS = { solid: [0.9, 0.34, 0.18], rod: [0.45, 0.3, 0.2], fem: [0.2, 0.55, 0.75], actor: [0.95, 0.75, 0.2], detail: [0.85, 0.55, 0.5], capture: [0.4, 0.65, 0.45] };

function examplesOf(method) {
  if (method === 'solid') return [{ name: 'twist' }, { name: 'bend' }];
  if (method === 'rod') return [{ name: 'front', view: [0, 0, 1], extent: 0.5 }, { name: 'left', view: [-1, 0.2, 0.2], extent: 0.6 }, { name: 'above', view: [0.2, 1, 0.3], extent: 0.4 }];
  return [];
}

function settingsOf(method, i) {
  return [
    { path: `bodies[${i}].${method}.stiffness`, label: 'stiffness', value: 0.5, min: 0, max: 1, live: true },
    { path: `bodies[${i}].${method}.modulus`, label: 'modulus', value: 1e5, min: 1e3, max: 1e7, log: true, unit: 'Pa', live: false },
    { path: `bodies[${i}].${method}.suppression`, label: 'suppression', value: true, live: true },
  ];
}

export function makeScene(method) {
  const body = {
    name: 'sheet',
    method,
    color: COLORS[method],
    points: SIDE * SIDE,
    triangles: base64(sheet(SIDE)),
    particles: 8,
    tets: base64(TETS),
    edges: base64(EDGES),
    settings: settingsOf(method, 0),
    examples: examplesOf(method),
    manifolds: method === 'solid' ? 2 : 1,
  };
  return {
    kind: 'scene',
    name: `double-${method}`,
    title: `A waving sheet (${method})`,
    description: 'It waves, whatever one does to it.',
    path: `double/${method}.json`,
    method,
    step: 1 / 240,
    frame_rate: 60,
    frames: 120,
    camera: { eye: [1.2, 1.1, 1.8], target: [0, 0.35, 0], up: [0, 1, 0], fov: 40, follows: method === 'actor' ? 0 : -1 },
    bodies: [body],
    colliders: [
      { name: 'ground', ground: true, height: 0 },
      { name: 'wall', color: [0.6, 0.62, 0.66], points: base64(Float32Array.from([-0.7, 0, -0.6, 0.7, 0, -0.6, 0.7, 0.5, -0.6, -0.7, 0.5, -0.6])), triangles: base64(Uint32Array.from([0, 1, 2, 0, 2, 3])) },
    ],
  };
}

// Where the points are at a time: a pure function, so that pausing and stepping back can be seen to be exact.
export function surfaceAt(time, settings, pull) {
  const points = new Float32Array(3 * SIDE * SIDE);
  const height = 0.35 + 0.2 * settings.stiffness;
  for (let j = 0; j < SIDE; ++j) {
    for (let i = 0; i < SIDE; ++i) {
      const x = i / (SIDE - 1) - 0.5;
      const z = j / (SIDE - 1) - 0.5;
      const k = 3 * (j * SIDE + i);
      points[k] = x;
      points[k + 1] = height + 0.09 * Math.sin(7 * x + 4 * time) * Math.cos(5 * z + 2 * time);
      points[k + 2] = z;
    }
  }
  if (pull) {
    const at = [0, 1, 2].map((c) => points[3 * pull.point + c]);
    for (let k = 0; k < points.length; k += 3) {
      const near = Math.exp(-30 * ((points[k] - at[0]) ** 2 + (points[k + 2] - at[2]) ** 2));
      for (let c = 0; c < 3; ++c) points[k + c] += near * (pull.at[c] - at[c]);
    }
  }
  return points;
}

export function particlesAt(time) {
  const points = new Float32Array(24);
  for (let i = 0; i < 8; ++i) {
    points[3 * i] = (i & 1) - 0.5;
    points[3 * i + 1] = 0.15 + 0.35 * ((i >> 1) & 1) + 0.03 * Math.sin(4 * time + i);
    points[3 * i + 2] = (i >> 2) - 0.5;
  }
  return points;
}

// A number per point for each way of colouring.
export function colorsAt(mode, surface, time) {
  const values = new Float32Array(surface.length / 3);
  for (let i = 0; i < values.length; ++i) {
    if (mode === 'segments') values[i] = Math.floor((4 * (i % SIDE)) / SIDE);
    else if (mode === 'stretch') values[i] = 0.3 * Math.sin(10 * surface[3 * i] + 3 * time);
    else if (mode === 'stress') values[i] = 2e4 * Math.abs(surface[3 * i + 1] - 0.35);
    else values[i] = Math.abs(surface[3 * i + 1] - 0.4);
  }
  return values;
}

export function telemetryAt(method, time, exampleCount, state) {
  const share = 0.5 + 0.5 * Math.sin(time);
  const own = { body: 0, energy: 1.5 + Math.sin(2 * time) };
  if (exampleCount > 0) {
    const by = state.weights ?? [0.6 * share, 0.4 * share, ...Array(Math.max(0, exampleCount - 2)).fill(0)];
    own.weights = [by, by];
  }
  if (method === 'rod') Object.assign(own, { view: [Math.sin(time), 0.4, Math.cos(time)], injected: Math.max(0, Math.sin(3 * time)) ** 8 });
  if (method === 'actor') {
    own.actor = {
      objective: 0.1 + 0.05 * Math.sin(time),
      residual: 1e-7 * (1.5 + Math.sin(5 * time)),
      goal_error: 0.02,
      lean: 5 * Math.sin(time),
      speed: state.steer?.speed ?? 0,
      heading: state.steer?.heading ?? [1, 0, 0],
      goals: [
        { subject: 'center', position: state.goal ?? [0.3, 0.6, 0], weight: 1 },
        { subject: 'foot', position: [-0.3, 0.1, 0.2], weight: 1 },
      ],
    };
  }
  if (method === 'detail') own.detail = { weights: state.tool ? [0.7, 0.25, 0.05] : [], examples: state.tool ? ['press 1', 'press 2', 'pinch'] : [], load: state.tool ? 2.5 : 0, on: state.enriched };
  if (state.want.contacts) own.contacts = base64(Float32Array.from([0, 0.3, 0, 0.2, 0.3, 0.2, -0.2, 0.3, 0.1]));
  return { kind: 'telemetry', time, bodies: [own] };
}

export function captureAt(state) {
  const history = Array.from({ length: state.iteration + 1 }, (_, i) => ({ iteration: i, error: 0.02 * Math.exp(-i / 12) + 0.0008 }));
  return {
    kind: 'capture',
    body: 0,
    frame: state.frame,
    frames: 90,
    rate: 30,
    shown: true,
    running: state.fitting,
    phase: state.fitting ? 'fit' : 'recorded',
    shape: state.shape ?? 'static',
    shapes: state.iteration > 0 ? ['static', 'tracked', 'simulated'] : ['static'],
    iteration: state.iteration,
    error: history.at(-1).error,
    history,
    parameters: [
      { name: 'modulus', label: "Young's modulus", value: 21000 + 900 * Math.exp(-state.iteration / 10), low: 19800, high: 22400, unit: 'Pa' },
      { name: 'damping', label: 'damping', value: 0.013, low: 0.0004, high: 0.7, unit: 's', verdict: 'not determined' },
    ],
  };
}
