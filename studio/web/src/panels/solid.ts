// Examples of a solid: which of them it is drawn to now, and over time; mixed by hand if one likes; added from the pose it has.
import { choiceRow, switchRow, throttle } from '../controls';
import { element, iconButton } from '../dom';
import { StreamPlot } from '../plots';
import { addExample, Bars, colorOf, exampleTools, section, type Panel, type PanelContext } from './panel';
import { mean } from './rod';
import { WeightTriangle } from './triangle';

// More sets of weights than this (one per region) are shown by their mean.
const MAX_PARTS = 8;

// Adds the weight of the rest shape: the remainder to 1.
export function withRest(weights: number[]): number[] {
  return [Math.max(0, 1 - weights.reduce((sum, weight) => sum + weight, 0)), ...weights];
}

// Sets one weight; the others keep their proportions and share the remainder.
export function mixed(weights: number[], index: number, value: number): number[] {
  const others = weights.reduce((sum, weight, i) => (i === index ? sum : sum + weight), 0);
  const left = 1 - value;
  return weights.map((weight, i) => {
    if (i === index) return value;
    return others > 1e-6 ? (weight / others) * left : left / Math.max(1, weights.length - 1);
  });
}

export function solidPanel(context: PanelContext): Panel {
  const { description } = context;
  const examples = description.examples ?? [];
  const add = iconButton('plus', 'Add the current pose as an example', () => void addExample(context), 'Add example from this pose');
  add.classList.add('wide');
  add.dataset.action = 'add-example';
  if (examples.length === 0) {
    const hint = element('p', { class: 'hint' }, 'This body has no examples yet. Pull it into a shape, pause, and add the pose: the body is then attracted to it.');
    return { element: section('Examples', true, hint, add) };
  }

  const names = ['rest', ...examples.map((example) => example.name)];
  const bars = new Bars(names, (i) => exampleTools(context, i - 1));
  bars.element.querySelectorAll('li').forEach((row, i) => row.classList.toggle('muted', examples[i - 1]?.mute === true));
  const plot = new StreamPlot(
    names.map((label, i) => ({ label, color: colorOf(i) })),
    { title: 'Weights over time', range: [0, 1] },
  );
  const parts = description.manifolds ?? 1;
  let part = 0;
  // Active examples come first, and only they have weights.
  const mixer = handMixer(context, names.slice(0, 1 + examples.filter((example) => !example.mute).length), () => part);
  const children: Node[] = [bars.element];
  if (parts > 1 && parts <= MAX_PARTS) {
    const choices = Object.fromEntries(Array.from({ length: parts }, (_, i) => [String(i), `part ${i + 1}`]));
    children.unshift(choiceRow<string>('Part of the body', choices, '0', (choice) => void ((part = Number(choice)), plot.clear())).element);
  } else if (parts > MAX_PARTS) {
    children.push(element('p', { class: 'hint' }, 'Each region has its own weights; the bars show their mean.'));
  }
  if ((description.writable_manifolds ?? 1) > 0) children.push(mixer.element);
  children.push(plot.element, add);
  return {
    element: section('Examples', true, ...children),
    update(telemetry, time) {
      const weights = parts > MAX_PARTS ? mean(telemetry.weights ?? []) : telemetry.weights?.[part];
      if (!weights || weights.length === 0) return;
      const all = withRest(weights);
      bars.set(all);
      mixer.show(all);
      plot.add(time, all);
    },
  };
}

// Sets weights by hand: a triangle for rest and two examples, sliders otherwise.
function handMixer(context: PanelContext, names: string[], part: () => number): { element: HTMLElement; show(weights: number[]): void } {
  let byHand = false;
  let last: number[] = names.map((_, i) => (i === 0 ? 1 : 0));
  const send = throttle(40, (weights: number[] | null) => {
    context.connection.send({ kind: 'weights', body: context.body, manifold: part(), weights: weights ? weights.slice(1) : null });
  });
  const box = element('div', { class: 'mixer', hidden: true });
  const hand = switchRow('Set weights by hand', false, (on) => {
    byHand = on;
    box.hidden = !on;
    send(on ? last : null);
  });
  const triangle = names.length === 3 ? new WeightTriangle(names, (weights) => send((last = weights))) : undefined;
  if (triangle) box.append(triangle.element);
  const sliders = names.map((name, i) => {
    const input = element('input', { type: 'range', min: 0, max: 1, step: 0.01, 'aria-label': `Weight of ${name}` });
    input.addEventListener('input', () => {
      last = mixed(last, i, Number(input.value));
      set(last);
      send(last);
    });
    if (!triangle) box.append(element('label', { class: 'mixer-row' }, element('span', {}, name), input));
    return input;
  });
  const set = (weights: number[]): void => {
    triangle?.set(weights);
    sliders.forEach((input, i) => {
      if (document.activeElement !== input) input.value = String(weights[i] ?? 0);
    });
  };
  return {
    element: element('div', {}, hand.element, box),
    show(weights) {
      if (!byHand) set((last = weights.slice(0, names.length)));
    },
  };
}
