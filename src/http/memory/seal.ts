/**
 * Seals what was kept as it is: memories, facts and texts one after the other, each in one commit, and erases the plain
 * events. May be interrupted anywhere: what is plain still is found again.
 */

import { joined } from '../../commands/memory/chunk.ts';
import { drawer } from '../../commands/memory/drawer.ts';
import { fact } from '../../commands/memory/fact.ts';
import { quoted, VERBATIM_CHARACTERS } from '../../commands/memory/lines.ts';
import { memory } from '../../commands/memory/memory.ts';
import { MEMORY_SETTINGS_ID, memorySettings } from '../../commands/memory/settings.ts';
import type { MemoryBody } from '../../events/memory.ts';
import { type DrawerRow, drawerRow, placesOf, plainTexts, type TextRow } from '../../projections/memory/drawers.ts';
import { type FactRow, plainFacts } from '../../projections/memory/facts.ts';
import { type MemoryRow, plainMemories } from '../../projections/memory/memories.ts';
import type { Origin } from '../../streams/command-handler.ts';
import { batchCommand } from '../../streams/command-handler.ts';
import type { House } from '../house.ts';
import { factBody, factKey } from './facts.ts';
import { eraseTexts, flushViews, keysOf, textPositions } from './room.ts';
import { kept, memoryWords } from './words.ts';

const SLICE = 100;
const READ_AT_ONCE = 1_000;
/** A compaction is waited for in steps of so long. */
const WAIT_MS = 1_000;

export async function sealEverything(house: House, origin: Origin): Promise<void> {
  let sealed = 0;
  for (const slice of [sealMemories, sealFacts, sealTexts]) {
    for (let done = await slice(house, origin); done > 0; done = await slice(house, origin)) sealed += done;
  }
  const { settled } = house.dispatcher.load(memorySettings, MEMORY_SETTINGS_ID);
  if (sealed === 0 && settled) return;
  if (await anythingPlain(house)) {
    await house.rebuildViews();
    flushViews(house);
    if (!(await compact(house))) return;
  }
  await house.dispatcher.dispatch(memorySettings, MEMORY_SETTINGS_ID, { type: 'SettleMemoryEncryption' }, { origin });
}

/**
 * Whether plain texts were ever in the log: there is an event whose payload was erased. Erases first the answers that
 * an `Idempotency-Key` kept before there was a key to seal them: they repeat texts, and the hash of a body lets its
 * words be guessed; not all stand behind an event that is sealed.
 */
async function anythingPlain(house: House): Promise<boolean> {
  let found = false;
  const head = house.log.head().position;
  for (let after = 0; after < head; after += READ_AT_ONCE) {
    const positions: number[] = [];
    for (const { position, type, data, erased } of house.log.readAll({ after, limit: READ_AT_ONCE })) {
      found ||= erased === true;
      if (type !== 'RequestAnswered' || erased === true) continue;
      const { path, sealed } = data as { readonly path: string; readonly sealed?: string };
      if (path.startsWith('/memory/') && sealed === undefined) positions.push(position);
    }
    await eraseTexts(house, positions);
    found ||= positions.length > 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return found;
}

/** The erased bytes leave the disk; whether they did. Busy with something else, the store does it at the next start. */
async function compact(house: House): Promise<boolean> {
  try {
    const { id } = house.storageControl.start({ kind: 'compact' });
    let state = await house.storageControl.look(id, WAIT_MS);
    while (state?.state === 'running') state = await house.storageControl.look(id, WAIT_MS);
    return state?.state === 'done';
  } catch (error) {
    house.announce(`Erased texts leave the disk with the next compaction: ${(error as Error).message}`);
    return false;
  }
}

async function sealMemories(house: House, origin: Origin): Promise<number> {
  const rows = plainMemories(house.views, SLICE);
  const parts = rows.map((row) => {
    const positions = textPositions(house, `memory-${row.id}`);
    const command = { type: 'SealMemory', body: sealedBody(house, row), made_by: row.made_by, positions } as const;
    return { positions, part: batchCommand(memory, row.id, command) };
  });
  return settle(house, parts, origin);
}

function sealedBody(house: House, row: MemoryRow): MemoryBody {
  const words = memoryWords(null, row);
  const { id, sector, salience, decay_lambda, created_at, updated_at, last_seen_at, version } = row;
  const { user_id, project_id, session_id } = row;
  const empty = { content: '', tags: [] as string[], meta: {} };
  const plain = { content: words.content, tags: [...words.tags], meta: { ...words.meta } };
  return {
    ...kept(house.memory.vault(), plain, { id, empty }),
    ...keysOf(house, words.content),
    ...{ sector, salience, decay_lambda, created_at, updated_at, last_seen_at, version },
    ...{ user_id, project_id, session_id },
    secondary: JSON.parse(row.secondary) as MemoryBody['secondary'],
    pinned: row.pinned === 1,
    from: JSON.parse(row.from_ids) as string[],
    waypoints: house.views.all<MemoryBody['waypoints'][number]>(
      `SELECT dst_id, weight FROM memory_waypoints WHERE src_id = ? AND kind = 'near'`,
      id,
    ),
  };
}

interface Sealing {
  readonly positions: readonly number[];
  readonly part: ReturnType<typeof batchCommand>;
}

async function settle(house: House, sealings: readonly Sealing[], origin: Origin): Promise<number> {
  const events = await house.dispatcher.dispatchBatch(
    sealings.map((each) => each.part),
    origin,
  );
  await eraseTexts(
    house,
    sealings.flatMap(({ positions }) => positions),
  );
  return events.length;
}

/** A fact goes to the stream of its new key; everything of its subject and predicate goes at once. */
async function sealFacts(house: House, origin: Origin): Promise<number> {
  const [first] = plainFacts(house.views, 1);
  if (first === undefined) return 0;
  const rows = plainFacts(house.views, Number.MAX_SAFE_INTEGER).filter((row) => row.stream === first.stream);
  const positions = [...house.log.readStream(first.stream)].map((event) => event.position);
  let sealed = 0;
  for (const row of rows) sealed += await settle(house, [sealedFact(house, row, positions)], origin);
  return sealed;
}

function sealedFact(house: House, row: FactRow, positions: readonly number[]): Sealing {
  const { subject, predicate, object, valid_to, recorded_at } = row;
  const body = factBody(house, { subject, predicate, object }, row);
  const command = { type: 'SealFact', fact: body, valid_to, recorded_at, positions } as const;
  return { positions, part: batchCommand(fact, factKey(house, { subject, predicate }), command) };
}

async function sealTexts(house: House, origin: Origin): Promise<number> {
  const [text] = plainTexts(house.views, 1);
  if (text === undefined) return 0;
  const rows = placesOf(house.views, text.text_id);
  const stream = rows[0]!;
  const positions = [...house.log.readStream(text.stream)]
    .filter((event) => belongsTo(event.data, text))
    .map((event) => event.position);
  const { exact } = house.memory.marks();
  const whole = joined(rows.map((row) => ({ content: wordsAt(house, row), start: row.start })));
  const command = {
    type: 'SealText',
    text: { ...text, text_key: exact(whole) },
    places: rows.map((row) => sealedPlace(house, row)),
    positions,
  } as const;
  return settle(house, [{ positions, part: batchCommand(drawer, exact(stream.source), command) }], origin);
}

function belongsTo(data: unknown, text: TextRow): boolean {
  const { text_id, text_key } = (data ?? {}) as { readonly text_id?: string; readonly text_key?: string };
  return text_id === text.text_id || text_key === text.text_key;
}

/** The words of a place; those of another drawer when it only points there. */
function wordsAt(house: House, row: DrawerRow): string {
  const holder = row.kind === 'exact' && row.of_id !== null ? drawerRow(house.views, row.of_id) : row;
  if (holder === undefined) return row.content;
  const vault = house.memory.vault();
  return holder.sealed === null ? holder.content : (vault!.open(holder.sealed, holder.id) as DrawerRow).content;
}

function sealedPlace(house: House, row: DrawerRow) {
  const { id, text_id, place: index, start, kind, of_id, content, source, wing, room, created_at, position } = row;
  const { exact, fingerprint } = house.memory.marks();
  const words = wordsAt(house, row);
  return {
    ...{ id, text_id, index, start, kind, wing, room, created_at, position },
    of: of_id,
    ...kept(house.memory.vault(), { content, source }, { id, empty: { content: '', source: '' } }),
    content_key: exact(words),
    line_key: fingerprint(quoted(words, VERBATIM_CHARACTERS)),
    source_key: exact(source),
  };
}
