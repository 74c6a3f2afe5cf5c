/** The queue of appends: which writers share a commit, the order of commits and answers, and deciding again. */
import { describe, expect, test } from 'vitest';
import { AppendQueue, DecideAgain } from '../../src/storage/log/append-queue.ts';
import { turns } from '../support/turns.ts';

interface Commit {
  readonly done: () => void;
  readonly fail: (reason: unknown) => void;
}

/** Commits that end when the test says so. A batch is the list of its tasks; `log` records the steps. */
function steppedQueue() {
  const log: string[] = [];
  const commits: Commit[] = [];
  const queue = new AppendQueue<string[]>({
    begin: () => [],
    commit: (batch) => {
      log.push(`commit ${batch.length}`);
      return new Promise((done, fail) => void commits.push({ done, fail }));
    },
    notify: (batch) => void log.push(`notify ${batch.length}`),
  });
  const add = async (name: string, isExclusive = false): Promise<string> => {
    const decide = (batch: string[]) => {
      batch.push(name);
      return name;
    };
    await queue.add({ bytes: 1, isExclusive, decide });
    log.push(`answer ${name}`);
    return name;
  };
  /** The commit of this number, counted from 1, once it began. */
  const commit = async (number: number): Promise<Commit> => {
    while (commits.length < number) await turns(1);
    return commits[number - 1]!;
  };
  return { queue, log, add, commit };
}

describe('the queue of appends', () => {
  test('commits what arrives together as one batch, and answers it after the listeners', async () => {
    const { queue, log, add, commit } = steppedQueue();
    const all = Promise.all(['a', 'b', 'c'].map((name) => add(name)));
    (await commit(1)).done();
    expect(await all).toEqual(['a', 'b', 'c']);
    await queue.idle();
    expect(log).toEqual(['commit 3', 'notify 3', 'answer a', 'answer b', 'answer c']);
  });

  test('decides what arrives during a commit after it', async () => {
    const { queue, log, add, commit } = steppedQueue();
    const first = add('a');
    const running = await commit(1);
    const second = add('b');
    await turns(1);
    expect(log).toEqual(['commit 1']);
    running.done();
    await first;
    (await commit(2)).done();
    await second;
    await queue.idle();
    expect(log).toEqual(['commit 1', 'notify 1', 'answer a', 'commit 1', 'notify 1', 'answer b']);
  });

  test('commits an exclusive task alone, between those before and after it', async () => {
    const { queue, log, add, commit } = steppedQueue();
    const all = Promise.all([add('a'), add('b'), add('alone', true), add('c')]);
    for (const number of [1, 2, 3]) (await commit(number)).done();
    await all;
    await queue.idle();
    expect(log.filter((step) => step.startsWith('commit'))).toEqual(['commit 2', 'commit 1', 'commit 1']);
  });

  test('waits after a batch of several writers, while each turn brings one back', async () => {
    const { log, add, commit } = steppedQueue();
    const first = Promise.all(['a', 'b', 'c'].map((name) => add(name)));
    (await commit(1)).done();
    await first;
    void add('a');
    for (const name of ['b', 'c']) {
      await turns(1);
      void add(name);
    }
    await commit(2);
    expect(log.at(-1)).toBe('commit 3');
  });

  test('does not wait for a writer that stays away', async () => {
    const { log, add, commit } = steppedQueue();
    const first = Promise.all(['a', 'b', 'c'].map((name) => add(name)));
    (await commit(1)).done();
    await first;
    void add('a');
    await turns(1);
    void add('b');
    await turns(2);
    expect(log.at(-1)).toBe('commit 2');
  });

  test('tells the committer whether the event loop has other work', async () => {
    const seen: boolean[] = [];
    const queue = new AppendQueue<null>({
      begin: () => null,
      commit: async (_, { isBusy }) => void seen.push(isBusy),
      notify: () => {},
    });
    const add = () => queue.add({ bytes: 1, isExclusive: false, decide: () => null });
    const added = add();
    const began = performance.now();
    while (performance.now() - began < 1);
    await added;
    expect(seen).toEqual([true]);
    // Other processes can make any single turn long.
    while (seen.at(-1)) await add();
  });

  test('takes a task of any size when none waits, and then no other', async () => {
    const { queue, commit } = steppedQueue();
    const huge = queue.add({ bytes: 300_000_000, isExclusive: true, decide: () => 'huge' });
    await expect(queue.add({ bytes: 1, isExclusive: false, decide: () => '' })).rejects.toMatchObject({
      code: 'STORAGE_BUSY',
    });
    (await commit(1)).done();
    expect(await huge).toBe('huge');
    await queue.idle();
  });

  test('a batch that fails refuses its writers only', async () => {
    const { queue, log, add, commit } = steppedQueue();
    const first = add('a');
    const running = await commit(1);
    const second = add('b');
    running.fail(new Error('the disk is gone'));
    await expect(first).rejects.toThrow('the disk is gone');
    (await commit(2)).done();
    expect(await second).toBe('b');
    await queue.idle();
    expect(log).toEqual(['commit 1', 'commit 1', 'notify 1', 'answer b']);
  });

  test('decides a batch that finds another state again, before the tasks that came later', async () => {
    const { queue, log, add, commit } = steppedQueue();
    const all = [add('a')];
    const running = await commit(1);
    all.push(add('b'));
    running.fail(new DecideAgain());
    (await commit(2)).done();
    expect(await Promise.all(all)).toEqual(['a', 'b']);
    await queue.idle();
    expect(log).toEqual(['commit 1', 'commit 2', 'notify 2', 'answer a', 'answer b']);
  });
});
