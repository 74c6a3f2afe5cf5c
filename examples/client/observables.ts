/** Streams as observables, of docs/client.md. */
import { filter, map, type Observable } from 'rxjs';
import type { Client } from '../../src/client/client.ts';
import { observe } from '../../src/client/rxjs.ts';

export function goalTitles(client: Client): Observable<unknown> {
  return observe(client.log.events({ after: 0, type: 'GoalCreated' })).pipe(
    map(({ data }) => Object.entries(data.data ?? {}).find(([name]) => name === 'title')?.[1]),
    filter((title) => title !== undefined),
  );
}
