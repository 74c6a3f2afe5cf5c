/** Records the entries that questions and context blocks returned, and the recognised recall loops. */
import { type Loop, RECALL_STREAM_ID, recalled } from '../../commands/memory/recalled.ts';
import type { Clock } from '../../ports/clock.ts';
import { DAY_MS } from '../../projections/memory/memories.ts';
import { notRecalledSince } from '../../projections/memory/recalled.ts';
import type { Views } from '../../projections/views.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { CommandHandler, Origin } from '../../streams/command-handler.ts';

export interface RecallLogParts {
  readonly clock: Clock;
  readonly views: Views;
  readonly log: Pick<EventLog, 'failure'>;
  readonly commandHandler: CommandHandler;
}

/** An entry is recorded as recalled at most once in this time. */
const RECALL_INTERVAL_MS = DAY_MS;

export interface Recalled {
  readonly via: 'context' | 'query';
  readonly memory_ids: readonly string[];
  readonly drawer_ids: readonly string[];
  readonly fact_ids?: readonly string[];
}

/** Records nothing while the log takes no writes, so that reading still works. */
export async function recordRecall(
  { clock, views, log, commandHandler }: RecallLogParts,
  { via, memory_ids, drawer_ids, fact_ids = [] }: Recalled,
  origin: Origin,
): Promise<void> {
  const since = clock.now() - RECALL_INTERVAL_MS;
  const fresh = (ids: readonly string[]): string[] => [...notRecalledSince(views, ids, { via, since })];
  const ids = { memory_ids: fresh(memory_ids), drawer_ids: fresh(drawer_ids), fact_ids: fresh(fact_ids) };
  if (log.failure !== null) return;
  const command = { type: 'RecordRecall', recalled: { via, ...ids } } as const;
  await commandHandler.dispatch(recalled, RECALL_STREAM_ID, command, { origin });
}

export async function recordLoops(
  { commandHandler }: Pick<RecallLogParts, 'commandHandler'>,
  loops: readonly Loop[],
  origin: Origin,
): Promise<void> {
  if (loops.length === 0) return;
  await commandHandler.dispatch(recalled, RECALL_STREAM_ID, { type: 'RecogniseLoops', loops }, { origin });
}
