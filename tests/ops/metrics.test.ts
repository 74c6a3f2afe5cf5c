/** The counters of the storage, and that both text formats conform to their specifications. */
import { createHistogram } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { StorageError } from '../../src/storage/errors.ts';
import { openEventLog } from '../../src/storage/log/event-log.ts';
import { openMemoryEngine } from '../../src/storage/memory-engine.ts';
import { measuresTurns, monitorLoop, readDelays } from '../../src/storage/ops/event-loop.ts';
import { expose, formatFor } from '../../src/storage/ops/exposition.ts';
import { serviceFamilies } from '../../src/storage/ops/families.ts';
import { type Family, Histogram } from '../../src/storage/ops/meters.ts';
import { createMetrics } from '../../src/storage/ops/metrics.ts';
import { observeLog } from '../../src/storage/ops/observed-log.ts';
import { controlled, event, idOf, to } from '../storage/log-helpers.ts';
import { type ReadFamily, readExposition } from './exposition-reader.ts';

function observed() {
  const { engine, control } = controlled(openMemoryEngine());
  const metrics = createMetrics(engine);
  const inner = openEventLog(engine);
  const log = observeLog(inner, metrics);
  return { engine, control, inner, log, metrics };
}

const read = async (families: readonly Family[]) =>
  readExposition((await expose(families, 'prometheus')).text, 'prometheus');

function valueIn(
  families: readonly ReadFamily[],
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  return families
    .flatMap(({ series }) => series)
    .find((one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value))
    ?.value;
}

it('histograms a value on a bound belongs to that bucket, one beyond all to none but the last', () => {
  const histogram = new Histogram([0.1, 0.5]);
  for (const value of [0.05, 0.1, 0.100_001, 0.5, 7]) histogram.observe(value);
  expect([...histogram.counts]).toEqual([2, 2, 1]);
  expect(histogram.count).toBe(5);
  expect(histogram.sum).toBeCloseTo(7.750_001, 9);
});

describe('the observed log', () => {
  it('counts each append once, and answers just what the log answers', async () => {
    const { inner, log, metrics } = observed();
    const results = await Promise.all([1, 2, 3].map((number) => log.append([to('s', [event(number)])])));
    expect(results.map(({ kind }) => kind)).toEqual(['appended', 'appended', 'appended']);
    expect(log.head()).toEqual(inner.head());
    expect(metrics.write.count).toBe(3);
  });

  it('counts a read once however many events it has, and a read that nobody begins not at all', async () => {
    const { inner, log, metrics } = observed();
    await inner.append([to('s', [event(1), event(2), event(3)])]);
    log.readAll();
    expect(metrics.read.count).toBe(0);
    expect([...log.readAll()]).toEqual([...inner.readAll()]);
    expect([...log.readStream('s', { after: 1 })]).toEqual([...inner.readStream('s', { after: 1 })]);
    expect(log.at(2)).toEqual(inner.at(2));
    expect(metrics.read.count).toBe(3);
  });

  it('leaving a read early ends it in the log, which frees what it held', async () => {
    const { inner, metrics } = observed();
    await inner.append([to('s', [event(1), event(2)])]);
    let ended = 0;
    function* endingReads() {
      try {
        yield* inner.readAll();
      } finally {
        ended += 1;
      }
    }
    const log = observeLog({ ...inner, readAll: endingReads }, metrics);
    for (const { position } of log.readAll()) if (position === 1) break;
    expect(ended).toBe(1);
  });

  it('a failure of the storage is an error of its kind, and the caller gets it as it is', async () => {
    const { control, log, metrics } = observed();
    const full = new StorageError('STORAGE_FULL', 'the disk is full');
    control.failNext = full;
    await expect(log.append([to('s', [event(1)])])).rejects.toBe(full);
    const families = await read(metrics.families());
    expect(valueIn(families, 'daybook_storage_errors_total', { operation: 'append', kind: 'full' })).toBe(1);
    expect(valueIn(families, 'daybook_storage_errors_total', { operation: 'append', kind: 'io' })).toBe(0);
    expect(valueIn(families, 'daybook_storage_operations_total', { operation: 'append' })).toBe(1);
    expect(valueIn(families, 'daybook_storage_rejected_total')).toBe(0);
  });

  it('what the caller did wrong is no error of the storage', async () => {
    const { log, metrics } = observed();
    await expect(log.append([to('', [event(1)])])).rejects.toThrow(StorageError);
    await expect(log.erase([5])).rejects.toThrow(RangeError);
    const families = await read(metrics.families());
    expect(valueIn(families, 'daybook_storage_rejected_total')).toBe(2);
    const errors = families.find(({ name }) => name === 'daybook_storage_errors_total')!;
    expect(errors.series.every(({ value }) => value === 0)).toBe(true);
  });

  it('a version conflict is an answer like another', async () => {
    const { log, metrics } = observed();
    await log.append([to('s', [event(1)], 'none')]);
    expect((await log.append([to('s', [event(2)], 'none')])).kind).toBe('conflict');
    expect(valueIn(await read(metrics.families()), 'daybook_storage_rejected_total')).toBe(0);
  });
});

async function allFamilies(): Promise<readonly Family[]> {
  const { log, metrics, inner } = observed();
  await log.append([to('s', [event(1)])]);
  const backups = {
    directory: '/nowhere',
    make: () => Promise.reject(new Error('not here')),
    mayHoldErased: () => 0,
    cancel: () => undefined,
    stop: () => Promise.resolve(),
    state: () => ({
      last: {
        path: '/b',
        madeAt: 1_000_500,
        verifiedAt: 2_000_000,
        bytes: 7,
        position: 1,
        treeHash: idOf(1),
        erasedThrough: 1,
      },
      kept: 1,
      failures: 2,
      failure: null,
      durationSeconds: 1.5,
    }),
  };
  const ready = () => [{ name: 'engine', problem: null }];
  const loopDelays = () => ({ p99Seconds: 0.01, maxSeconds: 0.02 });
  const erasures = {
    state: () => ({ state: 'done', recorded: 3, doneThrough: 3, doneAt: 1_500_000, failure: null }) as const,
  };
  const of = { log: inner, backups, erasures, directory: '/', version: '1.2.3"\\' };
  const service = serviceFamilies({ ...of, ready, loopDelays });
  return [...metrics.families(), ...service];
}

describe('the delay of the event loop', () => {
  it('is what a sample takes beyond its interval, since the last time it was read', () => {
    const samples = createHistogram();
    for (let sample = 0; sample < 98; sample += 1) samples.record(20_000_000);
    for (const late of [70_000_000, 520_000_000]) samples.record(late);
    const { p99Seconds, maxSeconds } = readDelays(samples, 20);
    expect(p99Seconds).toBeCloseTo(0.05, 3);
    expect(maxSeconds).toBeCloseTo(0.5, 2);
    expect(readDelays(samples, 20)).toEqual({ p99Seconds: 0, maxSeconds: 0 });
  });

  it('are those of the turns in which the program works, not of those in which it waits', async () => {
    const monitor = monitorLoop();
    const began = performance.now();
    await sleep(50);
    expect(monitor.read().maxSeconds).toBeLessThan((performance.now() - began) / 1000);
    const blockedAt = performance.now();
    while (performance.now() - blockedAt < 30);
    const blockedSeconds = (performance.now() - blockedAt) / 1000;
    await nextTurn();
    // The histogram keeps three digits.
    expect(monitor.read().maxSeconds).toBeGreaterThan(blockedSeconds * 0.99);
    monitor.stop();
  });

  it.each([
    ['24.18.1', false],
    ['24.19.0', true],
    ['25.0.0', true],
  ])('are measured by Node %s itself: %s', (version, itself) => expect(measuresTurns(version)).toBe(itself));
});

describe('names', () => {
  it('have a unit of the base ones and their kind at the end', async () => {
    const units = /_(seconds|bytes|ratio|total|info)$/;
    const plain =
      /_(group_commit_size|keys|snapshots|level_tables|read_only|log_position|ready|check_passed|backups|backup_failing|erasure_pending)$/;
    const families = await allFamilies();
    const wrong = families.filter(({ name }) => !units.test(name) && !plain.test(name));
    expect(wrong.map(({ name }) => name)).toEqual([]);
    const counters = families.filter(({ kind, name }) => (kind === 'counter') !== name.endsWith('_total'));
    expect(counters).toEqual([]);
  });

  it('every one has a help text and appears once', async () => {
    const families = await allFamilies();
    expect(families.every(({ help }) => help.endsWith('.'))).toBe(true);
    expect(new Set(families.map(({ name }) => name)).size).toBe(families.length);
  });

  it('times are Unix seconds', async () => {
    const families = await read(await allFamilies());
    expect(valueIn(families, 'daybook_storage_backup_last_timestamp_seconds')).toBe(1_000.5);
    expect(valueIn(families, 'daybook_storage_backup_verified_timestamp_seconds')).toBe(2_000);
  });
});

describe('formats', () => {
  it('both say the same, and the one does not spoil the other', async () => {
    const families = await allFamilies();
    const plain = (format: 'prometheus' | 'openmetrics') =>
      expose(families, format).then(({ text }) => readExposition(text, format).flatMap(({ series }) => series));
    const first = await plain('prometheus');
    const open = await plain('openmetrics');
    expect(open).toEqual(first);
    expect(await plain('prometheus')).toEqual(first);
  });

  it('name themselves', async () => {
    expect((await expose([], 'prometheus')).contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
    const open = await expose([], 'openmetrics');
    expect(open.contentType).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  });

  it.each([
    [undefined, 'prometheus'],
    ['*/*', 'prometheus'],
    ['text/plain;version=0.0.4', 'prometheus'],
    ['application/openmetrics-text; version=1.0.0', 'openmetrics'],
    [
      'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
      'openmetrics',
    ],
    ['text/plain, application/openmetrics-text;q=0.5', 'prometheus'],
    ['application/openmetrics-text;q=0', 'prometheus'],
  ])('Accept %s gets %s', (accept, format) => {
    expect(formatFor(accept)).toBe(format);
  });
});
