// Colour maps: sequential for values from zero, diverging for values around zero, and distinct colours for categories.

type Stop = [number, number, number];

// Evenly spaced samples of perceptually uniform maps, dark to light.
const SEQUENTIAL: Stop[] = [
  [0.19, 0.07, 0.37],
  [0.27, 0.22, 0.57],
  [0.2, 0.42, 0.62],
  [0.14, 0.6, 0.58],
  [0.4, 0.77, 0.42],
  [0.83, 0.87, 0.28],
  [0.99, 0.93, 0.62],
];
const DIVERGING: Stop[] = [
  [0.13, 0.3, 0.62],
  [0.35, 0.6, 0.83],
  [0.78, 0.87, 0.93],
  [0.95, 0.94, 0.92],
  [0.98, 0.8, 0.66],
  [0.88, 0.45, 0.33],
  [0.62, 0.11, 0.17],
];
export const CATEGORIES = ['#e4572e', '#2e86ab', '#f2b134', '#5aa469', '#9b5de5', '#d1495b', '#00a6a6', '#8d6a4f', '#6c7a89', '#e07be0', '#3d5a80', '#b5bd4c'];

function sampled(stops: Stop[], size: number): Float32Array {
  const table = new Float32Array(3 * size);
  for (let i = 0; i < size; ++i) {
    const position = (i / (size - 1)) * (stops.length - 1);
    const low = Math.min(Math.floor(position), stops.length - 2);
    const fraction = position - low;
    for (let c = 0; c < 3; ++c) table[3 * i + c] = linear((stops[low]?.[c] ?? 0) * (1 - fraction) + (stops[low + 1]?.[c] ?? 0) * fraction);
  }
  return table;
}

// The renderer expects vertex colours in linear light.
function linear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

const SIZE = 256;
const TABLES = { sequential: sampled(SEQUENTIAL, SIZE), diverging: sampled(DIVERGING, SIZE) };

export interface Range {
  low: number;
  high: number;
  diverging: boolean;
}

// The range of all values: it grows immediately and shrinks slowly, so that colours do not flicker.
export function followRange(range: Range | undefined, values: Float32Array, middle: number | undefined): Range {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (!(low <= high)) [low, high] = [0, 1];
  if (middle !== undefined) {
    const reach = Math.max(middle - low, high - middle, 1e-6);
    [low, high] = [middle - reach, middle + reach];
  } else {
    low = Math.min(0, low);
  }
  if (range) {
    low = Math.min(low, range.low + 0.01 * (low - range.low));
    high = Math.max(high, range.high + 0.01 * (high - range.high));
  }
  return { low, high: Math.max(high, low + 1e-9), diverging: middle !== undefined };
}

// The range of distances without outliers, rounded up so that it stays the same from frame to frame.
export function distanceRange(values: Float32Array): Range | undefined {
  if (values.length === 0) return undefined;
  const sorted = Float32Array.from(values).sort();
  const max = Math.max(sorted[Math.floor(0.85 * (sorted.length - 1))] ?? 0, 1e-6);
  const power = 10 ** Math.floor(Math.log10(max));
  const high = power * ([1, 2, 5, 10].find((step) => step * power >= max) ?? 10);
  return { low: 0, high, diverging: false };
}

export function paint(values: Float32Array, range: Range, colors: Float32Array): void {
  const table = range.diverging ? TABLES.diverging : TABLES.sequential;
  const scale = (SIZE - 1) / (range.high - range.low);
  const count = Math.min(values.length, colors.length / 3);
  for (let i = 0; i < count; ++i) {
    const entry = 3 * Math.max(0, Math.min(SIZE - 1, Math.round(((values[i] ?? 0) - range.low) * scale)));
    colors[3 * i] = table[entry] ?? 0;
    colors[3 * i + 1] = table[entry + 1] ?? 0;
    colors[3 * i + 2] = table[entry + 2] ?? 0;
  }
}

export function paintCategories(values: Float32Array, colors: Float32Array): void {
  const parsed = CATEGORIES.map((text) => [1, 3, 5].map((i) => linear(parseInt(text.slice(i, i + 2), 16) / 255)));
  for (let i = 0; i < Math.min(values.length, colors.length / 3); ++i) {
    const value = Math.round(values[i] ?? -1);
    const color = value < 0 ? [0.5, 0.5, 0.5] : (parsed[value % parsed.length] ?? [0, 0, 0]);
    for (let c = 0; c < 3; ++c) colors[3 * i + c] = color[c] ?? 0;
  }
}

export function gradientOf(diverging: boolean): string {
  const stops = (diverging ? DIVERGING : SEQUENTIAL).map((stop) => `rgb(${stop.map((value) => Math.round(255 * value)).join(' ')})`);
  return `linear-gradient(to right, ${stops.join(', ')})`;
}
