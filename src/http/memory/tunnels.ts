/** Tunnels: waypoints beside the automatic ones, dug by hand or found across the stores. */
import { setImmediate as breathe } from 'node:timers/promises';
import { z } from 'zod';
import { memory } from '../../commands/memory/decide.ts';
import type { Config } from '../../config.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { drawerRow } from '../../projections/memory/drawers.ts';
import { type MemoryRow, memoryRow, newestMemories } from '../../projections/memory/memories.ts';
import { tunnelBetween } from '../../projections/memory/waypoints.ts';
import { nearestTexts } from '../../projections/recall/recall.ts';
import type { Views } from '../../projections/views.ts';
import { memoryWords } from '../../queries/memory/texts.ts';
import type { MemoryKeeper } from '../../reactors/memory/memory-store.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import { type BatchCommand, batchCommand } from '../../streams/command-handler.ts';
import type { Projector } from '../../streams/projector.ts';
import { type Answer, value } from '../server/answer.ts';
import { HttpError } from '../server/errors.ts';
import { type RouteSpec, route } from '../server/route.ts';
import { common, refused, zId, zShare } from './schemas.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly dispatcher: CommandHandler;
  readonly log: EventLog;
  readonly views: Views;
  readonly projector: Projector;
  readonly memory: MemoryKeeper;
}

const WEIGHT_DEFAULT = 0.8;
const THRESHOLD_DEFAULT = 0.75;
/** Memories that one call looks at, newest first, and how many neighbours of each in either store. */
const CONSIDERED_MAX = 2_000;
const NEIGHBOURS_MAX = 5;
const LOOKED_AT_ONCE = 20;

const zTunnel = z.object({ created: z.boolean(), src_id: z.string(), dst_id: z.string(), weight: z.number() });

export function tunnelRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [tunnelRoute(deps), autoTunnelRoute(deps)];
}

function tunnelRoute(deps: Dependencies): RouteSpec {
  return route({
    ...common,
    method: 'POST',
    path: '/memory/tunnel',
    summary: 'Digs a waypoint between two memories, across projects if need be.',
    body: z.object({ src_id: zId, dst_id: zId, weight: zShare.nullish() }),
    responses: {
      201: { description: 'The waypoint.', schema: zTunnel },
      200: { description: 'None was dug: an id is unknown, or it is there already.', schema: zTunnel },
      ...refused,
    },
    async handle({ body, dispatch }) {
      const { src_id, dst_id } = body;
      const weight = body.weight ?? WEIGHT_DEFAULT;
      const answer = (created: boolean) => (): Answer =>
        value({ created, src_id, dst_id, weight }, created ? 201 : 200);
      return deps.memory.inTurn(async () => {
        if (memoryRow(deps.views, src_id, 0) === undefined || !isKnown(deps, dst_id)) return answer(false)();
        if (src_id === dst_id) throw new HttpError(400, 'Invalid body: dst_id: must be another memory than src_id');
        const before = tunnelBetween(deps.views, src_id, dst_id);
        // One tunnel has two mouths: dug again from the other one it only gets the new weight.
        const ends = before ?? { src_id, dst_id };
        const tunnel = { dst_id: ends.dst_id, weight, standing: before?.weight ?? null };
        const command = { type: 'DigTunnels', tunnels: [tunnel], automatic: false } as const;
        await dispatch(memory, ends.src_id, command, answer(before === undefined));
        return answer(before === undefined)();
      });
    },
  });
}

function isKnown(deps: Dependencies, id: string): boolean {
  return memoryRow(deps.views, id, 0) !== undefined || drawerRow(deps.views, id) !== undefined;
}

function autoTunnelRoute(deps: Dependencies): RouteSpec {
  return route({
    ...common,
    method: 'POST',
    path: '/memory/auto-tunnel',
    summary: 'Digs tunnels between memories, and from memories to drawers, that are at least so near.',
    body: z.object({ threshold: zShare.nullish() }).optional(),
    responses: {
      200: {
        description: 'How many were dug, and among how many of the newest memories.',
        schema: z.object({ tunnels_created: z.int(), threshold: z.number(), considered: z.int() }),
      },
      ...refused,
    },
    handle: ({ body, origin }) =>
      deps.memory.inTurn(async () => {
        const threshold = body?.threshold ?? THRESHOLD_DEFAULT;
        const rows = newestMemories(deps.views, { limit: CONSIDERED_MAX, offset: 0, now: 0 });
        let tunnels_created = 0;
        for (let at = 0; at < rows.length; at += LOOKED_AT_ONCE) {
          const parts = tunnelsFrom(deps, rows.slice(at, at + LOOKED_AT_ONCE), threshold);
          tunnels_created += (await deps.dispatcher.dispatchBatch(parts, origin)).length;
          await breathe();
        }
        return value({ tunnels_created, threshold, considered: rows.length });
      }),
  });
}

/** Tunnels from these memories to what is near them; of two of them that are near each other only the first digs. */
function tunnelsFrom(deps: Dependencies, rows: readonly MemoryRow[], threshold: number): readonly BatchCommand[] {
  const dug = new Set<string>();
  return rows.map((row) => {
    const tunnels = neighbours(deps, row, threshold).filter(
      ({ dst_id }) => !dug.has(`${dst_id} ${row.id}`) && tunnelBetween(deps.views, row.id, dst_id) === undefined,
    );
    for (const { dst_id } of tunnels) dug.add(`${row.id} ${dst_id}`);
    return batchCommand(memory, row.id, { type: 'DigTunnels', tunnels, automatic: true });
  });
}

function neighbours(deps: Dependencies, row: MemoryRow, threshold: number) {
  const text = memoryWords(deps.memory.vault(), row).content;
  const index = deps.memory.index();
  return (['memory', 'drawer'] as const).flatMap((kind) =>
    nearestTexts(index, { text, kind, k: NEIGHBOURS_MAX + 1, min: threshold })
      .filter(({ key }) => key !== row.id)
      .slice(0, NEIGHBOURS_MAX)
      .map(({ key, similarity }) => ({ dst_id: key, weight: Math.min(1, Math.max(0, similarity)), standing: null })),
  );
}
