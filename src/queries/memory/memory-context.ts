/** What several memory routes compute alike: the body of a memory, its keys, its view, the positions of its texts. */
import { classify } from '../../commands/memory/classify.ts';
import { LINE_CHARACTERS, quoted } from '../../commands/memory/lines.ts';
import type { Config } from '../../config.ts';
import { type MemoryBody, SECTOR_TRAITS } from '../../events/memory/events.ts';
import type { Clock } from '../../ports/clock.ts';
import { type MemoryRow, memoryCounts } from '../../projections/memory/memories.ts';
import { loopPositions } from '../../projections/memory/recalled.ts';
import type { Views } from '../../projections/views.ts';
import type { MemoryKeeper } from '../../reactors/memory/memory-store.ts';
import type { EventLog, RecordedEvent } from '../../storage/event-log.ts';
import type { Projector } from '../../streams/projector.ts';
import { kept, memoryWords } from './texts.ts';
import { wingOf } from './wing.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: EventLog;
  readonly views: Views;
  readonly projector: Projector;
  readonly memory: MemoryKeeper;
}

export const seconds = (ms: number): number => Math.floor(ms / 1000);

const wings = new WeakMap<Dependencies, string>();

/** The wing of this daemon's workspace; read once. */
export function currentWing(deps: Dependencies): string {
  const known = wings.get(deps) ?? wingOf(deps.config.workspace);
  wings.set(deps, known);
  return known;
}

export interface Draft {
  readonly id: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly meta: Readonly<Record<string, string>>;
}

/** A memory as it is kept; `given` wins over what its words and the moment say. */
export function memoryBody(deps: Dependencies, draft: Draft, given: Partial<MemoryBody> = {}): MemoryBody {
  const { id, content } = draft;
  const classified = classify(content);
  const sector = given.sector ?? classified.sector;
  const now = deps.clock.now();
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
    project_id: currentWing(deps),
    session_id: null,
    pinned: false,
    from: [],
    waypoints: [],
    ...given,
    ...kept(deps.memory.vault(), words, { id, empty: { content: '', tags: [], meta: {} } }),
    sector,
    ...keysOf(deps, content),
  };
}

/** The fingerprints of a memory's text. */
export function keysOf(
  deps: Dependencies,
  content: string,
): { readonly content_key: string; readonly line_key: string } {
  const { fingerprint } = deps.memory.marks();
  return { content_key: fingerprint(content), line_key: fingerprint(quoted(content, LINE_CHARACTERS)) };
}

/** A memory in the wire shape that lists and searches share. */
export function memoryView(deps: Dependencies, row: MemoryRow) {
  const { content, tags } = memoryWords(deps.memory.vault(), row);
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

export function totals(deps: Dependencies): { readonly total_memories: number; readonly total_drawers: number } {
  const { memories, drawers } = memoryCounts(deps.views);
  return { total_memories: memories, total_drawers: drawers };
}

/** The positions of a stream's events that hold text, and of the recorded answers that repeat it. */
export function textPositions(deps: Dependencies, stream: string): readonly number[] {
  const positions: number[] = [];
  for (const event of deps.log.readStream(stream)) {
    if (event.erased === true || !WITH_TEXT.has(event.type)) continue;
    positions.push(event.position, ...answerTo(deps, event));
  }
  return positions;
}

/** The recorded answers to those who offered the text anew: they tell what is known of it. */
export function answersOnLoops(deps: Dependencies, id: string): readonly number[] {
  return loopPositions(deps.views, id).flatMap((position) => answerTo(deps, deps.log.at(position)!));
}

/** Events of one decision that are looked through for the recorded answer to it. */
const DECISION_EVENTS_MAX = 16;

/** The position of the recorded answer of the request that led to an event. */
export function answerTo(deps: Dependencies, { position, causation }: RecordedEvent): readonly number[] {
  for (let at = position + 1; at <= position + DECISION_EVENTS_MAX; at += 1) {
    const next = deps.log.at(at);
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
export async function eraseTexts(deps: Dependencies, positions: readonly number[]): Promise<void> {
  for (let at = 0; at < positions.length; at += ERASED_AT_ONCE) {
    await deps.log.erase(positions.slice(at, at + ERASED_AT_ONCE));
  }
  if (positions.length > 0) flushViews(deps);
}

/** Nothing of what rows held before stays in the journal of the views. */
export function flushViews(deps: Dependencies): void {
  deps.projector.settle();
  deps.views.all('PRAGMA wal_checkpoint(TRUNCATE)');
}
