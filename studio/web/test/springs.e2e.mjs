// Springs on the bones of a character, with the real server: bones are picked in the view, get a spring, a collider and an example, and come back from the saved file. $PLIANT is the tool.
//   node test/springs.e2e.mjs CHARACTER   a rigged file without springs, as test/tool/make_character.py writes it; PICTURE=FILE.png keeps a picture
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openBrowser, openPage } from './browser.mjs';
import { ask, expect, fingerprint, makeChecks, until } from './check.mjs';
import { startTool } from './tool.mjs';

const checks = makeChecks();
const { check } = checks;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pliant-springs-'));
const scene = path.join(folder, 'scene.json');
const character = path.resolve(process.argv[2]);
// Without a camera the page would look at the head as it is when the page opens, which is while it nods: some joints may then be out of sight later.
const camera = { eye: [0.6, 1.9, 0.65], target: [0.2, 1.64, 0], field_of_view: 24 };
fs.writeFileSync(scene, JSON.stringify({ pliant: 1, name: 'bald', camera, bodies: [{ name: 'head', method: 'rod', rod: { character, animation: 'nod', loop: true } }] }));
const server = await startTool({ scene });
const browser = await openBrowser({ width: 1000, height: 640 });
const { page, troubles } = await openPage(browser, server.address);
const body = () => page.evaluate(() => studio.store.scene.bodies[0]);
await until(page, () => studio.store.scene?.name && studio.world.lastStep >= 0, undefined, 'the scene is shown');

const atStep = async (count) => {
  await ask(page, { kind: 'pause' });
  await ask(page, { kind: 'reset' });
  await ask(page, { kind: 'step', count });
  await until(page, (step) => studio.store.state?.step === step && studio.world.lastStep === step, count, `step ${count}`);
  return fingerprint(page);
};

// Where a joint is on the page.
const seen = (name) =>
  page.evaluate((wanted) => {
    studio.world.flush();
    const node = studio.store.scene.bodies[0].nodes.findIndex((item) => item.name === wanted);
    const joint = studio.world.jointsShown().find((item) => item.node === node);
    return joint && studio.viewport.project(joint.position);
  }, name);

await check('bones picked in the view become a chain, and Shift ends it', async () => {
  // The head nods: a bone is to be where it was seen when the click comes.
  await atStep(8);
  await page.locator('text=Pick bones in the view').click();
  await until(page, () => studio.world.jointsShown().length > 4, undefined, 'joints are shown');
  const first = await seen('ear.1');
  await page.mouse.click(first.x, first.y);
  await until(page, () => document.querySelector('#bone-first').selectedOptions[0].textContent.trim() === 'ear.1', undefined, 'the first bone is that of the click');
  const last = await seen('ear.4');
  await page.keyboard.down('Shift');
  await page.mouse.click(last.x, last.y);
  await page.keyboard.up('Shift');
  await until(page, () => document.querySelector('#bone-last').selectedOptions[0].textContent.trim() === 'ear.4', undefined, 'the last bone is that of the second click');
  const shown = await page.evaluate(() => studio.world.bones.visible && studio.world.bones.geometry.drawRange.count);
  expect(shown === 6, `${shown} ends of bones are drawn, not those of three`);
  expect((await page.evaluate(() => studio.store.pins.size)) === 0, 'Shift pinned a point besides');
});

await check('a spring makes them swing, and its sliders change how', async () => {
  const stiff = await atStep(80);
  await page.selectOption('#bone-last', { label: (await page.locator('#bone-last option').last().innerText()) });
  await page.locator('[data-action="add-spring"]').click();
  await until(page, () => studio.store.scene.bodies[0].springs.length === 1, undefined, 'the body has a spring');
  expect((await body()).springs[0].nodes.join() === 'ear.1,ear.2,ear.3,ear.4,ear.5', (await body()).springs[0].nodes.join());
  const swung = await atStep(80);
  expect(swung !== stiff, 'nothing swings');
  const drag = page.locator('[data-path="bodies[0].rod.springs[0].drag"] input[type=range]');
  await drag.focus();
  await page.keyboard.press('End');
  await until(page, () => studio.store.scene.bodies[0].springs[0].settings.find((item) => item.label === 'drag').value === 1, undefined, 'the server has the drag');
  expect((await atStep(80)) !== swung, 'it swings as before');
});

await check('a collider on a bone and an example of this view are added', async () => {
  await page.selectOption('#bone-first', { index: 1 });
  await page.locator('[data-action="add-collider"]').click();
  await until(page, () => studio.store.scene.bodies[0].node_colliders.length === 1, undefined, 'the body has a collider');
  expect((await body()).node_colliders[0].node === 'head', (await body()).node_colliders[0].node);
  await page.locator('text=Add example from this view').click();
  await until(page, () => studio.store.scene.bodies[0].examples.length === 1 && document.querySelector('.sphere, svg') !== null, undefined, 'the body has an example');
  expect((await body()).examples[0].view.length === 3, 'it has no direction');
});

await check('a material is chosen from the list', async () => {
  await page.locator('[data-path="bodies[0].appearance"] select').selectOption('jelly');
  await until(page, () => studio.store.scene.bodies[0].material?.translucency > 1, undefined, 'the body is of jelly');
});

await check('the saved scene has them', async () => {
  const name = await ask(page, { kind: 'save', name: 'saved.json' });
  const { rod, appearance } = JSON.parse(fs.readFileSync(name.path, 'utf8')).bodies[0];
  expect(rod.springs[0].nodes.length === 5 && rod.springs[0].drag === 1 && rod.springs[0].examples.length === 1 && rod.colliders[0].joint === 'head' && appearance === 'jelly', JSON.stringify(rod));
  if (process.env.PICTURE) await page.screenshot({ path: process.env.PICTURE });
});

await check('no console error in all of this', () => expect(troubles.length === 0, troubles.join('\n')));
await browser.close();
await server.close();
fs.rmSync(folder, { recursive: true, force: true });
process.exit(checks.failed ? 1 : 0);
