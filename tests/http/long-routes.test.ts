/** Handlers that take long: others do not wait for all of them. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { text } from '../../src/http/server/route.ts';
import { PUBLIC_ROUTE, publicRoutes, testServer } from '../support/server.ts';

it('begin in turns of the event loop of their own, and a short handler waits for none', async () => {
  let turn = 0;
  const begun: string[] = [];
  const handle = (name: string) => () => {
    begun.push(`${name} ${turn}`);
    return text('text/plain', '');
  };
  const { app } = await testServer(() => [
    publicRoutes.get('/long', { ...PUBLIC_ROUTE, isLong: true, handle: handle('long') }),
    publicRoutes.get('/short', { ...PUBLIC_ROUTE, handle: handle('short') }),
  ]);
  await app.ready();
  const answers = ['/long', '/long', '/long', '/short'].map((url) => app.inject(url));
  while (begun.length < answers.length) {
    await nextTurn();
    turn += 1;
  }
  expect(begun[0]).toMatch(/^short/);
  expect(new Set(begun).size).toBe(answers.length);
  for (const answer of answers) expect((await answer).statusCode).toBe(200);
});
