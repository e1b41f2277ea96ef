// Takes a picture of the studio for the documentation: opens a scene in the tool, simulates N steps, and saves what the browser shows.
//   node test/picture.mjs SCENE.json [--steps N] [--size WxH] [--theme light|dark] [--show key=value,...] [--page gallery|help] [--panel closed] [--body N] [--frame all] [--fit FRAME] --picture FILE
// $PLIANT is the tool.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { openBrowser, openPage } from './browser.mjs';
import { until } from './check.mjs';
import { startTool } from './tool.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: Object.fromEntries(['steps', 'size', 'theme', 'show', 'page', 'panel', 'body', 'frame', 'fit', 'picture'].map((name) => [name, { type: 'string' }])),
});
const [width, height] = (values.size ?? '1280x800').split('x').map(Number);
const steps = Number(values.steps ?? 0);

// key=value pairs of what is shown: true and false are switches.
function shown(text) {
  const pairs = (text ?? '').split(',').filter(Boolean).map((pair) => pair.split('='));
  return Object.fromEntries(pairs.map(([key, value]) => [key, value === 'true' ? true : value === 'false' ? false : value]));
}

const server = await startTool({ scene: path.resolve(positionals[0]) });
const browser = await openBrowser({ width, height, dark: values.theme === 'dark', touch: width < 760 });
const { page, troubles } = await openPage(browser, `${server.address}&quality=full`);
await until(page, () => window.studio?.store.scene && studio.world.lastStep >= 0, undefined, 'the scene is shown');
await page.evaluate(() => studio.connection.send({ kind: 'pause' }));
await page.evaluate(() => studio.connection.send({ kind: 'reset' }));
await until(page, () => studio.store.state.step === 0 && studio.store.state.paused);
await page.evaluate(([display, body]) => {
  if (body) studio.store.select(Number(body));
  studio.store.changeDisplay(display);
}, [shown(values.show), values.body]);
// In pieces, so that curves have points to go through.
for (let done = 0; done < steps; ) {
  const count = Math.min(Math.max(1, Math.ceil(steps / 60)), steps - done);
  done += count;
  await page.evaluate((n) => studio.connection.send({ kind: 'step', count: n }), count);
  await until(page, (step) => studio.store.state.step === step && studio.world.lastStep === step, done);
  await page.waitForTimeout(70);
}
// A recording that was fitted, at one of its frames.
if (values.fit) {
  await page.locator('[data-action="fit"]').click();
  await page.waitForFunction(() => studio.store.capture?.phase === 'fitted', undefined, { timeout: 600_000, polling: 200 });
  await page.evaluate((frame) => studio.connection.send({ kind: 'capture', body: studio.store.capture.body, action: 'seek', frame }), Number(values.fit));
  await until(page, (frame) => studio.store.capture.frame === frame && studio.world.bodies.some((body) => body.cloudRange), Number(values.fit), 'the frame is shown');
}
if (values.frame) await page.evaluate(() => studio.viewport.frame(studio.world.bounds()));
if (values.panel === 'closed') await page.evaluate(() => document.getElementById('studio').classList.add('panel-closed'));
if (values.panel === 'open') await page.evaluate(() => document.getElementById('studio').classList.remove('panel-closed'));
if (values.page === 'gallery') await page.evaluate(() => document.querySelector('.brand').click());
if (values.page === 'help') await page.keyboard.press('F1');
// Everything that follows the camera, the plots and the pictures of the gallery come to rest.
await page.waitForTimeout(2500);
for (let place = '', before = '-'; place !== before; await page.waitForTimeout(400)) {
  before = place;
  place = await page.evaluate(() => studio.viewport.camera.position.toArray().map((value) => value.toFixed(3)).join());
}
const drawn = await page.evaluate(() => (studio.viewport.touch(), studio.viewport.drawn));
await until(page, (before) => studio.viewport.drawn > before, drawn);
await page.evaluate(() => document.activeElement?.blur());
await page.screenshot({ path: values.picture, timeout: 120_000 });
await browser.close();
await server.close();
if (troubles.length > 0) {
  console.error(troubles.join('\n'));
  process.exit(1);
}
