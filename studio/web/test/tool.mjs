// `pliant view` as a child process, for tests and pictures.
import { spawn } from 'node:child_process';
import { PATIENCE } from './check.mjs';

export async function startTool({ scene, flags = [], tool = process.env.PLIANT ?? 'pliant', environment = {} } = {}) {
  const child = spawn(tool, ['view', '--no-browser', ...flags, ...(scene ? [scene] : [])], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...environment } });
  let said = '';
  child.stderr.on('data', (data) => (said += data));
  const address = await new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => reject(new Error(`no address: ${said}`)), PATIENCE);
    child.stdout.on('data', (data) => {
      text += data;
      const found = text.match(/http:\S+\n/);
      if (!found) return;
      clearTimeout(timer);
      resolve(found[0].trim());
    });
    child.on('exit', (code) => reject(new Error(`pliant view ended with ${code}: ${said}`)));
  });
  return {
    address,
    get said() {
      return said;
    },
    // How it ended, if it did.
    get ended() {
      return child.signalCode ?? child.exitCode;
    },
    close() {
      return new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve();
        child.removeAllListeners('exit');
        child.on('exit', resolve);
        child.kill('SIGINT');
        return undefined;
      });
    },
  };
}
