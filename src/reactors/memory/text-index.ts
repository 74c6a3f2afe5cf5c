/**
 * The text index of encrypted memories: tables in memory, built from the views after a start and kept up to date from
 * the log.
 */

import type { Place } from '../../events/memory/drawers.ts';
import type { MemoryBody } from '../../events/memory/events.ts';
import { ownTurn } from '../../lib/slices.ts';
import type { TextCipher } from '../../ports/text-cipher.ts';
import { type DrawerRow, drawerRows } from '../../projections/memory/drawers.ts';
import { type MemoryRow, memoriesAfter } from '../../projections/memory/memories.ts';
import { idOf } from '../../projections/projection.ts';
import { clearRemoved, indexText, RECALL_DDL, unindexLater } from '../../projections/recall/recall.ts';
import { openViews, type Views, type ViewsStore } from '../../projections/views.ts';
import { drawerTexts, memoryTexts } from '../../queries/memory/texts.ts';
import type { RecordedEvent } from '../../storage/event-log.ts';

export interface IndexParts {
  readonly views: Views;
  readonly index: Views;
  readonly cipher: TextCipher;
}

const ROWS_PER_STEP = 100;
/** Types of the events that remove a memory. */
export const MEMORY_REMOVALS: ReadonlySet<string> = new Set(['MemoryDecayed', 'MemoryAbsorbed', 'MemoryDeleted']);

/** Types of the events that store a text again as ciphertext: its words stay the same. */
const SEALINGS: ReadonlySet<string> = new Set(['MemorySealed', 'DrawerSealed']);

/** Opens the empty tables of an index in memory. */
export function openSealedIndex(): ViewsStore {
  const index = openViews(null);
  index.exec(RECALL_DDL);
  return index;
}

/** Indexes every row. Other requests are served between two steps. */
export async function buildIndex(parts: IndexParts, isStopped: () => boolean): Promise<void> {
  for (let after = ''; !isStopped(); ) {
    const rows = memoriesAfter(parts.views, after, ROWS_PER_STEP);
    for (const row of rows) indexMemory(parts, row);
    if (rows.length < ROWS_PER_STEP) break;
    after = rows.at(-1)!.id;
    await ownTurn();
  }
  for (let after = 0; !isStopped(); ) {
    const rows = drawerRows(parts.views, { after, limit: ROWS_PER_STEP });
    for (const row of rows) indexDrawer(parts, row);
    if (rows.length < ROWS_PER_STEP) break;
    after = rows.at(-1)!.position;
    await ownTurn();
  }
}

/** Applies committed events without reading the views, because they may be under rebuild. */
export function updateIndex(parts: IndexParts, events: readonly RecordedEvent[]): void {
  for (const event of events) applyEvent(parts, event);
  clearRemoved(parts.index);
}

function applyEvent(parts: IndexParts, event: RecordedEvent): void {
  if (event.erased === true || SEALINGS.has(event.type)) return;
  const [category, id] = [event.stream.slice(0, event.stream.indexOf('-')), idOf(event.stream)];
  if (category === 'memory' && MEMORY_REMOVALS.has(event.type)) unindexLater(parts.index, id);
  else if (category === 'memory' && isSealed(event.data)) {
    indexMemory(parts, { ...(event.data as MemoryBody), id, tags: '', meta: '' });
  } else if (category === 'drawer' && event.type === 'DrawerDeleted') {
    unindexLater(parts.index, (event.data as Place).id);
  } else if (category === 'drawer' && isSealed(event.data) && (event.data as Place).kind === 'new') {
    indexDrawer(parts, { created_at: event.at, ...(event.data as Place) });
  }
}

function isSealed(data: unknown): boolean {
  return typeof (data as { readonly sealed?: unknown } | null)?.sealed === 'string';
}

type MemoryText = Parameters<typeof memoryTexts>[1] & Pick<MemoryRow, 'created_at' | 'project_id'>;
type DrawerText = Parameters<typeof drawerTexts>[1] & Pick<DrawerRow, 'created_at' | 'wing'>;

function indexMemory({ index, cipher }: IndexParts, row: MemoryText): void {
  const { content: text } = memoryTexts(cipher, row);
  const wing = row.project_id ?? 'global';
  indexText(index, { key: row.id, kind: 'memory', text, at: row.created_at, source: null, wing });
}

function indexDrawer({ index, cipher }: IndexParts, row: DrawerText): void {
  const { content: text, source } = drawerTexts(cipher, row);
  indexText(index, { key: row.id, kind: 'drawer', text, at: row.created_at, source, wing: row.wing });
}
