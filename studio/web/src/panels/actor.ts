// Panel of an actor: steering, goals, and the convergence of its optimisation.
import { Vector3 } from 'three';
import { sliderRow, switchRow } from '../controls';
import { element } from '../dom';
import type { Vector } from '../messages';
import { StreamPlot } from '../plots';
import { Readout, section, type Panel, type PanelContext } from './panel';

// Speed for steering, m/s.
export const steering = { speed: 1 };

// Converts a direction relative to the camera to a direction on the ground.
export function steer(context: Pick<PanelContext, 'store' | 'connection' | 'viewport'>, x: number, z: number): void {
  const { store, connection, viewport } = context;
  const toward = viewport.camera.getWorldDirection(new Vector3()).setY(0).normalize();
  const right = new Vector3().crossVectors(toward, new Vector3(0, 1, 0));
  const heading = toward.multiplyScalar(-z).addScaledVector(right, x);
  const still = heading.lengthSq() < 1e-9;
  const body = store.scene?.bodies[store.selected]?.method === 'actor' ? store.selected : (store.scene?.bodies.findIndex((item) => item.method === 'actor') ?? -1);
  if (body < 0) return;
  const before = store.telemetry.get(body)?.actor?.heading ?? [1, 0, 0];
  connection.send({ kind: 'steer', body, speed: still ? 0 : steering.speed, heading: still ? before : (heading.normalize().toArray() as Vector) });
}

function pad(context: PanelContext): HTMLElement {
  const made = element('div', { class: 'pad', role: 'group', 'aria-label': 'Steer' });
  const directions: [string, string, number, number][] = [
    ['↑', 'away', 0, -1],
    ['←', 'left', -1, 0],
    ['↓', 'nearer', 0, 1],
    ['→', 'right', 1, 0],
  ];
  for (const [sign, label, x, z] of directions) {
    const button = element('button', { type: 'button', class: `button pad-${label}`, 'aria-label': `Steer ${label}` }, sign);
    const stop = (): void => steer(context, 0, 0);
    button.addEventListener('pointerdown', () => steer(context, x, z));
    for (const name of ['pointerup', 'pointerleave', 'pointercancel']) button.addEventListener(name, (event) => (event as PointerEvent).buttons === 0 && event.type !== 'pointerleave' ? stop() : undefined);
    button.addEventListener('keydown', (event) => (event.key === ' ' || event.key === 'Enter') && steer(context, x, z));
    button.addEventListener('keyup', stop);
    made.append(button);
  }
  return made;
}

export function actorPanel(context: PanelContext): Panel {
  const { store, connection, body } = context;
  const readout = new Readout();
  const fit = new StreamPlot(
    [
      { label: 'objective', color: '#2e86ab' },
      { label: 'residual', color: '#e4572e' },
    ],
    { title: 'Optimisation', log: true },
  );
  let chosen = false;
  const pace = sliderRow({ label: 'Steering speed', value: steering.speed, min: 0.05, max: 4, unit: 'm/s', log: true }, (value) => {
    steering.speed = value;
    chosen = true;
  });
  const goals = switchRow('Show goals (drag the green balls)', store.display.goals, (on) => store.changeDisplay({ goals: on }));
  const ghost = switchRow('Show the rest shape', store.display.ghost, (on) => store.changeDisplay({ ghost: on }));
  const free = element('button', { type: 'button', class: 'button wide', onclick: () => connection.send({ kind: 'goal', body, position: null }) }, 'Remove goal');
  const keys = element('p', { class: 'hint' }, 'Arrow keys steer relative to the camera. The keys . and , step in time.');
  const children = [pad(context), keys, pace.element, goals.element, ghost.element, free, readout.element, fit.element];
  return {
    element: section('Actor', true, ...children),
    shown() {
      goals.set(store.display.goals);
      ghost.set(store.display.ghost);
    },
    update(telemetry, time) {
      const actor = telemetry.actor;
      if (!actor) return;
      // The speed in the scene is one that the actor can reach.
      if (!chosen && actor.speed && actor.speed > 0) pace.set((steering.speed = actor.speed));
      readout.set({
        'goal error': actor.goal_error,
        lean: actor.lean === undefined ? undefined : `${actor.lean.toFixed(1)}°`,
        speed: actor.speed,
        goals: actor.goals?.length,
      });
      fit.add(time, [actor.objective, actor.residual]);
    },
  };
}
