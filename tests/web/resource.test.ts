/** The optimistic changes of a kept answer, and when it is asked for again. */
import { afterEach, expect, it, vi } from 'vitest';
import { connection } from '../../web/live.ts';
import { resource } from '../../web/resource.ts';

afterEach(() => void vi.useRealTimers());

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

it('asks again for what failed once the subscription is open again, also after the tab was hidden', async () => {
  vi.useFakeTimers();
  const answers = [new Error('away'), 'there'];
  const kept = resource({
    async load() {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
    concerns: () => false,
  });
  connection.value = { state: 'cut', since: 0 };
  const stop = kept.watch();
  await vi.advanceTimersByTimeAsync(0);
  expect(kept.error.value?.message).toBe('away');
  connection.value = { state: 'paused', since: 0 };
  // Nor does a clock that was set back meanwhile delay it.
  vi.setSystemTime(Date.now() - 3_600_000);
  connection.value = { state: 'connecting' };
  connection.value = { state: 'live' };
  await vi.advanceTimersByTimeAsync(3_000);
  stop();
  expect([kept.error.value, kept.value.value]).toEqual([null, 'there']);
});

it('keeps what came with another answer while an older answer is on its way, and asks again', async () => {
  vi.useFakeTimers();
  const older = Promise.withResolvers<readonly string[]>();
  const answers = [Promise.resolve(['first']), older.promise, Promise.resolve(['first', 'made', 'newest'])];
  const kept = resource<readonly string[]>({ load: () => answers.shift()!, concerns: () => false });
  const stop = kept.watch();
  await vi.advanceTimersByTimeAsync(0);
  void kept.refresh();
  await vi.advanceTimersByTimeAsync(0);
  kept.put(['first', 'made']);
  older.resolve(['first']);
  await vi.advanceTimersByTimeAsync(0);
  expect(kept.value.value).toEqual(['first', 'made']);
  await vi.advanceTimersByTimeAsync(3_000);
  stop();
  expect(kept.value.value).toEqual(['first', 'made', 'newest']);
});

it('sends a change when the one before is answered, so that the newest one wins also when requests come late', async () => {
  let recorded = 'none';
  const kept = resource({ load: async () => recorded, concerns: () => false });
  await kept.refresh();
  const late = Promise.withResolvers<void>();
  const change = (to: string, on: Promise<void>): Promise<void> =>
    kept.change(
      () => to,
      async () => {
        await on;
        recorded = to;
      },
    );
  const changing = [change('older', late.promise), change('newer', Promise.resolve())];
  expect(kept.value.value).toBe('newer');
  late.resolve();
  await Promise.all(changing);
  expect([recorded, kept.value.value, kept.isPending.value]).toEqual(['newer', 'newer', false]);
});

it('sends a change also when the one before is refused, and shows it on what the daemon has', async () => {
  const sets: string[] = ['a'];
  const kept = resource<readonly string[]>({ load: async () => [...sets], concerns: () => false });
  await kept.refresh();
  const refused = Promise.withResolvers<void>();
  const first = kept.change(
    (shown) => [...shown, 'b'],
    () => refused.promise,
  );
  const second = kept.change(
    (shown) => [...shown, 'c'],
    async () => void sets.push('c'),
  );
  expect(kept.value.value).toEqual(['a', 'b', 'c']);
  refused.reject(new Error('no'));
  await expect(first).rejects.toThrow('no');
  await second;
  expect(kept.value.value).toEqual(['a', 'c']);
});

it('shows a change on an answer that does not have it yet', async () => {
  const kept = resource({ load: async () => 'draft', concerns: () => false });
  await kept.refresh();
  const { promise: sent, reject } = Promise.withResolvers<void>();
  const changing = kept.change(
    () => 'ready',
    () => sent,
  );
  await kept.refresh();
  expect([kept.value.value, kept.isPending.value]).toEqual(['ready', true]);
  reject(new Error('no'));
  await expect(changing).rejects.toThrow('no');
  expect(kept.value.value).toBe('draft');
});
