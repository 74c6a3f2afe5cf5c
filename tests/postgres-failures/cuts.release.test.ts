/** The writer's connection breaks between every two messages of an append, and of an erasure. */
import { expect, test } from 'vitest';
import type { Storage } from '../../src/storage/open.ts';
import { IS_LONG } from '../support/depth.ts';
import { withPostgres } from '../support/postgres.ts';
import { MessageProxy } from './proxy.ts';
import { expectEqual, expectWhole, noted, openLog } from './support.ts';

/** More messages than any of the calls exchanges, in both directions. */
const MESSAGES_MAX = 200;
/** Of the longest exchange the cuts are so many messages apart. */
const STRIDE = IS_LONG ? 1 : 4;
/** The pool opens connections by itself, so a cut may hit one of them: short times keep the test short. */
const SETTINGS = 'poll_ms=60000&connect_timeout_ms=2000';

withPostgres('a connection that breaks', (cluster) => {
  /** Calls `work` with the connection cut after 0, 1, 2 … messages, until the call ends before its cut. */
  async function cutEverywhere(work: (storage: Storage, n: number) => Promise<void>): Promise<number> {
    const url = await cluster().newLog(SETTINGS);
    const proxy = await MessageProxy.start(cluster().port);
    const storage = await openLog(proxy.through(url));
    for (let messages = 0; messages < MESSAGES_MAX; messages += 1) {
      await storage.log.append([{ stream: 'before-1', expectedVersion: 'any', events: [noted(messages)] }]);
      proxy.cutAfter(messages);
      await work(storage, messages);
      if (proxy.hasCut) continue;
      await expectEqual([storage, await openLog(url)]);
      await expectWhole(url, new Map());
      return messages;
    }
    throw new Error(`The call exchanges more than ${MESSAGES_MAX} messages.`);
  }

  test('during an append: the writer is answered, and the event is there once', async () => {
    const cuts = await cutEverywhere(async ({ log }, n) => {
      const event = noted(n);
      const result = await log.append([{ stream: `cut-${n}`, expectedVersion: 'none', events: [event] }]);
      expect(result).toMatchObject({ kind: 'appended', events: [{ id: event.id, version: 1 }] });
      expect([...log.readStream(`cut-${n}`)]).toHaveLength(1);
    });
    expect(cuts).toBeGreaterThan(5);
  });

  test('during an append that meets the events of another writer', async () => {
    const url = await cluster().newLog(SETTINGS);
    const proxy = await MessageProxy.start(cluster().port);
    const storage = await openLog(proxy.through(url));
    const rival = await openLog(url);
    for (let messages = 0, round = 0; messages < MESSAGES_MAX; messages += STRIDE, round += 1) {
      await rival.log.append([{ stream: 'rival-1', expectedVersion: 'any', events: [noted(round)] }]);
      proxy.cutAfter(messages);
      const result = await storage.log.append([
        { stream: 'cut-1', expectedVersion: round === 0 ? 'none' : round, events: [noted(1)] },
      ]);
      expect(result.kind).toBe('appended');
      if (!proxy.hasCut) break;
      await expectEqual([storage, rival]);
    }
    expect(proxy.hasCut).toBe(false);
    await expectEqual([storage, rival]);
    await expectWhole(url, new Map());
  });

  test('during an erasure: the payload is gone in the database and in the copy, once', async () => {
    const cuts = await cutEverywhere(async ({ log }, n) => {
      const [victim] = [...log.readStream('before-1')].slice(-1);
      await log.erase([victim!.position]);
      expect(log.at(victim!.position)?.data).toBeNull();
      expect(log.streamVersion('log-erasures')).toBe(n + 1);
    });
    expect(cuts).toBeGreaterThan(10);
  });
});
