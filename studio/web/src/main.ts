// The page: creates all parts, connects them to the server, and distributes its messages.
import './theme.css';
import './world.css';
import './gallery.css';
import { Connection, type Link } from './connection';
import { changeIcon, element, icon, iconButton, short, titleOf } from './dom';
import { Exports } from './exports';
import { FindingsView } from './findings';
import { Gallery, takeDrops } from './gallery';
import { helpDialog, Keys, type Actions } from './keys';
import { Legend } from './legend';
import type { GalleryEntry, SceneMessage, ServerMessage, StateMessage, Vector } from './messages';
import { Notices } from './notices';
import { steer } from './panels/actor';
import { addExample } from './panels/panel';
import { Picking } from './picking';
import { Sidebar } from './sidebar';
import { Store } from './store';
import { currentTheme, startTheme, switchTheme } from './theme';
import { Transport } from './transport';
import { throttle } from './controls';
import { hasWebGL, Viewport } from './viewport';
import { WorldView } from './world_view';

const MAX_FILE_BYTES = 7.5 * 1024 * 1024;

class Studio {
  readonly store = new Store();
  readonly connection: Connection;
  readonly viewport: Viewport;
  readonly world: WorldView;
  readonly picking: Picking;
  readonly exports: Exports;
  private readonly notices: Notices;
  private readonly gallery: Gallery;
  private readonly sidebar: Sidebar;
  private readonly actions: Actions;
  private readonly title = element('span', { class: 'scene-title' });
  private readonly status = element('span', { class: 'status', title: 'Connection' });
  private readonly root: HTMLElement;

  constructor(host: HTMLElement, token: string) {
    this.root = host;
    const { store } = this;
    const main = element('div', { class: 'main' });
    const view = element('div', { class: 'viewport' });
    main.append(view);
    this.notices = new Notices(host);
    this.connection = new Connection(token, {
      link: (state, retry) => this.linkChanged(state, retry),
      message: (message) => this.receive(message),
      frame: (frame) => store.emit('frame', frame),
      problem: (text) => this.notices.notify(text, 'bad'),
    });
    this.viewport = new Viewport(view);
    this.world = new WorldView(this.viewport, store, (file) => this.connection.address(`/file/${file}`));
    this.picking = new Picking(this.viewport, this.world, store, this.connection);
    this.exports = new Exports(store, this.connection, this.viewport, this.notices);
    this.gallery = new Gallery(this.connection, { open: (entry) => void this.openEntry(entry), openFile: (file) => void this.openFile(file), resume: () => this.show('world') });
    const shared = { store, connection: this.connection, viewport: this.viewport, notices: this.notices };
    this.sidebar = new Sidebar(shared, () => {
      this.want();
      this.actions.frame();
    }, this.exports.section, () => this.togglePanel());
    const help = helpDialog(store);
    this.actions = this.makeActions(help.open);
    const transport = new Transport(store, this.actions);
    main.append(transport.element, new Legend(store, this.world).element);
    host.append(this.header(), main, this.sidebar.element, this.gallery.element, help.element, new FindingsView(store).element, takeDrops((file) => void this.openFile(file)));
    new Keys(store, this.actions);
    this.listen();
    startTheme(store);
    this.show('gallery');
    this.connection.start();
    void this.gallery.load();
  }

  private header(): HTMLElement {
    const brand = element('button', { type: 'button', class: 'brand', 'aria-label': 'Gallery', title: 'Gallery (G)', onclick: () => this.show('gallery') }, blob(), element('span', {}, 'Pliant'));
    const theme = iconButton(currentTheme() === 'dark' ? 'sun' : 'moon', 'Light or dark theme', () => this.actions.theme());
    this.store.on('theme', (name) => changeIcon(theme, name === 'dark' ? 'sun' : 'moon', name === 'dark' ? 'Light theme' : 'Dark theme'));
    const panel = iconButton('panel', 'Panel (P)', () => this.togglePanel());
    panel.classList.add('panel-toggle');
    return element(
      'header',
      { class: 'topbar' },
      brand,
      this.title,
      element('span', { class: 'spacer' }),
      this.status,
      iconButton('gallery', 'Gallery (G)', () => this.show('gallery')),
      iconButton('keys', 'Keyboard and mouse (F1)', () => this.actions.help()),
      theme,
      panel,
    );
  }

  private makeActions(help: () => void): Actions {
    const { connection, store } = this;
    return {
      toggle: () => connection.send({ kind: store.state?.paused ? 'run' : 'pause' }),
      step: (count) => connection.send({ kind: 'step', count }),
      back: (count) => connection.send({ kind: 'back', count }),
      reset: () => connection.send({ kind: 'reset' }),
      frame: () => this.viewport.frame(this.world.bounds()),
      gallery: () => this.show(this.root.dataset.page === 'gallery' && store.scene ? 'world' : 'gallery'),
      save: () => void this.exports.save(),
      addExample: () => {
        const context = this.sidebar.context();
        if (context) void addExample(context);
      },
      panel: () => this.togglePanel(),
      theme: () => switchTheme(store),
      steer: (x, z) => steer({ store, connection, viewport: this.viewport }, x, z),
      help,
    };
  }

  private listen(): void {
    const { store, viewport, connection } = this;
    store.on('display', () => this.want());
    store.on('bones', () => this.want());
    store.on('theme', (theme) => viewport.setTheme(theme));
    const sendCamera = throttle(66, () => connection.send({ kind: 'camera', eye: viewport.camera.position.toArray() as Vector }));
    viewport.cameraMoved = () => store.scene && sendCamera();
    if (window.innerWidth < 760) this.root.classList.add('panel-closed');
  }

  private togglePanel(): void {
    this.root.classList.toggle('panel-closed');
  }

  private show(page: 'gallery' | 'world'): void {
    this.root.dataset.page = page;
    this.gallery.setResumable(this.store.scene !== undefined);
    document.title = page === 'world' && this.store.scene ? `${this.title.textContent ?? ''} · Pliant` : 'Pliant studio';
    this.store.emit('page', page);
    if (page === 'world') this.viewport.touch();
  }

  private want(): void {
    const { display, detail, scene } = this.store;
    const bare = scene?.bodies.some((body) => body.triangles.length === 0) ?? false;
    this.connection.send({
      kind: 'want',
      particles: display.tets || display.regions || bare || this.store.bones.picking,
      ghost: display.ghost && this.store.hasActor,
      exact: false,
      quantised: false,
      colors: display.colors,
      contacts: display.contacts,
      coarse: detail.coarse,
      cloud: scene?.method === 'capture',
    });
    this.world.refresh();
  }

  private receive(message: ServerMessage): void {
    const { store } = this;
    switch (message.kind) {
      case 'hello':
        store.version = message.pliant;
        if (message.version !== 1) this.notices.notify(`The server uses protocol version ${message.version}, this page version 1. Reload the page.`, 'bad', 30);
        if (!message.scene) this.show('gallery');
        break;
      case 'scene':
        this.openScene(message);
        break;
      case 'state':
        store.state = message;
        store.emit('state', message);
        break;
      case 'telemetry':
        for (const item of message.bodies) store.telemetry.set(item.body, item);
        store.emit('telemetry', message);
        break;
      case 'capture':
        store.capture = message;
        store.emit('capture', message);
        break;
      case 'findings':
        store.emit('findings', message.items);
        break;
      case 'log':
        this.notices.notify(message.text);
        break;
    }
  }

  private openScene(scene: SceneMessage): void {
    const { store } = this;
    const another = store.scene?.name !== scene.name || store.scene.path !== scene.path || store.scene.bodies.length !== scene.bodies.length;
    if (another) {
      store.telemetry.clear();
      store.pins.clear();
      store.capture = undefined;
      Object.assign(store.bones, { first: -1, last: -1, picking: false });
      // Select the first body of the scene's main method.
      store.selected = Math.max(0, scene.bodies.findIndex((body) => body.method === scene.method));
    }
    store.scene = scene;
    this.title.textContent = titleOf(scene.name, scene.title, scene.method);
    this.world.keepCamera = !another;
    store.emit('scene', scene);
    this.want();
    if (another) this.show('world');
    this.viewport.cameraMoved?.();
  }

  private linkChanged(link: Link, retry: number): void {
    this.store.link = link;
    this.status.dataset.link = link;
    this.status.textContent = { connecting: 'connecting', open: 'live', lost: 'disconnected', refused: 'refused' }[link];
    if (link === 'open') {
      this.notices.hide();
      this.want();
      void this.gallery.load();
    } else if (link === 'lost') {
      this.notices.show('Connection lost.', `Retrying in ${short(retry)} s. If the server was stopped, start "pliant view" again and open the address that it prints.`);
    } else if (link === 'refused') {
      this.notices.show('This address is no longer valid.', 'The server was restarted: open the address that "pliant view" printed last.');
    }
    this.store.emit('link', link);
  }

  private async openEntry(entry: GalleryEntry): Promise<void> {
    this.store.dropped = undefined;
    await this.open({ kind: 'open', gallery: entry.name }, titleOf(entry.name, entry.title, entry.method));
  }

  private async openFile(file: File): Promise<void> {
    if (file.size > MAX_FILE_BYTES) {
      this.notices.notify(`${file.name} is too large for a scene (${(file.size / 1e6).toFixed(1)} MB).`, 'bad');
      return;
    }
    const text = await file.text();
    this.store.dropped = { name: file.name, text };
    await this.open({ kind: 'open', text, name: file.name }, file.name);
  }

  private async open(message: Parameters<Connection['request']>[0], name: string): Promise<void> {
    const bar = this.notices.progress(`Opening ${name}`);
    try {
      await this.connection.request(message, (done, text) => bar.update(done, text));
      this.show('world');
    } catch (error) {
      this.notices.notify((error as Error).message, 'bad');
    } finally {
      bar.end();
    }
  }

  get state(): StateMessage | undefined {
    return this.store.state;
  }
}

function blob(): SVGSVGElement {
  const made = icon('');
  made.setAttribute('viewBox', '0 0 32 32');
  made.innerHTML = '<path d="M5 20c0-9 6-14 12-14s10 4 10 10-4 11-12 11S5 26 5 20z" fill="#e4572e"/><path d="M11 14c2-3 5-4 7-4" stroke="#fff" stroke-width="2.500" stroke-linecap="round" fill="none"/>';
  return made;
}

function start(): void {
  const host = document.getElementById('studio');
  if (!host) return;
  document.documentElement.dataset.theme = currentTheme();
  if (!hasWebGL()) {
    host.append(
      element(
        'main',
        { class: 'no-webgl' },
        element('h1', {}, 'WebGL 2 is not available'),
        element('p', {}, 'The studio needs WebGL 2. Use a current version of Firefox or Chromium and enable hardware acceleration in its settings. Without a graphics card, start Chromium with --enable-unsafe-swiftshader to render in software.'),
        element('p', {}, 'Scenes also run without a browser: ', element('code', {}, 'pliant run SCENE --video')),
      ),
    );
    return;
  }
  const token = new URLSearchParams(location.search).get('token') ?? '';
  // For the console and for tests.
  (window as unknown as { studio: Studio }).studio = new Studio(host, token);
}

start();
