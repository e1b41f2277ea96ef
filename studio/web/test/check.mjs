// The few words that the end-to-end tests are written in.

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
    await page.waitForFunction(question, argument, { timeout: 30_000, polling: 30 });
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
