/** Aborts work with a connector when the connector is disabled or removed. */
import { connector, connectorStreamId, notConfigured } from '../../commands/connector/decide.ts';
import { Refused, refused } from '../../commands/refusal.ts';
import type { WorkspaceScope } from '../../queries/workspace-scope.ts';
import type { CommittedEvents } from '../../streams/committed-events.ts';
import { select } from '../../streams/operators.ts';

/** The signal of the work aborts with the reason of `signal`, or with a `Refused` (invalid). */
export async function whileEnabled<Result>(
  { appended$ }: Pick<CommittedEvents, 'appended$'>,
  { scope, id }: { readonly scope: WorkspaceScope; readonly id: string },
  { signal, work }: { readonly signal: AbortSignal; readonly work: (signal: AbortSignal) => Promise<Result> },
): Promise<Result> {
  const ended = new AbortController();
  const stream = `${connector.category}-${connectorStreamId(scope.key, id)}`;
  const watch = appended$.pipe(select({ stream })).subscribe((events) => {
    for (const { type } of events) {
      if (type === 'ConnectorRemoved') ended.abort(new Refused(notConfigured(id)));
      if (type === 'ConnectorDisabled') ended.abort(refused('invalid', `The connector '${id}' is disabled.`));
    }
  });
  try {
    return await work(AbortSignal.any([signal, ended.signal]));
  } finally {
    watch.unsubscribe();
  }
}
