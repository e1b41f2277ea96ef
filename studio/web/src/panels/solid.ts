// Examples of a solid: which of them it is drawn to now, and over time; mixed by hand if one likes; added from the pose it has.
import { choiceRow, switchRow, throttle } from '../controls';
import { element, iconButton } from '../dom';
import { StreamPlot } from '../plots';
import { addExample, Bars, colorOf, exampleTools, section, type Panel, type PanelContext } from './panel';
import { WeightTriangle } from './triangle';

// The server gives one weight per example; where the rest shape is among the names but not among the weights, it has what is left.
export function completeWeights(weights: number[], exampleCount: number): number[] {
  if (weights.length !== exampleCount - 1) return weights;
  return [Math.max(0, 1 - weights.reduce((sum, weight) => sum + weight, 0)), ...weights];
}

export function solidPanel(context: PanelContext): Panel {
  const { connection, body, description } = context;
  const names = (description.examples ?? []).map((example) => example.name);
  const add = iconButton('plus', 'Add an example from the pose of now', () => void addExample(context), 'Add example from this pose');
  add.classList.add('wide');
  if (names.length <= 1) {
    const hint = element('p', { class: 'hint' }, 'This body has no examples yet. Pull it into a shape, pause, and add that pose: from then on it is drawn to it.');
    return { element: section('Examples', true, hint, add) };
  }

  let manifold = 0;
  let byHand = false;
  let received = names.length;
  const bars = new Bars(names, (i) => exampleTools(context, i, names[i] === 'rest' && i === 0));
  bars.element.querySelectorAll('li').forEach((row, i) => row.classList.toggle('muted', description.examples?.[i]?.mute === true));
  const plot = new StreamPlot(
    names.map((label, i) => ({ label, color: colorOf(i) })),
    { title: 'Weights over time', range: [0, 1] },
  );

  const send = throttle(40, (weights: number[] | null) => {
    connection.send({ kind: 'weights', body, manifold, weights: weights && received < names.length ? weights.slice(1) : weights });
  });
  const hand = switchRow('Mix by hand', false, (on) => {
    byHand = on;
    mixer.hidden = !on;
    send(on ? last : null);
  });
  let last: number[] = [1, ...names.slice(1).map(() => 0)];
  const mixer = element('div', { class: 'mixer', hidden: true });
  const triangle = names.length === 3 ? new WeightTriangle(names, (weights) => send((last = weights))) : undefined;
  if (triangle) mixer.append(triangle.element);
  const sliders = names.map((name, i) => {
    const input = element('input', { type: 'range', min: 0, max: 1, step: 0.01, 'aria-label': `Weight of ${name}` });
    input.addEventListener('input', () => {
      last = mixed(last, i, Number(input.value));
      show(last);
      send(last);
    });
    if (!triangle) mixer.append(element('label', { class: 'mixer-row' }, element('span', {}, name), input));
    return input;
  });
  const show = (weights: number[]): void => {
    bars.set(weights);
    triangle?.set(weights);
    sliders.forEach((input, i) => {
      if (document.activeElement !== input) input.value = String(weights[i] ?? 0);
    });
  };

  const children: Node[] = [bars.element];
  if ((description.manifolds ?? 1) > 1) {
    const parts = Object.fromEntries(Array.from({ length: description.manifolds ?? 1 }, (_, i) => [String(i), `part ${i + 1}`]));
    children.unshift(choiceRow<string>('Part of the body', parts, '0', (choice) => void ((manifold = Number(choice)), plot.clear())).element);
  }
  children.push(hand.element, mixer, plot.element, add);
  return {
    element: section('Examples', true, ...children),
    update(telemetry, time) {
      const weights = telemetry.weights?.[manifold];
      if (!weights) return;
      received = weights.length;
      const all = completeWeights(weights, names.length);
      if (byHand) bars.set(all);
      else show((last = all));
      plot.add(time, all);
    },
  };
}

// One weight is what the user says, the others share the rest as they did.
export function mixed(weights: number[], index: number, value: number): number[] {
  const others = weights.reduce((sum, weight, i) => (i === index ? sum : sum + weight), 0);
  const left = 1 - value;
  return weights.map((weight, i) => {
    if (i === index) return value;
    return others > 1e-6 ? (weight / others) * left : left / Math.max(1, weights.length - 1);
  });
}
