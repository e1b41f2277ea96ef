// Light or dark theme: the setting of the system, unless the user chose one. The choice is stored in the browser if possible.
import type { Store } from './store';

const KEY = 'pliant-theme';
const system = window.matchMedia('(prefers-color-scheme: dark)');

function chosen(): 'light' | 'dark' | undefined {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === 'light' || kept === 'dark' ? kept : undefined;
  } catch {
    return undefined;
  }
}

export function currentTheme(): 'light' | 'dark' {
  return chosen() ?? (system.matches ? 'dark' : 'light');
}

function apply(store: Store): void {
  const theme = currentTheme();
  document.documentElement.dataset.theme = theme;
  store.emit('theme', theme);
}

export function startTheme(store: Store): void {
  system.addEventListener('change', () => apply(store));
  apply(store);
}

export function switchTheme(store: Store): void {
  const next = currentTheme() === 'dark' ? 'light' : 'dark';
  try {
    // Choosing the setting of the system means: follow the system again.
    if (next === (system.matches ? 'dark' : 'light')) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, next);
  } catch {
    document.documentElement.dataset.theme = next;
  }
  apply(store);
}
