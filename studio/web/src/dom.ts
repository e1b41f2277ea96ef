// Helpers for DOM elements, icons and numbers as text.

type Child = Node | string | undefined | false;
type Attributes = Record<string, string | number | boolean | undefined | ((event: Event) => void)>;

export function element<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') made.addEventListener(name.replace(/^on/, ''), value);
    else made.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) if (child) made.append(child);
  return made;
}

const PATHS: Record<string, string> = {
  play: 'M7 4.5v15l12-7.5z',
  pause: 'M7 5h3.5v14H7zM13.5 5H17v14h-3.5z',
  step: 'M5 5.5v13l9-6.5zM16 5.5h3v13h-3z',
  back: 'M19 5.5v13l-9-6.5zM8 5.5H5v13h3z',
  reset: 'M12 5a7 7 0 1 1-6.7 9h2.2A5 5 0 1 0 12 7v3L7 6l5-4z',
  frame: 'M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z',
  gallery: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  open: 'M3 6a2 2 0 0 1 2-2h5l2 2h7a2 2 0 0 1 2 2v1H6.5L4 18H3zM7 11h15l-3 8H4.5z',
  save: 'M11 3h2v9l3.5-3.5 1.4 1.4L12 15.8 6.1 9.9l1.4-1.4L11 12zM4 17h2v2h12v-2h2v4H4z',
  keys: 'M3 6h18v12H3zM5.500 8.500h2v2h-2zM9 8.500h2v2H9zM12.500 8.500h2v2h-2zM16 8.500h2.500v2H16zM7 13.500h10v2H7z',
  sun: 'M12 7a5 5 0 1 1 0 10 5 5 0 0 1 0-10zM11 1h2v3h-2zM11 20h2v3h-2zM1 11h3v2H1zM20 11h3v2h-3zM4.200 2.800l2.100 2.100-1.400 1.400-2.100-2.100zM19.100 17.700l2.100 2.100-1.400 1.400-2.100-2.100zM2.800 19.800l2.100-2.100 1.400 1.400-2.100 2.100zM17.700 4.900l2.100-2.100 1.400 1.400-2.100 2.100z',
  moon: 'M20 14.500A8.500 8.500 0 0 1 9.500 4 8.500 8.500 0 1 0 20 14.500z',
  panel: 'M3 4h18v16H3zM5 6v12h8V6z',
  record: 'M12 6a6 6 0 1 1 0 12 6 6 0 0 1 0-12z',
  camera: 'M9 4h6l1.500 2.500H20a1.500 1.500 0 0 1 1.500 1.500v10a1.500 1.500 0 0 1-1.500 1.500H4A1.500 1.500 0 0 1 2.500 18V8A1.500 1.500 0 0 1 4 6.500h3.500zM12 9a4 4 0 1 0 0 8 4 4 0 0 0 0-8z',
  close: 'M6.400 5 12 10.600 17.600 5 19 6.400 13.400 12l5.600 5.600-1.400 1.400-5.600-5.600L6.400 19 5 17.600l5.600-5.600L5 6.400z',
  plus: 'M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z',
  trash: 'M9 3h6l1 2h4v2H4V5h4zM6 8h12l-1 13H7zM9.500 10.500v8h1.500v-8zM13 10.500v8h1.500v-8z',
  eye: 'M12 6c5 0 8.500 4 10 6-1.500 2-5 6-10 6s-8.500-4-10-6c1.500-2 5-6 10-6zm0 2a4 4 0 1 0 0 8 4 4 0 0 0 0-8zm0 2a2 2 0 1 1 0 4 2 2 0 0 1 0-4z',
  pencil: 'M4 16.500 15.500 5l3.500 3.500L7.500 20H4zM16.500 4l1.500-1.500L21.500 6 20 7.500z',
};

export function icon(name: keyof typeof PATHS | string): SVGSVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  made.setAttribute('viewBox', '0 0 24 24');
  made.setAttribute('aria-hidden', 'true');
  made.classList.add('icon');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', PATHS[name] ?? '');
  path.setAttribute('fill-rule', 'evenodd');
  made.append(path);
  return made;
}

// A button with an icon, an accessible name and a tooltip.
export function iconButton(name: string, label: string, act: () => void, text?: string): HTMLButtonElement {
  const made = element('button', { type: 'button', class: text ? 'button' : 'button icon-only', 'aria-label': label, title: label, onclick: act }, icon(name));
  if (text) made.append(element('span', {}, text));
  return made;
}

export function changeIcon(button: HTMLElement, name: string, label: string): void {
  button.querySelector('svg')?.replaceWith(icon(name));
  button.setAttribute('aria-label', label);
  button.title = label;
}

// A number with at most three significant digits.
export function short(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e5) return String(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(1).replace('e+', 'e');
  return size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : size >= 1 ? value.toFixed(2) : value.toFixed(3);
}

// A number with `digits` significant digits.
export function precise(value: number, digits: number): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value) || value === 0) return short(value);
  return size >= 1e9 || size < 1e-4 ? value.toExponential(digits - 1).replace('e+', 'e') : value.toLocaleString('en', { maximumSignificantDigits: digits });
}

// Units with superscripts: kg/m^3 becomes kg/m³.
export function unitText(unit: string): string {
  return unit.replace(/\^2/g, '²').replace(/\^3/g, '³').replace(/\*/g, '·');
}

// A file name as a title: solid-teddy becomes Teddy.
export function titleOf(name: string, title: string | undefined, method: string): string {
  if (title && title !== name) return title;
  const words = name.replace(new RegExp(`^${method}-`), '').replace(/[-_]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

// Replaces all children.
export function fill(parent: HTMLElement, ...children: Child[]): void {
  parent.replaceChildren(...children.filter((child): child is Node | string => Boolean(child)));
}
