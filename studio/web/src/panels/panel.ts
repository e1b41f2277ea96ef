// The interface of panels, and elements that several of them use.
import type { Connection } from '../connection';
import { element, fill, iconButton, short } from '../dom';
import type { BodyDescription, BodyTelemetry, PageMessage, Setting } from '../messages';
import type { Notices } from '../notices';
import type { Store } from '../store';
import type { Viewport } from '../viewport';
import { CATEGORIES } from '../colormap';
import { oneByOne, settingRow } from '../controls';

export interface PanelContext {
  store: Store;
  connection: Connection;
  viewport: Viewport;
  notices: Notices;
  body: number;
  description: BodyDescription;
}

export interface Panel {
  element: HTMLElement;
  // New telemetry of the body.
  update?(telemetry: BodyTelemetry, time: number): void;
  // The same scene was sent again: values may have changed, the structure has not.
  refresh?(description: BodyDescription): void;
  // Display options changed, here or by a key.
  shown?(): void;
  // Other bones were selected, here or in the view.
  chosen?(): void;
}

export function section(title: string, open: boolean, ...children: (Node | string)[]): HTMLDetailsElement {
  return element('details', { class: 'section', open }, element('summary', {}, title), element('div', { class: 'section-body' }, ...children));
}

// Milliseconds after which a progress bar is shown.
const LONG = 500;

// Sends a request. Shows an error on failure, `success` (if any) on success, and a progress bar while a large scene is built.
export async function request(context: PanelContext, message: PageMessage, success?: string): Promise<boolean> {
  const { connection, notices } = context;
  let bar: ReturnType<Notices['progress']> | undefined;
  let timer = 0;
  const follow = (done: number, text: string): void => {
    timer ||= window.setTimeout(() => (bar = notices.progress('Building the scene')), LONG);
    bar?.update(done, text);
  };
  try {
    const answer = await connection.request(message, follow);
    if (answer.restarted) notices.notify('The scene was built again and restarted.');
    if (success) notices.notify(success, 'good', 4);
    return true;
  } catch (error) {
    notices.notify((error as Error).message, 'bad');
    return false;
  } finally {
    clearTimeout(timer);
    bar?.end();
  }
}

export function colorOf(index: number): string {
  return CATEGORIES[index % CATEGORIES.length] ?? '#888888';
}

// Weights as bars with name and value.
export class Bars {
  readonly element = element('ul', { class: 'bars' });
  private rows: { bar: HTMLElement; value: HTMLElement; item: HTMLLIElement }[] = [];

  constructor(names: string[], tools?: (index: number) => Node[]) {
    this.rename(names, tools);
  }

  rename(names: string[], tools?: (index: number) => Node[]): void {
    this.rows = names.map((name, i) => {
      const bar = element('div', { class: 'bar', style: `--color: ${colorOf(i)}` });
      const value = element('span', { class: 'bar-value' }, '–');
      const item = element('li', {}, element('span', { class: 'bar-name', title: name }, name), element('div', { class: 'bar-track' }, bar), value, element('span', { class: 'bar-tools' }, ...(tools?.(i) ?? [])));
      return { bar, value, item };
    });
    fill(this.element, ...this.rows.map((row) => row.item));
  }

  set(values: number[]): void {
    this.rows.forEach((row, i) => {
      const value = values[i];
      row.bar.style.width = `${100 * Math.max(0, Math.min(1, value ?? 0))}%`;
      row.value.textContent = value === undefined ? '–' : value.toFixed(2);
    });
  }
}

// Named values, in two columns.
export class Readout {
  readonly element = element('dl', { class: 'readout' });
  private cells = new Map<string, HTMLElement>();

  set(values: Record<string, number | string | undefined>): void {
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) continue;
      let cell = this.cells.get(name);
      if (!cell) {
        cell = element('dd', {});
        this.cells.set(name, cell);
        this.element.append(element('div', {}, element('dt', {}, name), cell));
      }
      cell.textContent = typeof value === 'number' ? short(value) : value;
    }
  }
}

// The settings of a body or of the world.
export function settingsSection(context: PanelContext, title: string, settings: Setting[], refreshed: (description: BodyDescription) => Setting[]): Panel | undefined {
  if (settings.length === 0) return undefined;
  const rows = new Map<string, ReturnType<typeof settingRow>>();
  const body = element('div', { class: 'settings' });
  for (const setting of settings) {
    // Building a scene takes longer than moving a slider by a pixel: the next value waits until the last one is applied.
    const send = oneByOne((value: number | boolean | string) => request(context, { kind: 'set', path: setting.path, value }));
    const row = settingRow(setting, send);
    row.element.dataset.path = setting.path;
    rows.set(setting.path, row);
    body.append(row.element);
  }
  return {
    element: section(title, true, body),
    refresh(description) {
      for (const setting of refreshed(description)) rows.get(setting.path)?.set(setting.value);
    },
  };
}

// The buttons of an example: mute, solo, rename, delete.
export function exampleTools(context: PanelContext, index: number): Node[] {
  const example = context.description.examples?.[index];
  if (!example) return [];
  const act = (action: 'rename' | 'mute' | 'solo' | 'delete', more: { name?: string; on?: boolean } = {}): void => {
    void request(context, { kind: 'example', body: context.body, action, index, ...more });
  };
  const toggle = (letter: string, label: string, on: boolean, action: 'mute' | 'solo'): HTMLButtonElement => {
    const button = element('button', { type: 'button', class: 'letter', 'aria-pressed': String(on), 'aria-label': `${label} ${example.name}`, title: label }, letter);
    button.addEventListener('click', () => act(action, { on: button.getAttribute('aria-pressed') !== 'true' }));
    return button;
  };
  return [
    toggle('M', 'Mute', example.mute === true, 'mute'),
    toggle('S', 'Solo', example.solo === true, 'solo'),
    iconButton('pencil', `Rename ${example.name}`, () => {
      const name = window.prompt('Name of this example', example.name)?.trim();
      if (name && name !== example.name) act('rename', { name });
    }),
    iconButton('trash', `Delete ${example.name}`, () => act('delete')),
  ];
}

export async function addExample(context: PanelContext): Promise<void> {
  const taken = new Set(context.description.examples?.map((example) => example.name));
  let number = taken.size + 1;
  while (taken.has(`pose ${number}`)) number += 1;
  await request(context, { kind: 'example', body: context.body, action: 'add', name: `pose ${number}` }, `Added "pose ${number}".`);
}
