// Time controls: run, pause, step, back, reset, and the simulated time.
import { changeIcon, element, iconButton } from './dom';
import type { Actions } from './keys';
import type { StateMessage } from './messages';
import type { Store } from './store';

export class Transport {
  readonly element = element('div', { class: 'transport', role: 'toolbar', 'aria-label': 'Time' });
  private readonly toggle: HTMLButtonElement;
  private readonly back: HTMLButtonElement;
  private readonly clock = element('output', { class: 'clock', 'aria-label': 'Simulated time' }, '0.00 s');
  private readonly pace = element('span', { class: 'pace' });

  constructor(
    private readonly store: Store,
    actions: Actions,
  ) {
    this.toggle = iconButton('pause', 'Pause (Space)', () => actions.toggle());
    this.toggle.classList.add('primary');
    this.back = iconButton('back', 'One step back', () => actions.back(1));
    const step = iconButton('step', 'One step forward', () => actions.step(1));
    const reset = iconButton('reset', 'Reset (R)', () => actions.reset());
    const frame = iconButton('frame', 'Fit the view (F)', () => actions.frame());
    this.element.append(reset, this.back, this.toggle, step, frame, element('span', { class: 'times' }, this.clock, this.pace));
    store.on('state', (state) => this.show(state));
    store.on('frame', (frame) => (this.clock.textContent = `${frame.time.toFixed(2)} s`));
    store.on('scene', () => {
      const actor = store.hasActor;
      changeIcon(this.back, 'back', `One step back (${actor ? ',' : '←'})`);
      changeIcon(step, 'step', `One step forward (${actor ? '.' : '→'})`);
    });
  }

  private show(state: StateMessage): void {
    changeIcon(this.toggle, state.paused ? 'play' : 'pause', state.paused ? 'Run (Space)' : 'Pause (Space)');
    this.back.disabled = state.history === 0;
    this.clock.textContent = `${state.time.toFixed(2)} s`;
    const viewers = state.viewers > 1 ? ` · ${state.viewers} viewers` : '';
    this.pace.textContent = (state.paused ? `step ${state.step}` : `×${state.rate.toFixed(2)} · ${Math.round(state.steps_per_second)} steps/s`) + viewers;
    this.element.classList.toggle('slow', !state.paused && state.rate > 0 && state.rate < 0.5);
    this.element.dataset.scene = this.store.scene?.name ?? '';
  }
}
