/** What every memory route is given: the house, and short ways to what they all need of it. */
import { classify } from '../../commands/memory/classify.ts';
import { LINE_CHARACTERS, quoted } from '../../commands/memory/lines.ts';
import { type MemoryBody, SECTOR_TRAITS } from '../../events/memory.ts';
import { type MemoryRow, memoryCounts } from '../../projections/memory/memories.ts';
import { loopPositions } from '../../projections/memory/recalled.ts';
import type { RecordedEvent } from '../../storage/event-log.ts';
import type { House } from '../house.ts';
import { wingOf } from './wing.ts';
import { kept, memoryWords } from './words.ts';

export const seconds = (ms: number): number => Math.floor(ms / 1000);

const wings = new WeakMap<House, string>();

/** The wing of this daemon's workspace; read once. */
export function currentWing(house: House): string {
  const known = wings.get(house) ?? wingOf(house.config.workspace);
  wings.set(house, known);
  return known;
}

export interface Draft {
  readonly id: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly meta: Readonly<Record<string, string>>;
}

/** A memory as it is kept; `given` wins over what its words and the moment say. */
export function memoryBody(house: House, draft: Draft, given: Partial<MemoryBody> = {}): MemoryBody {
  const { id, content } = draft;
  const classified = classify(content);
  const sector = given.sector ?? classified.sector;
  const now = house.ambient.now();
  const words = { content, tags: [...draft.tags], meta: { ...draft.meta } };
  return {
    secondary: sector === classified.sector ? classified.secondary.map(([name, share]) => [name, share]) : [],
    salience: 1,
    decay_lambda: SECTOR_TRAITS[sector].decayPerDay,
    created_at: now,
    updated_at: now,
    last_seen_at: now,
    version: 1,
    user_id: 'owner',
    project_id: currentWing(house),
    session_id: null,
    pinned: false,
    from: [],
    waypoints: [],
    ...given,
    ...kept(house.memory.vault(), words, { id, empty: { content: '', tags: [], meta: {} } }),
    sector,
    ...keysOf(house, content),
  };
}

/** The fingerprints of a memory's text. */
export function keysOf(house: House, content: string): { readonly content_key: string; readonly line_key: string } {
  const { fingerprint } = house.memory.marks();
  return { content_key: fingerprint(content), line_key: fingerprint(quoted(content, LINE_CHARACTERS)) };
}

/** A memory in the wire shape that lists and searches share. */
export function memoryView(house: House, row: MemoryRow) {
  const { content, tags } = memoryWords(house.memory.vault(), row);
  return {
    id: row.id,
    content,
    sector: row.sector,
    salience: row.effective,
    tags,
    pinned: row.pinned === 1,
    created_at: seconds(row.created_at),
  };
}

export function totals(house: House): { readonly total_memories: number; readonly total_drawers: number } {
  const { memories, drawers } = memoryCounts(house.views);
  return { total_memories: memories, total_drawers: drawers };
}

/** The positions of a stream's events that hold text, and of the recorded answers that repeat it. */
export function textPositions(house: House, stream: string): readonly number[] {
  const positions: number[] = [];
  for (const event of house.log.readStream(stream)) {
    if (event.erased === true || !WITH_TEXT.has(event.type)) continue;
    positions.push(event.position, ...answerTo(house, event));
  }
  return positions;
}

/** The recorded answers to those who offered the text anew: they tell what is known of it. */
export function answersOnLoops(house: House, id: string): readonly number[] {
  return loopPositions(house.views, id).flatMap((position) => answerTo(house, house.log.at(position)!));
}

/** Events of one decision that are looked through for the recorded answer to it. */
const DECISION_EVENTS_MAX = 16;

/** The position of the recorded answer of the request that led to an event. */
export function answerTo(house: House, { position, causation }: RecordedEvent): readonly number[] {
  for (let at = position + 1; at <= position + DECISION_EVENTS_MAX; at += 1) {
    const next = house.log.at(at);
    if (next?.causation !== causation) return [];
    if (next.type === 'RequestAnswered') return [at];
  }
  return [];
}

const WITH_TEXT: ReadonlySet<string> = new Set([
  'MemoryAdded',
  'MemoryImported',
  'MemoriesMerged',
  'ReflectionFormed',
  'MemorySealed',
]);

/** Positions of one erasure. */
const ERASED_AT_ONCE = 1_000;

/** Erases payloads for good, in the log and in the pages the views have given up. */
export async function eraseTexts(house: House, positions: readonly number[]): Promise<void> {
  for (let at = 0; at < positions.length; at += ERASED_AT_ONCE) {
    await house.log.erase(positions.slice(at, at + ERASED_AT_ONCE));
  }
  if (positions.length > 0) flushViews(house);
}

/** Nothing of what rows held before stays in the journal of the views. */
export function flushViews(house: House): void {
  house.projector.settle();
  house.views.all('PRAGMA wal_checkpoint(TRUNCATE)');
}
