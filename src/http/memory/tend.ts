/** Tending the store: let go of what has faded, merge what is weak and says the same, reflect on the rest. */
import { setImmediate as breathe } from 'node:timers/promises';
import { z } from 'zod';
import { memory } from '../../commands/memory/decide.ts';
import { REFLECTED_MIN, reflection } from '../../commands/memory/reflect.ts';
import type { Config } from '../../config.ts';
import type { MemoryBody } from '../../events/memory/events.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { fadedMemories, type MemoryRow, unreflectedMemories, weakMemories } from '../../projections/memory/memories.ts';
import { nearestTexts } from '../../projections/recall/recall.ts';
import type { Views } from '../../projections/views.ts';
import { eraseTexts, memoryBody, textPositions, totals } from '../../queries/memory/memory-context.ts';
import { memoryWords } from '../../queries/memory/texts.ts';
import type { MemoryKeeper } from '../../reactors/memory/memory-store.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { CommandHandler, Origin } from '../../streams/command-handler.ts';
import { batchCommand } from '../../streams/command-handler.ts';
import type { Projector } from '../../streams/projector.ts';
import { value } from '../server/answer.ts';
import { type RouteSpec, route } from '../server/route.ts';
import { nearestMemories } from './memories.ts';
import { common } from './schemas.ts';

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

const KEPT_SALIENCE_MIN = 0.05;
const PURGED_AT_ONCE = 500;
/** Weak memories looked at in one call; the next call goes on with the rest. */
const WEAK_MAX = 2_000;
const WEAK_SALIENCE_MAX = 0.5;
const CLUSTER_COSINE_MIN = 0.8;
/** Memories merged into one. */
const CLUSTER_MAX = 50;
const MERGED_SALIENCE_MORE = 0.2;
const REFLECTED_MAX = 500;

export function tendRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [
    route({
      ...common,
      method: 'POST',
      path: '/memory/decay',
      summary: 'Lets go of unpinned memories of which less than 0.05 is left.',
      responses: {
        200: {
          description: 'How many left, and how many remain.',
          schema: z.object({ purged: z.int(), remaining: z.int(), decayed: z.int() }),
        },
      },
      handle: ({ origin }) =>
        deps.memory.inTurn(async () => {
          const purged = await purge(deps, origin);
          return value({ purged, remaining: totals(deps).total_memories, decayed: purged });
        }),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/memory/consolidate',
      summary: 'Merges weak memories that say nearly the same, and forms a reflection on what is new.',
      responses: {
        200: {
          description: '`consolidated` and `merged` count the new memories, `memories_merged` those they replace.',
          schema: z.object({
            consolidated: z.int(),
            merged: z.int(),
            memories_merged: z.int(),
            reflections_created: z.int(),
            remaining: z.int(),
          }),
        },
      },
      handle: ({ origin }) =>
        deps.memory.inTurn(async () => {
          const sizes = await merge(deps, origin);
          const reflections_created = await reflect(deps, origin);
          const memories_merged = sizes.reduce((sum, size) => sum + size, 0);
          const counts = { consolidated: sizes.length, merged: sizes.length, memories_merged };
          return value({ ...counts, reflections_created, remaining: totals(deps).total_memories });
        }),
    }),
  ];
}

async function purge(deps: Dependencies, origin: Origin): Promise<number> {
  let purged = 0;
  for (;;) {
    const now = deps.clock.now();
    const rows = fadedMemories(deps.views, { now, below: KEPT_SALIENCE_MIN, limit: PURGED_AT_ONCE });
    const leaving = rows.map((row) => ({ row, positions: textPositions(deps, `memory-${row.id}`) }));
    const parts = leaving.map(({ row, positions }) =>
      batchCommand(memory, row.id, { type: 'DecayMemory', effective_salience: row.effective, positions }),
    );
    const events = await deps.dispatcher.dispatchBatch(parts, origin);
    if (events.length === 0) return purged;
    purged += events.length;
    await eraseTexts(
      deps,
      leaving.flatMap(({ positions }) => positions),
    );
  }
}

/** How many memories each merged one replaces. */
async function merge(deps: Dependencies, origin: Origin): Promise<readonly number[]> {
  const now = deps.clock.now();
  const weak = weakMemories(deps.views, { now, atMost: WEAK_SALIENCE_MAX, limit: WEAK_MAX });
  const left = new Map(weak.map((row) => [row.id, row]));
  const sizes: number[] = [];
  for (const first of weak) {
    if (!left.delete(first.id)) continue;
    const cluster = [first, ...alike(deps, first, left)];
    if (cluster.length > 1) {
      for (const { id } of cluster) left.delete(id);
      await replace(deps, cluster, origin);
      sizes.push(cluster.length);
    }
    await breathe();
  }
  return sizes;
}

function alike(deps: Dependencies, first: MemoryRow, left: ReadonlyMap<string, MemoryRow>): readonly MemoryRow[] {
  const text = memoryWords(deps.memory.vault(), first).content;
  const query = { text, kind: 'memory', k: CLUSTER_MAX, min: CLUSTER_COSINE_MIN } as const;
  return nearestTexts(deps.memory.index(), query)
    .map(({ key }) => left.get(key))
    .filter((row) => row !== undefined)
    .filter((row) => row.sector === first.sector)
    .slice(0, CLUSTER_MAX - 1);
}

async function replace(deps: Dependencies, cluster: readonly MemoryRow[], origin: Origin): Promise<void> {
  const id = deps.ids.uuid();
  const words = cluster.map((row) => memoryWords(deps.memory.vault(), row));
  const content = [...new Set(words.map((each) => each.content))].join('\n');
  const tags = [...new Set(words.flatMap((each) => each.tags))].sort();
  const meta = { merged_from: cluster.map((row) => row.id).join(',') };
  const [{ sector, project_id, session_id, user_id }] = cluster as readonly [MemoryRow];
  const shared = <Field>(of: (row: MemoryRow) => Field, first: Field): Field | null =>
    cluster.every((row) => of(row) === first) ? first : null;
  const body: Partial<MemoryBody> = {
    sector,
    user_id,
    salience: Math.min(1, Math.max(...cluster.map((row) => row.salience)) + MERGED_SALIENCE_MORE),
    project_id: shared((row) => row.project_id, project_id),
    session_id: shared((row) => row.session_id, session_id),
    from: cluster.map((row) => row.id),
    waypoints: nearestMemories(deps, content).filter(({ dst_id }) => !cluster.some((row) => row.id === dst_id)),
  };
  const merged = memoryBody(deps, { id, content, tags, meta }, body);
  const leaving = cluster.map((row) => ({ id: row.id, positions: textPositions(deps, `memory-${row.id}`) }));
  await deps.dispatcher.dispatchBatch(
    [
      batchCommand(memory, id, { type: 'KeepMemory', how: 'MemoriesMerged', body: merged }),
      ...leaving.map((each) =>
        batchCommand(memory, each.id, { type: 'AbsorbMemory', into: id, positions: each.positions }),
      ),
    ],
    origin,
  );
  await eraseTexts(
    deps,
    leaving.flatMap(({ positions }) => positions),
  );
}

/** One reflection on what none was formed on before, if that is enough to reflect upon. */
async function reflect(deps: Dependencies, origin: Origin): Promise<number> {
  const rows = unreflectedMemories(deps.views, deps.clock.now(), REFLECTED_MAX);
  if (rows.length < REFLECTED_MIN) return 0;
  const vault = deps.memory.vault();
  const content = reflection(
    rows.map((row) => ({ content: memoryWords(vault, row).content, sector: row.sector, at: row.created_at })),
  );
  const id = deps.ids.uuid();
  const draft = { id, content, tags: ['auto-reflection'], meta: { reflected_on: String(rows.length) } };
  const from = rows.map((row) => row.id);
  const body = memoryBody(deps, draft, { sector: 'reflective', pinned: true, from });
  await deps.dispatcher.dispatchBatch(
    [batchCommand(memory, id, { type: 'KeepMemory', how: 'ReflectionFormed', body })],
    origin,
  );
  return 1;
}
