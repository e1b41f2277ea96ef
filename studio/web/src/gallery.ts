// The start page: all scenes with pictures, grouped by method, and a button for scene files.
import type { Connection } from './connection';
import { element, fill, iconButton, titleOf } from './dom';
import type { GalleryEntry, Method } from './messages';

const METHODS: Partial<Record<Method, [string, string]>> = {
  solid: ['Solids', 'shape matching with example poses'],
  rod: ['Rods', 'hair, ears and whiskers with view-dependent examples'],
  fem: ['Finite elements', 'physical stiffness in Pa: solids, shells, plane shapes and curves'],
  rigid: ['Rigid bodies', 'stacks, joints and motors'],
  actor: ['Actors', 'characters that walk, hop and roll by changing their rest shape'],
  capture: ['Capture', 'material and shape of real objects from depth cameras'],
  detail: ['Detail', 'dents and wrinkles added to a coarse simulation'],
};

export interface GalleryActions {
  open(entry: GalleryEntry): void;
  openFile(file: File): void;
  resume(): void;
}

export class Gallery {
  readonly element = element('main', { class: 'gallery', 'aria-label': 'Gallery' });
  private readonly shelves = element('div', { class: 'shelves' });
  private readonly search = element('input', { type: 'search', placeholder: 'Search scenes', 'aria-label': 'Search scenes' });
  private readonly back: HTMLButtonElement;
  private entries: GalleryEntry[] = [];

  constructor(
    private readonly connection: Connection,
    private readonly actions: GalleryActions,
  ) {
    const input = element('input', { type: 'file', accept: '.json,application/json', hidden: true, 'aria-label': 'Scene file' });
    input.addEventListener('change', () => {
      const file = input.files?.[0];
      if (file) actions.openFile(file);
      input.value = '';
    });
    this.back = iconButton('play', 'Back to the open scene', () => actions.resume(), 'Back to the scene');
    this.back.hidden = true;
    const intro = element(
      'header',
      { class: 'gallery-intro' },
      element('h1', {}, 'Deformable bodies by example'),
      element('p', {}, 'Choose a scene. It starts immediately: drag and pin bodies, change their parameters, and add poses as examples of how they should deform.'),
      element('div', { class: 'gallery-tools' }, this.search, iconButton('open', 'Open a scene file', () => input.click(), 'Open a scene file'), input, this.back),
      element('p', { class: 'hint' }, 'Or drop a scene file anywhere on this page.'),
    );
    this.element.append(intro, this.shelves);
    this.search.addEventListener('input', () => this.show());
    fill(this.shelves, ...Array.from({ length: 6 }, () => element('div', { class: 'card waiting' })));
  }

  setResumable(on: boolean): void {
    this.back.hidden = !on;
  }

  async load(): Promise<void> {
    try {
      this.entries = await this.connection.gallery();
      this.show();
    } catch (error) {
      fill(this.shelves, element('p', { class: 'empty' }, error instanceof Error ? error.message : String(error)));
    }
  }

  private show(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const matching = this.entries.filter((entry) => {
      const text = `${entry.name} ${entry.title ?? ''} ${entry.method} ${entry.description}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    if (matching.length === 0) {
      const text = this.entries.length === 0 ? 'The server found no gallery. Open a scene file, or set PLIANT_SCENES to a folder with scenes and restart `pliant view`.' : `No scene matches "${this.search.value}".`;
      fill(this.shelves, element('p', { class: 'empty' }, text));
      return;
    }
    const shelves = Object.entries(METHODS).map(([method, [title, words]]) => {
      const own = matching.filter((entry) => entry.method === method);
      if (own.length === 0) return undefined;
      const list = element('ul', { class: 'cards' }, ...own.map((entry) => this.card(entry)));
      return element('section', { class: 'shelf' }, element('h2', {}, title, element('small', {}, words)), list);
    });
    fill(this.shelves, ...shelves);
  }

  private image(entry: GalleryEntry, none: HTMLElement): HTMLImageElement {
    const image = element('img', { src: this.connection.picture(entry), alt: '', loading: 'lazy' });
    image.addEventListener('error', () => image.replaceWith(none));
    return image;
  }

  private card(entry: GalleryEntry): HTMLLIElement {
    const title = titleOf(entry.name, entry.title, entry.method);
    const none = element('div', { class: 'no-picture', 'aria-hidden': 'true' }, title.slice(0, 1));
    const picture = element('div', { class: entry.panels ? 'picture strip' : 'picture' }, entry.picture ? this.image(entry, none) : none);
    // Show one panel of a picture with several.
    picture.style.setProperty('--panels', String(entry.panels ?? 1));
    picture.style.setProperty('--panel', String(entry.panel ?? 0));
    const button = element('button', { type: 'button', class: 'card', 'data-scene': entry.name, onclick: () => this.actions.open(entry) });
    button.append(picture, element('span', { class: 'card-title' }, title), element('span', { class: 'card-text' }, entry.description));
    return element('li', {}, button);
  }
}

// Opens a file that is dropped anywhere on the page.
export function takeDrops(openFile: (file: File) => void): HTMLElement {
  const overlay = element('div', { class: 'drop-overlay', hidden: true }, element('span', {}, 'Drop the scene file to open it'));
  let depth = 0;
  const hasFile = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
  window.addEventListener('dragenter', (event) => {
    if (!hasFile(event)) return;
    depth += 1;
    overlay.hidden = false;
  });
  window.addEventListener('dragleave', () => {
    depth = Math.max(0, depth - 1);
    overlay.hidden = depth === 0;
  });
  window.addEventListener('dragover', (event) => hasFile(event) && event.preventDefault());
  window.addEventListener('drop', (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    depth = 0;
    overlay.hidden = true;
    const file = event.dataTransfer?.files[0];
    if (file) openFile(file);
  });
  return overlay;
}
