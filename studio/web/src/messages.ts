// Types of all messages between the page and the server, as defined in studio/PROTOCOL.md.

export type Vector = [number, number, number];
export type Method = 'solid' | 'rod' | 'fem' | 'rigid' | 'kinematic' | 'actor' | 'capture' | 'detail';
export type ColorMode = 'none' | 'stretch' | 'stress' | 'speed' | 'segments';

export interface GalleryEntry {
  name: string;
  title?: string;
  method: Method;
  description: string;
  picture?: string;
  panels?: number;
  panel?: number;
}

export interface Setting {
  path: string;
  label: string;
  value: number | boolean | string;
  min?: number;
  max?: number;
  log?: boolean;
  unit?: string;
  live?: boolean;
  integer?: boolean;
  about?: string;
  choices?: string[];
}

export interface Example {
  name: string;
  mute?: boolean;
  solo?: boolean;
  view?: Vector;
  extent?: number;
}

// One key per parameter of materials; images are indices, -1 for none.
export interface MaterialDescription {
  shading: 'soft' | 'standard' | 'toon' | 'unlit';
  base_color: Vector;
  alpha: number;
  metallic: number;
  roughness: number;
  translucency: number;
  sheen: number;
  emissive: Vector;
  shade_color: Vector;
  shade_shift: number;
  shade_sharpness: number;
  rim_color: Vector;
  rim_power: number;
  rim_lift: number;
  outline_color: Vector;
  outline_width: number;
  alpha_mode: 'opaque' | 'mask' | 'blend';
  alpha_cutoff: number;
  double_sided: boolean;
  base_image: number;
  shade_image: number;
  emissive_image: number;
  normal_scale: number;
  normal_image: number;
  metallic_roughness_image: number;
  occlusion_strength: number;
  occlusion_image: number;
  matcap_color: Vector;
  matcap_image: number;
}

export interface ImageDescription {
  file: string;
  wrap_u: 'repeat' | 'mirror' | 'clamp';
  wrap_v: 'repeat' | 'mirror' | 'clamp';
}

export interface AppearanceDescription {
  points: string;
  triangles: string;
  uvs: string;
  colors?: string;
  normal_groups?: string;
  parts: { material: number; start: number; count: number }[];
  materials: MaterialDescription[];
  images: ImageDescription[];
}

// A node of a character: `particle` is its joint, -1 for none; `swings`: a spring moves it.
export interface NodeDescription {
  name: string;
  parent: number;
  particle: number;
  swings: boolean;
}

export interface SpringDescription {
  name: string;
  nodes: string[];
  settings: Setting[];
}

export interface NodeColliderDescription {
  name: string;
  node: string;
  shape: string;
  settings: Setting[];
}

export interface BodyDescription {
  name: string;
  method: Method;
  color: Vector;
  points: number;
  triangles: string;
  particles: number;
  tets?: string;
  edges?: string;
  // A preset of the scene, or the materials of the file.
  material?: MaterialDescription;
  appearance?: AppearanceDescription;
  settings?: Setting[];
  examples?: Example[];
  // Of a character: its nodes, and what the scene adds to them.
  nodes?: NodeDescription[];
  springs?: SpringDescription[];
  node_colliders?: NodeColliderDescription[];
  manifolds?: number;
  // The number of manifolds whose weights can be set.
  writable_manifolds?: number;
  // Copies of a body share settings; the first copy has them.
  source?: number;
}

export interface ColliderDescription {
  name: string;
  visible?: boolean;
  ground?: boolean;
  height?: number;
  color?: Vector;
  points?: string;
  triangles?: string;
}

export interface CameraDescription {
  eye: Vector;
  target: Vector;
  up: Vector;
  fov: number;
  follows?: number;
}

export interface SceneMessage {
  kind: 'scene';
  name: string;
  title?: string;
  description?: string;
  path?: string;
  method: Method;
  step: number;
  frame_rate: number;
  frames: number;
  camera?: CameraDescription;
  // A scene with the coarse, the enriched and the fine body side by side.
  compare?: string;
  bodies: BodyDescription[];
  colliders?: ColliderDescription[];
  settings?: Setting[];
}

export interface StateMessage {
  kind: 'state';
  time: number;
  step: number;
  paused: boolean;
  rate: number;
  steps_per_second: number;
  viewers: number;
  history: number;
}

export interface Goal {
  subject: string;
  position?: Vector;
  velocity?: Vector;
  axes?: string | boolean[] | Vector;
  weight?: number;
}

export interface BodyTelemetry {
  body: number;
  weights?: number[][];
  view?: Vector;
  energy?: number;
  elastic?: number;
  injected?: number;
  actor?: {
    objective?: number;
    residual?: number;
    goal_error?: number;
    lean?: number;
    goals?: Goal[];
    speed?: number;
    heading?: Vector;
  };
  detail?: { weights?: number[]; examples?: string[]; count?: number; load?: number; on?: boolean };
  contacts?: string;
}

export interface TelemetryMessage {
  kind: 'telemetry';
  time: number;
  bodies: BodyTelemetry[];
}

export interface Finding {
  severity: string;
  file?: string;
  line?: number;
  column?: number;
  path?: string;
  text: string;
  fix?: string;
}

// The mesh that is shown with the points of a frame.
export type CaptureShape = 'static' | 'tracked' | 'simulated';

export interface CaptureMessage {
  kind: 'capture';
  body: number;
  frame: number;
  frames: number;
  rate?: number;
  // A frame of the recording is shown instead of the world.
  shown?: boolean;
  running: boolean;
  phase?: string;
  // Fraction of the phase.
  done?: number;
  text?: string;
  // Rounds count from 1, iterations over all rounds.
  round?: number;
  iteration?: number;
  error?: number;
  history?: { iteration: number; error: number }[];
  parameters?: { name: string; label: string; value: number; low?: number; high?: number; unit?: string; verdict?: string }[];
  shape?: CaptureShape;
  shapes?: CaptureShape[];
}

export interface HelloMessage {
  kind: 'hello';
  version: number;
  pliant: string;
  scene: boolean;
}

export interface DoneMessage {
  kind: 'done';
  id: number;
  file?: string;
  name?: string;
  restarted?: boolean;
  [key: string]: unknown;
}

export type ServerMessage =
  | HelloMessage
  | SceneMessage
  | StateMessage
  | TelemetryMessage
  | CaptureMessage
  | DoneMessage
  | { kind: 'findings'; items: Finding[] }
  | { kind: 'log'; text: string }
  | { kind: 'progress'; id: number; done: number; text?: string }
  | { kind: 'error'; id?: number; text: string };

export interface Wants {
  particles: boolean;
  ghost: boolean;
  exact: boolean;
  quantised: boolean;
  colors: ColorMode;
  contacts: boolean;
  coarse: boolean;
  cloud: boolean;
}

export type PageMessage =
  | { kind: 'open'; gallery?: string; path?: string; text?: string; name?: string }
  | { kind: 'pause' | 'run' | 'reset' | 'release' }
  | { kind: 'step' | 'back'; count: number }
  | ({ kind: 'want' } & Wants)
  | { kind: 'grab'; body: number; point: number; at: Vector }
  | { kind: 'drag'; at: Vector }
  | { kind: 'pin'; body: number; point: number }
  | { kind: 'set'; path: string; value: number | boolean | string }
  | { kind: 'camera'; eye: Vector }
  | { kind: 'weights'; body: number; manifold: number; weights: number[] | null }
  | { kind: 'example'; body: number; action: 'add' | 'rename' | 'mute' | 'solo' | 'delete'; index?: number; name?: string; on?: boolean }
  | { kind: 'spring'; body: number; action: 'add' | 'delete'; nodes?: string[]; name?: string; index?: number }
  | { kind: 'node_collider'; body: number; action: 'add' | 'delete'; node?: string; shape?: string; index?: number }
  | { kind: 'steer'; body: number; speed: number; heading: Vector }
  | { kind: 'goal'; body: number; position: Vector | null }
  | { kind: 'tool'; at: Vector | null; radius?: number }
  | { kind: 'detail'; body: number; on?: boolean; record?: boolean; name?: string }
  | { kind: 'save'; name?: string }
  | { kind: 'export'; format: string; frames?: number }
  | { kind: 'capture'; body: number; action: 'seek' | 'fit' | 'stop' | 'shape'; frame?: number; shape?: CaptureShape; rounds?: number; moduli?: number };
