/** Digs tunnels between entries that are near each other, across memories and drawers. */
import { memory } from '../../commands/memory/decide.ts';
import { inSlices } from '../../lib/slices.ts';
import { type MemoryRow, newestMemories } from '../../projections/memory/memories.ts';
import { tunnelBetween } from '../../projections/memory/waypoints.ts';
import { nearestTexts, unit } from '../../projections/recall/recall.ts';
import type { Views } from '../../projections/views.ts';
import type { MemoryEncryption } from '../../queries/memory/encryption.ts';
import { memoryTexts } from '../../queries/memory/texts.ts';
import { type BatchCommand, batchCommand, type CommandHandler, type Origin } from '../../streams/command-handler.ts';

export interface TunnelParts {
  readonly commandHandler: CommandHandler;
  readonly views: Views;
  readonly encryption: Pick<MemoryEncryption, 'cipher' | 'index'>;
}

/** The newest memories that one call considers, and the neighbours of each in either store. */
const CONSIDERED_MAX = 2_000;
const NEIGHBOURS_MAX = 5;
const MEMORIES_PER_COMMIT = 20;

/** Tunnels from the newest memories to every entry with at least this cosine. Runs in an exclusive section. */
export async function digTunnels(parts: TunnelParts, threshold: number, origin: Origin) {
  const rows = newestMemories(parts.views, { limit: CONSIDERED_MAX, offset: 0, now: 0 });
  let tunnels_created = 0;
  for (let at = 0; at < rows.length; at += MEMORIES_PER_COMMIT) {
    const commands = await tunnelCommands(parts, rows.slice(at, at + MEMORIES_PER_COMMIT), threshold);
    tunnels_created += (await parts.commandHandler.dispatchBatch(commands, origin)).length;
  }
  return { tunnels_created, threshold, considered: rows.length };
}

/** Of two memories that are near each other only the first gets the tunnel. */
async function tunnelCommands(
  parts: TunnelParts,
  rows: readonly MemoryRow[],
  threshold: number,
): Promise<readonly BatchCommand[]> {
  const dug = new Set<string>();
  const commands: BatchCommand[] = [];
  for await (const row of inSlices(rows)) {
    const tunnels = neighbours(parts, row, threshold).filter(
      ({ dst_id }) => !dug.has(`${dst_id} ${row.id}`) && tunnelBetween(parts.views, row.id, dst_id) === undefined,
    );
    for (const { dst_id } of tunnels) dug.add(`${row.id} ${dst_id}`);
    commands.push(batchCommand(memory, row.id, { type: 'DigTunnels', tunnels, automatic: true }));
  }
  return commands;
}

function neighbours({ encryption }: TunnelParts, row: MemoryRow, threshold: number) {
  const text = memoryTexts(encryption.cipher(), row).content;
  return (['memory', 'drawer'] as const).flatMap((kind) =>
    nearestTexts(encryption.index(), { text, kind, k: NEIGHBOURS_MAX + 1, min: threshold })
      .filter(({ key }) => key !== row.id)
      .slice(0, NEIGHBOURS_MAX)
      .map(({ key, similarity }) => ({
        dst_id: key,
        weight: unit(similarity),
        existingWeight: null,
      })),
  );
}
