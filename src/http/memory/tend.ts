/** Tending the store: let go of what has faded, merge what is weak and says the same, reflect on the rest. */
import { setImmediate as breathe } from 'node:timers/promises';
import { z } from 'zod';
import { memory } from '../../commands/memory/memory.ts';
import { REFLECTED_MIN, reflection } from '../../commands/memory/reflect.ts';
import type { MemoryBody } from '../../events/memory.ts';
import { fadedMemories, type MemoryRow, unreflectedMemories, weakMemories } from '../../projections/memory/memories.ts';
import { nearestTexts } from '../../projections/recall/recall.ts';
import type { Origin } from '../../streams/command-handler.ts';
import { batchCommand } from '../../streams/command-handler.ts';
import type { House } from '../house.ts';
import { value } from '../server/answer.ts';
import { type RouteSpec, route } from '../server/route.ts';
import { nearestMemories } from './keep.ts';
import { eraseTexts, memoryBody, textPositions, totals } from './room.ts';
import { common } from './shapes.ts';
import { memoryWords } from './words.ts';

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

export function tendRoutes(house: House): readonly RouteSpec[] {
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
        house.memory.inTurn(async () => {
          const purged = await purge(house, origin);
          return value({ purged, remaining: totals(house).total_memories, decayed: purged });
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
        house.memory.inTurn(async () => {
          const sizes = await merge(house, origin);
          const reflections_created = await reflect(house, origin);
          const memories_merged = sizes.reduce((sum, size) => sum + size, 0);
          const counts = { consolidated: sizes.length, merged: sizes.length, memories_merged };
          return value({ ...counts, reflections_created, remaining: totals(house).total_memories });
        }),
    }),
  ];
}

async function purge(house: House, origin: Origin): Promise<number> {
  let purged = 0;
  for (;;) {
    const now = house.ambient.now();
    const rows = fadedMemories(house.views, { now, below: KEPT_SALIENCE_MIN, limit: PURGED_AT_ONCE });
    const leaving = rows.map((row) => ({ row, positions: textPositions(house, `memory-${row.id}`) }));
    const parts = leaving.map(({ row, positions }) =>
      batchCommand(memory, row.id, { type: 'DecayMemory', effective_salience: row.effective, positions }),
    );
    const events = await house.dispatcher.dispatchBatch(parts, origin);
    if (events.length === 0) return purged;
    purged += events.length;
    await eraseTexts(
      house,
      leaving.flatMap(({ positions }) => positions),
    );
  }
}

/** How many memories each merged one replaces. */
async function merge(house: House, origin: Origin): Promise<readonly number[]> {
  const now = house.ambient.now();
  const weak = weakMemories(house.views, { now, atMost: WEAK_SALIENCE_MAX, limit: WEAK_MAX });
  const left = new Map(weak.map((row) => [row.id, row]));
  const sizes: number[] = [];
  for (const first of weak) {
    if (!left.delete(first.id)) continue;
    const cluster = [first, ...alike(house, first, left)];
    if (cluster.length > 1) {
      for (const { id } of cluster) left.delete(id);
      await replace(house, cluster, origin);
      sizes.push(cluster.length);
    }
    await breathe();
  }
  return sizes;
}

function alike(house: House, first: MemoryRow, left: ReadonlyMap<string, MemoryRow>): readonly MemoryRow[] {
  const text = memoryWords(house.memory.vault(), first).content;
  const query = { text, kind: 'memory', k: CLUSTER_MAX, min: CLUSTER_COSINE_MIN } as const;
  return nearestTexts(house.memory.index(), query)
    .map(({ key }) => left.get(key))
    .filter((row) => row !== undefined)
    .filter((row) => row.sector === first.sector)
    .slice(0, CLUSTER_MAX - 1);
}

async function replace(house: House, cluster: readonly MemoryRow[], origin: Origin): Promise<void> {
  const id = house.ambient.uuid();
  const words = cluster.map((row) => memoryWords(house.memory.vault(), row));
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
    waypoints: nearestMemories(house, content).filter(({ dst_id }) => !cluster.some((row) => row.id === dst_id)),
  };
  const merged = memoryBody(house, { id, content, tags, meta }, body);
  const leaving = cluster.map((row) => ({ id: row.id, positions: textPositions(house, `memory-${row.id}`) }));
  await house.dispatcher.dispatchBatch(
    [
      batchCommand(memory, id, { type: 'KeepMemory', how: 'MemoriesMerged', body: merged }),
      ...leaving.map((each) =>
        batchCommand(memory, each.id, { type: 'AbsorbMemory', into: id, positions: each.positions }),
      ),
    ],
    origin,
  );
  await eraseTexts(
    house,
    leaving.flatMap(({ positions }) => positions),
  );
}

/** One reflection on what none was formed on before, if that is enough to reflect upon. */
async function reflect(house: House, origin: Origin): Promise<number> {
  const rows = unreflectedMemories(house.views, house.ambient.now(), REFLECTED_MAX);
  if (rows.length < REFLECTED_MIN) return 0;
  const vault = house.memory.vault();
  const content = reflection(
    rows.map((row) => ({ content: memoryWords(vault, row).content, sector: row.sector, at: row.created_at })),
  );
  const id = house.ambient.uuid();
  const draft = { id, content, tags: ['auto-reflection'], meta: { reflected_on: String(rows.length) } };
  const from = rows.map((row) => row.id);
  const body = memoryBody(house, draft, { sector: 'reflective', pinned: true, from });
  await house.dispatcher.dispatchBatch(
    [batchCommand(memory, id, { type: 'KeepMemory', how: 'ReflectionFormed', body })],
    origin,
  );
  return 1;
}
