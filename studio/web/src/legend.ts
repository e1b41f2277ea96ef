// What the colours mean, with the range they have now.
import { gradientOf } from './colormap';
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
    store.on('frame', () => this.show());
    store.on('display', () => this.show());
  }

  private show(): void {
    const isCloud = this.store.scene?.method === 'capture';
    const mode = this.store.display.colors;
    const range = this.world.bodies[this.store.selected]?.range ?? this.world.bodies.find((body) => body.range)?.range;
    this.element.hidden = !range || (mode === 'none' && !isCloud);
    if (!range) return;
    this.title.textContent = isCloud && mode === 'none' ? 'distance, m' : UNITS[mode];
    this.bar.style.background = gradientOf(range.diverging);
    this.low.textContent = short(range.low);
    this.high.textContent = short(range.high);
  }
}
