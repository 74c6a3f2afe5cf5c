/** Creates the runtime on the log: views and projector, command handler, committed events, subscriptions. */
import { openProjector } from '../read-models.ts';
import { categoriesOf, eventsOf, type Resource } from '../resource.ts';
import type { EventLog } from '../storage/event-log.ts';
import type { Storage } from '../storage/open.ts';
import { createCommandHandler } from '../streams/command-handler.ts';
import { createCommittedEvents } from '../streams/committed-events.ts';
import { createPositions } from '../streams/positions.ts';
import { createSubscriptions } from '../streams/subscriptions.ts';
import { CheckpointThread } from './checkpoint-thread.ts';
import type { FoldingThread } from './fold-thread.ts';
import type { System } from './system.ts';

export type Streams = ReturnType<typeof openStreams>;

interface StreamsOptions {
  readonly log: EventLog;
  readonly storage: Pick<Storage, 'reserve' | 'database'>;
  readonly resources: readonly Pick<Resource<never>, 'key' | 'deciders' | 'projections'>[];
  /** File of the views; null keeps them in memory. */
  readonly viewsPath: string | null;
  readonly ahead: FoldingThread | undefined;
  /** Gets what has to be closed. */
  readonly opened: AsyncDisposableStack;
}

export function openStreams({ announce, clock, ids }: System, options: StreamsOptions) {
  const { log, storage, resources, viewsPath, ahead, opened } = options;
  const { views, projector } = openProjector(viewsPath, {
    log,
    ahead,
    report: announce,
    projections: resources.flatMap(({ projections }) => projections),
    events: eventsOf(resources),
    categories: categoriesOf(resources),
    makeRoom: () => storage.reserve?.draw() ?? false,
    checkpoints: new CheckpointThread(announce),
  });
  opened.defer(() => views.close());
  const committed = createCommittedEvents(log, projector);
  const commandHandler = createCommandHandler({
    log,
    clock,
    ids,
    readModels: projector,
    unknownTypes: 'refuse',
    refresh: storage.database?.refresh,
  });
  return {
    views,
    projector,
    commandHandler,
    committed,
    positions: createPositions({ log, projector, folded$: committed.folded$ }),
    subscriptions: createSubscriptions({ log, views, committed, report: announce }),
  };
}
