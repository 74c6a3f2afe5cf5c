/** The independent verifier against the storage's own log: they agree on intact logs, and it finds alterations. */
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { recompute } from '../../src/cli/log/recompute.ts';
import { createVerifier } from '../../src/cli/log/verifier.ts';
import type { Envelope } from '../../src/events/envelope.ts';
import { canonicalJson } from '../../src/storage/canonical-json.ts';
import { StorageError } from '../../src/storage/errors.ts';
import type { EventLog, Json } from '../../src/storage/event-log.ts';
import { openEventLog } from '../../src/storage/log/event-log.ts';
import { openMemoryEngine } from '../../src/storage/memory-engine.ts';
import { leafHash } from '../../src/storage/merkle.ts';
import { envelopeOf } from '../../src/streams/envelope.ts';
import { event, fill, to } from '../storage/log-helpers.ts';

function verified(envelopes: readonly Envelope[]) {
  const verifier = createVerifier();
  for (const envelope of envelopes) verifier.add(envelope);
  return {
    treeHash: verifier.treeHash(),
    what: verifier.problems().map(({ position, what }) => `${position}: ${what}`),
  };
}

function envelopesOf(log: EventLog): Envelope[] {
  return [...log.readAll()].map(envelopeOf);
}

/** The leaf hash that an attacker who changes the data and knows the format would compute. */
function forged(envelope: Envelope): { leafHash: string } {
  const { leaf_hash: _hash, ...event } = { ...envelope, data: { number: 6 } };
  const leaf = leafHash(Buffer.from(canonicalJson(event)));
  return { leafHash: Buffer.from(leaf).toString('hex') };
}

test('an empty log has the hash of nothing', () => {
  expect(verified([])).toEqual({
    treeHash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    what: [],
  });
});

test('it agrees with the storage on every size', async () => {
  const log = openEventLog(openMemoryEngine());
  await fill(log, 70);
  const verifier = createVerifier();
  for (const envelope of envelopesOf(log)) {
    verifier.add(envelope);
    expect(verifier.treeHash()).toBe(log.treeHash(verifier.size));
  }
  expect(verifier.problems()).toEqual([]);
  await log.close();
});

test('an event that is damaged is a problem of the log, a database that is out of reach is none', async () => {
  const log = openEventLog(openMemoryEngine());
  await fill(log, 3);
  async function* endedBy(error: StorageError) {
    yield* envelopesOf(log);
    throw error;
  }
  const options = { trusted: null, progress: { at: () => undefined }, total: 4 };
  const damaged = new StorageError('STORAGE_CORRUPT', 'It is damaged.');
  const { problems } = await recompute(endedBy(damaged), options);
  expect(problems).toEqual([{ position: 4, what: 'It is damaged.' }]);
  const away = new StorageError('STORAGE_UNAVAILABLE', 'It is out of reach.');
  await expect(recompute(endedBy(away), options)).rejects.toBe(away);
  await log.close();
});

test('it writes the same canonical bytes for any data', async () => {
  const anyJson = fc.jsonValue({ noUnicodeString: false }).map((value) => value as Json);
  await fc.assert(
    fc.asyncProperty(fc.array(anyJson, { minLength: 1, maxLength: 5 }), async (values) => {
      const log = openEventLog(openMemoryEngine());
      await log.append([
        to(
          'thing-1',
          values.map((data, at) => event(at + 1, JSON.parse(JSON.stringify(data)) as Json)),
        ),
      ]);
      expect(verified(JSON.parse(JSON.stringify(envelopesOf(log))) as Envelope[]).what).toEqual([]);
      await log.close();
    }),
    { numRuns: 50 },
  );
});

describe('what is wrong is found', () => {
  let good: Envelope[];
  beforeAll(async () => {
    const log = openEventLog(openMemoryEngine());
    await fill(log, 9);
    good = envelopesOf(log);
    await log.close();
  });

  test.each<[string, Partial<Envelope>]>([
    ['data', { data: { number: 6 } }],
    ['actor', { actor: 'somebody else' }],
    ['at', { at: 1 }],
    ['type', { type: 'ThingUndone' }],
    ['id', { id: '01900000-0000-7000-8000-0000000000ff' }],
    ['causation', { causation: 'x' }],
    ['leaf_hash', { leaf_hash: '0'.repeat(64) }],
  ])('a changed %s', (_name, change) => {
    const bad = good.with(4, { ...good[4]!, ...change });
    expect(verified(bad).what).toEqual(['5: its leaf hash is not the hash of its content']);
  });

  test('a field that does not belong there', () => {
    const noted = { ...good[4]!, note: 'x' };
    const bad = good.with(4, noted);
    expect(verified(bad).what).toHaveLength(1);
  });

  test('a changed event whose stated leaf hash was made to fit: the tree is another one', () => {
    const { leafHash } = forged(good[4]!);
    const bad = good.with(4, { ...good[4]!, data: { number: 6 }, leaf_hash: leafHash });
    expect(verified(bad).what).toEqual([]);
    expect(verified(bad).treeHash).not.toBe(verified(good).treeHash);
  });

  test('and told up to the hundredth', () => {
    expect(verified(Array.from({ length: 200 }, () => good[4]!)).what).toHaveLength(100);
  });

  test('an event left out, doubled or swapped', () => {
    for (const bad of [
      good.toSpliced(4, 1),
      good.toSpliced(4, 0, good[4]!),
      good.with(4, good[5]!).with(5, good[4]!),
    ]) {
      expect(verified(bad).what.length).toBeGreaterThan(0);
      expect(verified(bad).treeHash).not.toBe(verified(good).treeHash);
    }
  });
});

// One missing line was a hundred problems: every event behind it stood at the wrong place.
test('what is left out is named once, and a fault behind it too', async () => {
  const log = openEventLog(openMemoryEngine());
  await fill(log, 40);
  const good = envelopesOf(log);
  await log.close();
  const bad = good.toSpliced(4, 1).with(20, { ...good[21]!, actor: 'somebody else' });
  const { what } = verified(bad);
  expect(what[0]).toBe('5: the event here says its position is 6');
  expect(what.at(-1)).toBe('22: its leaf hash is not the hash of its content');
  expect(what.filter((each) => each.includes('says its position'))).toHaveLength(1);
  expect(what.length).toBeLessThanOrEqual(3);
});

describe('erased payloads', () => {
  async function erasedLog(): Promise<{ log: EventLog; envelopes: Envelope[] }> {
    const log = openEventLog(openMemoryEngine());
    await fill(log, 6);
    await log.erase([2, 5]);
    return { log, envelopes: envelopesOf(log) };
  }

  test('the log still verifies, with the same tree hash', async () => {
    const { log, envelopes } = await erasedLog();
    expect(envelopes.filter(({ erased }) => erased).map(({ position }) => position)).toEqual([2, 5]);
    expect(verified(envelopes)).toEqual({ treeHash: log.head().treeHash, what: [] });
  });

  test('a payload that went without a record, and a record of a payload that is there', async () => {
    const { envelopes } = await erasedLog();
    const live = envelopes[2]!;
    const hidden = envelopes.with(2, { ...live, data: null, erased: true });
    expect(verified(hidden).what).toEqual(['3: its payload is gone and no event records that it was erased']);
    const { erased: _gone, ...back } = envelopes[1]!;
    expect(verified(envelopes.with(1, back)).what).toContain('2: its payload was recorded as erased but is there');
  });

  // It said `Cannot read properties of null (reading 'position')`, and nothing about the log.
  test.each([[null], ['2'], [{}]])('the record names no event: %j', async (erasure) => {
    const { envelopes } = await erasedLog();
    const bad = envelopes.with(-1, { ...envelopes.at(-1)!, data: { erased: [erasure] } });
    expect(verified(bad).what).toEqual([
      '7: its leaf hash is not the hash of its content',
      '2: its payload is gone and no event records that it was erased',
      '5: its payload is gone and no event records that it was erased',
    ]);
  });

  test('metadata changed after the erasure', async () => {
    const { envelopes } = await erasedLog();
    const bad = envelopes.with(1, { ...envelopes[1]!, actor: 'nobody' });
    expect(verified(bad).what).toEqual(['2: it differs from what was recorded when its payload was erased']);
  });
});
