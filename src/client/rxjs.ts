/** Streams of the client as observables, for programs that use RxJS. */
import { Observable } from 'rxjs';
import type { EventStream, StreamEvent } from './calls.ts';

export type { EventStream, StreamEvent };

/**
 * The events of a stream. Each subscription has its own connections, which end with it.
 *
 *     observe(client.log.events({ after: 0 })).pipe(map(({ data }) => data.type)).subscribe(console.log);
 *
 * Observables have no backpressure: events are read as fast as the subscriber's callback returns.
 */
export function observe<Data>(stream: EventStream<Data>): Observable<StreamEvent<Data>> {
  return new Observable((subscriber) => {
    const iterator = stream[Symbol.asyncIterator]();
    const read = async (): Promise<void> => {
      for (;;) {
        const result = await iterator.next();
        if (result.done === true || subscriber.closed) return;
        subscriber.next(result.value);
      }
    };
    read().then(
      () => subscriber.complete(),
      (error: unknown) => subscriber.error(error),
    );
    return () => void iterator.return?.();
  });
}
