// Panel of a body with detail: the tool, comparison with the coarse surface, the active examples, and recording of examples.
import { sliderRow, switchRow } from '../controls';
import { element, iconButton } from '../dom';
import { download } from '../exports';
import { StreamPlot } from '../plots';
import { Bars, Readout, request, section, type Panel, type PanelContext } from './panel';

export function detailPanel(context: PanelContext, wantChanged: () => void): Panel {
  const { store, connection, body } = context;
  const bars = new Bars([]);
  const readout = new Readout();
  const load = new StreamPlot([{ label: 'load', color: '#e4572e' }], { title: 'Load' });
  let names = '';
  const enrich = switchRow('Add detail', true, (on) => connection.send({ kind: 'detail', body, on }));
  const tool = switchRow('Mouse moves the tool', store.detail.tool, (on) => void (store.detail.tool = on), 'On: the mouse moves a ball that presses on the body. Off: the mouse pulls the body');
  const radius = sliderRow({ label: 'Tool radius', value: store.detail.toolRadius, min: 0.002, max: 0.2, log: true, unit: 'm' }, (value) => void (store.detail.toolRadius = value));
  const coarse = switchRow('Show the coarse surface', store.detail.coarse, (on) => void ((store.detail.coarse = on), wantChanged()));
  const paint = switchRow('Colour by segment', store.display.colors === 'segments', (on) => store.changeDisplay({ colors: on ? 'segments' : 'none' }));
  const record = iconButton('record', 'Record an example at the current contact', () => void recordHere(context, record), 'Record an example here');
  record.classList.add('wide');
  const compare = element('button', { type: 'button', class: 'button wide', 'data-action': 'compare', onclick: () => void openComparison(context) }, 'Compare coarse, enriched and fine');
  compare.hidden = !store.scene?.compare;
  const none = element('p', { class: 'hint' }, 'There is no contact, so no example is active.');
  return {
    element: section('Detail', true, enrich.element, tool.element, radius.element, coarse.element, paint.element, element('h3', {}, 'Active examples'), none, bars.element, readout.element, load.element, record, compare),
    shown: () => paint.set(store.display.colors === 'segments'),
    update(telemetry, time) {
      const detail = telemetry.detail;
      if (!detail) return;
      if (detail.on !== undefined) enrich.set(detail.on);
      const labels = detail.examples ?? (detail.weights ?? []).map((_, i) => `example ${i + 1}`);
      if (labels.join('\n') !== names) {
        names = labels.join('\n');
        bars.rename(labels);
      }
      none.hidden = labels.length > 0;
      bars.set(detail.weights ?? []);
      readout.set({ examples: detail.count, load: detail.load });
      load.add(time, [detail.load]);
    },
  };
}

// The server records the example in the background. The body then uses the larger set, and the page downloads it.
async function recordHere({ connection, notices, body }: PanelContext, button: HTMLButtonElement): Promise<void> {
  button.disabled = true;
  const bar = notices.progress('Recording an example');
  try {
    const answer = await connection.request({ kind: 'detail', body, record: true }, (done, text) => bar.update(done, text));
    if (answer.file) download(connection.file(answer), String(answer.name ?? 'recorded.pldetail'));
    notices.notify(`The body has ${String(answer.count)} examples now.`, 'good');
  } catch (error) {
    notices.notify(`The example was not recorded: ${(error as Error).message}`, 'bad');
  } finally {
    bar.end();
    button.disabled = false;
  }
}

function openComparison(context: PanelContext): Promise<boolean> {
  return request(context, { kind: 'open', path: context.store.scene?.compare ?? '' });
}
