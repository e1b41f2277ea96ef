// The page alone, with a stand-in for the server: panels of every method, keys, states without a server, a scene or WebGL, light and dark, a phone.
import { startDouble } from './double.mjs';
import { openBrowser, openPage } from './browser.mjs';
import { expect, makeChecks, PATIENCE, turns, until } from './check.mjs';

const checks = makeChecks();
const { check } = checks;
const double = await startDouble();
const browser = await openBrowser({ width: 800, height: 480 });
const { page, troubles } = await openPage(browser, double.address);
const heard = (kind) => double.world.log.filter((message) => message.kind === kind);

async function openMethod(method) {
  double.world.log.length = 0;
  await page.evaluate(() => document.querySelector('.brand').click());
  await page.locator(`[data-scene="double-${method}"]`).click();
  await until(page, (name) => studio.store.scene?.name === name && studio.world.lastStep >= 0 && document.getElementById('studio').dataset.page === 'world', `double-${method}`, `${method} is shown`);
  await page.evaluate(() => document.querySelector('.viewport canvas').focus());
}

async function untilHeard(question, text, server = double) {
  for (const end = Date.now() + PATIENCE; Date.now() < end; ) {
    if (server.world.log.some(question)) return;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  throw new Error(`the server never heard: ${text}`);
}

// A place on the screen once it stays: a camera that follows comes to rest some time after what it follows.
async function whenStill(find) {
  let place = await find();
  for (const end = Date.now() + PATIENCE; Date.now() < end; ) {
    await turns(page, 12);
    const next = await find();
    if (Math.hypot(next.x - place.x, next.y - place.y) < 0.5) return next;
    place = next;
  }
  throw new Error('the view does not come to rest');
}

await check('the gallery shows every method, and finds what one types', async () => {
  await until(page, () => document.querySelectorAll('.card[data-scene]').length === 6);
  await page.locator('input[type=search]').fill('rod');
  expect((await page.locator('.card[data-scene]').count()) === 1, 'more than one matches');
  await page.locator('input[type=search]').fill('nothing like this');
  expect((await page.locator('.empty').innerText()).includes('nothing like this'), 'no word about it');
  await page.locator('input[type=search]').fill('');
});

await check('solid: bars show weights, the triangle gives them, examples are added, renamed, muted, soloed and deleted', async () => {
  await openMethod('solid');
  await until(page, () => Number.parseFloat(document.querySelector('.bars li:nth-child(2) .bar').style.width) > 5, undefined, 'a bar is drawn');
  await page.locator('text=Set weights by hand').click();
  const triangle = page.locator('svg.triangle');
  await triangle.scrollIntoViewIfNeeded();
  const box = await triangle.boundingBox();
  await page.mouse.click(box.x + 0.07 * box.width, box.y + 0.86 * box.height);
  await untilHeard((message) => message.kind === 'weights' && message.weights?.length === 2 && message.weights[0] > 0.9, 'weights of the second corner');
  await page.locator('text=Set weights by hand').click();
  await untilHeard((message) => message.kind === 'weights' && message.weights === null, 'weights by projection again');
  await page.locator('[data-action="add-example"]').click();
  await until(page, () => document.querySelectorAll('.bars li').length === 4, undefined, 'a third example is listed');
  page.once('dialog', (dialog) => void dialog.accept('curl'));
  await page.getByRole('button', { name: 'Rename pose 3' }).click();
  await until(page, () => document.querySelector('.bars').textContent.includes('curl'), undefined, 'it has its new name');
  await page.getByRole('button', { name: 'Mute curl' }).click();
  await until(page, () => document.querySelectorAll('.bars .muted').length === 1, undefined, 'it is mute');
  await page.getByRole('button', { name: 'Solo twist' }).click();
  await untilHeard((message) => message.kind === 'example' && message.action === 'solo' && message.index === 0, 'solo');
  await page.getByRole('button', { name: 'Delete curl' }).click();
  await until(page, () => document.querySelectorAll('.bars li').length === 3, undefined, 'it is gone');
  await until(page, () => document.querySelectorAll('.plot canvas').length > 0, undefined, 'a curve is drawn');
});

await check('settings: sliders by keyboard, numbers typed, logarithmic ones, switches; panels stay when the scene is described again', async () => {
  const slider = page.locator('[data-path$="stiffness"] input[type=range]');
  await slider.focus();
  await page.keyboard.press('End');
  await untilHeard((message) => message.kind === 'set' && message.path.endsWith('stiffness') && message.value === 1, 'stiffness 1');
  const number = page.locator('[data-path$="modulus"] .number');
  await number.fill('20000');
  await number.press('Enter');
  await untilHeard((message) => message.kind === 'set' && message.path.endsWith('modulus') && message.value === 20000, 'modulus 20000');
  double.world.tell(double.world.scene);
  expect((await page.locator('[data-path$="modulus"] .number').inputValue()) !== '', 'the panel is gone');
  await page.locator('[data-path$="suppression"]').click();
  await untilHeard((message) => message.kind === 'set' && message.value === false, 'suppression off');
});

await check('display: wires, tets, regions, colours with a legend, contacts', async () => {
  for (const display of [{ surface: 'both' }, { surface: 'wire' }, { surface: 'solid', tets: true }, { tets: false, regions: true }, { regions: false, contacts: true }]) {
    const drawn = await page.evaluate((change) => {
      const before = studio.viewport.drawn;
      studio.store.changeDisplay(change);
      return before;
    }, display);
    await until(page, (before) => studio.viewport.drawn > before, drawn);
  }
  await untilHeard((message) => message.kind === 'want' && message.particles, 'particles are wanted');
  for (const colors of ['stretch', 'stress', 'speed']) {
    await page.evaluate((mode) => studio.store.changeDisplay({ colors: mode }), colors);
    await until(page, (mode) => !document.querySelector('.legend').hidden && document.querySelector('.legend-title').textContent.startsWith(mode), colors, `a legend of ${colors}`);
  }
  await page.evaluate(() => studio.store.changeDisplay({ colors: 'none', contacts: false }));
});

await check('keys: F1 lists them, Space pauses, arrows step, R begins again, Tab reaches every control in order', async () => {
  await page.evaluate(() => document.querySelector('.viewport canvas').focus());
  await page.keyboard.press('F1');
  expect((await page.locator('dialog.help[open]').innerText()).includes('one step forward'), 'no list of keys');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Space');
  await until(page, () => studio.store.state.paused);
  const { step } = await page.evaluate(() => studio.store.state);
  await page.keyboard.press('ArrowRight');
  await until(page, (before) => studio.store.state.step === before + 1, step);
  await page.keyboard.press('Shift+ArrowLeft');
  await until(page, (before) => studio.store.state.step === before - 9, step);
  await page.keyboard.press('r');
  await until(page, () => studio.store.state.step === 0);
  await page.keyboard.press('Space');
  await page.evaluate(() => document.querySelector('.brand').focus());
  const reached = ['Gallery'];
  for (let i = 0; i < 12; ++i) {
    await page.keyboard.press('Tab');
    reached.push(await page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent));
  }
  expect(reached[0] === 'Gallery' && reached.some((name) => name?.startsWith('3D view')) && reached.some((name) => /^(Pause|Run) /.test(name ?? '')), reached.join(', '));
  const unnamed = await page.evaluate(() => [...document.querySelectorAll('button, input, select, summary')].filter((item) => item.checkVisibility() && !(item.getAttribute('aria-label') || item.textContent.trim() || item.labels?.length)).length);
  expect(unnamed === 0, `${unnamed} controls have no name`);
});

await check('rod: the sphere is drawn, an example is added for this view', async () => {
  await openMethod('rod');
  await until(page, () => {
    const canvas = document.querySelector('.sphere-box canvas');
    return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 0);
  }, undefined, 'the sphere is drawn');
  await page.getByRole('button', { name: /Add an example for the current view direction/ }).click();
  await until(page, () => document.querySelectorAll('.bars li').length === 4);
});

await check('actor: arrows steer and stop, stepping moves to other keys, goals can be dragged, the ghost is asked for', async () => {
  await openMethod('actor');
  await page.keyboard.down('ArrowUp');
  await untilHeard((message) => message.kind === 'steer' && message.speed > 0 && Math.abs(message.heading[1]) < 1e-6, 'steering');
  await page.keyboard.up('ArrowUp');
  await untilHeard((message) => message.kind === 'steer' && message.speed === 0, 'a stop');
  await page.keyboard.press('F1');
  expect((await page.locator('dialog.help').innerText()).includes('steer'), 'the list does not say so');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Space');
  await until(page, () => studio.store.state.paused && studio.world.goalMarks().length === 2);
  const place = await whenStill(() => page.evaluate(() => studio.viewport.project(studio.world.goalMarks()[0].position)));
  await page.mouse.move(place.x, place.y);
  await page.mouse.down();
  await page.mouse.move(place.x + 40, place.y, { steps: 3 });
  await page.mouse.up();
  await untilHeard((message) => message.kind === 'goal' && message.position?.length === 3, 'a goal');
  await page.locator('text=Show the rest shape').click();
  await untilHeard((message) => message.kind === 'want' && message.ghost, 'the ghost');
});

await check('detail: the tool follows the mouse, enrichment is switched, the coarse surface is asked for, an example is recorded', async () => {
  await openMethod('detail');
  await page.keyboard.press('Space');
  await until(page, () => studio.store.state.paused && studio.world.lastStep === studio.store.state.step, undefined, 'the body stands still');
  // A point of the surface, since the centre of the body need not be in front of any.
  const place = await whenStill(() =>
    page.evaluate(() => {
      studio.world.flush();
      const body = studio.world.bodies[0];
      const points = Array.from({ length: body.description.points }, (_, i) => body.point(i));
      return studio.viewport.project(points.reduce((best, point) => (point.distanceTo(body.center) < best.distanceTo(body.center) ? point : best)));
    }),
  );
  await page.mouse.move(place.x, place.y, { steps: 4 });
  await untilHeard((message) => message.kind === 'tool' && message.at?.length === 3 && message.radius > 0, 'the tool');
  await until(page, () => document.querySelectorAll('.bars li').length === 3, undefined, 'examples that weigh');
  for (const [label, question] of [
    ['Add detail', (message) => message.kind === 'detail' && message.on === false],
    ['Show the coarse surface', (message) => message.kind === 'want' && message.coarse],
    ['Colour by segment', (message) => message.kind === 'want' && message.colors === 'segments'],
    ['Record an example here', (message) => message.kind === 'detail' && message.record],
  ]) {
    await page.locator(`.sidebar >> text=${label}`).click();
    await untilHeard(question, label);
  }
  await page.evaluate(() => studio.store.changeDisplay({ colors: 'none' }));
});

await check('capture: cloud, timeline, a fit with its curve and parameters', async () => {
  await openMethod('capture');
  await untilHeard((message) => message.kind === 'want' && message.cloud, 'the cloud');
  await page.getByLabel('Frame of the recording').fill('30');
  await untilHeard((message) => message.kind === 'capture' && message.action === 'seek' && message.frame === 30, 'frame 30');
  await page.getByRole('button', { name: 'Fit', exact: true }).click();
  await until(page, () => studio.store.capture?.iteration > 5 && document.querySelector('.parameters').textContent.includes('modulus'), undefined, 'the fit goes on');
  expect((await page.locator('.parameters .verdict').innerText()) === 'not determined', 'what is not determined is not marked');
  await page.getByRole('button', { name: 'Stop the fit' }).click();
  await until(page, () => studio.store.capture?.running === false);
  await page.getByLabel('Mesh', { exact: true }).selectOption('tracked');
  await untilHeard((message) => message.kind === 'capture' && message.action === 'shape' && message.shape === 'tracked', 'the tracked mesh');
  await until(page, () => !document.querySelector('.legend').hidden && document.querySelector('.legend').textContent.includes('distance, mm'), undefined, 'the scale of distances');
});

await check('a dropped file with mistakes shows line, column and the line itself', async () => {
  await page.locator('.gallery input[type=file]').setInputFiles({ name: 'mine.json', mimeType: 'application/json', buffer: Buffer.from('{\n  "bodies": [{\n    "mesh": 1, "colour": 2\n  }]\n}\n') });
  await page.locator('dialog.findings[open]').waitFor();
  const text = await page.locator('dialog.findings').innerText();
  expect(text.includes('mine.json:3:12') && text.includes('"mesh": 1') && text.includes('did you mean color?'), text);
  await page.keyboard.press('Escape');
});

await check('light and dark follow the system, and the switch', async () => {
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  expect((await theme()) === 'light', 'not light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await until(page, () => document.documentElement.dataset.theme === 'dark');
  await page.getByRole('button', { name: 'Light theme' }).click();
  expect((await theme()) === 'light', 'the switch does nothing');
  await page.emulateMedia({ colorScheme: 'light' });
});

await check('no console error so far', () => expect(troubles.length === 0, troubles.join('\n')));

await check('a server that goes away is told, and found again when it is back', async () => {
  await double.close();
  await page.locator('.banner:not([hidden])').waitFor();
  expect((await page.locator('.banner').innerText()).includes('Connection lost'), 'no word about it');
  const again = await startDouble({ port: double.port, open: 'solid' });
  await until(page, () => document.querySelector('.banner').hidden && studio.store.link === 'open' && studio.store.scene?.name === 'double-solid', undefined, 'it is connected again');
  await again.close();
});
await browser.close();

await check('a phone: nothing is wider than the screen, one finger pulls, the panel is a sheet', async () => {
  const server = await startDouble({ open: 'solid' });
  const phone = await openBrowser({ width: 390, height: 780, touch: true });
  const { page: small, troubles: own } = await openPage(phone, server.address);
  await until(small, () => studio.world?.lastStep >= 0 && studio.world.bodies[0]?.moved);
  expect(await small.evaluate(() => document.documentElement.scrollWidth <= 390), 'it is wider than the screen');
  await small.evaluate(() => studio.connection.request({ kind: 'pause' }));
  const place = await small.evaluate(() => studio.viewport.project(studio.world.bodies[0].center));
  await small.touchscreen.tap(place.x, place.y);
  await untilHeard((message) => message.kind === 'grab', 'a touch that holds the body', server);
  await untilHeard((message) => message.kind === 'release', 'the release', server);
  await small.getByRole('button', { name: 'Panel (P)' }).click();
  expect(await small.locator('.sidebar').isVisible(), 'no sheet');
  expect(own.length === 0, own.join('\n'));
  await phone.close();
  await server.close();
});

await check('fingers: one on a body pulls it, one beside turns the view, two pinch and push it, also when the first one holds a body', async () => {
  const server = await startDouble({ open: 'solid' });
  const phone = await openBrowser({ width: 390, height: 780, touch: true });
  const { page: small, troubles: own } = await openPage(phone, server.address);
  const touch = await phone.context.newCDPSession(small);
  const fingers = (type, ...places) => touch.send('Input.dispatchTouchEvent', { type, touchPoints: places.map(([x, y], id) => ({ x, y, id })) });
  const heard = (kind) => server.world.log.filter((message) => message.kind === kind).length;
  await until(small, () => studio.world?.lastStep >= 0 && studio.world.bodies[0]?.moved);
  await small.evaluate(() => studio.connection.request({ kind: 'pause' }));
  // The view once it has come to rest: distance, direction, and where a point is on the screen, such as the one it looked at first.
  const target = () => small.evaluate(() => studio.viewport.controls.target.toArray());
  const first = await target();
  const view = async (point = first) => {
    let before = '';
    for (const end = Date.now() + PATIENCE; Date.now() < end; ) {
      await turns(small, 12);
      const now = await small.evaluate(([x, y, z]) => {
        const { camera, controls, project } = studio.viewport;
        const arm = camera.position.clone().sub(controls.target);
        const seen = project.call(studio.viewport, controls.target.clone().set(x, y, z));
        return { distance: arm.length(), direction: arm.normalize().toArray(), x: seen.x, y: seen.y };
      }, point);
      const text = JSON.stringify(now, (_, value) => (typeof value === 'number' ? value.toFixed(3) : value));
      if (text === before) return now;
      before = text;
    }
    throw new Error('the view does not come to rest');
  };
  const turn = (a, b) => Math.acos(Math.min(1, a.direction.reduce((sum, value, i) => sum + value * b.direction[i], 0)));
  const on = await small.evaluate(() => (studio.world.flush(), studio.viewport.project(studio.world.bodies[0].center)));
  const beside = { x: 60, y: on.y - 220 };
  expect(await small.evaluate(({ x, y }) => !studio.picking.hit(x, y) && document.elementFromPoint(x, y) === studio.viewport.canvas, beside), 'there is something beside the body');

  let before = await view();
  await fingers('touchStart', [on.x, on.y]);
  await fingers('touchMove', [on.x + 30, on.y - 20]);
  await fingers('touchMove', [on.x + 60, on.y - 40]);
  await untilHeard((message) => message.kind === 'grab' && message.body === 0, 'that the body is held', server);
  await untilHeard((message) => message.kind === 'drag' && message.at.length === 3, 'that it is pulled', server);
  expect(turn(await view(), before) < 1e-6, 'one finger on the body turns the view');
  // The other finger comes: the body is released, and the view does not jump.
  await fingers('touchStart', [on.x + 60, on.y - 40], [on.x + 60, on.y + 160]);
  await untilHeard((message) => message.kind === 'release', 'that the body is released', server);
  await fingers('touchMove', [on.x + 61, on.y - 41], [on.x + 60, on.y + 161]);
  let after = await view();
  expect(Math.abs(after.distance / before.distance - 1) < 0.03 && Math.hypot(after.x - before.x, after.y - before.y) < 6, `the view jumps: ${JSON.stringify([before, after])}`);
  await fingers('touchMove', [on.x + 60, on.y - 40], [on.x + 60, on.y + 60]);
  after = await view();
  expect(after.distance > 1.5 * before.distance, `pinched to half, ${before.distance} became ${after.distance}`);
  await fingers('touchMove', [on.x + 60, on.y - 40], [on.x + 60, on.y + 160]);
  await fingers('touchEnd');
  expect(heard('grab') === 1, 'it is held again');

  before = await view();
  await fingers('touchStart', [beside.x, beside.y]);
  await fingers('touchMove', [beside.x + 40, beside.y + 10]);
  await fingers('touchMove', [beside.x + 80, beside.y + 20]);
  await fingers('touchEnd');
  after = await view();
  expect(turn(after, before) > 0.2 && Math.abs(after.distance / before.distance - 1) < 1e-3, `one finger beside the body does not turn the view: ${JSON.stringify([before, after])}`);

  before = await view();
  await fingers('touchStart', [150, on.y], [250, on.y]);
  for (const width of [60, 75, 100]) await fingers('touchMove', [200 - width, on.y], [200 + width, on.y]);
  await fingers('touchEnd');
  after = await view();
  expect(after.distance > 0.4 * before.distance && after.distance < 0.6 * before.distance, `fingers twice as far apart make ${after.distance} of a distance of ${before.distance}`);
  expect(turn(after, before) < 1e-3, 'pinching turns the view');

  await view();
  const middle = await target();
  before = await view(middle);
  await fingers('touchStart', [150, on.y], [250, on.y]);
  for (const way of [20, 40, 60]) await fingers('touchMove', [150 + way, on.y - way / 2], [250 + way, on.y - way / 2]);
  await fingers('touchEnd');
  after = await view(middle);
  expect(Math.hypot(after.x - before.x - 60, after.y - before.y + 30) < 12, `two fingers do not take the view with them: ${JSON.stringify([before, after])}`);
  expect(turn(after, before) < 1e-3 && Math.abs(after.distance / before.distance - 1) < 0.02, 'pushing turns or zooms the view');
  expect(!(await small.evaluate(() => studio.picking.isHolding)), 'the body is still held');
  expect(own.length === 0, own.join('\n'));
  await phone.close();
  await server.close();
});

await check('without WebGL the page says what to do', async () => {
  const server = await startDouble();
  const poor = await openBrowser({ width: 600, height: 400 });
  await poor.context.addInitScript(() => {
    HTMLCanvasElement.prototype.getContext = () => null;
  });
  const { page: plain } = await openPage(poor, server.address);
  expect((await plain.locator('main').innerText()).includes('WebGL'), 'no word about it');
  await poor.close();
  await server.close();
});

process.exit(checks.failed ? 1 : 0);
