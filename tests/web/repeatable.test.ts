/** The idempotency keys of forms: a request whose answer was lost is repeated with its key, every other has a new one. */
import { expect, it } from 'vitest';
import { DaybookError } from '../../src/client/client.ts';
import { repeatable } from '../../web/api.ts';

/** Sends bodies, in order, of which the ones that are a status fail with it; answers the keys. */
async function keysOf(sends: readonly (readonly [body: string, status: number | null])[]): Promise<readonly string[]> {
  const keys: string[] = [];
  let status: number | null = null;
  const send = repeatable(async (_: string, { idempotencyKey }: { readonly idempotencyKey: string }) => {
    keys.push(idempotencyKey);
    if (status !== null) throw new DaybookError({ error: 'refused', status });
  });
  for (const [body, each] of sends) {
    status = each;
    await send(body).catch(() => undefined);
  }
  return keys;
}

const LOST = 0;

it('has the same key after a lost answer', async () => {
  const keys = await keysOf([
    ['a', LOST],
    ['a', LOST],
    ['a', null],
  ]);
  expect(new Set(keys).size).toBe(1);
});

it('has a new key for another body, also after a lost answer', async () => {
  const keys = await keysOf([
    ['a', LOST],
    ['b', null],
  ]);
  expect(new Set(keys).size).toBe(2);
});

it('has a new key once the daemon has answered or refused', async () => {
  const keys = await keysOf([
    ['a', null],
    ['a', 400],
    ['a', null],
  ]);
  expect(new Set(keys).size).toBe(3);
});
