/** `POST /memory/import`: what other memory systems export, or our own; all that can be kept is, the rest is named. */
import { setImmediate as breathe } from 'node:timers/promises';
import { z } from 'zod';
import { memory } from '../../commands/memory/decide.ts';
import { type EntryFault, type ImportEntry, ImportError, readImport } from '../../commands/memory/import-formats.ts';
import type { Loop } from '../../commands/memory/recalled.ts';
import type { Config } from '../../config.ts';
import type { MemoryBody } from '../../events/memory/events.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { memoryRow } from '../../projections/memory/memories.ts';
import type { Views } from '../../projections/views.ts';
import { countLoops, recognise } from '../../queries/memory/loops.ts';
import { memoryBody, totals } from '../../queries/memory/memory-context.ts';
import type { MemoryKeeper } from '../../reactors/memory/memory-store.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { CommandHandler, Origin } from '../../streams/command-handler.ts';
import { batchCommand } from '../../streams/command-handler.ts';
import type { Projector } from '../../streams/projector.ts';
import { value } from '../server/answer.ts';
import { HttpError } from '../server/errors.ts';
import { type RouteSpec, route } from '../server/route.ts';
import { nearestMemories } from './memories.ts';
import { common, refused } from './schemas.ts';

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
}

/** Memories of one commit: others are served between two. */
const KEPT_AT_ONCE = 100;
/** A larger import is linked by `POST /memory/auto-tunnel` instead of at once. */
const LINKED_MAX = 500;
/** Entries that are looked at before others are served. */
const READ_AT_ONCE = 100;
const FORMAT_CHARACTERS_MAX = 64;

const zFault = z.object({ index: z.int(), error: z.string() });

/** `names` of routes below `/memory`: a memory with one of them as its id could not be read there. */
export function importRoutes(deps: Dependencies, names: ReadonlySet<string>): readonly RouteSpec[] {
  return [
    route({
      ...common,
      method: 'POST',
      path: '/memory/import',
      summary:
        'Takes in mem0, zep, openmemory (our own export) or a list of facts; a bad entry is named, the rest kept.',
      body: z.object({ content: z.string(), format: z.string().max(FORMAT_CHARACTERS_MAX).nullish() }),
      responses: {
        200: {
          description: 'How many were kept; which were not, by their index, and why.',
          schema: z.object({
            imported: z.int(),
            total_memories: z.int(),
            format_used: z.string(),
            /** What the entries were read as. */
            format_detected: z.string(),
            /** Without text, not sure enough, or kept before. */
            skipped: z.array(zFault),
            /** Handed out by this daemon before. */
            recognised: z.array(zFault),
            /** Kept under another id than they had. */
            renamed: z.array(z.object({ index: z.int(), id: z.string() })),
            errors: z.array(zFault),
          }),
        },
        ...refused,
      },
      handle: ({ body, origin }) => deps.memory.inTurn(() => take({ deps, names }, body, origin)),
    }),
  ];
}

interface Importing {
  readonly deps: Dependencies;
  readonly names: ReadonlySet<string>;
}

async function take(
  { deps, names }: Importing,
  { content, format }: { readonly content: string; readonly format?: string | null | undefined },
  origin: Origin,
) {
  const read = parsed(content, format ?? 'auto');
  const { entries, known, recognised, loops } = await sorted({ deps, names }, read.entries);
  for (let at = 0; at < entries.length; at += KEPT_AT_ONCE) {
    const parts = entries
      .slice(at, at + KEPT_AT_ONCE)
      .map(({ id, body }) => batchCommand(memory, id, { type: 'KeepMemory', how: 'MemoryImported', body }));
    await deps.dispatcher.dispatchBatch(parts, origin);
  }
  await countLoops(deps, loops, origin);
  if (entries.length <= LINKED_MAX) await link(deps, entries, origin);
  const byIndex = (a: EntryFault, b: EntryFault): number => a.index - b.index;
  return value({
    imported: entries.length,
    total_memories: totals(deps).total_memories,
    format_used: format ?? 'auto',
    format_detected: read.format,
    skipped: [...read.skipped, ...known].sort(byIndex),
    recognised,
    renamed: entries.flatMap(({ index, id, given }) => (given === undefined || given === id ? [] : [{ index, id }])),
    errors: read.errors,
  });
}

function parsed(content: string, format: string) {
  try {
    return readImport(content, format);
  } catch (error) {
    if (error instanceof ImportError) throw new HttpError(400, `import failed: ${error.message}`);
    throw error;
  }
}

interface Kept {
  readonly index: number;
  readonly id: string;
  /** The id it came with, if any. */
  readonly given: string | undefined;
  readonly content: string;
  readonly body: MemoryBody;
}

/** New ones apart from those that are here already. */
async function sorted({ deps, names }: Importing, entries: readonly ImportEntry[]) {
  const kept: Kept[] = [];
  const known: EntryFault[] = [];
  const recognised: EntryFault[] = [];
  const loops: Loop[] = [];
  const ids = new Set<string>();
  for (const [count, entry] of entries.entries()) {
    if (count % READ_AT_ONCE === READ_AT_ONCE - 1) await breathe();
    const { index, id: given = deps.ids.uuid() } = entry;
    const id = names.has(given) ? `imported-${given}` : given;
    if (ids.has(id) || memoryRow(deps.views, id, 0) !== undefined) {
      known.push({ index, error: 'a memory with this id is kept already' });
      continue;
    }
    ids.add(id);
    const loop = recognise(deps, entry.content, 'import');
    if (loop !== null) {
      loops.push(loop.loop);
      recognised.push({ index, error: `it repeats what was recalled from ${loop.loop.id}` });
      continue;
    }
    kept.push({ index, id, given: entry.id, content: entry.content, body: bodyOf(deps, entry, id) });
  }
  return { entries: kept, known, recognised, loops };
}

function bodyOf(deps: Dependencies, entry: ImportEntry, id: string): MemoryBody {
  const { content, tags, meta, secondary, created_at } = entry;
  const ms = (at: number | undefined): number | undefined => (at === undefined ? undefined : Math.round(at * 1000));
  const given = {
    sector: entry.sector,
    secondary: secondary?.map(([name, share]) => [name, share] as [typeof name, number]),
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
  const present = Object.fromEntries(Object.entries(given).filter(([, field]) => field !== undefined));
  return memoryBody(deps, { id, content, tags, meta }, present as Partial<MemoryBody>);
}

async function link(deps: Dependencies, entries: readonly Kept[], origin: Origin): Promise<void> {
  const parts = [];
  for (const [count, { id, content }] of entries.entries()) {
    if (count % READ_AT_ONCE === READ_AT_ONCE - 1) await breathe();
    parts.push(batchCommand(memory, id, { type: 'LayWaypoints', links: nearestMemories(deps, content, id) }));
  }
  await deps.dispatcher.dispatchBatch(parts, origin);
}
