// A module of the page as Node can import it: bundled by the esbuild that Vite brings along.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const SOURCES = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../src');

export async function compiled(name) {
  const result = await build({ entryPoints: [path.join(SOURCES, name)], bundle: true, write: false, format: 'esm', platform: 'neutral', logLevel: 'silent', loader: { '.css': 'empty' }, mainFields: ['module', 'main'] });
  return import(`data:text/javascript;base64,${Buffer.from(result.outputFiles[0].contents).toString('base64')}`);
}
