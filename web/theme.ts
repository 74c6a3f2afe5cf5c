/** Light, dark or the system's theme, kept in the local storage of this browser: it is no secret. */
import { signal } from '@preact/signals';
import { inBrowser } from './lib/storage.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'daybook.theme';

export const theme = signal<Theme>(THEMES.find((name) => name === inBrowser.get(KEY)) ?? 'system');

const DIRECTIONS = ['ltr', 'rtl'];

/** The direction of text; `/web?dir=rtl` lays the page out for languages that are written from right to left. */
export function applyDirection(): void {
  const direction = new URLSearchParams(location.search).get('dir') ?? '';
  if (DIRECTIONS.includes(direction)) document.documentElement.dir = direction;
}

export function applyTheme(): void {
  theme.subscribe((name) => {
    if (name === 'system') {
      delete document.documentElement.dataset.theme;
      inBrowser.remove(KEY);
    } else {
      document.documentElement.dataset.theme = name;
      inBrowser.set(KEY, name);
    }
  });
}
