// Debian's Chromium, without a display and with WebGL in software, for tests and pictures of the page.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { PATIENCE } from './check.mjs';

const FLAGS = [
  '--no-sandbox',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function findChromium() {
  return [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((name) => name && fs.existsSync(name));
}

// A browser with a fresh profile that is removed at the end.
export async function openBrowser({ width = 1280, height = 800, dark = false, touch = false, scale = 1, flags = [] } = {}) {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'pliant-studio-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: findChromium(),
    headless: true,
    args: [...FLAGS, ...flags],
    viewport: { width, height },
    deviceScaleFactor: scale,
    colorScheme: dark ? 'dark' : 'light',
    hasTouch: touch,
    acceptDownloads: true,
    timeout: PATIENCE,
  });
  context.setDefaultTimeout(PATIENCE);
  return {
    context,
    async close() {
      await context.close();
      fs.rmSync(profile, { recursive: true, force: true });
    },
  };
}

// A page that remembers what went wrong in it. `allow`: messages that a test brings about itself.
export async function openPage(browser, address, allow = []) {
  const page = await browser.context.newPage();
  const troubles = [];
  const note = (text) => allow.some((pattern) => pattern.test(text)) || troubles.push(text);
  page.on('console', (message) => message.type() === 'error' && note(message.text()));
  page.on('pageerror', (error) => note(String(error)));
  await page.goto(address);
  return { page, troubles };
}
