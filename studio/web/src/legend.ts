// The legend of the colours with their current range.
import { gradientOf, type Range } from './colormap';
import { element, short } from './dom';
import type { ColorMode } from './messages';
import type { Store } from './store';
import type { WorldView } from './world_view';

const UNITS: Record<ColorMode, string> = { none: '', stretch: 'stretch', stress: 'stress, Pa', speed: 'speed, m/s', segments: 'segments' };

export class Legend {
  readonly element = element('div', { class: 'legend', hidden: true });
  private readonly title = element('span', { class: 'legend-title' });
  private readonly bar = element('div', { class: 'legend-bar' });
  private readonly low = element('span', {});
  private readonly high = element('span', {});

  constructor(
    private readonly store: Store,
    private readonly world: WorldView,
  ) {
    this.element.append(this.title, this.bar, element('div', { class: 'legend-ends' }, this.low, this.high));
    world.changed = () => this.show();
    store.on('display', () => this.show());
  }

  private show(): void {
    const isCloud = this.store.scene?.method === 'capture';
    const mode = this.store.display.colors;
    const cloud = isCloud && mode === 'none';
    const rangeOf = (body: WorldView['bodies'][number] | undefined): Range | undefined => (cloud ? body?.cloudRange : body?.range);
    const range = rangeOf(this.world.bodies[this.store.selected]) ?? rangeOf(this.world.bodies.find(rangeOf));
    this.element.hidden = !range || (mode === 'none' && !isCloud);
    if (!range) return;
    this.title.textContent = cloud ? 'distance, mm' : UNITS[mode];
    this.bar.style.background = gradientOf(range.diverging);
    this.low.textContent = short((cloud ? 1000 : 1) * range.low);
    this.high.textContent = short((cloud ? 1000 : 1) * range.high);
  }
}
