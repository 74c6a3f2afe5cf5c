/** Work that is done once: shared while it is under way and when it is done, and begun again after a failure. */
import { expect, it } from 'vitest';
import { createOnce } from '../../src/lib/once.ts';

function counted(...outcomes: readonly (Error | string)[]) {
  let begun = 0;
  const once = createOnce(async () => {
    const outcome = outcomes[begun]!;
    begun += 1;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  });
  return { once, begun: () => begun };
}

it('is done once for all callers', async () => {
  const { once, begun } = counted('done');
  expect(await once.begun()).toBeUndefined();
  expect(await Promise.all([once.run(), once.run()])).toEqual(['done', 'done']);
  expect([await once.run(), await once.begun(), begun()]).toEqual(['done', 'done', 1]);
});

it('is begun again by the next caller after a failure', async () => {
  const { once, begun } = counted(new Error('not now'), 'done');
  const failed = once.run();
  expect(await once.begun()).toBeUndefined();
  await expect(failed).rejects.toThrow('not now');
  expect([await once.run(), begun()]).toEqual(['done', 2]);
});
