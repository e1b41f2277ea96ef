// Detail on a coarse body: press it with the tool under the mouse, compare what was simulated with what was added, see which examples it came from.
import { sliderRow, switchRow } from '../controls';
import { element, iconButton } from '../dom';
import { StreamPlot } from '../plots';
import { Bars, Readout, section, type Panel, type PanelContext } from './panel';

export function detailPanel(context: PanelContext, wantChanged: () => void): Panel {
  const { store, connection, body, notices } = context;
  const bars = new Bars([]);
  const readout = new Readout();
  const load = new StreamPlot([{ label: 'load', color: '#e4572e' }], { title: 'Load' });
  let names = '';
  const enrich = switchRow('Add detail', true, (on) => connection.send({ kind: 'detail', body, on }));
  const tool = switchRow('Tool under the mouse', store.detail.tool, (on) => void (store.detail.tool = on), 'A ball that presses on the body; off: the mouse pulls');
  const radius = sliderRow({ label: 'Radius of the tool', value: store.detail.toolRadius, least: 0.002, most: 0.2, log: true, unit: 'm' }, (value) => void (store.detail.toolRadius = value));
  const coarse = switchRow('Coarse beside it', store.detail.coarse, (on) => void ((store.detail.coarse = on), wantChanged()));
  const fine = switchRow('Fine simulation beside it', store.detail.fine, (on) => void ((store.detail.fine = on), wantChanged()));
  const paint = switchRow('Paint the segments', store.display.colors === 'segments', (on) => store.changeDisplay({ colors: on ? 'segments' : 'none' }));
  const record = iconButton('record', 'Record an example of the press of now', () => {
    connection.send({ kind: 'detail', body, record: true });
    notices.say('Recording what the body does here.');
  }, 'Record an example here');
  record.classList.add('wide');
  const none = element('p', { class: 'hint' }, 'Nothing presses now, so no example weighs.');
  return {
    element: section('Detail', true, enrich.element, tool.element, radius.element, coarse.element, fine.element, paint.element, element('h3', {}, 'Examples that weigh now'), none, bars.element, readout.element, load.element, record),
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
      readout.set({ load: detail.load });
      load.add(time, [detail.load]);
    },
  };
}
