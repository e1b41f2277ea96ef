// The state of the page. Changes are announced by signals; modules share nothing else.
import type { Frame } from './frames';
import type { BodyTelemetry, CaptureMessage, ColorMode, Finding, SceneMessage, StateMessage, TelemetryMessage } from './messages';
import type { BoneSelection } from './bones';
import type { Link } from './connection';

export type Surface = 'solid' | 'wire' | 'both';
export type Theme = 'system' | 'light' | 'dark';

export interface Display {
  surface: Surface;
  tets: boolean;
  regions: boolean;
  ghost: boolean;
  goals: boolean;
  contacts: boolean;
  shadows: boolean;
  follow: boolean;
  colors: ColorMode;
}

export interface DetailView {
  coarse: boolean;
  tool: boolean;
  toolRadius: number;
}

interface Signals {
  link: Link;
  scene: SceneMessage;
  state: StateMessage;
  telemetry: TelemetryMessage;
  frame: Frame;
  capture: CaptureMessage;
  findings: Finding[];
  selected: number;
  display: Display;
  theme: 'light' | 'dark';
  pins: Set<string>;
  bones: BoneSelection;
  page: 'gallery' | 'world';
}

type Handlers = { [K in keyof Signals]?: ((value: Signals[K]) => void)[] };

export class Store {
  scene: SceneMessage | undefined;
  state: StateMessage | undefined;
  telemetry = new Map<number, BodyTelemetry>();
  capture: CaptureMessage | undefined;
  link: Link = 'connecting';
  selected = 0;
  pins = new Set<string>();
  version = '';
  // Text of the last dropped scene, so that findings can show its lines.
  dropped: { name: string; text: string } | undefined;
  readonly display: Display = {
    surface: 'solid',
    tets: false,
    regions: false,
    ghost: false,
    goals: true,
    contacts: false,
    shadows: true,
    follow: true,
    colors: 'none',
  };
  readonly bones: BoneSelection = { first: -1, last: -1, picking: false };
  readonly detail: DetailView = { coarse: false, tool: true, toolRadius: 0.03 };
  private handlers: Handlers = {};

  on<K extends keyof Signals>(name: K, handler: (value: Signals[K]) => void): void {
    ((this.handlers[name] ??= []) as ((value: Signals[K]) => void)[]).push(handler);
  }

  emit<K extends keyof Signals>(name: K, value: Signals[K]): void {
    for (const handler of (this.handlers[name] ?? []) as ((value: Signals[K]) => void)[]) handler(value);
  }

  changeDisplay(change: Partial<Display>): void {
    Object.assign(this.display, change);
    this.emit('display', this.display);
  }

  selectBones(change: Partial<BoneSelection>): void {
    Object.assign(this.bones, change);
    this.emit('bones', this.bones);
  }

  select(body: number): void {
    if (body === this.selected) return;
    this.selected = body;
    this.emit('selected', body);
  }

  get hasActor(): boolean {
    return this.scene?.bodies.some((body) => body.method === 'actor') ?? false;
  }
}
