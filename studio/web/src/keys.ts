// Keyboard shortcuts. Arrow keys step in time; in a scene with an actor they steer, and the keys . and , step.
import { element, fill, icon } from './dom';
import type { Store } from './store';

export interface Actions {
  toggle(): void;
  step(count: number): void;
  back(count: number): void;
  reset(): void;
  frame(): void;
  gallery(): void;
  save(): void;
  addExample(): void;
  panel(): void;
  theme(): void;
  steer(x: number, z: number): void;
  help(): void;
}

const STEERING: Record<string, [number, number]> = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

// Keys that the focused element uses itself.
function belongsToElement(event: KeyboardEvent): boolean {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest('dialog[open]')) return true;
  if (target.matches('input, textarea, select, [contenteditable], [role="slider"]')) return true;
  return target.matches('button, summary, a') && (event.key === ' ' || event.key === 'Enter');
}

export class Keys {
  private held = new Set<string>();

  constructor(
    private readonly store: Store,
    private readonly actions: Actions,
  ) {
    window.addEventListener('keydown', (event) => this.down(event));
    window.addEventListener('keyup', (event) => this.up(event));
    window.addEventListener('blur', () => this.releaseAll());
  }

  private down(event: KeyboardEvent): void {
    if (event.key === 'F1' || (event.key === '?' && !belongsToElement(event))) {
      event.preventDefault();
      this.actions.help();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) {
      if (event.key === 's' && !event.altKey) {
        event.preventDefault();
        this.actions.save();
      }
      return;
    }
    if (belongsToElement(event) || !this.store.scene) return;
    if (this.handle(event)) event.preventDefault();
  }

  private handle(event: KeyboardEvent): boolean {
    const count = event.shiftKey ? 10 : 1;
    if (this.store.hasActor && event.key in STEERING) {
      this.held.add(event.key);
      if (!event.repeat) this.steer();
      return true;
    }
    switch (event.key) {
      case ' ':
        this.actions.toggle();
        return true;
      case 'ArrowRight':
      case '.':
      case ':':
        this.actions.step(count);
        return true;
      case 'ArrowLeft':
      case ',':
      case ';':
        this.actions.back(count);
        return true;
      case 'r':
      case 'R':
        this.actions.reset();
        return true;
      case 'f':
      case 'F':
        this.actions.frame();
        return true;
      case 'g':
        this.actions.gallery();
        return true;
      case 'e':
        this.actions.addExample();
        return true;
      case 'p':
        this.actions.panel();
        return true;
      case 't':
        this.actions.theme();
        return true;
      case 'w':
        this.store.changeDisplay({ surface: ({ solid: 'both', both: 'wire', wire: 'solid' } as const)[this.store.display.surface] });
        return true;
    }
    return false;
  }

  private up(event: KeyboardEvent): void {
    if (this.held.delete(event.key)) this.steer();
  }

  private releaseAll(): void {
    if (this.held.size === 0) return;
    this.held.clear();
    this.steer();
  }

  private steer(): void {
    let x = 0;
    let z = 0;
    for (const key of this.held) {
      x += STEERING[key]?.[0] ?? 0;
      z += STEERING[key]?.[1] ?? 0;
    }
    this.actions.steer(x, z);
  }
}

// The list of keys that F1 opens.
export function helpDialog(store: Store): { open(): void; element: HTMLDialogElement } {
  const body = element('div', { class: 'help-columns' });
  const close = element('button', { type: 'button', class: 'button icon-only', 'aria-label': 'Close' }, icon('close'));
  const dialog = element('dialog', { class: 'help', 'aria-labelledby': 'help-title' }, element('header', {}, element('h2', { id: 'help-title' }, 'Keyboard and mouse'), close), body);
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  return {
    element: dialog,
    open() {
      if (dialog.open) {
        dialog.close();
        return;
      }
      const actor = store.hasActor;
      fill(
        body,
        helpList('Time', [
          ['Space', 'run or pause'],
          [actor ? '.' : '→ or .', 'one step forward'],
          [actor ? ',' : '← or ,', 'one step back'],
          ['Shift', 'with these keys: ten steps'],
          ['R', 'reset'],
        ]),
        helpList('Mouse', [
          ['drag a body', 'pull it'],
          ['Shift-click', 'pin or unpin a point'],
          ['drag the background', 'rotate the view'],
          ['right drag', 'pan the view'],
          ['wheel', 'zoom'],
          ...(actor ? ([['drag a green ball', 'move a goal']] as [string, string][]) : []),
        ]),
        helpList('View', [
          ['F', 'fit the view'],
          ['W', 'shaded, wireframe or both'],
          ['P', 'show or hide the panel'],
          ['T', 'light or dark theme'],
          ['G', 'gallery'],
        ]),
        actor ? helpList('Actor', [['← ↑ ↓ →', 'steer, relative to the camera']]) : helpList('Examples', [['E', 'add the current pose']]),
        helpList('Touch', [
          ['one finger', 'pull a body, or rotate the view'],
          ['two fingers', 'pan and zoom'],
        ]),
        helpList('Page', [
          ['Ctrl+S', 'save the scene'],
          ['F1 or ?', 'this list'],
          ['Esc', 'close the list'],
        ]),
      );
      dialog.showModal();
    },
  };
}

function helpList(title: string, rows: [string, string][]): HTMLElement {
  const list = element('dl', {});
  for (const [key, meaning] of rows) list.append(element('dt', {}, element('kbd', {}, key)), element('dd', {}, meaning));
  return element('section', {}, element('h3', {}, title), list);
}
