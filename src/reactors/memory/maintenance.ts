/** Maintenance of the store: purges faded memories, merges weak ones that say nearly the same, forms reflections. */

import { memory } from '../../commands/memory/decide.ts';
import { REFLECTED_MIN, reflection } from '../../commands/memory/reflect.ts';
import type { MemoryBody } from '../../events/memory/events.ts';
import { ownTurn } from '../../lib/slices.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { fadedMemories, type MemoryRow, unreflectedMemories, weakMemories } from '../../projections/memory/memories.ts';
import { nearestTexts } from '../../projections/recall/recall.ts';
import { type DraftContext, memoryBody, nearestLinks } from '../../queries/memory/draft.ts';
import type { MemoryEncryption } from '../../queries/memory/encryption.ts';
import { totals } from '../../queries/memory/memories.ts';
import { memoryTexts } from '../../queries/memory/texts.ts';
import { type BatchCommand, batchCommand, type Origin } from '../../streams/command-handler.ts';
import type { DeletionParts } from './deletion.ts';
import { eraseDecided, memoryPositions } from './erasure.ts';

export interface MaintenanceParts extends DeletionParts, DraftContext {
  readonly ids: IdGenerator;
  readonly encryption: Pick<MemoryEncryption, 'cipher' | 'fingerprints' | 'index'>;
}

const KEPT_SALIENCE_MIN = 0.05;
/** One commit is folded in one turn of the event loop: about 4 ms for each memory. */
const PURGED_PER_COMMIT = 40;
/** Weak memories that one call considers; the next call continues with the rest. */
const WEAK_MAX = 2_000;
const WEAK_SALIENCE_MAX = 0.5;
const CLUSTER_COSINE_MIN = 0.8;
/** Memories merged into one. */
const CLUSTER_MAX = 50;
const MERGED_SALIENCE_GAIN = 0.2;
const REFLECTED_MAX = 500;

/** Deletes every unpinned memory with too little salience left. Runs in an exclusive section. */
export async function purgeFaded(parts: MaintenanceParts, origin: Origin) {
  let purged = 0;
  for (;;) {
    const now = parts.clock.now();
    const rows = fadedMemories(parts.views, { now, below: KEPT_SALIENCE_MIN, limit: PURGED_PER_COMMIT });
    const commands = rows.map(({ id, effective: effective_salience }) => {
      const positions = memoryPositions(parts, id);
      return batchCommand(memory, id, { type: 'DecayMemory', effective_salience, positions });
    });
    const events = await parts.commandHandler.dispatchBatch(commands, origin);
    if (events.length === 0) break;
    purged += events.length;
    await eraseDecided(parts, events);
  }
  return { purged, remaining: totals(parts.views).total_memories, decayed: purged };
}

/** Merges weak memories and forms a reflection. Runs in an exclusive section. */
export async function consolidate(parts: MaintenanceParts, origin: Origin) {
  const sizes = await mergeWeak(parts, origin);
  const reflections_created = await formReflection(parts, origin);
  return {
    consolidated: sizes.length,
    merged: sizes.length,
    memories_merged: sizes.reduce((sum, size) => sum + size, 0),
    reflections_created,
    remaining: totals(parts.views).total_memories,
  };
}

/** The number of memories that each merged one replaces. */
async function mergeWeak(parts: MaintenanceParts, origin: Origin): Promise<readonly number[]> {
  const now = parts.clock.now();
  const weak = weakMemories(parts.views, { now, atMost: WEAK_SALIENCE_MAX, limit: WEAK_MAX });
  const remaining = new Map(weak.map((row) => [row.id, row]));
  const sizes: number[] = [];
  for (const first of weak) {
    if (!remaining.delete(first.id)) continue;
    const cluster = [first, ...similarTo(parts, first, remaining)];
    if (cluster.length > 1) {
      for (const { id } of cluster) remaining.delete(id);
      const events = await parts.commandHandler.dispatchBatch([replacement(parts, cluster)], origin);
      await eraseDecided(parts, events);
      if (events.length > 0) sizes.push(events.length - 1);
    }
    await ownTurn();
  }
  return sizes;
}

function similarTo(
  { encryption }: MaintenanceParts,
  first: MemoryRow,
  remaining: ReadonlyMap<string, MemoryRow>,
): readonly MemoryRow[] {
  const text = memoryTexts(encryption.cipher(), first).content;
  const query = { text, kind: 'memory', k: CLUSTER_MAX, min: CLUSTER_COSINE_MIN } as const;
  return nearestTexts(encryption.index(), query)
    .map(({ key }) => remaining.get(key))
    .filter((row) => row !== undefined)
    .filter((row) => row.sector === first.sector)
    .slice(0, CLUSTER_MAX - 1);
}

/** Puts one memory in place of those of the cluster that still exist and are not pinned at the time of the commit. */
function replacement(parts: MaintenanceParts, cluster: readonly MemoryRow[]): BatchCommand {
  const into = parts.ids.uuid();
  return {
    sendTo(unit) {
      const absorbed = cluster.filter(({ id }) => {
        const state = unit.read(memory, id);
        return state.life === 'kept' && !state.pinned;
      });
      if (absorbed.length < 2) return;
      const body = mergedBody(parts, into, absorbed);
      unit.send(memory, into, { type: 'KeepMemory', how: 'MemoriesMerged', body });
      for (const { id } of absorbed) {
        unit.send(memory, id, { type: 'AbsorbMemory', into, positions: memoryPositions(parts, id) });
      }
    },
  };
}

/** The distinct texts, without those that another one has among its lines: an earlier merge joined them. */
function withoutParts(texts: readonly string[]): readonly string[] {
  const distinct = [...new Set(texts)];
  const isPart = (text: string, of: string): boolean => text !== of && `\n${of}\n`.includes(`\n${text}\n`);
  return distinct.filter((text) => !distinct.some((other) => isPart(text, other)));
}

/** A project or session that is not that of all memories is dropped. */
function mergedBody(parts: MaintenanceParts, id: string, cluster: readonly MemoryRow[]): MemoryBody {
  const { encryption } = parts;
  const texts = cluster.map((row) => memoryTexts(encryption.cipher(), row));
  const content = withoutParts(texts.map((each) => each.content)).join('\n');
  const tags = [...new Set(texts.flatMap((each) => each.tags))].sort();
  const from = cluster.map((row) => row.id);
  const [{ sector, project_id, session_id, user_id }] = cluster as readonly [MemoryRow];
  const shared = <Field>(of: (row: MemoryRow) => Field, first: Field): Field | null =>
    cluster.every((row) => of(row) === first) ? first : null;
  return memoryBody(
    parts,
    { id, content, tags, meta: { merged_from: from.join(',') } },
    {
      sector,
      user_id,
      salience: Math.min(1, Math.max(...cluster.map((row) => row.salience)) + MERGED_SALIENCE_GAIN),
      project_id: shared((row) => row.project_id, project_id),
      session_id: shared((row) => row.session_id, session_id),
      from,
      waypoints: nearestLinks(encryption.index(), content).filter(({ dst_id }) => !from.includes(dst_id)),
    },
  );
}

/** One reflection on all memories that no reflection covers, if there are enough of them. Returns the number formed. */
async function formReflection(parts: MaintenanceParts, origin: Origin): Promise<number> {
  const rows = unreflectedMemories(parts.views, parts.clock.now(), REFLECTED_MAX);
  if (rows.length < REFLECTED_MIN) return 0;
  const cipher = parts.encryption.cipher();
  const content = reflection(
    rows.map((row) => ({ content: memoryTexts(cipher, row).content, sector: row.sector, at: row.created_at })),
  );
  const id = parts.ids.uuid();
  const draft = { id, content, tags: ['auto-reflection'], meta: { reflected_on: String(rows.length) } };
  const from = rows.map((row) => row.id);
  const body = memoryBody(parts, draft, { sector: 'reflective', pinned: true, from });
  await parts.commandHandler.dispatchBatch(
    [batchCommand(memory, id, { type: 'KeepMemory', how: 'ReflectionFormed', body })],
    origin,
  );
  return 1;
}
