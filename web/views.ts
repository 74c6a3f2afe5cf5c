/**
 * The views of the console, in the order of the navigation. Each is loaded when it is opened. docs/console.md explains
 * how to add one.
 */
import type { ComponentType } from 'preact';
import type { ViewProps } from './router.ts';
import type { text } from './text.ts';
import type { IconName } from './ui/icon.tsx';

export interface ViewDefinition {
  /** The first part of the address, and the key of its name in `text.views`. */
  readonly id: keyof typeof text.views;
  readonly icon: IconName;
  /** The shortcut: `g`, then this key. */
  readonly key: string;
  /** Whether it is in the bar at the bottom of a phone; the others are under More. */
  readonly isInBar: boolean;
  load(): Promise<{ readonly View: ComponentType<ViewProps> }>;
}

export const VIEWS: readonly ViewDefinition[] = [
  { id: 'now', icon: 'now', key: 'n', isInBar: true, load: () => import('./views/now/view.tsx') },
  { id: 'runs', icon: 'runs', key: 'r', isInBar: true, load: () => import('./views/runs/view.tsx') },
  {
    id: 'engagements',
    icon: 'engagements',
    key: 'e',
    isInBar: false,
    load: () => import('./views/engagements/view.tsx'),
  },
  { id: 'goals', icon: 'goals', key: 'o', isInBar: false, load: () => import('./views/goals/view.tsx') },
  { id: 'memory', icon: 'memory', key: 'm', isInBar: false, load: () => import('./views/memory/view.tsx') },
  { id: 'rooms', icon: 'rooms', key: 'w', isInBar: false, load: () => import('./views/rooms/view.tsx') },
  { id: 'voice', icon: 'voice', key: 'v', isInBar: false, load: () => import('./views/voice/view.tsx') },
  { id: 'log', icon: 'log', key: 'l', isInBar: false, load: () => import('./views/log/view.tsx') },
  { id: 'metrics', icon: 'metrics', key: 't', isInBar: false, load: () => import('./views/metrics/view.tsx') },
  { id: 'settings', icon: 'settings', key: 's', isInBar: false, load: () => import('./views/settings/view.tsx') },
];
