/** What the facts of a briefing are made of, and how their lists and texts are cut. */
import { sep } from 'node:path';
import type { BriefingSettings } from '../../events/briefing/events.ts';
import type { BriefingFacts, IndexFacts, RepositoryFacts, StorageFacts } from '../../events/briefing/facts.ts';
import type { Views } from '../../projections/views.ts';
import type { Tally } from './tally.ts';

/** What no event says: looked at when the briefing is made. */
export interface Observed {
  readonly storage: StorageFacts;
  readonly repositories: readonly RepositoryFacts[];
  readonly index: Pick<IndexFacts, 'provider' | 'model' | 'chunks' | 'files' | 'built_at' | 'error'>;
}

export interface Material {
  readonly tally: Tally;
  readonly views: Views;
  readonly settings: BriefingSettings;
  readonly observed: Observed;
  readonly frame: Pick<BriefingFacts, 'period' | 'timezone' | 'scheduled_for' | 'late_minutes'>;
}

/** An approval that nobody answered. */
export interface Expired {
  readonly id: string;
  readonly session_id: string;
  readonly tool_name: string;
  readonly position: number;
}

/** Entries of one list that are recorded. */
export const ITEMS_MAX = 50;
const TEXT_CHARACTERS_MAX = 300;

export type Place = (folder: string | null | undefined) => boolean;

/** Is a folder the wanted one, or in it? Without a wanted one all are. */
export function within(workspace: string | null): Place {
  if (workspace === null) return () => true;
  const inside = workspace.endsWith(sep) ? workspace : workspace + sep;
  return (folder) => folder === workspace || folder?.startsWith(inside) === true;
}

/** The newest entries of a list, newest first, and how many more there are. */
export function listed<Item>(items: readonly Item[]): { items: Item[]; more: number } {
  return { items: items.slice(0, ITEMS_MAX), more: Math.max(0, items.length - ITEMS_MAX) };
}

/** Newest position first. */
export function newestFirst<Item extends { readonly position: number }>(items: readonly Item[]): readonly Item[] {
  return items.toSorted((a, b) => b.position - a.position);
}

export function shortened(text: string, max = TEXT_CHARACTERS_MAX): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  const characters = Array.from(flat);
  return (characters.length <= max ? flat : `${characters.slice(0, max - 1).join('')}…`).toWellFormed();
}
