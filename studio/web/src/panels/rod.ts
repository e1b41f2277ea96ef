// Examples of a rod belong to directions of view: the sphere shows where, the curve shows what a change of examples put into the motion.
import { element, iconButton } from '../dom';
import { StreamPlot } from '../plots';
import { addExample, Bars, exampleTools, section, type Panel, type PanelContext } from './panel';
import { ViewSphere } from './view_sphere';

export function rodPanel(context: PanelContext): Panel {
  const examples = context.description.examples ?? [];
  const add = iconButton('plus', 'Add an example for the direction the camera has now', () => void addExample(context), 'Add example from this view');
  add.classList.add('wide');
  const plot = new StreamPlot(
    [
      { label: 'energy', color: '#6c7a89' },
      { label: 'put in by examples', color: '#e4572e' },
    ],
    { title: 'Energy', unit: 'J' },
  );
  if (examples.length === 0) {
    const hint = element('p', { class: 'hint' }, 'This body swings freely: it has no examples of what it should look like from a direction. Look from one, pose it, and add it.');
    return { element: section('Views', true, hint, add, plot.element), update: (telemetry, time) => plot.add(time, [telemetry.energy, telemetry.injected]) };
  }
  const sphere = new ViewSphere(examples);
  const bars = new Bars(
    examples.map((example) => example.name),
    (i) => exampleTools(context, i),
  );
  const note = element('p', { class: 'hint' }, 'Dots are the directions that examples were made for, edges how far they reach; the arrow is the direction of now. Turn the view and watch it move.');
  return {
    element: section('Views', true, sphere.element, note, bars.element, add, plot.element),
    update(telemetry, time) {
      const weights = mean(telemetry.weights ?? []);
      sphere.set(telemetry.view, weights);
      bars.set(weights);
      if (telemetry.energy !== undefined || telemetry.injected !== undefined) plot.add(time, [telemetry.energy, telemetry.injected]);
    },
  };
}

// A body of many chains has weights for each; the panel shows their mean.
export function mean(lists: number[][]): number[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, i) => lists.reduce((sum, list) => sum + (list[i] ?? 0), 0) / lists.length);
}
