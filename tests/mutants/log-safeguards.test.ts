/** Safeguards of the event log that other tests did not cover. */
import { expect, test } from 'vitest';
import type { KeyValueEngine } from '../../src/storage/engine.ts';
import { openEventLog } from '../../src/storage/log/event-log.ts';
import { eventKey, HEAD_KEY, streamIndexKey, writeNumber } from '../../src/storage/log/keys.ts';
import { decodeHead, encodeHead, erasedRecord, leafOf, liveRecord, textOf } from '../../src/storage/log/record.ts';
import { verifyLog } from '../../src/storage/log/verify.ts';
import { openMemoryEngine } from '../../src/storage/memory-engine.ts';
import { fill } from '../storage/log-helpers.ts';

test('a record that does not match its leaf hash is not taken over from another log', async () => {
  const source = openEventLog(openMemoryEngine());
  await fill(source, 3);
  const records = [...source.readRaw()].map(({ record }) => Uint8Array.from(record));
  const changed = records.map((record) => record.slice());
  changed[1]![0]! ^= 1;
  const target = openEventLog(openMemoryEngine());
  await expect(target.copy(changed)).rejects.toMatchObject({ code: 'STORAGE_VALUE_INVALID' });
  expect(target.head().position).toBe(0);
  await target.copy(records);
  expect(target.head()).toEqual(source.head());
});

test('an event in the place of another is damage, not an answer', async () => {
  const engine = openMemoryEngine();
  const log = openEventLog(engine);
  await fill(log, 3);
  await engine.commit([{ key: eventKey(2), value: engine.get(eventKey(1))!.slice() }], { durable: true });
  expect(() => log.at(2)).toThrow(expect.objectContaining({ code: 'STORAGE_CORRUPT' }));
  expect(() => [...log.readAll()]).toThrow('position 2 holds the event of 1');
});

test('a head that does not fit the last event is refused at open', async () => {
  const engine = openMemoryEngine();
  await fill(openEventLog(engine), 3);
  const head = engine.get(HEAD_KEY)!.slice();
  head[head.length - 1]! ^= 1;
  await engine.commit([{ key: HEAD_KEY, value: head }], { durable: true });
  expect(() => openEventLog(engine)).toThrow(expect.objectContaining({ code: 'STORAGE_CORRUPT' }));
});

test("a stream index entry that points at another stream's event is damage, not an answer", async () => {
  const engine = openMemoryEngine();
  const log = openEventLog(engine);
  await fill(log, 3);
  const entry = engine.get(streamIndexKey('stream-0', 1))!.slice();
  writeNumber(entry, 0, 2);
  await engine.commit([{ key: streamIndexKey('stream-0', 1), value: entry }], { durable: true });
  expect(() => [...log.readStream('stream-0')]).toThrow(expect.objectContaining({ code: 'STORAGE_CORRUPT' }));
});

const reportOf = async (engine: KeyValueEngine): Promise<string> =>
  (await verifyLog(engine)).errors.map(({ what }) => what).join('\n');

test('verify reports a version that does not follow', async () => {
  const engine = openMemoryEngine();
  await fill(openEventLog(engine), 3);
  const text = textOf(engine.get(eventKey(2))!).toString();
  const { version } = JSON.parse(text) as { version: number };
  const { record } = liveRecord(text.replace(/"version":\d+}$/, `"version":${version + 5}}`));
  await engine.commit([{ key: eventKey(2), value: record }], { durable: true });
  expect(await reportOf(engine)).toContain(`position 2 is version ${version + 5} of`);
});

test('verify reports a tombstone that is not the one its erasure recorded', async () => {
  const engine = openMemoryEngine();
  const log = openEventLog(engine);
  await fill(log, 3);
  await log.erase([2]);
  expect(await reportOf(engine)).toBe('');
  const tombstone = engine.get(eventKey(2))!;
  const other = erasedRecord(leafOf(tombstone), textOf(tombstone).toString().replace('"at":', '"at":1'));
  await engine.commit([{ key: eventKey(2), value: other }], { durable: true });
  expect(await reportOf(engine)).toContain('the tombstone at position 2 is not the one its erasure recorded');
});

test('verify reports a head with a wrong number of events', async () => {
  const engine = openMemoryEngine();
  await fill(openEventLog(engine), 3);
  const { newestId, frontier } = decodeHead(engine.get(HEAD_KEY)!);
  const head = encodeHead({ newestId, frontier: { size: 4, roots: frontier.roots.slice(0, 1) } });
  await engine.commit([{ key: HEAD_KEY, value: head }], { durable: true });
  expect(await reportOf(engine)).toContain('its head says 4 events, it holds 3');
});
