// The findings of a scene: each with file, line and column, and, if the text is available, the line with a mark at the column.
import { element, fill, iconButton } from './dom';
import type { Finding } from './messages';
import type { Store } from './store';

function excerpt(store: Store, finding: Finding): HTMLElement | undefined {
  const { dropped } = store;
  if (!dropped || !finding.line || (finding.file && !finding.file.endsWith(dropped.name))) return undefined;
  const line = dropped.text.split('\n')[finding.line - 1];
  if (line === undefined) return undefined;
  const column = Math.max(1, finding.column ?? 1);
  const start = Math.max(0, column - 50);
  return element('pre', {}, `${line.slice(start, start + 100)}\n${' '.repeat(column - 1 - start)}^`);
}

export class FindingsView {
  readonly element = element('dialog', { class: 'findings', 'aria-labelledby': 'findings-title' });

  constructor(private readonly store: Store) {
    store.on('findings', (items) => this.show(items));
  }

  show(items: Finding[]): void {
    const errors = items.filter((item) => item.severity === 'error');
    if (errors.length === 0) {
      if (this.element.open) this.element.close();
      return;
    }
    const title = errors.length === 1 ? 'The scene has an error' : `The scene has ${errors.length} errors`;
    const close = iconButton('close', 'Close', () => this.element.close());
    const note = this.store.scene ? 'The previous scene stays open.' : 'Correct the file and open it again.';
    fill(this.element, element('header', {}, element('h2', { id: 'findings-title' }, title), close), element('p', { class: 'hint' }, note), element('ol', {}, ...items.map((item) => this.row(item))));
    if (!this.element.open) this.element.showModal();
  }

  private row(item: Finding): HTMLElement {
    const location = [item.file, item.line, item.column].filter((part) => part !== undefined && part !== '' && part !== 0).join(':');
    const row = element('li', { class: `finding ${item.severity}` }, element('div', {}, element('b', {}, item.severity), ' ', element('code', {}, location), item.path ? element('code', { class: 'path' }, item.path) : undefined), element('div', {}, item.text));
    const shown = excerpt(this.store, item);
    if (shown) row.append(shown);
    if (item.fix) row.append(element('div', { class: 'fix' }, item.fix));
    return row;
  }
}
