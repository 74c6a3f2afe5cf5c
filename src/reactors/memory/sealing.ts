/**
 * Encrypts the records that were stored before encryption: memories, facts and texts. The plain events are erased once
 * every record that they hold is in the log as ciphertext. Sealing may be interrupted at any point: the records that
 * are still plain are the remaining work.
 */

import { joined } from '../../commands/memory/chunk.ts';
import { memory } from '../../commands/memory/decide.ts';
import { drawer } from '../../commands/memory/drawer.ts';
import { fact } from '../../commands/memory/fact.ts';
import { quoted, VERBATIM_CHARACTERS } from '../../commands/memory/lines.ts';
import { MEMORY_SETTINGS_ID, memorySettings } from '../../commands/memory/settings.ts';
import { refused } from '../../commands/refusal.ts';
import type { MemoryBody } from '../../events/memory/events.ts';
import { ownTurn } from '../../lib/slices.ts';
import {
  type DrawerRow,
  drawerRow,
  keyOfPart,
  placesOf,
  plainTexts,
  type TextRow,
} from '../../projections/memory/drawers.ts';
import { type FactRow, plainFacts } from '../../projections/memory/facts.ts';
import { type MemoryRow, plainMemories } from '../../projections/memory/memories.ts';
import { storedLinks } from '../../projections/memory/waypoints.ts';
import type { Views } from '../../projections/views.ts';
import { contentKeys } from '../../queries/memory/draft.ts';
import type { MemoryEncryption } from '../../queries/memory/encryption.ts';
import { factBody, factKey } from '../../queries/memory/facts.ts';
import { drawerTexts, memoryTexts, textFields } from '../../queries/memory/texts.ts';
import type { EventLog } from '../../storage/event-log.ts';
import { type BatchCommand, batchCommand, type Origin } from '../../streams/command-handler.ts';
import type { DeletionParts } from './deletion.ts';
import { checkpointViews, eraseDecided, eraseTexts, memoryTextPositions } from './erasure.ts';

export interface SealingParts extends DeletionParts {
  readonly encryption: Pick<MemoryEncryption, 'cipher' | 'fingerprints'>;
  readonly storageControl: Compactor;
  rebuildViews(): Promise<void>;
  /** Why the views cannot be read, or null. */
  viewsUnavailable(): string | null;
  announce(line: string): void;
}

/** The operations of the storage that a compaction needs. */
interface Compactor {
  /** Throws when the storage is busy. */
  start(operation: { readonly kind: 'compact' }): { readonly id: string };
  /** Returns the operation once it has ended, or after `waitMs`. */
  operation(id: string, waitMs: number): Promise<{ readonly state: string } | undefined>;
}

const MEMORIES_PER_COMMIT = 100;
const FACTS_PER_COMMIT = 1_000;
const TEXTS_PER_COMMIT = 500;
/** A character of a text takes at most 4 bytes of ciphertext, and a commit has at most 64 MiB. */
const CHARACTERS_PER_COMMIT = 8_000_000;
/** The log takes so many events in a commit. */
const EVENTS_PER_COMMIT = 10_000;
const EVENTS_PER_STEP = 1_000;
/** Interval at which a compaction is polled. */
const POLL_MS = 1_000;

export async function sealEverything(parts: SealingParts, origin: Origin): Promise<void> {
  let sealed = 0;
  for (const sealNext of [sealMemories, sealFacts, sealTexts]) {
    for (let done = await sealNext(parts, origin); done > 0; done = await sealNext(parts, origin)) sealed += done;
  }
  const { settled } = parts.commandHandler.load(memorySettings, MEMORY_SETTINGS_ID);
  if (sealed === 0 && settled) return;
  if (await erasePlainAnswers(parts)) {
    await parts.rebuildViews();
    checkpointViews(parts);
    if (!(await compact(parts))) return;
  }
  await parts.commandHandler.dispatch(
    memorySettings,
    MEMORY_SETTINGS_ID,
    { type: 'SettleMemoryEncryption' },
    { origin },
  );
}

/**
 * Erases the plain answers that are recorded for an `Idempotency-Key`: they repeat texts, and the hash of a body allows
 * guessing its words. Some of them belong to no sealed event. Returns whether the log has erased payloads, that is,
 * whether it ever contained plain texts.
 */
async function erasePlainAnswers(parts: SealingParts): Promise<boolean> {
  const { log } = parts;
  let hasErased = false;
  const head = log.head().position;
  for (let after = 0; after < head; after += EVENTS_PER_STEP) {
    const positions: number[] = [];
    for (const { position, type, data, erased } of log.readAll({ after, limit: EVENTS_PER_STEP })) {
      hasErased ||= erased === true;
      if (type !== 'RequestAnswered' || erased === true) continue;
      const { path, sealed } = data as { readonly path: string; readonly sealed?: string };
      if (path.startsWith('/memory/') && sealed === undefined) positions.push(position);
    }
    await eraseTexts(parts, positions);
    hasErased ||= positions.length > 0;
    await ownTurn();
  }
  return hasErased;
}

/** Removes the erased bytes from the disk. Returns false when the store is busy; the next start tries again. */
async function compact({ storageControl, announce }: SealingParts): Promise<boolean> {
  try {
    const { id } = storageControl.start({ kind: 'compact' });
    let state = await storageControl.operation(id, POLL_MS);
    while (state?.state === 'running') state = await storageControl.operation(id, POLL_MS);
    return state?.state === 'done';
  } catch (error) {
    announce(`Erased texts leave the disk with the next compaction: ${(error as Error).message}`);
    return false;
  }
}

/**
 * Commits the encrypted records and erases the plain ones. Returns the number of events. Throws when the views do not
 * follow the log: they would show the same records as plain for ever.
 */
async function commit(parts: SealingParts, commands: readonly BatchCommand[], origin: Origin): Promise<number> {
  const events = await parts.commandHandler.dispatchBatch(commands, origin);
  await eraseDecided(parts, events);
  const unavailable = parts.viewsUnavailable();
  if (unavailable !== null) throw refused('unavailable', unavailable);
  return events.length;
}

async function sealMemories(parts: SealingParts, origin: Origin): Promise<number> {
  const rows = plainMemories(parts.views, MEMORIES_PER_COMMIT);
  const share = ({ content, tags, meta }: MemoryRow): number => shareOf(content.length + tags.length + meta.length);
  const commands = withinCommit(rows, share).map((row) => {
    const positions = memoryTextPositions(parts.log, row.id);
    const command = { type: 'SealMemory', body: sealedBody(parts, row), made_by: row.made_by, positions } as const;
    return batchCommand(memory, row.id, command);
  });
  return commit(parts, commands, origin);
}

/** The first records, as many as fit one commit by their shares of it; at least one. Reads no more than needed. */
function withinCommit<Item>(records: Iterable<Item>, share: (record: Item) => number): readonly Item[] {
  const taken: Item[] = [];
  let sum = 0;
  for (const record of records) {
    sum += share(record);
    if (sum > 1 && taken.length > 0) break;
    taken.push(record);
  }
  return taken;
}

/** The share of a commit that so many characters take. */
function shareOf(characters: number): number {
  return characters / CHARACTERS_PER_COMMIT;
}

function sealedBody({ views, encryption }: SealingParts, row: MemoryRow): MemoryBody {
  const { content, tags, meta } = memoryTexts(null, row);
  const { id, sector, salience, decay_lambda, created_at, updated_at, last_seen_at, version } = row;
  const { user_id, project_id, session_id } = row;
  const empty = { content: '', tags: [] as string[], meta: {} };
  return {
    ...textFields(encryption.cipher(), { content, tags: [...tags], meta: { ...meta } }, { id, empty }),
    ...contentKeys(encryption, content),
    sector,
    salience,
    decay_lambda,
    created_at,
    updated_at,
    last_seen_at,
    version,
    user_id,
    project_id,
    session_id,
    secondary: JSON.parse(row.secondary) as MemoryBody['secondary'],
    pinned: row.pinned === 1,
    from: JSON.parse(row.from_ids) as string[],
    waypoints: storedLinks(views, id),
  };
}

/**
 * A fact moves to the stream of its new key, together with every fact of its subject and predicate. Only the last of
 * these names the plain events, which are erased then: before it, some of them are the only copy of their facts.
 */
async function sealFacts(parts: SealingParts, origin: Origin): Promise<number> {
  const streams = Map.groupBy(plainFacts(parts.views), ({ stream }) => stream);
  const rows = [...streams.values()].flatMap((ofStream) => ofStream.sort(inOrderOfHolding));
  const share = ({ subject, predicate, object }: FactRow): number =>
    shareOf(subject.length + predicate.length + object.length);
  const commands = withinCommit(rows.slice(0, FACTS_PER_COMMIT), share).map((row) => {
    const isLast = row === streams.get(row.stream)?.at(-1);
    return factSealing(parts, row, isLast ? textPositions(parts, row.stream) : []);
  });
  return commit(parts, commands, origin);
}

/** A deletion has no text, and without it a rebuild would count what was recalled of the fact. */
function textPositions({ log }: SealingParts, stream: string): readonly number[] {
  return [...log.readStream(stream)].flatMap(({ erased, type, position }) =>
    erased === true || type === 'FactDeleted' ? [] : [position],
  );
}

/** Of facts that begin at the same moment, only the last one holds for any time. */
function inOrderOfHolding(one: FactRow, other: FactRow): number {
  const holds = ({ valid_from, valid_to }: FactRow): number => (valid_to === valid_from ? 0 : 1);
  return one.valid_from - other.valid_from || holds(one) - holds(other);
}

function factSealing({ encryption }: SealingParts, row: FactRow, positions: readonly number[]): BatchCommand {
  const { subject, predicate, object, valid_to, recorded_at } = row;
  const body = factBody(encryption, { subject, predicate, object }, row);
  const command = { type: 'SealFact', fact: body, valid_to, recorded_at, positions } as const;
  return batchCommand(fact, factKey(encryption, { subject, predicate }), command);
}

interface PlainText {
  readonly text: TextRow;
  readonly places: readonly [DrawerRow, ...DrawerRow[]];
}

async function sealTexts(parts: SealingParts, origin: Origin): Promise<number> {
  const taken = withinCommit(wholeTexts(parts.views), shareOfText);
  const streams = new Set(taken.map(({ text }) => text.stream));
  const positions = new Map([...streams].map((stream) => [stream, positionsByText(parts.log, stream)]));
  const commands = taken.map((each) => textSealing(parts, each, positions.get(each.text.stream)!(each.text)));
  return commit(parts, commands, origin);
}

function* wholeTexts(views: Views): Generator<PlainText> {
  for (const text of plainTexts(views, TEXTS_PER_COMMIT)) {
    yield { text, places: placesOf(views, text.text_id) as PlainText['places'] };
  }
}

function shareOfText({ places }: PlainText): number {
  const characters = places.reduce((sum, { content, source }) => sum + content.length + source.length, 0);
  return shareOf(characters) + (1 + places.length) / EVENTS_PER_COMMIT;
}

function textSealing(parts: SealingParts, { text, places }: PlainText, positions: readonly number[]): BatchCommand {
  const { exact } = parts.encryption.fingerprints();
  const command = {
    type: 'SealText',
    text: { ...text, text_key: keyOf(parts, text, places) },
    places: places.map((row) => sealedPlace(parts, row)),
    positions,
  } as const;
  return batchCommand(drawer, exact(places[0].source), command);
}

/** The words that remain of a text may be another text, which has their key: a part of a text has a key of its own. */
function keyOf(parts: SealingParts, { text_id, chunks }: TextRow, rows: readonly DrawerRow[]): string {
  const pieces = rows.map((row) => ({ content: contentAt(parts, row), start: row.start }));
  const isWhole = pieces.length === chunks && pieces.every(({ content }) => content !== '');
  return isWhole ? parts.encryption.fingerprints().exact(joined(pieces)) : keyOfPart(text_id);
}

/**
 * The positions of the events of a source, by the text that they belong to: an event without its id names its key.
 * Another text of the source may have the same key: after a deletion, a text that is stored again is a new one.
 */
function positionsByText(log: EventLog, stream: string): (text: TextRow) => readonly number[] {
  const byName = new Map<string, number[]>();
  for (const { data, position } of log.readStream(stream)) {
    const { text_id, text_key } = (data ?? {}) as { readonly text_id?: string; readonly text_key?: string };
    const name = text_id === undefined ? `key ${text_key}` : `id ${text_id}`;
    const positions = byName.get(name);
    if (positions === undefined) byName.set(name, [position]);
    else positions.push(position);
  }
  return ({ text_id, text_key }) =>
    [`id ${text_id}`, `key ${text_key}`].flatMap((name) => byName.get(name) ?? []).sort((one, other) => one - other);
}

/** The text of a place, or the text of another drawer to which the place refers; empty when that one is erased. */
function contentAt({ views, encryption }: SealingParts, row: DrawerRow): string {
  const holder = row.kind === 'exact' && row.of_id !== null ? drawerRow(views, row.of_id) : row;
  return holder === undefined ? row.content : drawerTexts(encryption.cipher(), holder).content;
}

function sealedPlace(parts: SealingParts, row: DrawerRow) {
  const { id, text_id, place: index, start, kind, of_id, content, source, wing, room, created_at, position } = row;
  const { exact, loose } = parts.encryption.fingerprints();
  const words = contentAt(parts, row);
  return {
    id,
    text_id,
    index,
    start,
    kind,
    wing,
    room,
    created_at,
    position,
    of: of_id,
    ...textFields(parts.encryption.cipher(), { content, source }, { id, empty: { content: '', source: '' } }),
    content_key: exact(words),
    line_key: loose(quoted(words, VERBATIM_CHARACTERS)),
    source_key: exact(source),
  };
}
