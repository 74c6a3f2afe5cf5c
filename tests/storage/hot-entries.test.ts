/** The cache of hot entries in `cow` and `lsm`: it must not change any answer. */
import { describe, expect, test } from 'vitest';
import { HotEntries, hashOf } from '../../src/storage/hot-entries.ts';
import { FaultDisk } from './fault-disk.ts';
import { FAULT_DISK_ENGINES } from './fault-disk-engines.ts';
import { change, DURABLE, LAZY } from './states.ts';

/** An engine cache with which the hot entries take 256 KiB. */
const CACHE_BYTES = 4_194_304;

const key = (text: string) => Buffer.from(text);
const hash = (text: string) => hashOf(key(text), 0, text.length);

/** A read as an engine does it: asks the cache, and offers the tree's answer. */
function read(hot: HotEntries, text: string, value: string): string | null {
  const found = hot.get(key(text), hash(text));
  if (found === null) hot.offer(key(text), hash(text), Buffer.from(value));
  return found === null ? null : Buffer.from(found).toString();
}

describe('hot entries', () => {
  test('admit an entry at its second read', () => {
    const hot = new HotEntries(CACHE_BYTES);
    expect([read(hot, 'a', '1'), read(hot, 'a', '1'), read(hot, 'a', '1')]).toEqual([null, null, '1']);
  });

  test('drop an entry that changes', () => {
    const hot = new HotEntries(CACHE_BYTES);
    for (let time = 0; time < 3; time += 1) read(hot, 'a', '1');
    hot.invalidate(hash('a'));
    expect(hot.get(key('a'), hash('a'))).toBeNull();
  });

  test('never answer with the value of another key, however often the ring is overwritten', () => {
    const hot = new HotEntries(CACHE_BYTES);
    let found = 0;
    for (let round = 0; round < 4; round += 1) {
      for (let index = 0; index < 9_000; index += 1) {
        const name = `key-${index % 3_000}`;
        const value = `${name}=`.padEnd(20 + (index % 200), 'x');
        const answer = read(hot, name, value);
        if (answer === null) continue;
        found += 1;
        expect(answer.startsWith(`${name}=`)).toBe(true);
      }
    }
    expect(found).toBeGreaterThan(1000);
  });

  test('of another key with the same hash do not affect a key', () => {
    const hot = new HotEntries(CACHE_BYTES);
    for (let time = 0; time < 3; time += 1) read(hot, 'a', '1');
    expect(hot.get(key('b'), hash('a'))).toBeNull();
    hot.invalidate(hash('b'));
    expect(hot.get(key('a'), hash('a'))).not.toBeNull();
  });

  test.each(FAULT_DISK_ENGINES)('of $name are its newest values, and snapshots have theirs', async ({ open }) => {
    const engine = await open(new FaultDisk());
    const hot = (): string => Buffer.from(engine.get(key('a'))!).toString();
    await engine.commit([change('a', 'first')], DURABLE);
    for (let time = 0; time < 4; time += 1) expect(hot()).toBe('first');
    const snapshot = engine.snapshot();
    await engine.commit([change('a', 'second')], LAZY);
    for (let time = 0; time < 4; time += 1) expect(hot()).toBe('second');
    expect(Buffer.from(snapshot.get(key('a'))!).toString()).toBe('first');
    await engine.commit([change('a', undefined)], DURABLE);
    expect(engine.get(key('a'))).toBeUndefined();
    snapshot.release();
    await engine.close();
    expect(() => engine.get(key('a'))).toThrow();
  });
});
