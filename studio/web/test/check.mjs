// The few words that the end-to-end tests are written in.

// Milliseconds after which something that must come is taken to hang. Far longer than anything takes on a busy machine: no test is about time.
export const PATIENCE = 600_000;

export function makeChecks() {
  let failed = 0;
  return {
    async check(claim, work) {
      const begin = Date.now();
      try {
        await work();
        console.log(`ok ${claim} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
      } catch (error) {
        failed += 1;
        console.log(`not ok ${claim}\n    ${String(error?.stack ?? error).split('\n').slice(0, 6).join('\n    ')}`);
      }
    },
    get failed() {
      return failed;
    },
  };
}

export function expect(good, text) {
  if (!good) throw new Error(text);
}

// Waits in the page until a function of the studio says yes.
export async function until(page, question, argument, text = String(question)) {
  try {
    await page.waitForFunction(question, argument, { timeout: PATIENCE, polling: 30 });
  } catch {
    throw new Error(`it did not come to this: ${text}`);
  }
}

// Numbers that change whenever a point moves: sums of the positions of all bodies, with different weights.
export function fingerprint(page) {
  return page.evaluate(() => {
    studio.world.flush();
    return studio.world.bodies.map((body) => body.surface.geometry.points.reduce((sum, value, i) => (sum * 31 + Math.fround(value) * (1 + (i % 7))) % 1e9, 0)).join(' ');
  });
}

export const stateOf = (page) => page.evaluate(() => studio.store.state);

// Asks the server and waits for its answer; what the page knew of the state of the world is forgotten, as it may be of before.
export function ask(page, message) {
  return page.evaluate(async (wanted) => {
    const answer = await studio.connection.request(wanted);
    studio.store.state = undefined;
    return answer;
  }, message);
}

// Pictures that the page has drawn, or would have if there were anything new.
export function turns(page, count) {
  return page.evaluate(async (wanted) => {
    for (let i = 0; i < wanted; ++i) await new Promise((resolve) => requestAnimationFrame(resolve));
  }, count);
}
