/**
 * Seals what was kept as it is: memories, facts and texts one after the other, each in one commit, and erases the plain
 * events. May be interrupted anywhere: what is plain still is found again.
 */

import { joined } from '../../commands/memory/chunk.ts';
import { memory } from '../../commands/memory/decide.ts';
import { drawer } from '../../commands/memory/drawer.ts';
import { fact } from '../../commands/memory/fact.ts';
import { quoted, VERBATIM_CHARACTERS } from '../../commands/memory/lines.ts';
import { MEMORY_SETTINGS_ID, memorySettings } from '../../commands/memory/settings.ts';
import type { Config } from '../../config.ts';
import { decodeEvents } from '../../events/decode.ts';
import type { MemoryBody } from '../../events/memory/events.ts';
import { requestEvents } from '../../events/request.ts';
import { factBody, factKey } from '../../http/memory/facts.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { type DrawerRow, drawerRow, placesOf, plainTexts, type TextRow } from '../../projections/memory/drawers.ts';
import { type FactRow, plainFacts } from '../../projections/memory/facts.ts';
import { type MemoryRow, plainMemories } from '../../projections/memory/memories.ts';
import type { Views } from '../../projections/views.ts';
import { eraseTexts, flushViews, keysOf, textPositions } from '../../queries/memory/memory-context.ts';
import { kept, memoryWords } from '../../queries/memory/texts.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { StorageControl } from '../../storage/ops/control.ts';
import type { CommandHandler, Origin } from '../../streams/command-handler.ts';
import { type BatchCommand, batchCommand } from '../../streams/command-handler.ts';
import type { Projector } from '../../streams/projector.ts';
import type { MemoryKeeper } from './memory-store.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly log: EventLog;
  readonly views: Views;
  readonly projector: Projector;
  readonly dispatcher: CommandHandler;
  readonly memory: MemoryKeeper;
  rebuildViews(): Promise<void>;
  readonly storageControl: StorageControl;
  announce(line: string): void;
}

const SLICE = 100;
const READ_AT_ONCE = 1_000;
/** A compaction is waited for in steps of so long. */
const WAIT_MS = 1_000;

export async function sealEverything(deps: Dependencies, origin: Origin): Promise<void> {
  let sealed = 0;
  for (const slice of [sealMemories, sealFacts, sealTexts]) {
    for (let done = await slice(deps, origin); done > 0; done = await slice(deps, origin)) sealed += done;
  }
  const { settled } = deps.dispatcher.load(memorySettings, MEMORY_SETTINGS_ID);
  if (sealed === 0 && settled) return;
  if (await anythingPlain(deps)) {
    await deps.rebuildViews();
    flushViews(deps);
    if (!(await compact(deps))) return;
  }
  await deps.dispatcher.dispatch(memorySettings, MEMORY_SETTINGS_ID, { type: 'SettleMemoryEncryption' }, { origin });
}

/**
 * Whether plain texts were ever in the log: there is an event whose payload was erased. Erases first the answers that
 * an `Idempotency-Key` kept before there was a key to seal them: they repeat texts, and the hash of a body lets its
 * words be guessed; not all stand behind an event that is sealed.
 */
async function anythingPlain(deps: Dependencies): Promise<boolean> {
  let found = false;
  const head = deps.log.head().position;
  for (let after = 0; after < head; after += READ_AT_ONCE) {
    const positions: number[] = [];
    const events = [...deps.log.readAll({ after, limit: READ_AT_ONCE })];
    found ||= events.some(({ erased }) => erased === true);
    for (const { position, data } of decodeEvents(requestEvents, events)) {
      if (data.path.startsWith('/memory/') && data.sealed === undefined) positions.push(position);
    }
    await eraseTexts(deps, positions);
    found ||= positions.length > 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return found;
}

/** The erased bytes leave the disk; whether they did. Busy with something else, the store does it at the next start. */
async function compact(deps: Dependencies): Promise<boolean> {
  try {
    const { id } = deps.storageControl.start({ kind: 'compact' });
    let state = await deps.storageControl.look(id, WAIT_MS);
    while (state?.state === 'running') state = await deps.storageControl.look(id, WAIT_MS);
    return state?.state === 'done';
  } catch (error) {
    deps.announce(`Erased texts leave the disk with the next compaction: ${(error as Error).message}`);
    return false;
  }
}

async function sealMemories(deps: Dependencies, origin: Origin): Promise<number> {
  const rows = plainMemories(deps.views, SLICE);
  const parts = rows.map((row) => {
    const positions = textPositions(deps, `memory-${row.id}`);
    const command = { type: 'SealMemory', body: sealedBody(deps, row), made_by: row.made_by, positions } as const;
    return { positions, command: batchCommand(memory, row.id, command) };
  });
  return settle(deps, parts, origin);
}

function sealedBody(deps: Dependencies, row: MemoryRow): MemoryBody {
  const words = memoryWords(null, row);
  const { id, sector, salience, decay_lambda, created_at, updated_at, last_seen_at, version } = row;
  const { user_id, project_id, session_id } = row;
  const empty = { content: '', tags: [] as string[], meta: {} };
  const plain = { content: words.content, tags: [...words.tags], meta: { ...words.meta } };
  return {
    ...kept(deps.memory.vault(), plain, { id, empty }),
    ...keysOf(deps, words.content),
    ...{ sector, salience, decay_lambda, created_at, updated_at, last_seen_at, version },
    ...{ user_id, project_id, session_id },
    secondary: JSON.parse(row.secondary) as MemoryBody['secondary'],
    pinned: row.pinned === 1,
    from: JSON.parse(row.from_ids) as string[],
    waypoints: deps.views.all<MemoryBody['waypoints'][number]>(
      `SELECT dst_id, weight FROM memory_waypoints WHERE src_id = ? AND kind = 'near'`,
      id,
    ),
  };
}

interface Sealing {
  readonly positions: readonly number[];
  readonly command: BatchCommand;
}

async function settle(deps: Dependencies, sealings: readonly Sealing[], origin: Origin): Promise<number> {
  const events = await deps.dispatcher.dispatchBatch(
    sealings.map((each) => each.command),
    origin,
  );
  await eraseTexts(
    deps,
    sealings.flatMap(({ positions }) => positions),
  );
  return events.length;
}

/** A fact goes to the stream of its new key; everything of its subject and predicate goes at once. */
async function sealFacts(deps: Dependencies, origin: Origin): Promise<number> {
  const [first] = plainFacts(deps.views, 1);
  if (first === undefined) return 0;
  const rows = plainFacts(deps.views, Number.MAX_SAFE_INTEGER).filter((row) => row.stream === first.stream);
  const positions = [...deps.log.readStream(first.stream)].map((event) => event.position);
  let sealed = 0;
  for (const row of rows) sealed += await settle(deps, [sealedFact(deps, row, positions)], origin);
  return sealed;
}

function sealedFact(deps: Dependencies, row: FactRow, positions: readonly number[]): Sealing {
  const { subject, predicate, object, valid_to, recorded_at } = row;
  const body = factBody(deps, { subject, predicate, object }, row);
  const command = { type: 'SealFact', fact: body, valid_to, recorded_at, positions } as const;
  return { positions, command: batchCommand(fact, factKey(deps, { subject, predicate }), command) };
}

async function sealTexts(deps: Dependencies, origin: Origin): Promise<number> {
  const [text] = plainTexts(deps.views, 1);
  if (text === undefined) return 0;
  const rows = placesOf(deps.views, text.text_id);
  const stream = rows[0]!;
  const positions = [...deps.log.readStream(text.stream)]
    .filter((event) => belongsTo(event.data, text))
    .map((event) => event.position);
  const { exact } = deps.memory.marks();
  const whole = joined(rows.map((row) => ({ content: wordsAt(deps, row), start: row.start })));
  const command = {
    type: 'SealText',
    text: { ...text, text_key: exact(whole) },
    places: rows.map((row) => sealedPlace(deps, row)),
    positions,
  } as const;
  return settle(deps, [{ positions, command: batchCommand(drawer, exact(stream.source), command) }], origin);
}

function belongsTo(data: unknown, text: TextRow): boolean {
  const { text_id, text_key } = (data ?? {}) as { readonly text_id?: string; readonly text_key?: string };
  return text_id === text.text_id || text_key === text.text_key;
}

/** The words of a place; those of another drawer when it only points there. */
function wordsAt(deps: Dependencies, row: DrawerRow): string {
  const holder = row.kind === 'exact' && row.of_id !== null ? drawerRow(deps.views, row.of_id) : row;
  if (holder === undefined) return row.content;
  const vault = deps.memory.vault();
  return holder.sealed === null ? holder.content : (vault!.open(holder.sealed, holder.id) as DrawerRow).content;
}

function sealedPlace(deps: Dependencies, row: DrawerRow) {
  const { id, text_id, place: index, start, kind, of_id, content, source, wing, room, created_at, position } = row;
  const { exact, fingerprint } = deps.memory.marks();
  const words = wordsAt(deps, row);
  return {
    ...{ id, text_id, index, start, kind, wing, room, created_at, position },
    of: of_id,
    ...kept(deps.memory.vault(), { content, source }, { id, empty: { content: '', source: '' } }),
    content_key: exact(words),
    line_key: fingerprint(quoted(words, VERBATIM_CHARACTERS)),
    source_key: exact(source),
  };
}
