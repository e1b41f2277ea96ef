// Panel of a rod: the view directions of its examples on a sphere, their weights, and the energy injected by changes of examples.
import { element, iconButton } from '../dom';
import { StreamPlot } from '../plots';
import { addExample, Bars, exampleTools, section, type Panel, type PanelContext } from './panel';
import { ViewSphere } from './view_sphere';

export function rodPanel(context: PanelContext): Panel {
  const examples = context.description.examples ?? [];
  const add = iconButton('plus', 'Add an example for the current view direction', () => void addExample(context), 'Add example from this view');
  add.classList.add('wide');
  const plot = new StreamPlot(
    [
      { label: 'energy', color: '#6c7a89' },
      { label: 'injected by examples', color: '#e4572e' },
    ],
    { title: 'Energy', unit: 'J' },
  );
  if (examples.length === 0) {
    const hint = element('p', { class: 'hint' }, 'This body has no view-dependent examples. Choose a view, pose the body, and add the pose.');
    return { element: section('Views', true, hint, add, plot.element), update: (telemetry, time) => plot.add(time, [telemetry.energy, telemetry.injected]) };
  }
  const sphere = new ViewSphere(examples);
  const bars = new Bars(
    examples.map((example) => example.name),
    (i) => exampleTools(context, i),
  );
  const note = element('p', { class: 'hint' }, 'Dots are the view directions of the examples, circles their extent; the line with the ring is the current view direction. Rotate the view to move it.');
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

// A body with several chains has weights for each; the panel shows their mean.
export function mean(lists: number[][]): number[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, i) => lists.reduce((sum, list) => sum + (list[i] ?? 0), 0) / lists.length);
}
