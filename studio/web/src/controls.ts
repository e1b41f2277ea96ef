// Sliders, switches and lists with accessible labels. A slider may be logarithmic, and its value can be typed.
import type { Setting } from './messages';
import { element, short, unitText } from './dom';

let nextId = 0;

export function switchRow(label: string, value: boolean, change: (on: boolean) => void, tip?: string): { element: HTMLElement; set(on: boolean): void } {
  const input = element('input', { type: 'checkbox', role: 'switch', checked: value, onchange: () => change(input.checked) });
  const row = element('label', { class: 'switch-row', title: tip }, element('span', {}, label), input);
  return { element: row, set: (on) => void (input.checked = on) };
}

export function choiceRow<T extends string>(label: string, choices: Record<T, string>, value: T, change: (choice: T) => void): { element: HTMLElement; set(choice: T): void } {
  const id = `choice-${nextId++}`;
  const select = element('select', { id, onchange: () => change(select.value as T) });
  for (const [key, text] of Object.entries(choices)) select.append(element('option', { value: key }, String(text)));
  select.value = value;
  return { element: element('div', { class: 'choice-row' }, element('label', { for: id }, label), select), set: (choice) => void (select.value = choice) };
}

interface SliderOptions {
  label: string;
  value: number;
  min: number;
  max: number;
  log?: boolean;
  unit?: string;
  tip?: string;
  integer?: boolean;
}

const TICKS = 1000;

export function sliderRow(options: SliderOptions, change: (value: number) => void): { element: HTMLElement; set(value: number): void } {
  const log = options.log === true && options.min > 0;
  const toTick = (value: number): number => {
    const fraction = log ? Math.log(value / options.min) / Math.log(options.max / options.min) : (value - options.min) / (options.max - options.min);
    return Math.round(TICKS * Math.max(0, Math.min(1, fraction)));
  };
  const fromTick = (tick: number): number => {
    const fraction = tick / TICKS;
    const value = log ? options.min * (options.max / options.min) ** fraction : options.min + fraction * (options.max - options.min);
    return options.integer ? Math.round(value) : Number(value.toPrecision(4));
  };
  const id = `slider-${nextId++}`;
  const slider = element('input', { type: 'range', id, min: 0, max: TICKS, step: 1, value: toTick(options.value) });
  const number = element('input', { type: 'text', inputmode: 'decimal', class: 'number', 'aria-label': `${options.label}, value`, value: short(options.value) });
  const show = (value: number): void => {
    slider.setAttribute('aria-valuetext', `${short(value)} ${options.unit ?? ''}`);
    slider.style.setProperty('--fraction', `${toTick(value) / 10}%`);
  };
  show(options.value);
  slider.addEventListener('input', () => {
    const value = fromTick(Number(slider.value));
    number.value = short(value);
    show(value);
    change(value);
  });
  number.addEventListener('change', () => {
    const value = Number(number.value);
    if (!Number.isFinite(value)) {
      number.value = short(fromTick(Number(slider.value)));
      return;
    }
    const near = options.integer ? Math.round(value) : value;
    const bounded = Math.max(options.min, Math.min(options.max, near));
    number.value = short(bounded);
    slider.value = String(toTick(bounded));
    show(bounded);
    change(bounded);
  });
  const row = element(
    'div',
    { class: 'slider-row', title: options.tip },
    element('label', { for: id }, options.label, options.unit ? element('small', {}, ` ${unitText(options.unit)}`) : undefined),
    slider,
    number,
  );
  return {
    element: row,
    set(value) {
      if (document.activeElement === slider || document.activeElement === number) return;
      slider.value = String(toTick(value));
      number.value = short(value);
      show(value);
    },
  };
}

// The control for a setting: slider, switch or list.
export function settingRow(setting: Setting, change: (value: number | boolean | string) => void): { element: HTMLElement; set(value: number | boolean | string): void } {
  const tip = setting.about ? `${setting.about}\n${setting.path}` : setting.path;
  if (typeof setting.value === 'boolean') {
    const row = switchRow(setting.label, setting.value, change, tip);
    return { element: row.element, set: (value) => row.set(value === true) };
  }
  if (typeof setting.value === 'string') {
    const choices = Object.fromEntries((setting.choices ?? [setting.value]).map((choice) => [choice, choice]));
    const row = choiceRow(setting.label, choices, setting.value, change);
    return { element: row.element, set: (value) => row.set(String(value)) };
  }
  const min = setting.min ?? 0;
  const max = setting.max ?? Math.max(1, 2 * setting.value);
  const row = sliderRow({ label: setting.label, value: setting.value, min, max, log: setting.log === true, unit: setting.unit ?? '', tip, integer: setting.integer === true }, change);
  return { element: row.element, set: (value) => row.set(Number(value)) };
}

// Runs one task at a time, and then the last value that arrived in the meantime.
export function oneByOne<T>(work: (value: T) => Promise<unknown>): (value: T) => void {
  let busy = false;
  let waiting: { value: T } | undefined;
  const next = async (value: T): Promise<void> => {
    busy = true;
    await work(value);
    busy = false;
    const later = waiting;
    waiting = undefined;
    if (later) void next(later.value);
  };
  return (value) => {
    if (busy) waiting = { value };
    else void next(value);
  };
}

// Allows at most one call in `milliseconds`, and always makes the last one.
export function throttle<T extends unknown[]>(milliseconds: number, act: (...values: T) => void): (...values: T) => void {
  let timer = 0;
  let waiting: T | undefined;
  const fire = (): void => {
    timer = 0;
    if (!waiting) return;
    act(...waiting);
    waiting = undefined;
    timer = window.setTimeout(fire, milliseconds);
  };
  return (...values) => {
    waiting = values;
    if (!timer) fire();
  };
}
