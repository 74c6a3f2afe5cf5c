/** The output of the newest segment of a run as an async sequence, from its start until its end or an abort. */
import { Subject, type Subscription } from 'rxjs';
import { type AgentEvent, zAgentEvent } from '../../events/run/agent-event.ts';
import { runOutput, segmentStart } from '../../projections/run/output.ts';
import type { Views } from '../../projections/views.ts';
import type { Write } from '../../streams/replay-buffer.ts';
import type { Subscriptions } from '../../streams/subscriptions.ts';

export async function* runEvents(
  { views, subscriptions }: { readonly views: Views; readonly subscriptions: Subscriptions },
  id: string,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent> {
  const demand$ = new Subject<void>();
  const writes$ = subscriptions.rows(runOutput, id, { after: segmentStart(views, id), demand$ });
  let subscription: Subscription;
  const writes = new ReadableStream<Write>({
    start(controller) {
      subscription = writes$.subscribe({
        next: (write) => controller.enqueue(write),
        complete: () => controller.close(),
        error: (error) => controller.error(error),
      });
      const stop = (): void => {
        subscription.unsubscribe();
        controller.close();
      };
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
      subscription.add(() => signal.removeEventListener('abort', stop));
    },
    pull: () => demand$.next(),
    cancel: () => subscription.unsubscribe(),
  });
  for await (const { frames } of writes) {
    for (const { json } of frames) yield zAgentEvent.parse(JSON.parse(json));
  }
}
