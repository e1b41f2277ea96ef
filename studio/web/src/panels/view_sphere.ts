// A sphere with the view directions and extents of the examples, and the current view direction. Drag to rotate it.
import { throttle } from '../controls';
import { element } from '../dom';
import type { Example, Vector } from '../messages';
import { colorOf } from './panel';

const SIZE = 240;
const RADIUS = 100;

export class ViewSphere {
  readonly element: HTMLElement;
  private readonly canvas = element('canvas', { width: 2 * SIZE, height: 2 * SIZE, tabindex: 0, role: 'img', 'aria-label': 'View directions of the examples on a sphere, and the current one' });
  private yaw = 0.5;
  private pitch = 0.35;
  private current: Vector | undefined;
  private weights: number[] = [];

  constructor(private readonly examples: Example[]) {
    this.element = element('div', { class: 'sphere-box' }, this.canvas);
    let from: PointerEvent | undefined;
    this.canvas.addEventListener('pointerdown', (event) => {
      from = event;
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener('pointermove', (event) => {
      if (!from) return;
      this.turn((event.clientX - from.clientX) / 100, (event.clientY - from.clientY) / 100);
      from = event;
    });
    this.canvas.addEventListener('pointerup', () => (from = undefined));
    this.canvas.addEventListener('keydown', (event) => {
      const shift = { ArrowUp: [0, -0.15], ArrowDown: [0, 0.15], ArrowLeft: [-0.15, 0], ArrowRight: [0.15, 0] }[event.key];
      if (!shift) return;
      event.preventDefault();
      event.stopPropagation();
      this.turn(shift[0] ?? 0, shift[1] ?? 0);
    });
    new MutationObserver(() => this.draw()).observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    requestAnimationFrame(() => this.draw());
  }

  set(view: Vector | undefined, weights: number[]): void {
    this.current = view ?? this.current;
    this.weights = weights;
    this.redraw();
  }

  private readonly redraw = throttle(100, () => this.draw());

  private turn(yaw: number, pitch: number): void {
    this.yaw += yaw;
    this.pitch = Math.max(-1.5, Math.min(1.5, this.pitch + pitch));
    this.draw();
  }

  // Projection to the canvas, with the depth towards the viewer.
  private project([x, y, z]: Vector): Vector {
    const a = Math.cos(this.yaw) * x + Math.sin(this.yaw) * z;
    const b = -Math.sin(this.yaw) * x + Math.cos(this.yaw) * z;
    return [SIZE / 2 + RADIUS * a, SIZE / 2 - RADIUS * (Math.cos(this.pitch) * y - Math.sin(this.pitch) * b), Math.sin(this.pitch) * y + Math.cos(this.pitch) * b];
  }

  private draw(): void {
    const ink = this.canvas.getContext('2d');
    if (!ink) return;
    const style = getComputedStyle(document.documentElement);
    const color = (name: string): string => style.getPropertyValue(name).trim();
    ink.setTransform(2, 0, 0, 2, 0, 0);
    ink.clearRect(0, 0, SIZE, SIZE);
    const shade = ink.createRadialGradient(SIZE / 2 - 35, SIZE / 2 - 40, 10, SIZE / 2, SIZE / 2, RADIUS);
    shade.addColorStop(0, color('--surface-high'));
    shade.addColorStop(1, color('--surface-low'));
    ink.fillStyle = shade;
    ink.beginPath();
    ink.arc(SIZE / 2, SIZE / 2, RADIUS, 0, 2 * Math.PI);
    ink.fill();
    ink.strokeStyle = color('--line');
    ink.lineWidth = 1;
    for (const latitude of [-60, -30, 0, 30, 60]) this.circle(ink, [0, 1, 0], Math.PI / 2 - (latitude * Math.PI) / 180);
    for (let longitude = 0; longitude < 180; longitude += 30) {
      const angle = (longitude * Math.PI) / 180;
      this.circle(ink, [Math.cos(angle), 0, Math.sin(angle)], Math.PI / 2);
    }
    this.examples.forEach((example, i) => this.drawExample(ink, example, i, color('--ink')));
    if (this.current) this.drawCurrent(ink, this.current, color('--ink'));
  }

  private drawExample(ink: CanvasRenderingContext2D, example: Example, index: number, textColor: string): void {
    if (!example.view) return;
    const [x, y, depth] = this.project(normalized(example.view));
    ink.globalAlpha = depth >= 0 ? 1 : 0.3;
    ink.strokeStyle = ink.fillStyle = colorOf(index);
    if (example.extent) {
      ink.lineWidth = 1.5;
      this.circle(ink, normalized(example.view), Math.min(Math.PI / 2, example.extent));
    }
    ink.beginPath();
    ink.arc(x, y, 4 + 6 * Math.max(0, Math.min(1, this.weights[index] ?? 0)), 0, 2 * Math.PI);
    ink.fill();
    ink.fillStyle = textColor;
    ink.font = '11px system-ui, sans-serif';
    ink.fillText(example.name, x + 9, y - 6);
    ink.globalAlpha = 1;
  }

  private drawCurrent(ink: CanvasRenderingContext2D, view: Vector, accent: string): void {
    const [x, y, depth] = this.project(normalized(view));
    ink.globalAlpha = depth >= 0 ? 1 : 0.4;
    ink.strokeStyle = accent;
    ink.lineWidth = 2.5;
    ink.beginPath();
    ink.arc(x, y, 9, 0, 2 * Math.PI);
    ink.moveTo(SIZE / 2, SIZE / 2);
    ink.lineTo(x, y);
    ink.stroke();
    ink.globalAlpha = 1;
  }

  // A circle at an angle from an axis; the far side is drawn faintly.
  private circle(ink: CanvasRenderingContext2D, axis: Vector, angle: number): void {
    const side: Vector = Math.abs(axis[1]) < 0.9 ? normalized([axis[2], 0, -axis[0]]) : [1, 0, 0];
    const other: Vector = [axis[1] * side[2] - axis[2] * side[1], axis[2] * side[0] - axis[0] * side[2], axis[0] * side[1] - axis[1] * side[0]];
    const alpha = ink.globalAlpha;
    // One path for each side: a stroke for every segment would cost a hundred times as much.
    const near = new Path2D();
    const far = new Path2D();
    let before: Vector | undefined;
    for (let i = 0; i <= 48; ++i) {
      const t = (i * Math.PI) / 24;
      const point = this.project([0, 1, 2].map((c) => Math.cos(angle) * axis[c]! + Math.sin(angle) * (Math.cos(t) * side[c]! + Math.sin(t) * other[c]!)) as Vector);
      if (before) {
        const path = point[2] >= 0 ? near : far;
        path.moveTo(before[0], before[1]);
        path.lineTo(point[0], point[1]);
      }
      before = point;
    }
    ink.stroke(near);
    ink.globalAlpha = 0.25 * alpha;
    ink.stroke(far);
    ink.globalAlpha = alpha;
  }
}

function normalized([x, y, z]: Vector): Vector {
  const length = Math.hypot(x, y, z) || 1;
  return [x / length, y / length, z / length];
}
