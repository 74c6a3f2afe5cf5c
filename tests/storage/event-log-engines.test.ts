/** The event log's contract on `cow` and `lsm`, and what their stores hold after an erasure. */
import { describe, expect, it } from 'vitest';
import { openStorage } from '../../src/storage/open.ts';
import { ENGINES } from '../support/depth.ts';
import { memoryFolder } from '../support/folders.ts';
import { embedded, testContract } from './event-log-contract.ts';
import { event, fill, to } from './log-helpers.ts';

for (const backend of ENGINES.filter((each) => each !== 'embedded_kv')) {
  testContract(`the event log on ${backend}`, embedded({ backend }), { persistent: true, crashes: true });
}

describe.each(ENGINES)('the event log on %s', (backend) => {
  it('leaves no byte of an erased payload in the engine', async () => {
    const storage = await openStorage({ directory: memoryFolder('log'), backend });
    const secret = 'the-word-that-must-go';
    await storage.log.append([to('a-1', [event(1, { secret })])]);
    await storage.log.erase([1]);
    for (const { value } of storage.engine.range()) expect(Buffer.from(value).includes(secret)).toBe(false);
    await storage.close();
  });

  it('gives stored records with readRaw', async () => {
    const storage = await openStorage({ directory: memoryFolder('log'), backend });
    await fill(storage.log, 5);
    const raw = [...storage.log.readRaw({ after: 2 })];
    expect(raw.map(({ position }) => position)).toEqual([3, 4, 5]);
    expect(Buffer.from(raw[0]!.record.subarray(0, 32)).toString('hex')).toBe(storage.log.at(3)?.leafHash);
    await storage.close();
  });
});
