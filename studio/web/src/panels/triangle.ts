// Three weights with sum 1 as a point in a triangle, moved by mouse, touch or arrow keys.
import { element } from '../dom';
import { colorOf } from './panel';

const CORNERS: [number, number][] = [
  [100, 14],
  [14, 164],
  [186, 164],
];

function svg<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Record<string, string | number>): SVGElementTagNameMap[K] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}

export function positionOf(weights: number[]): [number, number] {
  let x = 0;
  let y = 0;
  CORNERS.forEach(([cx, cy], i) => {
    x += cx * (weights[i] ?? 0);
    y += cy * (weights[i] ?? 0);
  });
  return [x, y];
}

// Weights of the nearest point of the triangle.
export function weightsOf(x: number, y: number): [number, number, number] {
  const [[ax, ay], [bx, by], [cx, cy]] = CORNERS as [[number, number], [number, number], [number, number]];
  const area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
  const b = ((x - ax) * (cy - ay) - (cx - ax) * (y - ay)) / area;
  const c = ((bx - ax) * (y - ay) - (x - ax) * (by - ay)) / area;
  const clipped = [1 - b - c, b, c].map((weight) => Math.max(0, weight));
  const sum = clipped.reduce((total, weight) => total + weight, 0);
  return clipped.map((weight) => weight / sum) as [number, number, number];
}

export class WeightTriangle {
  readonly element: HTMLElement;
  private readonly dot = svg('circle', { r: 7, class: 'triangle-dot' });
  private weights: number[] = [1, 0, 0];

  constructor(names: string[], change: (weights: [number, number, number]) => void) {
    const picture = svg('svg', { viewBox: '0 0 200 190', class: 'triangle', tabindex: 0, role: 'slider', 'aria-label': `Weights of ${names.join(', ')}; arrow keys move the point` });
    picture.append(svg('polygon', { points: CORNERS.map((corner) => corner.join(',')).join(' '), class: 'triangle-area' }));
    CORNERS.forEach(([x, y], i) => {
      picture.append(svg('circle', { cx: x, cy: y, r: 4, fill: colorOf(i) }));
      const label = svg('text', { x: i === 0 ? x + 10 : x, y: i === 0 ? y + 4 : y + 18, 'text-anchor': ['start', 'start', 'end'][i] ?? 'start' });
      label.textContent = names[i] ?? '';
      picture.append(label);
    });
    picture.append(this.dot);
    const take = (event: PointerEvent): void => {
      const box = picture.getBoundingClientRect();
      const scale = Math.min(box.width / 200, box.height / 190);
      const weights = weightsOf((event.clientX - box.left - (box.width - 200 * scale) / 2) / scale, (event.clientY - box.top - (box.height - 190 * scale) / 2) / scale);
      this.set(weights);
      change(weights);
    };
    picture.addEventListener('pointerdown', (event) => {
      picture.setPointerCapture(event.pointerId);
      take(event);
    });
    picture.addEventListener('pointermove', (event) => picture.hasPointerCapture(event.pointerId) && take(event));
    picture.addEventListener('keydown', (event) => {
      const shift = { ArrowUp: [0, -6], ArrowDown: [0, 6], ArrowLeft: [-6, 0], ArrowRight: [6, 0] }[event.key];
      if (!shift) return;
      event.preventDefault();
      const [x, y] = positionOf(this.weights);
      const weights = weightsOf(x + (shift[0] ?? 0), y + (shift[1] ?? 0));
      this.set(weights);
      change(weights);
    });
    this.element = element('div', { class: 'triangle-box' });
    this.element.append(picture);
    this.set(this.weights);
  }

  set(weights: number[]): void {
    this.weights = weights;
    const [x, y] = positionOf(weights);
    this.dot.setAttribute('cx', String(x));
    this.dot.setAttribute('cy', String(y));
  }
}
