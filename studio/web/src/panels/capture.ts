// Panel of a capture: timeline of the recording, the fit, its convergence and estimated parameters.
import { choiceRow, oneByOne, sliderRow } from '../controls';
import { changeIcon, element, fill, iconButton, precise, short } from '../dom';
import type { CaptureMessage, CaptureShape } from '../messages';
import { StreamPlot } from '../plots';
import { Readout, request, section, type Panel, type PanelContext } from './panel';

const PHASES: Record<string, string> = { film: 'recording by virtual cameras', recorded: 'recorded', track: 'tracking', 'warm start': 'finding initial values', fit: 'fitting' };
const SHAPES: Record<CaptureShape, string> = { static: 'at rest', tracked: 'tracked', simulated: 'simulated' };
// Maximum of the server.
const COUNT_MAX = 8;
const PLAY_MS = 1000 / 15;

// Significant digits of an estimate: those that the interval determines, and one more.
function digitsOf(value: number, low: number, high: number): number {
  const fraction = Math.abs((high - low) / value);
  return fraction > 0 ? Math.max(3, Math.min(7, Math.ceil(-Math.log10(fraction)) + 1)) : 3;
}

function parameterRow(item: NonNullable<CaptureMessage['parameters']>[number]): HTMLElement {
  const { value, low = value, high = value } = item;
  const digits = digitsOf(value, low, high);
  const interval = item.low === undefined || item.high === undefined ? '' : `${precise(low, digits)} … ${precise(high, digits)}`;
  const doubt = item.verdict && item.verdict !== 'determined' ? item.verdict : '';
  const last = element('td', {}, interval, doubt ? element('span', { class: 'verdict' }, doubt) : '');
  return element('tr', {}, element('th', { scope: 'row' }, item.label), element('td', {}, `${precise(value, digits)} ${item.unit ?? ''}`), last);
}

function phaseText(message: CaptureMessage): string | undefined {
  if (!message.phase) return undefined;
  const busy = message.done !== undefined && message.done > 0 && message.done < 1 && message.phase !== 'fit';
  return (PHASES[message.phase] ?? message.phase) + (busy ? `, ${Math.round(100 * (message.done ?? 0))} %` : '');
}

export function capturePanel(context: PanelContext): Panel & { capture(message: CaptureMessage): void } {
  const { body } = context;
  const readout = new Readout();
  const curve = new StreamPlot([{ label: 'distance', color: '#e4572e' }], { title: 'Convergence by iteration', unit: 'm', log: true });
  const scrub = element('input', { type: 'range', min: 0, max: 0, step: 1, value: 0, disabled: true, 'aria-label': 'Frame of the recording' });
  const position = element('output', { class: 'timeline-position' }, '–');
  const remark = element('p', { class: 'hint', hidden: true });
  const table = element('tbody', {});
  let running = false;
  let timer = 0;
  // Wait for a slow frame; of the frames that were skipped in the meantime only the last is requested.
  const seek = oneByOne((frame: number) => request(context, { kind: 'capture', body, action: 'seek', frame }));
  const stop = (): void => {
    clearInterval(timer);
    timer = 0;
    changeIcon(play, 'play', 'Play the recording');
  };
  const play = iconButton('play', 'Play the recording', () => {
    if (timer) {
      stop();
      return;
    }
    changeIcon(play, 'pause', 'Stop playing');
    timer = window.setInterval(() => {
      // The panel was replaced by that of another scene.
      if (!play.isConnected) return stop();
      scrub.value = String((Number(scrub.value) + 1) % (Number(scrub.max) + 1));
      seek(Number(scrub.value));
      return undefined;
    }, PLAY_MS);
  });
  play.disabled = true;
  scrub.addEventListener('input', () => seek(Number(scrub.value)));
  const fit = element('button', { type: 'button', class: 'button wide primary', 'data-action': 'fit' }, 'Fit');
  const counts = { rounds: 1, moduli: 1 };
  const countRow = (name: keyof typeof counts, label: string, tip: string): HTMLElement =>
    sliderRow({ label, value: 1, min: 1, max: COUNT_MAX, log: false, unit: '', tip, integer: true }, (value) => {
      counts[name] = value;
    }).element;
  const rounds = countRow('rounds', 'Rounds', 'Maximum rounds of tracking and fitting; later rounds track with the fitted material');
  const moduli = countRow('moduli', 'Moduli', "Number of Young's moduli, evenly spaced along the body");
  fit.addEventListener('click', () => void request(context, running ? { kind: 'capture', body, action: 'stop' } : { kind: 'capture', body, action: 'fit', ...counts }));
  const shape = choiceRow<CaptureShape>('Mesh', SHAPES, 'static', (choice) => void request(context, { kind: 'capture', body, action: 'shape', shape: choice }));
  const head = element('thead', {}, element('tr', {}, ...['Parameter', 'Estimate', '95 % interval'].map((text) => element('th', { scope: 'col' }, text))));
  const parameters = element('table', { class: 'parameters' }, head, table);

  const showTime = (message: CaptureMessage): void => {
    scrub.max = String(Math.max(0, message.frames - 1));
    scrub.disabled = play.disabled = message.frames === 0;
    if (document.activeElement !== scrub && !timer) scrub.value = String(message.frame);
    const seconds = message.rate ? `, ${(message.frame / message.rate).toFixed(2)} s` : '';
    const where = `frame ${message.frame + 1} of ${message.frames}${seconds}`;
    position.textContent = message.frames === 0 ? 'no frames yet' : message.shown === false ? `${message.frames} frames; showing the world` : where;
  };
  const show = (message: CaptureMessage): void => {
    running = message.running;
    // Someone resumed the world, or started a fit that shows its own frames.
    if (timer && (message.shown === false || message.phase === 'track')) stop();
    fit.textContent = running ? 'Stop the fit' : 'Fit';
    showTime(message);
    readout.set({ phase: phaseText(message), round: message.iteration ? message.round : undefined, iteration: message.iteration, distance: message.error === undefined ? undefined : `${short(1000 * message.error)} mm` });
    remark.textContent = message.text ?? '';
    remark.hidden = !message.text;
    shape.element.hidden = (message.shapes?.length ?? 0) < 2;
    for (const option of shape.element.querySelectorAll('option')) option.disabled = !message.shapes?.includes(option.value as CaptureShape);
    if (message.shape) shape.set(message.shape);
    curve.clear();
    for (const item of message.history ?? []) curve.add(item.iteration, [item.error]);
    parameters.hidden = !message.parameters?.length;
    fill(table, ...(message.parameters ?? []).map(parameterRow));
  };
  if (context.store.capture) show(context.store.capture);
  const timeline = element('div', { class: 'timeline' }, play, scrub, position);
  const legend = element('p', { class: 'hint' }, 'Points are observed by cameras and coloured by their distance from the mesh. Press Run to show the world instead of the recording.');
  return {
    element: section('Capture', true, timeline, shape.element, rounds, moduli, fit, readout.element, remark, curve.element, parameters, legend),
    capture: show,
  };
}
