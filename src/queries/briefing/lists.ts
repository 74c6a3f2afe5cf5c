/** Filters and limits of the lists and texts in a briefing's facts. */
import { isInside } from '../../lib/is-inside.ts';

/** Limit of the recorded entries of one list. */
export const ITEMS_MAX = 50;
const TEXT_CHARACTERS_MAX = 300;

/** Whether a folder belongs to the workspace of the briefing. */
export type WorkspaceFilter = (folder: string | null | undefined) => boolean;

/** Accepts the workspace and every folder in it, or without a workspace every folder. */
export function workspaceFilter(workspace: string | null): WorkspaceFilter {
  if (workspace === null) return () => true;
  return (folder) => folder != null && isInside(workspace, folder);
}

/** The first entries of a list, and how many more there are. */
export function listed<Item>(items: readonly Item[]): { items: Item[]; more: number } {
  return { items: items.slice(0, ITEMS_MAX), more: Math.max(0, items.length - ITEMS_MAX) };
}

/** Newest position first. */
export function newestFirst<Item extends { readonly position: number }>(items: readonly Item[]): readonly Item[] {
  return items.toSorted((a, b) => b.position - a.position);
}

/** One line of at most `max` characters. */
export function shortened(text: string, max = TEXT_CHARACTERS_MAX): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  const characters = Array.from(flat);
  return (characters.length <= max ? flat : `${characters.slice(0, max - 1).join('')}…`).toWellFormed();
}
