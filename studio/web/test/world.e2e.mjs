// The page and the real server together: every scene of the gallery, hands, settings, examples, files. $PLIANT is the tool.
//   node test/world.e2e.mjs [SCENE...]   only those scenes
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openBrowser, openPage } from './browser.mjs';
import { ask, expect, fingerprint, makeChecks, stateOf, until } from './check.mjs';
import { startTool } from './tool.mjs';
import { watch } from './watcher.mjs';

const checks = makeChecks();
const { check } = checks;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pliant-world-'));
const server = await startTool();
// Small, so that drawing in software leaves the processors to the simulation.
const browser = await openBrowser({ width: 800, height: 420 });
const { page, troubles } = await openPage(browser, server.address);
await until(page, () => document.querySelectorAll('.card[data-scene]').length > 0, undefined, 'the gallery shows scenes');
const gallery = await page.evaluate(() => [...document.querySelectorAll('.card[data-scene]')].map((card) => card.dataset.scene));

async function openScene(name) {
  expect(server.ended === null, `pliant view has ended (${server.ended}): ${server.said.slice(-300)}`);
  await page.evaluate((wanted) => {
    window.before = studio.store.scene;
    document.querySelector(`[data-scene="${wanted}"]`).click();
  }, name);
  await until(page, (wanted) => studio.store.scene !== window.before && studio.store.scene?.name === wanted && studio.world.lastStep >= 0 && document.getElementById('studio').dataset.page === 'world', name, `${name} is shown`).catch((error) => {
    throw server.ended === null ? error : new Error(`pliant view ended (${server.ended}) when ${name} was opened`);
  });
}

async function pause() {
  await ask(page, { kind: 'pause' });
  await until(page, () => studio.store.state?.paused && studio.world.lastStep === studio.store.state.step, undefined, 'it is paused');
}

async function run() {
  await ask(page, { kind: 'run' });
  await until(page, () => studio.store.state?.paused === false, undefined, 'it runs');
}

async function atStep(wanted) {
  await until(page, (step) => studio.store.state?.step === step && studio.world.lastStep === step, wanted, `step ${wanted}`);
}

// Steps forward from where it is paused, so far that a change can show.
async function stepTo(count) {
  const { step } = await stateOf(page);
  await ask(page, { kind: 'step', count });
  await atStep(step + count);
}

// Paused at the beginning.
async function restart() {
  await pause();
  await ask(page, { kind: 'reset' });
  await atStep(0);
}

async function walkThrough(name) {
  await openScene(name);
  const first = await fingerprint(page);
  await until(page, () => studio.world.lastStep > 0, undefined, `${name} steps`);
  await page.evaluate(() => document.querySelector('.viewport canvas').focus());
  // The page knows how the world of this scene is when it has been told of it.
  await run();
  await page.keyboard.press('Space');
  await until(page, () => studio.store.state.paused && studio.world.lastStep === studio.store.state.step, undefined, `${name} is paused by the keyboard`);
  const paused = await stateOf(page);
  if ((await fingerprint(page)) === first) await stepTo(20);
  const before = await fingerprint(page);
  expect(before !== first, `${name} does not move`);
  const from = (await stateOf(page)).step;
  expect(from >= paused.step && (await stateOf(page)).paused, `${name} goes on while it is paused`);
  await page.keyboard.press('.');
  await until(page, (step) => studio.store.state.step === step + 1 && studio.world.lastStep === step + 1, from, `${name} takes one step`);
  // What stands still at this moment moves later.
  const still = (await fingerprint(page)) === before;
  if (still) await stepTo(40);
  expect((await fingerprint(page)) !== before, `${name} takes steps without moving`);
  if (still) await ask(page, { kind: 'back', count: 40 });
  await page.keyboard.press(',');
  await atStep(from);
  expect((await fingerprint(page)) === before, `${name} went back to another state than it was in`);
  await page.keyboard.press('r');
  await atStep(0);
}

const wanted = process.argv.length > 2 ? process.argv.slice(2) : gallery;
await check(`the gallery has scenes of every method (${gallery.length})`, () => expect(gallery.length >= 40, `${gallery.length} scenes`));
for (const name of wanted) await check(`${name} opens, moves, pauses, steps, goes back and begins again`, () => walkThrough(name));

await check('dragging a vertex moves it to the mouse, and letting go lets it go', async () => {
  await openScene('solid-cuboid');
  await restart();
  // The middle of the surface that is seen, on the screen.
  const place = await page.evaluate(() => {
    studio.world.flush();
    const { x, y } = studio.viewport.project(studio.world.bodies[0].center);
    const hit = studio.picking.hit(x, y);
    return { x, y, body: hit?.body, point: hit?.point };
  });
  expect(place.point !== undefined, 'there is nothing under the mouse');
  const where = () => page.evaluate(({ body, point }) => (studio.world.flush(), studio.world.bodies[body].point(point).toArray()), place);
  await page.mouse.move(place.x, place.y);
  await page.mouse.down();
  await until(page, () => studio.picking.isHolding, undefined, 'the page holds the point');
  const before = await where();
  await run();
  await page.mouse.move(place.x + 60, place.y - 40, { steps: 8 });
  const target = await page.evaluate(() => studio.picking.target.toArray());
  const far = Math.hypot(...before.map((value, c) => target[c] - value));
  await until(page, ({ body, point, target: at, reach }) => {
    studio.world.flush();
    return studio.world.bodies[body].point(point).distanceTo({ x: at[0], y: at[1], z: at[2] }) < reach;
  }, { ...place, target, reach: 0.7 * far }, 'the point follows the mouse');
  await page.mouse.up();
  expect(!(await page.evaluate(() => studio.picking.isHolding)), 'it is still held');
});

await check('Shift and a click pin a point, and again let it go', async () => {
  await pause();
  const place = await page.evaluate(() => {
    studio.world.flush();
    return studio.viewport.project(studio.world.bodies[0].center);
  });
  await page.keyboard.down('Shift');
  await page.mouse.click(place.x, place.y);
  const pins = () => page.evaluate(() => studio.store.pins.size);
  expect((await pins()) === 1, `${await pins()} pins`);
  await page.mouse.click(place.x, place.y);
  await page.keyboard.up('Shift');
  expect((await pins()) === 0, `${await pins()} pins`);
});

await check('a slider changes the run', async () => {
  await openScene('solid-gravity');
  const outcome = async (change) => {
    await restart();
    if (change) {
      const slider = page.locator('[data-path="bodies[0].solid.stiffness"] input[type=range]');
      await slider.focus();
      for (let i = 0; i < 40; ++i) await page.keyboard.press('PageDown');
      // The last value that is sent is the smallest; those on the way are left out where the server is slower than the keys.
      await until(page, () => {
        const { value, min } = studio.store.scene.bodies[0].settings.find((item) => item.path.endsWith('solid.stiffness'));
        return value === min;
      }, undefined, 'the server has the new stiffness');
      await page.evaluate(() => document.querySelector('.viewport canvas').focus());
      await restart();
    }
    await stepTo(150);
    return fingerprint(page);
  };
  const once = await outcome(false);
  expect((await outcome(false)) === once, 'the same run twice gives different positions');
  expect((await outcome(true)) !== once, 'it runs as before');
});

const savedScene = path.join(folder, 'saved.json');
await check('an example added in the page is used by the solver, is saved, and is there again when the file is opened', async () => {
  await openScene('jelly-drop');
  await restart();
  await stepTo(260);
  const before = await page.evaluate(() => studio.store.scene.bodies[0].examples?.length ?? 0);
  await page.locator('[data-action="add-example"]').click();
  await until(page, (count) => studio.store.scene.bodies[0].examples.length === count + 1, before, 'the scene has one example more');
  // Squashed as it is now, the body is nearer to the new example than to its rest shape.
  await atStep(260);
  await stepTo(3);
  await until(page, () => (studio.store.telemetry.get(0)?.weights?.[0]?.at(-1) ?? 0) > 0.05, undefined, 'the new example weighs');
  const name = await page.evaluate(() => studio.store.scene.bodies[0].examples.at(-1).name);
  const waiting = page.waitForEvent('download');
  await page.keyboard.press('Control+s');
  await (await waiting).saveAs(savedScene);
  const document = JSON.parse(fs.readFileSync(savedScene, 'utf8'));
  expect(JSON.stringify(document).includes(name), 'the file does not name it');
  await openScene('letters');
  await page.evaluate(() => document.querySelector('button[aria-label^="Gallery"]').click());
  await page.locator('.gallery input[type=file]').setInputFiles(savedScene);
  await until(page, (wantedName) => studio.store.scene.bodies[0].examples?.some((example) => example.name === wantedName), name, 'the opened file has it');
});

await check('detail: what weighs is told, segments are painted, an example is recorded where the body is pressed, the fine body stands beside in the comparison', async () => {
  await openScene('detail-pillow');
  await restart();
  const body = await page.evaluate(() => studio.store.scene.bodies.findIndex((item) => item.method === 'detail'));
  expect((await page.evaluate(() => studio.store.selected)) === body, 'the body with detail is not the one that the panels are about');
  await stepTo(78);
  await until(page, () => document.querySelectorAll('.sidebar .bars li').length >= 2, undefined, 'several examples weigh');
  await page.locator('.sidebar >> text=Colour by segment').click();
  await until(page, (index) => studio.world.bodies[index].surface.material.vertexColors, body, 'the segments are painted');
  const colors = await page.evaluate((index) => {
    const values = studio.world.bodies[index].surface.geometry.getAttribute('color').array;
    const seen = new Set();
    for (let i = 0; i < values.length; i += 3) seen.add(`${values[i].toFixed(3)} ${values[i + 1].toFixed(3)} ${values[i + 2].toFixed(3)}`);
    return seen.size;
  }, body);
  expect(colors === 8, `${colors} colours`);
  await page.evaluate(() => studio.store.changeDisplay({ colors: 'none' }));
  const before = await page.evaluate((index) => studio.store.telemetry.get(index).detail.count, body);
  const waiting = page.waitForEvent('download');
  await page.locator('.sidebar >> text=Record an example here').click();
  const set = path.join(folder, (await waiting).suggestedFilename());
  await (await waiting).saveAs(set);
  expect(execFileSync(process.env.PLIANT, ['detail', 'info', set], { encoding: 'utf8' }).includes('recorded'), 'the set does not name the new example');
  await until(page, ([index, count]) => studio.store.telemetry.get(index)?.detail?.count > count, [body, before], 'the body shows more examples');
  await page.locator('[data-action="compare"]').click();
  await until(page, () => studio.store.scene.path.endsWith('/compare.json') && studio.store.scene.bodies.length === 3, undefined, 'the comparison is open');
});

await check('the ghost of an actor and the points of contact are where the server says', async () => {
  await openScene('actor-worm');
  await restart();
  await page.evaluate(() => studio.store.changeDisplay({ ghost: true, contacts: true }));
  await stepTo(40);
  const body = await page.evaluate(() => studio.store.scene.bodies.findIndex((item) => item.method === 'actor'));
  const other = await watch(server.address, { ghost: true, exact: true, contacts: true });
  const { ghost, contacts } = await other.at(40, body);
  other.close();
  await until(page, ([index, count]) => {
    studio.world.flush();
    return studio.world.bodies[index].ghost && studio.world.contacts.geometry.drawRange.count === count;
  }, [body, contacts.length / 3], 'the page has a ghost, and as many contacts');
  const seen = await page.evaluate((index) => {
    const isShown = (item) => (item === studio.viewport.scene ? true : Boolean(item?.visible && item.parent && isShown(item.parent)));
    const { contacts: cloud, bodies } = studio.world;
    const view = bodies[index];
    const box = view.surface.geometry.boundingBox ?? (view.surface.geometry.computeBoundingBox(), view.surface.geometry.boundingBox);
    return {
      shown: [isShown(view.ghost), isShown(cloud)],
      ghost: [...view.ghost.geometry.points],
      triangles: view.ghost.geometry.triangles.length,
      aside: view.ghost.position.toArray(),
      width: Math.hypot(box.max.x - box.min.x, box.max.z - box.min.z),
      contacts: [...cloud.geometry.getAttribute('position').array.subarray(0, 3 * cloud.geometry.drawRange.count)],
    };
  }, body);
  expect(seen.shown.every(Boolean), `not shown: ghost ${seen.shown[0]}, contacts ${seen.shown[1]}`);
  const apart = (a, b) => (a.length === b.length ? Math.max(...a.map((value, i) => Math.abs(value - b[i]))) : Infinity);
  expect(ghost.length > 0 && seen.triangles > 0 && apart(seen.ghost, ghost) < 1e-5, `the ghost is elsewhere by ${apart(seen.ghost, ghost)} m`);
  const aside = Math.hypot(seen.aside[0], seen.aside[2]);
  expect(seen.aside[1] === 0 && aside > 0.2 * seen.width && aside < 1.7 * seen.width, `the ghost does not stand beside the body: ${seen.aside}`);
  expect(contacts.length >= 9 && apart(seen.contacts, contacts) < 1e-6, `contacts are elsewhere by ${apart(seen.contacts, contacts)} m`);
  expect(Math.max(...contacts.filter((_, i) => i % 3 === 1).map(Math.abs)) < 0.05, 'contacts are not on the ground');
  await page.evaluate(() => studio.store.changeDisplay({ ghost: false, contacts: false }));
  expect(await page.evaluate((index) => !studio.world.bodies[index].ghost.visible && !studio.world.contacts.visible, body), 'they are still shown');
});

await check('capture: a scene is filmed, its points lie over the mesh, and a fit finds the modulus', async () => {
  const bar = {
    pliant: 1,
    name: 'capture-small',
    time: { step: 1 / 120, frame_rate: 30, frames: 34 },
    meshes: { shape: { box: { size: [0.4, 0.1, 0.1], cells: [8, 2, 2] } } },
    bodies: [
      {
        name: 'bar',
        mesh: 'shape',
        method: 'fem',
        collides: false,
        fem: { material: 'corotated', young: 680000, mass_damping: 0.02, stiffness_damping: 0.001 },
        pins: [
          { within: { min: [-0.21, -0.06, -0.06], max: [-0.19, 0.06, 0.06] } },
          { within: { min: [0.19, -0.06, -0.06], max: [0.21, 0.06, 0.06] }, until: 0.6, keys: [{ time: 0 }, { time: 0.4, position: [-0.02, -0.06, 0.03] }] },
        ],
      },
    ],
  };
  const file = path.join(folder, 'capture-small.json');
  fs.writeFileSync(file, JSON.stringify(bar));
  await page.locator('.gallery input[type=file]').setInputFiles(file);
  await until(page, () => studio.store.scene.title === 'capture-small' && studio.store.capture?.frames > 0, undefined, 'it is filmed');
  expect(await page.evaluate(() => studio.store.capture.frames === 16 && !studio.store.state.paused), 'filming stopped the world');
  await page.getByLabel('Frame of the recording').fill('9');
  await until(page, () => studio.store.capture.frame === 9 && studio.store.state.paused && studio.world.bodies[0].cloudRange, undefined, 'frame 9 is shown');
  const far = await page.evaluate(() => studio.world.bodies[0].cloudRange.high);
  await until(page, () => document.querySelector('.legend').textContent.includes('distance, mm'), undefined, 'the scale of distances');
  await page.getByRole('button', { name: 'Fit', exact: true }).click();
  await until(page, () => studio.store.capture.running && document.querySelector('[data-action="fit"]').textContent === 'Stop the fit', undefined, 'the fit runs');
  await until(page, () => studio.store.capture.phase === 'fitted', undefined, 'the fit ends');
  const found = await page.evaluate(() => studio.store.capture.parameters[0]);
  expect(Math.abs(found.value / 680000 - 1) < 0.15 && found.low < found.high, JSON.stringify(found));
  const rows = await page.locator('.parameters tbody tr').allInnerTexts();
  expect(rows.length === 4 && /Young's modulus.*Pa.* … /s.test(rows[0]), rows.join('\n'));
  await page.getByLabel('Frame of the recording').fill('0');
  await until(page, (range) => studio.store.capture.frame === 0 && studio.store.capture.shape === 'simulated' && studio.world.bodies[0].cloudRange?.high < range, far, 'what was found lies over the points');
  await page.evaluate(() => document.querySelector('.viewport canvas').focus());
  await run();
  await until(page, () => studio.store.capture.shown === false && !studio.world.bodies[0].cloudRange, undefined, 'the world is shown again');
});

await check('what is exported opens with pliant info', async () => {
  await openScene('jelly-drop');
  await pause();
  for (const format of ['glb', 'pc2', 'png']) {
    const waiting = page.waitForEvent('download');
    await page.evaluate((kind) => studio.exports.export(kind, 3), format);
    const file = path.join(folder, (await waiting).suggestedFilename());
    await (await waiting).saveAs(file);
    if (format === 'png') expect(fs.readFileSync(file).subarray(1, 4).toString() === 'PNG', 'it is no PNG');
    else expect(execFileSync(process.env.PLIANT, ['info', file], { encoding: 'utf8' }).length > 20, `pliant info says nothing about ${file}`);
  }
});

await check('a picture and a video of what is seen are made by the browser', async () => {
  let waiting = page.waitForEvent('download');
  await page.evaluate(() => studio.exports.picture());
  const picture = path.join(folder, 'seen.png');
  await (await waiting).saveAs(picture);
  expect(fs.statSync(picture).size > 5000, 'the picture is empty');
  waiting = page.waitForEvent('download');
  await run();
  await page.evaluate(() => studio.exports.toggleRecording());
  // Until there is something in it.
  await until(page, () => studio.exports.recorded > 0, undefined, 'something is recorded');
  await page.evaluate(() => studio.exports.toggleRecording());
  const video = path.join(folder, 'seen.webm');
  await (await waiting).saveAs(video);
  expect(fs.readFileSync(video).readUInt32BE(0) === 0x1a45dfa3, 'it is no WebM');
});

await check('a scene with a mistake is shown with line and column, and the one before goes on', async () => {
  const bad = path.join(folder, 'mistake.json');
  fs.writeFileSync(bad, '{\n  "pliant": 1,\n  "name": "mistake",\n  "meshs": {},\n  "bodies": []\n}\n');
  const name = await page.evaluate(() => studio.store.scene.name);
  await page.locator('.gallery input[type=file]').setInputFiles(bad);
  await page.locator('dialog.findings[open]').waitFor();
  const text = await page.locator('dialog.findings').innerText();
  expect(text.includes('mistake.json:4:') && text.includes('"meshs"'), text);
  await page.keyboard.press('Escape');
  expect((await page.evaluate(() => studio.store.scene.name)) === name, 'another scene is open');
});

await check('no console error in all of this', () => expect(troubles.length === 0, troubles.join('\n')));
await browser.close();
await server.close();
fs.rmSync(folder, { recursive: true, force: true });
process.exit(checks.failed ? 1 : 0);
