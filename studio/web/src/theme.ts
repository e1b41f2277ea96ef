// Light or dark: as the system has it, unless the user chose. The choice is kept by the browser, where it lets us.
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
    // Back to what the system has means: follow it again.
    if (next === (system.matches ? 'dark' : 'light')) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, next);
  } catch {
    document.documentElement.dataset.theme = next;
  }
  apply(store);
}
