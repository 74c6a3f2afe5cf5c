/** The queue of appends: what is decided ahead, in which order it is committed and answered, and what is decided again. */
import { describe, expect, test } from 'vitest';
import { AppendQueue, DecideAgain } from '../../src/storage/log/append-queue.ts';

interface Commit {
  readonly done: () => void;
  readonly fail: (reason: unknown) => void;
}

/** Commits that end when the test says so. A batch is the list of its tasks; `log` tells what happened. */
function steppedQueue(splits = true) {
  const log: string[] = [];
  const commits: Commit[] = [];
  const queue = new AppendQueue<string[]>({
    begin: (inFlight) => {
      log.push(inFlight === null ? 'begin' : `begin on ${inFlight.length}`);
      return [];
    },
    commit: (batch) => {
      log.push(`commit ${batch.length}`);
      return new Promise((done, fail) => void commits.push({ done, fail }));
    },
    notify: (batch) => void log.push(`notify ${batch.length}`),
    isPredictable: () => true,
    splits,
  });
  const add = async (name: string): Promise<string> => {
    const decide = (batch: string[]) => {
      batch.push(name);
      return name;
    };
    await queue.add({ bytes: 1, isExclusive: false, decide });
    log.push(`answer ${name}`);
    return name;
  };
  /** The commit of this number, counted from 1, once it began. */
  const commit = async (number: number): Promise<Commit> => {
    while (commits.length < number) await new Promise((resolve) => setImmediate(resolve));
    return commits[number - 1]!;
  };
  return { queue, log, add, commit };
}

/** So many tasks that arrive together form two batches. */
const names = Array.from({ length: 16 }, (_, index) => `${index}`);
const [firstHalf, secondHalf] = [names.slice(0, 8), names.slice(8)];

describe('the queue of appends', () => {
  test('decides a batch on the one in flight, and commits it before that one is answered', async () => {
    const { queue, log, add, commit } = steppedQueue();
    const all = Promise.all(names.map(add));
    (await commit(1)).done();
    (await commit(2)).done();
    expect(await all).toEqual(names);
    await queue.idle();
    expect(log).toEqual([
      ...['begin', 'commit 8', 'begin on 8', 'commit 8', 'notify 8', ...firstHalf.map((name) => `answer ${name}`)],
      ...['notify 8', ...secondHalf.map((name) => `answer ${name}`)],
    ]);
  });

  test('a batch that fails refuses its writers only; the next one is decided without it', async () => {
    const { queue, log, add, commit } = steppedQueue();
    const outcomes = Promise.allSettled(names.map(add));
    (await commit(1)).fail(new Error('the disk is gone'));
    (await commit(2)).done();
    const refused = (await outcomes).map(({ status }) => status === 'rejected');
    expect(refused).toEqual([...firstHalf.map(() => true), ...secondHalf.map(() => false)]);
    await queue.idle();
    expect(log.slice(0, 5)).toEqual(['begin', 'commit 8', 'begin on 8', 'begin', 'commit 8']);
  });

  test('decides both batches again when the one in flight finds another state', async () => {
    const { queue, log, add, commit } = steppedQueue();
    const all = Promise.all(names.map(add));
    (await commit(1)).fail(new DecideAgain());
    (await commit(2)).done();
    expect(await all).toEqual(names);
    await queue.idle();
    expect(log.slice(0, 5)).toEqual(['begin', 'commit 8', 'begin on 8', 'begin', 'commit 16']);
  });

  test('does not split what arrives together where commits take longer than deciding', async () => {
    const { queue, log, add, commit } = steppedQueue(false);
    const all = Promise.all(names.map(add));
    (await commit(1)).done();
    await all;
    await queue.idle();
    expect(log.slice(0, 2)).toEqual(['begin', 'commit 16']);
  });
});
