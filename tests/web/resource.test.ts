/** The optimistic changes of a kept answer. */
import { expect, it } from 'vitest';
import { resource } from '../../web/resource.ts';

it('takes a change back that the daemon did not confirm, also when it cannot be asked', async () => {
  let isAway = false;
  const status = resource({
    load: async () => {
      if (isAway) throw new Error('away');
      return 'draft';
    },
    concerns: () => false,
  });
  await status.refresh();
  isAway = true;
  const { promise: sent, reject } = Promise.withResolvers<void>();
  const changing = status.change(
    () => 'ready',
    () => sent,
  );
  expect([status.value.value, status.isPending.value]).toEqual(['ready', true]);
  reject(new Error('away'));
  await expect(changing).rejects.toThrow('away');
  expect([status.value.value, status.isPending.value]).toEqual(['draft', false]);
  expect(status.error.value?.message).toBe('away');
});
