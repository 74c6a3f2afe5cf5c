/** An observable of a stream has a connection of its own, which ends with it. */
import { filter, firstValueFrom, take } from 'rxjs';
import { expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { observe } from '../../src/client/rxjs.ts';
import { sharedDaemon } from '../support/daemon.ts';

const daemon = sharedDaemon();

it('an observable closes its connection when nobody listens', async () => {
  const signals: AbortSignal[] = [];
  const client = createClient({
    home: daemon.home,
    fetch: (input, init) => {
      if (init?.signal) signals.push(init.signal);
      return fetch(input, init);
    },
  });
  await client.goals.create({ title: 'seen' });
  const found = observe(client.log.events({ after: 0 })).pipe(
    filter(({ data }) => data.type === 'GoalCreated'),
    take(1),
  );
  expect((await firstValueFrom(found)).data.type).toBe('GoalCreated');
  expect(signals.at(-1)!.aborted).toBe(true);
});
