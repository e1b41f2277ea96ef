// The sidebar: panels of the selected body, settings, display options and exports.
import { choiceRow, switchRow } from './controls';
import { element, fill, iconButton, titleOf } from './dom';
import type { BodyDescription, BodyTelemetry, ColorMode, SceneMessage } from './messages';
import { actorPanel } from './panels/actor';
import { capturePanel } from './panels/capture';
import { detailPanel } from './panels/detail';
import { Readout, section, settingsSection, type Panel, type PanelContext } from './panels/panel';
import { rodPanel } from './panels/rod';
import { solidPanel } from './panels/solid';
import { springsPanel } from './panels/springs';
import type { Display, Surface } from './store';

type Shared = Omit<PanelContext, 'body' | 'description'>;

const METHOD_NAMES: Record<string, string> = { solid: 'solid', rod: 'rod', fem: 'finite elements', rigid: 'rigid', kinematic: 'kinematic', actor: 'actor', capture: 'capture', detail: 'detail' };

export class Sidebar {
  readonly element = element('aside', { class: 'sidebar', 'aria-label': 'Panels' });
  private panels: Panel[] = [];
  private shape = '';
  private readonly head = element('div', { class: 'sidebar-head' });
  private readonly body = element('div', { class: 'sidebar-body' });

  constructor(
    private readonly shared: Shared,
    private readonly wantChanged: () => void,
    private readonly exportSection: HTMLElement,
    close: () => void,
  ) {
    const closing = iconButton('close', 'Close the panel', close);
    closing.classList.add('sidebar-close');
    this.element.append(closing, this.head, this.body);
    const { store } = shared;
    store.on('scene', (scene) => this.describe(scene));
    store.on('display', () => this.panels.forEach((panel) => panel.shown?.()));
    store.on('bones', () => this.panels.forEach((panel) => panel.chosen?.()));
    store.on('selected', () => store.scene && this.rebuild(store.scene));
    store.on('telemetry', (message) => {
      const mine = store.telemetry.get(store.selected);
      if (mine) this.update(mine, message.time);
    });
    store.on('capture', (message) => {
      for (const panel of this.panels) (panel as Partial<ReturnType<typeof capturePanel>>).capture?.(message);
    });
  }

  context(): PanelContext | undefined {
    const { store } = this.shared;
    const description = store.scene?.bodies[store.selected];
    return description ? { ...this.shared, body: store.selected, description } : undefined;
  }

  private describe(scene: SceneMessage): void {
    // A setting that is not live makes the server send the same scene again. Keep the panels then, so that a slider in use does not disappear.
    const shape = JSON.stringify([
      scene.name,
      scene.settings?.map((setting) => setting.path),
      scene.bodies.map((body) => [body.name, body.method, body.points, body.settings?.map((setting) => setting.path), body.examples?.map((example) => [example.name, example.mute, example.solo]), body.nodes?.length, [...(body.springs ?? []), ...(body.node_colliders ?? [])].map((item) => [item.name, item.settings.map((setting) => setting.path)])]),
    ]);
    const description = scene.bodies[this.shared.store.selected];
    if (shape === this.shape && description) {
      for (const panel of this.panels) panel.refresh?.(description);
      return;
    }
    this.shape = shape;
    this.rebuild(scene);
  }

  private update(telemetry: BodyTelemetry, time: number): void {
    for (const panel of this.panels) panel.update?.(telemetry, time);
  }

  private rebuild(scene: SceneMessage): void {
    const context = this.context();
    fill(this.head, element('h2', {}, titleOf(scene.name, scene.title, scene.method)), scene.description ? element('p', {}, scene.description) : undefined, this.bodyChoice(scene));
    const display = this.displaySection(scene);
    this.panels = [display];
    if (context) {
      const own = (): BodyDescription['settings'] => settingsOf(this.shared.store.scene ?? scene, context.body);
      const made = [
        springsPanel(context),
        this.methodPanel(context),
        settingsSection(context, 'Settings', own() ?? [], () => own() ?? []),
        settingsSection(context, 'World', scene.settings ?? [], () => this.shared.store.scene?.settings ?? []),
        numbersSection(context),
      ];
      this.panels = [...made.filter((panel): panel is Panel => panel !== undefined), display];
    }
    fill(this.body, ...this.panels.map((panel) => panel.element), this.exportSection);
  }

  private bodyChoice(scene: SceneMessage): HTMLElement | undefined {
    if (scene.bodies.length < 2) return undefined;
    const names = Object.fromEntries(scene.bodies.map((body, i) => [String(i), `${body.name} (${METHOD_NAMES[body.method] ?? body.method})`]));
    return choiceRow('Body', names, String(this.shared.store.selected), (choice) => this.shared.store.select(Number(choice))).element;
  }

  private methodPanel(context: PanelContext): Panel | undefined {
    switch (context.description.method) {
      case 'solid':
        return solidPanel(context);
      case 'rod':
        return rodPanel(context);
      case 'actor':
        return actorPanel(context);
      case 'detail':
        return detailPanel(context, this.wantChanged);
      case 'capture':
        return capturePanel(context);
      case 'fem':
        return context.description.examples?.length ? solidPanel(context) : undefined;
      default:
        return undefined;
    }
  }

  private displaySection(scene: SceneMessage): Panel {
    const { store } = this.shared;
    const { display } = store;
    const colors: Partial<Record<ColorMode, string>> = { none: 'body colour', stretch: 'stretch', stress: 'stress', speed: 'speed' };
    if (scene.bodies.some((body) => body.method === 'detail')) colors.segments = 'segments';
    const surface = choiceRow<Surface>('Surface', { solid: 'shaded', both: 'shaded with wireframe', wire: 'wireframe' }, display.surface, (choice) => store.changeDisplay({ surface: choice }));
    const color = choiceRow<ColorMode>('Colour by', colors as Record<ColorMode, string>, display.colors, (choice) => store.changeDisplay({ colors: choice }));
    const names: [keyof Display, string][] = [['tets', 'Tetrahedra'], ['regions', 'Regions'], ['contacts', 'Contact points'], ['shadows', 'Shadows']];
    if ((scene.camera?.follows ?? -1) >= 0) names.push(['follow', 'Camera follows the body']);
    const switches = names.map(([key, label]) => ({ key, row: switchRow(label, display[key] === true, (on) => store.changeDisplay({ [key]: on })) }));
    return {
      element: section('Display', false, surface.element, color.element, ...switches.map((item) => item.row.element)),
      shown() {
        surface.set(display.surface);
        color.set(display.colors);
        for (const item of switches) item.row.set(display[item.key] === true);
      },
    };
  }
}

// Copies of a body share the settings of the first.
function settingsOf(scene: SceneMessage, body: number): BodyDescription['settings'] {
  const description = scene.bodies[body];
  if (!description || description.settings?.length || description.source === undefined) return description?.settings;
  return scene.bodies.find((other) => other.source === description.source && other.settings?.length)?.settings;
}

function numbersSection(context: PanelContext): Panel {
  const readout = new Readout();
  const { description } = context;
  readout.set({ 'surface points': description.points, particles: description.particles, method: METHOD_NAMES[description.method] ?? description.method });
  return { element: section('Statistics', false, readout.element), update: (telemetry) => readout.set({ 'kinetic energy, J': telemetry.energy, 'elastic energy, J': telemetry.elastic }) };
}
