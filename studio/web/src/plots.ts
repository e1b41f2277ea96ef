// Plots of values over time, for a moving window of the last seconds, drawn by uPlot.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { element, short } from './dom';

export interface Curve {
  label: string;
  color: string;
}

interface PlotOptions {
  title: string;
  unit?: string;
  log?: boolean;
  height?: number;
  range?: [number, number];
  // Label of the horizontal axis (default: seconds).
  across?: string;
}

// A few powers of ten that cover a range.
function decades(_: uPlot, __: number, low: number, high: number): number[] {
  const [first, last] = [Math.ceil(Math.log10(low)), Math.floor(Math.log10(high))];
  const step = Math.max(1, Math.ceil((last - first) / 4));
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (___, i) => 10 ** (first + i * step));
}

const MAX_SAMPLES = 900;
const REDRAW_MS = 90;

export class StreamPlot {
  readonly element = element('figure', { class: 'plot' });
  private plot: uPlot | undefined;
  private data: (number | null)[][];
  private readonly host = element('div', {});
  private timer = 0;
  private curves: Curve[];

  constructor(
    curves: Curve[],
    private readonly options: PlotOptions,
  ) {
    this.curves = curves;
    this.data = [[], ...curves.map(() => [])];
    const keys = element('span', { class: 'plot-keys' });
    for (const curve of curves) keys.append(element('span', { style: `--key: ${curve.color}` }, curve.label));
    this.element.append(element('figcaption', {}, element('span', {}, options.title + (options.unit ? `, ${options.unit}` : '')), keys), this.host);
    new ResizeObserver(() => this.fit()).observe(this.host);
    new MutationObserver(() => this.rebuild()).observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  }

  add(x: number, values: (number | undefined)[]): void {
    const times = this.data[0] as number[];
    const last = times.at(-1);
    // When time goes back (reset, step back), remove the values after it.
    if (last !== undefined && x <= last) {
      let keep = times.length;
      while (keep > 0 && times[keep - 1]! >= x) keep -= 1;
      for (const row of this.data) row.length = keep;
    }
    times.push(x);
    values.forEach((value, i) => this.data[i + 1]?.push(this.options.log && !((value ?? 0) > 0) ? null : (value ?? null)));
    if (times.length > MAX_SAMPLES) for (const row of this.data) row.shift();
    this.redraw();
  }

  clear(): void {
    for (const row of this.data) row.length = 0;
    this.redraw();
  }

  get length(): number {
    return this.data[0]?.length ?? 0;
  }

  private redraw(): void {
    if (this.timer) return;
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      if (!this.plot) this.rebuild();
      this.plot?.setData(this.data as uPlot.AlignedData);
    }, REDRAW_MS);
  }

  private fit(): void {
    if (!this.plot) this.rebuild();
    else if (this.host.clientWidth > 0) this.plot.setSize({ width: this.host.clientWidth, height: this.options.height ?? 116 });
  }

  private rebuild(): void {
    this.plot?.destroy();
    this.plot = undefined;
    if (this.host.clientWidth === 0) return;
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--ink-soft').trim();
    const grid = { stroke: style.getPropertyValue('--line').trim(), width: 1 };
    const axis = { stroke: ink, grid, ticks: { show: false }, font: '11px system-ui, sans-serif' };
    const y: uPlot.Scale = this.options.log ? { distr: 3 } : this.options.range ? { range: this.options.range } : {};
    this.plot = new uPlot(
      {
        width: this.host.clientWidth,
        height: this.options.height ?? 116,
        scales: { x: { time: false }, y },
        legend: { show: false },
        cursor: { show: false },
        axes: [
          { ...axis, size: 22 },
          { ...axis, size: 46, values: (_, ticks) => ticks.map((tick) => short(tick)), ...(this.options.log ? { splits: decades, filter: (_, ticks) => ticks } : {}) },
        ],
        series: [{}, ...this.curves.map((curve) => ({ label: curve.label, stroke: curve.color, width: 1.75, points: { show: false }, spanGaps: true }))],
      },
      this.data as uPlot.AlignedData,
      this.host,
    );
  }
}
