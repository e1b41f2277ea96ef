// A fit to recorded points: the timeline of the recording, how far the points are from the mesh, and what the estimate is so far.
import { element, fill, iconButton, short, changeIcon } from '../dom';
import type { CaptureMessage } from '../messages';
import { StreamPlot } from '../plots';
import { Readout, request, section, type Panel, type PanelContext } from './panel';

export function capturePanel(context: PanelContext): Panel & { capture(message: CaptureMessage): void } {
  const { body } = context;
  const readout = new Readout();
  const curve = new StreamPlot([{ label: 'distance', color: '#e4572e' }], { title: 'Convergence by iteration', unit: 'm', log: true });
  const scrub = element('input', { type: 'range', min: 0, max: 0, step: 1, value: 0, 'aria-label': 'Frame of the recording' });
  const place = element('output', { class: 'timeline-place' }, '–');
  const table = element('tbody', {});
  let running = false;
  let timer = 0;
  const seek = (frame: number): void => void request(context, { kind: 'capture', body, action: 'seek', frame });
  scrub.addEventListener('input', () => seek(Number(scrub.value)));
  const play = iconButton('play', 'Play the recording', () => {
    if (timer) {
      stop();
      return;
    }
    changeIcon(play, 'pause', 'Stop playing');
    timer = window.setInterval(() => {
      scrub.value = String((Number(scrub.value) + 1) % (Number(scrub.max) + 1));
      seek(Number(scrub.value));
    }, 1000 / 15);
  });
  const stop = (): void => {
    clearInterval(timer);
    timer = 0;
    changeIcon(play, 'play', 'Play the recording');
  };
  const fit = element('button', { type: 'button', class: 'button wide primary' }, 'Fit');
  fit.addEventListener('click', () => void request(context, { kind: 'capture', body, action: running ? 'stop' : 'fit' }));
  const head = element('thead', {}, element('tr', {}, ...['Parameter', 'Estimate', 'Interval'].map((text) => element('th', { scope: 'col' }, text))));
  const show = (message: CaptureMessage): void => {
    running = message.running;
    fit.textContent = running ? 'Stop the fit' : 'Fit';
    scrub.max = String(Math.max(0, message.frames - 1));
    if (document.activeElement !== scrub && !timer) scrub.value = String(message.frame);
    const seconds = message.rate ? `, ${(message.frame / message.rate).toFixed(2)} s` : '';
    place.textContent = `frame ${message.frame + 1} of ${message.frames}${seconds}`;
    readout.set({ stage: message.stage, iteration: message.iteration, distance: message.error === undefined ? undefined : `${short(1000 * message.error)} mm` });
    if (message.whole) curve.clear();
    for (const item of message.history ?? []) curve.add(item.iteration, [item.error]);
    fill(
      table,
      ...(message.parameters ?? []).map((item) => {
        const interval = item.low !== undefined && item.high !== undefined ? `${short(item.low)} … ${short(item.high)}` : '';
        return element('tr', {}, element('th', { scope: 'row' }, item.label), element('td', {}, `${short(item.value)} ${item.unit ?? ''}`), element('td', {}, interval));
      }),
    );
  };
  if (context.store.capture) show(context.store.capture);
  const timeline = element('div', { class: 'timeline' }, play, scrub, place);
  const legend = element('p', { class: 'hint' }, 'Points are what was seen, coloured by their distance from the mesh.');
  return {
    element: section('Capture', true, timeline, legend, fit, readout.element, curve.element, element('table', { class: 'parameters' }, head, table)),
    capture: show,
  };
}
