// What every panel is made with, and the pieces that several of them use.
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
  // New numbers of the body that the panel is about.
  update?(telemetry: BodyTelemetry, time: number): void;
  // The same scene was described again: values may have changed, the structure has not.
  refresh?(description: BodyDescription): void;
  // What is shown was changed, here or by a key.
  shown?(): void;
}

export function section(title: string, open: boolean, ...children: (Node | string)[]): HTMLDetailsElement {
  return element('details', { class: 'section', open }, element('summary', {}, title), element('div', { class: 'section-body' }, ...children));
}

// Milliseconds after which work that goes on is worth a word.
const LONG = 500;

// A request whose failure is told and whose success is told only if there are words for it. A large scene takes seconds to be built, in which the old world goes on: that is told as well.
export async function request(context: PanelContext, message: PageMessage, said?: string): Promise<boolean> {
  const { connection, notices } = context;
  let bar: ReturnType<Notices['progress']> | undefined;
  let timer = 0;
  const follow = (done: number, text: string): void => {
    timer ||= window.setTimeout(() => (bar = notices.progress('Building the scene')), LONG);
    bar?.update(done, text);
  };
  try {
    const answer = await connection.ask(message, follow);
    if (answer.restarted) notices.say('The scene was built anew and begins again.');
    if (said) notices.say(said, 'good', 4);
    return true;
  } catch (error) {
    notices.say((error as Error).message, 'bad');
    return false;
  } finally {
    clearTimeout(timer);
    bar?.end();
  }
}

export function colorOf(index: number): string {
  return CATEGORIES[index % CATEGORIES.length] ?? '#888888';
}

// Bars with a name and a number each, for weights.
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

// Numbers with names, in two columns.
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

// Sliders of everything that may be changed: of the body, or of the world.
export function settingsSection(context: PanelContext, title: string, settings: Setting[], refreshed: (description: BodyDescription) => Setting[]): Panel | undefined {
  if (settings.length === 0) return undefined;
  const rows = new Map<string, ReturnType<typeof settingRow>>();
  const body = element('div', { class: 'settings' });
  for (const setting of settings) {
    // A body that is built anew for every pixel of a slider's way would never be seen: the next value waits until the last one is there.
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

// The examples of a body with their weights, and what can be done with each.
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
