/** Icons of 16 by 16 pixels in the colour of the text. They are decorative: the text says the same. */
import type { JSX } from 'preact';

const PATHS = {
  now: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM8 4.5V8l2.5 1.5',
  runs: 'M2 3.5h7M2 8h12M5 12.5h9M12 3.5h2M2 12.5h.01',
  engagements: 'M2 5.5h12v8H2zM5.5 5.5v-3h5v3M2 9h12',
  goals: 'M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 8h.01',
  memory:
    'M3 3.5c0-1 2.2-2 5-2s5 1 5 2v9c0 1-2.2 2-5 2s-5-1-5-2zM3 3.5c0 1 2.2 2 5 2s5-1 5-2M3 8c0 1 2.2 2 5 2s5-1 5-2',
  log: 'M3 1.5h7l3 3v10H3zM5.5 6.5h5M5.5 9h5M5.5 11.5h3',
  metrics: 'M2 14h12M4 11.5V8M8 11.5V3M12 11.5V6',
  rooms: 'M2 2.5h9v7H6l-3 2.5V9.5H2zM13 6h1v6h-1v2l-2.5-2H7',
  voice: 'M8 1.5a2 2 0 0 0-2 2V8a2 2 0 0 0 4 0V3.5a2 2 0 0 0-2-2ZM3.5 7.5a4.5 4.5 0 0 0 9 0M8 12v2.5',
  settings: 'M2 4.5h5M11 4.5h3M9 2.5v4M2 11.5h3M9 11.5h5M7 9.5v4',
  more: 'M2 4h12M2 8h12M2 12h12',
  plus: 'M8 2.5v11M2.5 8h11',
  search: 'M7 12.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11ZM11 11l3.5 3.5',
  close: 'M3 3l10 10M13 3 3 13',
  check: 'M2.5 8.5 6 12l7.5-8',
  cross: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  dot: 'M8 3.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9Z',
  dash: 'M3 8h10',
  play: 'M4.5 2.5v11l9-5.5z',
  clock: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM8 4.5V8l2.5 1.5',
  stop: 'M3.5 3.5h9v9h-9z',
  fork: 'M4 2v12M4 9c0-3 8-1 8-5V2M2.5 2h3M10.5 2h3',
  chevron: 'M6 3.5 10.5 8 6 12.5',
  down: 'M3.5 6 8 10.5 12.5 6',
  up: 'M3.5 10 8 5.5 12.5 10',
  warning: 'M8 2 1.5 13.5h13zM8 6.5V10M8 11.8h.01',
  link: 'M6.5 9.5 9.5 6.5M7 4.5l1.5-1.5a3 3 0 0 1 4.5 4.5L11.5 9M9 11.5 7.5 13A3 3 0 0 1 3 8.5L4.5 7',
  half: 'M8 1.5a6.5 6.5 0 1 0 0 13zM8 1.5a6.5 6.5 0 0 1 0 13',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
