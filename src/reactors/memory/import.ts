/** Imports the exports of other memory systems: stores the valid entries and reports the others. */
import { memory } from '../../commands/memory/decide.ts';
import {
  type EntryFault,
  type ImportEntry,
  ImportError,
  type OpenImport,
  openImport,
} from '../../commands/memory/import-formats.ts';
import type { Loop } from '../../commands/memory/recalled.ts';
import { refused } from '../../commands/refusal.ts';
import type { MemoryBody } from '../../events/memory/events.ts';
import { inSlices, type Slicing } from '../../lib/slices.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { memoryRow } from '../../projections/memory/memories.ts';
import { prepareAnalysis } from '../../projections/recall/text-analysis.ts';
import type { Views } from '../../projections/views.ts';
import { type DraftContext, memoryBody, nearestLinks } from '../../queries/memory/draft.ts';
import type { MemoryEncryption } from '../../queries/memory/encryption.ts';
import { recallLoopOf } from '../../queries/memory/loops.ts';
import { totals } from '../../queries/memory/memories.ts';
import { batchCommand, type CommandHandler, type Origin } from '../../streams/command-handler.ts';
import { recordLoops } from './recall-log.ts';
import { derivedId } from './repeat-ids.ts';

export interface ImportParts extends DraftContext {
  readonly ids: IdGenerator;
  readonly commandHandler: CommandHandler;
  readonly views: Views;
  readonly encryption: Pick<MemoryEncryption, 'cipher' | 'fingerprints' | 'index'>;
  /** Names of routes below `/memory`: a memory with such an id could not be read at `GET /memory/{id}`. */
  readonly reservedIds: ReadonlySet<string>;
  /** Default: the slices of this process. */
  readonly slicing?: Slicing;
}

/** One commit is folded in one turn of the event loop: about 10 ms. */
const MEMORIES_PER_COMMIT = 40;
/** The memories of a larger import are not linked here, but by `POST /memory/auto-tunnel`. */
const LINKED_MAX = 500;

export interface ImportRequest {
  readonly content: string;
  readonly format: string;
  /** Names the request in every repeat of it. */
  readonly repeatId?: string | undefined;
}

/**
 * Runs in an exclusive section. Refuses a text that is not an import. Entries are read and compared in slices of a
 * few milliseconds, and stored in commits of `MEMORIES_PER_COMMIT`. A crash between two commits leaves a part: the
 * repeat of the request stores the rest, and counts as imported what has no id of its own and is stored already.
 */
export async function importMemories(parts: ImportParts, request: ImportRequest, origin: Origin) {
  const { content, format, repeatId } = request;
  const source = openOrRefuse(content, format);
  const { entries, skipped, errors, recognised, loops } = await sortEntries(parts, source, repeatId);
  for (let at = 0; at < entries.length; at += MEMORIES_PER_COMMIT) {
    const commands = entries
      .slice(at, at + MEMORIES_PER_COMMIT)
      .map(({ id, body }) => batchCommand(memory, id, { type: 'KeepMemory', how: 'MemoryImported', body }));
    await parts.commandHandler.dispatchBatch(commands, origin);
  }
  await recordLoops(parts, loops, origin);
  if (entries.length <= LINKED_MAX) await link(parts, entries, origin);
  return {
    imported: entries.length,
    total_memories: totals(parts.views).total_memories,
    format_used: format,
    format_detected: source.format,
    skipped,
    recognised,
    renamed: entries.flatMap(({ index, id, ownId }) => (ownId === undefined || ownId === id ? [] : [{ index, id }])),
    errors,
  };
}

function openOrRefuse(content: string, format: string): OpenImport {
  try {
    return openImport(content, format);
  } catch (error) {
    if (error instanceof ImportError) throw refused('invalid', `import failed: ${error.message}`);
    throw error;
  }
}

interface NewMemory {
  readonly index: number;
  readonly id: string;
  /** The id of the entry, if it has one. */
  readonly ownId: string | undefined;
  readonly content: string;
  readonly body: MemoryBody;
}

/** Separates new memories from faulty entries, from existing ones, and from those that repeat a shown entry. */
async function sortEntries(parts: ImportParts, source: OpenImport, repeatId: string | undefined) {
  const added: NewMemory[] = [];
  const skipped: EntryFault[] = [];
  const errors: EntryFault[] = [];
  const recognised: EntryFault[] = [];
  const loops: Loop[] = [];
  const ids = new Set<string>();
  for await (const outcome of inSlices(source.entries, parts.slicing)) {
    if (outcome.kind !== 'entry') {
      (outcome.kind === 'skipped' ? skipped : errors).push(outcome.fault);
      continue;
    }
    const { entry } = outcome;
    const { index, id: ownId } = entry;
    const wantedId = ownId ?? (repeatId === undefined ? parts.ids.uuid() : derivedId(repeatId, index));
    const id = parts.reservedIds.has(wantedId) ? `imported-${wantedId}` : wantedId;
    if (ids.has(id) || (ownId !== undefined && memoryRow(parts.views, id, 0) !== undefined)) {
      skipped.push({ index, error: 'a memory with this id is kept already' });
      continue;
    }
    ids.add(id);
    await prepareAnalysis(entry.content, parts.slicing);
    const recalled = await recallLoopOf(parts, entry.content, 'import');
    if (recalled !== null) {
      loops.push(recalled.loop);
      recognised.push({ index, error: `it repeats what was recalled from ${recalled.loop.id}` });
      continue;
    }
    added.push({ index, id, ownId: entry.id, content: entry.content, body: bodyOf(parts, entry, id) });
  }
  return { entries: added, skipped, errors, recognised, loops };
}

function bodyOf(parts: ImportParts, entry: ImportEntry, id: string): MemoryBody {
  const { content, tags, meta, created_at } = entry;
  const ms = (at: number | undefined): number | undefined => (at === undefined ? undefined : Math.round(at * 1000));
  const recorded = {
    sector: entry.sector,
    secondary: entry.secondary,
    salience: entry.salience,
    decay_lambda: entry.decay_lambda,
    pinned: entry.pinned,
    version: entry.version,
    user_id: entry.user_id,
    project_id: entry.project_id,
    session_id: entry.session_id,
    created_at: ms(created_at),
    updated_at: ms(entry.updated_at ?? created_at),
    last_seen_at: ms(entry.last_seen_at ?? entry.updated_at ?? created_at),
  };
  const present = Object.fromEntries(Object.entries(recorded).filter(([, field]) => field !== undefined));
  return memoryBody(parts, { id, content, tags, meta }, present as Partial<MemoryBody>);
}

async function link(parts: ImportParts, entries: readonly NewMemory[], origin: Origin): Promise<void> {
  const commands = [];
  for await (const { id, content } of inSlices(entries, parts.slicing)) {
    const links = nearestLinks(parts.encryption.index(), content, id);
    commands.push(batchCommand(memory, id, { type: 'LayWaypoints', links }));
  }
  await parts.commandHandler.dispatchBatch(commands, origin);
}
