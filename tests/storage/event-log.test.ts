/** The event log: its contract suite on two engines, and tests that need an engine under control. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StorageError } from '../../src/storage/errors.ts';
import { AppendBatch } from '../../src/storage/log/append-batch.ts';
import { envelopeFault } from '../../src/storage/log/envelope.ts';
import { openEventLog } from '../../src/storage/log/event-log.ts';
import { eventKey, HEAD_KEY, idKey, nodeKey, streamIndexKey, tileKey } from '../../src/storage/log/keys.ts';
import { decodeEvent } from '../../src/storage/log/record.ts';
import { loadState } from '../../src/storage/log/state.ts';
import { PartialTile } from '../../src/storage/log/tiles.ts';
import { openMemoryEngine } from '../../src/storage/memory-engine.ts';
import { turns } from '../support/turns.ts';
import { embedded, testContract } from './event-log-contract.ts';
import { controlled, event, fill, idOf, positionsOf, to } from './log-helpers.ts';

testContract('the event log in memory', embedded({ ephemeral: true }), {});
testContract('the event log on embedded_kv', embedded({ backend: 'embedded_kv' }), { persistent: true });

describe('event log: stream names', () => {
  const name = fc.oneof(
    fc.stringMatching(/^[ab]{1,2}(-[ab~ -]{0,3})?$/),
    fc.constantFrom('a-\u00e9', 'a-\u{1f600}', 'a-\uff5e', 'a-~~', 'a-', '-', '-a', '\u00e9-a', '\u00e9-b'),
  );

  it('in any order, and after a reopen, have exactly the events that were appended to them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, fc.nat(5)), { minLength: 1, maxLength: 30 }), async (steps) => {
        const engine = openMemoryEngine();
        let log = openEventLog(engine);
        const versions = new Map<string, number>();
        for (const [index, [stream, chance]] of steps.entries()) {
          if (chance === 0) log = openEventLog(engine);
          const before = versions.get(stream) ?? 0;
          expect(log.streamVersion(stream)).toBe(before);
          expect(await log.append([to(stream, [event(index + 1)], before)])).toMatchObject({ kind: 'appended' });
          versions.set(stream, before + 1);
          const wrong = await log.append([to(stream, [event(1_000 + index)], 'none')]);
          expect(wrong).toEqual({ kind: 'conflict', stream, expected: 'none', actual: before + 1 });
        }
        const expected = steps.map(([stream]) => versions.get(stream));
        expect(steps.map(([stream]) => log.streamVersion(stream))).toEqual(expected);
        expect(steps.map(([stream]) => openEventLog(engine).streamVersion(stream))).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('that ascend are recognised as new without a look-up in the store', async () => {
    const engine = openMemoryEngine();
    let reads = 0;
    const { get, range } = { get: engine.get.bind(engine), range: engine.range.bind(engine) };
    engine.get = (key) => {
      reads += 1;
      return get(key);
    };
    engine.range = (options) => {
      reads += 1;
      return range(options);
    };
    const log = openEventLog(engine);
    await log.append([to('task-0', [event(1)], 'none')]);
    reads = 0;
    for (let index = 1; index < 9; index += 1) await log.append([to(`task-${index}`, [event(index + 1)], 'none')]);
    expect(reads).toBe(0);
    await log.append([to('task-00', [event(100)], 'none')]);
    expect(reads).toBeGreaterThan(0);
  });
});

describe('event log: commits', () => {
  it('shares one durable commit among the appends of one turn and the waiting ones', async () => {
    const { engine, control } = controlled(openMemoryEngine());
    const log = openEventLog(engine);
    await Promise.all(Array.from({ length: 15 }, (_, index) => log.append([to('a-1', [event(index + 1)])])));
    expect(control.commits).toHaveLength(1);
    const open = control.hold();
    const first = log.append([to('a-1', [event(100)])]);
    await turns(3);
    const rest = Array.from({ length: 10 }, (_, index) => log.append([to('a-1', [event(101 + index)])]));
    await turns(3);
    expect(control.commits).toHaveLength(2);
    open();
    await Promise.all([first, ...rest]);
    expect(control.commits).toHaveLength(3);
    expect(control.commits.every(({ options }) => options.durable)).toBe(true);
  });

  it('writes three records per append, one head per commit, and a tile and a node per 256 events', async () => {
    const { engine, control } = controlled(openMemoryEngine());
    const log = openEventLog(engine);
    await Promise.all(Array.from({ length: 100 }, (_, index) => log.append([to('a-1', [event(index + 1)])])));
    expect(control.commits.map(({ batch }) => batch.length)).toEqual([3 * 100 + 1]);
    const many = Array.from({ length: 200 }, (_, index) => event(1_000 + index));
    await log.append([to('a-1', many)]);
    expect(control.commits[1]?.batch).toHaveLength(2 * 200 + 1 + 1 + 2);
  });

  it('has a head that stays as it was when events are appended after it', async () => {
    const log = openEventLog(openMemoryEngine());
    await fill(log, 3);
    const before = log.head();
    await log.append([to('a-1', [event(10)])]);
    expect(before).toMatchObject({ position: 3, treeHash: log.treeHash(3) });
    expect(log.head()).toMatchObject({ position: 4, treeHash: log.treeHash(4) });
  });

  it('rejects every append of a failed commit and changes nothing', async () => {
    const { engine, control } = controlled(openMemoryEngine());
    const log = openEventLog(engine);
    await fill(log, 3);
    const before = log.head();
    const received: number[] = [];
    log.onAppended((events) => received.push(events.length));
    control.failNext = new StorageError('STORAGE_FULL', 'The disk is full.');
    const results = await Promise.allSettled([
      log.append([to('a-1', [event(10)], 'none')]),
      log.append([to('a-1', [event(10)], 'none')]),
      log.append([to('a-1', [event(11)], 7)]),
    ]);
    expect(results.map((result) => result.status === 'rejected' && result.reason.code)).toEqual(
      Array(3).fill('STORAGE_FULL'),
    );
    expect(log.head()).toEqual(before);
    expect(log.streamVersion('a-1')).toBe(0);
    expect(received).toEqual([]);
    expect(positionsOf(await log.append([to('a-1', [event(10)], 'none')]))).toEqual([4]);
    expect((await log.verify()).errors).toEqual([]);
  });

  it('refuses appends with the reason once the engine is read-only', async () => {
    const { engine, control } = controlled(openMemoryEngine());
    const log = openEventLog(engine);
    const failure = new StorageError('STORAGE_IO', 'fdatasync failed');
    control.failure = failure;
    expect(log.failure).toBe(failure);
    await expect(log.append([to('a-1', [event(1)])])).rejects.toMatchObject({
      code: 'STORAGE_READ_ONLY',
      message: expect.stringContaining('fdatasync failed'),
    });
    await expect(log.erase([])).rejects.toMatchObject({ code: 'STORAGE_READ_ONLY' });
  });

  it('shows nothing of a commit before it is durable', async () => {
    const { engine, control } = controlled(openMemoryEngine());
    const log = openEventLog(engine);
    const open = control.hold();
    const done = log.append([to('a-1', [event(1)])]);
    await turns(3);
    expect(control.commits).toHaveLength(1);
    expect([log.head().position, log.at(1), [...log.readAll()].length]).toEqual([0, undefined, 0]);
    open();
    await done;
    expect(log.head().position).toBe(1);
  });

  it('counts the limit of an append in bytes, not in characters', async () => {
    const log = openEventLog(openMemoryEngine());
    const events = Array.from({ length: 5 }, (_, index) => event(index + 1, 'あ'.repeat(4_500_000)));
    await expect(log.append([to('a-1', events)])).rejects.toMatchObject({
      code: 'STORAGE_VALUE_INVALID',
      message: expect.stringContaining('the limit is 67108864'),
    });
    expect(await log.append([to('a-1', events.slice(1))])).toMatchObject({ kind: 'appended' });
  });

  it('refuses appends beyond the limit of the queue, and continues afterwards', async () => {
    const { engine, control } = controlled(openMemoryEngine());
    const log = openEventLog(engine);
    const open = control.hold();
    const large = 'x'.repeat(16_000_000);
    const results = Array.from({ length: 17 }, (_, index) => log.append([to('a-1', [event(index + 1, large)])]));
    await expect(results[16]).rejects.toMatchObject({ code: 'STORAGE_BUSY' });
    open();
    expect(await Promise.all(results.slice(0, 16))).toHaveLength(16);
  });
});

describe('event log: while a commit is in flight', () => {
  /** A log whose commits wait for a signal, with one commit of two writers in flight. */
  async function inFlight(stream: string) {
    const { engine, control } = controlled(openMemoryEngine());
    const log = openEventLog(engine);
    const open = control.hold();
    const first = Promise.all([
      log.append([to(stream, [event(1)], 'none')]),
      log.append([to('other-1', [event(1_000)])]),
    ]).then(([{ kind }]) => kind);
    await turns(1);
    expect(control.commits).toHaveLength(1);
    return { log, control, first, open };
  }

  it('further appends are decided and answered after it', async () => {
    const { log, control, first, open } = await inFlight('a-1');
    const answered: string[] = [];
    const asked = {
      next: log.append([to('a-1', [event(2)], 1)]),
      again: log.append([to('a-1', [event(1)], 'none')]),
      late: log.append([to('a-1', [event(3)], 'none')]),
      mixed: log.append([to('b-1', [event(1)])]),
    };
    for (const [name, result] of Object.entries({ first, ...asked })) {
      result.then(
        () => answered.push(name),
        () => answered.push(name),
      );
    }
    await turns(3);
    expect([answered, log.head().position, log.streamVersion('a-1')]).toEqual([[], 0, 0]);
    expect(control.commits).toHaveLength(1);
    open();
    expect(await first).toBe('appended');
    expect(await asked.next).toMatchObject({ kind: 'appended', events: [{ position: 3, version: 2 }] });
    expect(await asked.again).toMatchObject({ kind: 'duplicate', events: [{ position: 1 }] });
    expect(await asked.late).toEqual({ kind: 'conflict', stream: 'a-1', expected: 'none', actual: 2 });
    await expect(asked.mixed).rejects.toMatchObject({ code: 'STORAGE_VALUE_INVALID' });
    expect(answered[0]).toBe('first');
    expect((await log.verify()).errors).toEqual([]);
  });

  it('and it fails, later appends are decided on the state before it', async () => {
    const { log, control, first, open } = await inFlight('a-1');
    const received: number[] = [];
    log.onAppended((events) => received.push(events.length));
    control.failNext = new StorageError('STORAGE_FULL', 'The disk is full.');
    const after = log.append([to('a-1', [event(2)], 1)]);
    const anew = log.append([to('a-1', [event(3)], 'none')]);
    const same = log.append([to('b-1', [event(1)])]);
    await turns(3);
    open();
    await expect(first).rejects.toMatchObject({ code: 'STORAGE_FULL' });
    expect(await after).toEqual({ kind: 'conflict', stream: 'a-1', expected: 1, actual: 0 });
    expect(positionsOf(await anew)).toEqual([1]);
    expect(positionsOf(await same)).toEqual([2]);
    expect([control.commits.length, received, log.head().position]).toEqual([2, [2], 2]);
    expect(log.streamVersion('other-1')).toBe(0);
    expect((await log.verify()).errors).toEqual([]);
  });

  it('an erase waits for it, and later appends wait for the erase', async () => {
    const { log, first, open } = await inFlight('a-1');
    const erased = log.erase([1]);
    const tooEarly = log.erase([4]);
    const behind = log.append([to('a-1', [event(2)], 1)]);
    await turns(3);
    open();
    await first;
    await expect(tooEarly).rejects.toBeInstanceOf(RangeError);
    await erased;
    expect(positionsOf(await behind)).toEqual([4]);
    expect(log.at(1)).toMatchObject({ erased: true });
    expect((await log.verify()).errors).toEqual([]);
  });

  it('an error of the store while one append is decided fails all appends of its batch', async () => {
    const engine = openMemoryEngine();
    const damaged = new StorageError('STORAGE_CORRUPT', 'The page is damaged.');
    const bad = streamIndexKey('bad', 1);
    const get = engine.get.bind(engine);
    engine.get = (key) => {
      if (Buffer.compare(key, bad) === 0) throw damaged;
      return get(key);
    };
    const log = openEventLog(engine);
    const results = await Promise.allSettled([
      log.append([to('good-1', [event(1)])]),
      log.append([to('bad', [event(2)])]),
    ]);
    expect(results.map((result) => result.status === 'rejected' && result.reason)).toEqual([damaged, damaged]);
    expect(log.head().position).toBe(0);
    expect(positionsOf(await log.append([to('good-1', [event(1)])]))).toEqual([1]);
  });

  it('repeatedly, on a slow disk, across the ends of tiles: the history is dense and verifies', async () => {
    const { engine, control } = controlled(openMemoryEngine());
    const log = openEventLog(engine);
    const received: number[] = [];
    log.onAppended((events) => received.push(...events.map(({ position }) => position)));
    const waiting: Promise<unknown>[] = [];
    for (let sent = 0; sent < 2_200; ) {
      control.gate = turns(4);
      for (let wave = 0; wave < 1 + (sent % 23); wave += 1) {
        sent += 1;
        waiting.push(log.append([to(`s-${sent % 5}`, [event(sent)])]));
      }
      await turns(1 + (sent % 3));
    }
    await Promise.all(waiting);
    expect(received).toEqual(Array.from({ length: log.head().position }, (_, index) => index + 1));
    expect(control.commits.length).toBeGreaterThan(20);
    expect((await log.verify()).errors).toEqual([]);
    expect([...log.readStream('s-1')].map(({ version }) => version)).toEqual(
      Array.from({ length: log.streamVersion('s-1') }, (_, index) => index + 1),
    );
  });
});

describe('event log: damage', () => {
  const damages: readonly (readonly [string, Uint8Array, (value: Buffer) => Buffer | undefined])[] = [
    ['a flipped bit in an event', eventKey(100), (value) => flip(value, 60)],
    ['a flipped bit in a leaf hash', eventKey(100), (value) => flip(value, 3)],
    ['a missing event', eventKey(100), () => undefined],
    [
      'an edited event',
      eventKey(100),
      (value) => Buffer.from(value.toString('latin1').replace('owner', 'other'), 'latin1'),
    ],
    [
      'a forged tombstone',
      eventKey(100),
      (value) => Buffer.concat([value.subarray(0, 32), Buffer.of(2), value.subarray(33)]),
    ],
    ['a missing id', idKey(idOf(100)), () => undefined],
    ['a wrong id', idKey(idOf(100)), (value) => flip(value, 7)],
    ['an id of no event', idKey(idOf(77_777)), () => Buffer.alloc(8, 1)],
    ['a missing stream index entry', streamIndexKey('stream-0', 34), () => undefined],
    ['a wrong stream index entry', streamIndexKey('stream-0', 34), (value) => flip(value, 7)],
    [
      'a stream index entry of no stream',
      streamIndexKey('stream-9', 1),
      () => Buffer.from('000000000000000100000001', 'hex'),
    ],
    ['a missing tile', tileKey(0), () => undefined],
    ['a flipped bit in a tile', tileKey(0), (value) => flip(value, 4_000)],
    ['a tile too many', tileKey(9), () => Buffer.alloc(8_192)],
    ['a flipped bit in a node', nodeKey(1, 0), (value) => flip(value, 1)],
    ['a wrong frontier', HEAD_KEY, (value) => flip(value, 30)],
    ['a wrong newest id', HEAD_KEY, (value) => flip(value, 20)],
    ['a foreign key', Buffer.from('zzz'), () => Buffer.from('x')],
  ];

  it.each(damages)('verify finds %s', async (_, key, change) => {
    const { log, engine } = await filled();
    await engine.commit([{ key, value: change(Buffer.from(engine.get(key) ?? [])) }], { durable: true });
    const { ok, errors } = await log.verify();
    expect(ok).toBe(false);
    expect(errors.length).toBeGreaterThan(0);
    for (const { file, what } of errors)
      expect([file, what]).toEqual(['event-log', expect.stringContaining('damaged')]);
  });

  it.each([
    ['a missing last event', eventKey(300), () => undefined],
    ['an edited last event', eventKey(300), (value: Buffer) => flip(value, 60)],
    ['an event after the head', eventKey(301), () => Buffer.alloc(50)],
    ['a missing head', HEAD_KEY, () => undefined],
    ['a head of another size', HEAD_KEY, (value: Buffer) => flip(value, 8)],
  ] as const)('open refuses %s', async (_, key, change) => {
    const { engine } = await filled();
    await engine.commit([{ key, value: change(Buffer.from(engine.get(key) ?? [])) }], { durable: true });
    expect(() => openEventLog(engine)).toThrow(expect.objectContaining({ code: 'STORAGE_CORRUPT', file: 'event-log' }));
  });

  it('open refuses a head of a later format, which is no damage', async () => {
    const { engine } = await filled();
    const value = Buffer.concat([Buffer.of(2), Buffer.from(engine.get(HEAD_KEY)!).subarray(1)]);
    await engine.commit([{ key: HEAD_KEY, value }], { durable: true });
    expect(() => openEventLog(engine)).toThrow(expect.objectContaining({ code: 'STORAGE_FOREIGN', file: 'event-log' }));
  });

  it('a record with an envelope that no append writes names the rule, as the end of a sentence', async () => {
    const { log } = await filled();
    const [raw] = log.readRaw({ limit: 1 });
    const stored = decodeEvent(raw!.record, 1);
    expect(envelopeFault(raw!.record, stored)).toBeUndefined();
    const fault = `The time of event ${stored.id} must be whole milliseconds from 1970`;
    expect(envelopeFault(raw!.record, { ...stored, at: -1 })).toBe(fault);
  });

  it('a gap is an error for every read, never a shorter answer', async () => {
    const { log, engine } = await filled();
    await engine.commit([{ key: eventKey(100), value: undefined }], { durable: true });
    const damaged = expect.objectContaining({ code: 'STORAGE_CORRUPT' });
    expect(() => [...log.readAll()]).toThrow(damaged);
    expect(() => [...log.readAll({ reverse: true })]).toThrow(damaged);
    expect(() => [...log.readAll({ after: 99 })]).toThrow(damaged);
    expect(() => [...log.readAll({ after: 98, limit: 2 })]).toThrow(damaged);
    expect(() => [...log.readStream(`stream-${99 % 3}`)]).toThrow(damaged);
    const read: number[] = [];
    expect(() => {
      for (const { position } of log.readAll()) read.push(position);
    }).toThrow('position 100 is missing');
    expect(read).toEqual(Array.from({ length: 99 }, (_, index) => index + 1));
    expect(() => log.at(100)).toThrow(damaged);
    await expect(log.erase([100])).rejects.toThrow(damaged);
  });

  it('erase refuses to seal an event that is damaged', async () => {
    const { log, engine } = await filled();
    const value = flip(Buffer.from(engine.get(eventKey(100))!), 60);
    await engine.commit([{ key: eventKey(100), value }], { durable: true });
    await expect(log.erase([100])).rejects.toMatchObject({ code: 'STORAGE_CORRUPT' });
    expect(log.head().position).toBe(300);
  });

  it('a verification that a close interrupts finds no fault', async () => {
    const { log, engine } = await filled();
    await fill(log, 3_000, 1_000);
    const verified = log.verify();
    await turns(1);
    await engine.close();
    await expect(verified).rejects.toMatchObject({ code: 'STORAGE_CLOSED' });
  });

  it('an erasure that cannot be recorded erases nothing', async () => {
    const log = openEventLog(openMemoryEngine(), { clock: () => -1 });
    await fill(log, 3);
    await expect(log.erase([2])).rejects.toMatchObject({ code: 'STORAGE_VALUE_INVALID' });
    expect(log.at(2)?.erased).toBeUndefined();
    expect((await log.verify()).errors).toEqual([]);
  });

  it('a batch takes more tombstones than a call takes arguments', () => {
    const reader = openMemoryEngine();
    const batch = new AppendBatch({ reader, state: loadState(reader), partialTile: new PartialTile(reader, 0) });
    const record = Buffer.alloc(0);
    batch.replace(Array.from({ length: 250_000 }, (_, index) => ({ position: index + 1, record })));
    expect([batch.changes.length, batch.tombstones.length]).toEqual([250_000, 250_000]);
  });

  it('a tombstone whose metadata changed, or whose erasure is not recorded, fails', async () => {
    const { log, engine } = await filled();
    await log.erase([50]);
    const tombstone = Buffer.from(engine.get(eventKey(50))!);
    expect((await log.verify()).ok).toBe(true);
    await engine.commit([{ key: eventKey(50), value: flip(tombstone, 80) }], { durable: true });
    expect((await log.verify()).errors[0]?.what).toContain('does not match its seal');
    const unrecorded = await filled();
    await unrecorded.engine.commit([{ key: eventKey(50), value: tombstone }], { durable: true });
    expect((await unrecorded.log.verify()).errors[0]?.what).toContain('no event says so');
  });
});

describe('event log: model', () => {
  const streams = ['a-1', 'a-2', 'b-1'];
  const appendArbitrary = fc.record({
    kind: fc.constant('append' as const),
    streams: fc.array(
      fc.record({
        stream: fc.constantFrom(...streams),
        expected: fc.constantFrom('any' as const, 'none' as const, 'right' as const, 'wrong' as const),
        count: fc.integer({ min: 0, max: 4 }),
      }),
      { maxLength: 3 },
    ),
    isAwaited: fc.boolean(),
  });
  const stepArbitrary = fc.oneof(
    { weight: 8, arbitrary: appendArbitrary },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('retry' as const), pick: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const), pick: fc.nat() }) },
  );

  it('agrees with plain lists for random operations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stepArbitrary, { maxLength: 40 }), async (steps) => {
        const engine = openMemoryEngine();
        let log = openEventLog(engine);
        const all: { id: string; stream: string; version: number; isErased: boolean }[] = [];
        const versions = new Map<string, number>();
        const waiting: Promise<unknown>[] = [];
        let number = 0;
        for (const step of steps) {
          if (step.kind !== 'append' || step.isAwaited) await Promise.all(waiting.splice(0));
          if (step.kind === 'reopen') log = openEventLog(engine);
          if (step.kind === 'retry' && all.length > 0) {
            const old = all[step.pick % all.length]!;
            const again = { ...event(0), id: old.id };
            if (old.stream === 'log-erasures') continue;
            const result = await log.append([to(old.stream, [again], 'none')]);
            expect(result).toMatchObject({ kind: 'duplicate', events: [{ id: old.id, version: old.version }] });
          }
          if (step.kind === 'erase' && all.length > 0) {
            const position = 1 + (step.pick % all.length);
            const target = all[position - 1]!;
            if (target.stream === 'log-erasures') continue;
            await log.erase([position]);
            if (!target.isErased) {
              const version = (versions.get('log-erasures') ?? 0) + 1;
              versions.set('log-erasures', version);
              const { id } = log.at(log.head().position)!;
              all.push({ id, stream: 'log-erasures', version, isErased: false });
            }
            target.isErased = true;
          }
          if (step.kind === 'append') {
            const grown = new Map(versions);
            let conflict: string | undefined;
            const added: typeof all = [];
            const batch = step.streams.map(({ stream, expected, count }) => {
              const actual = grown.get(stream) ?? 0;
              if (expected === 'wrong' || (expected === 'none' && actual > 0)) conflict ??= stream;
              const events = Array.from({ length: count }, (_, index) => {
                number += 1;
                added.push({ id: idOf(number), stream, version: actual + index + 1, isErased: false });
                return event(number);
              });
              grown.set(stream, actual + count);
              const wanted = expected === 'right' ? actual : expected === 'wrong' ? actual + 1 : expected;
              return to(stream, events, wanted);
            });
            const done = log.append(batch);
            if (conflict === undefined) {
              all.push(...added);
              for (const [stream, version] of grown) versions.set(stream, version);
              waiting.push(done.then((result) => expect(result.kind).toBe('appended')));
            } else {
              waiting.push(done.then((result) => expect(result).toMatchObject({ kind: 'conflict', stream: conflict })));
            }
            if (step.isAwaited) await Promise.all(waiting.splice(0));
          }
        }
        await Promise.all(waiting);
        const seen = [...log.readAll()].map(({ id, stream, version, erased = false }) => ({
          id,
          stream,
          version,
          isErased: erased,
        }));
        expect(seen).toEqual(all);
        for (const stream of streams) {
          const ids = all.filter((entry) => entry.stream === stream).map(({ id }) => id);
          expect([...log.readStream(stream)].map(({ id }) => id)).toEqual(ids);
          expect(log.streamVersion(stream)).toBe(ids.length);
        }
        expect(await log.verify()).toMatchObject({ ok: true, head: all.length, treeHash: log.head().treeHash });
      }),
      { numRuns: 60 },
    );
  });
});

async function filled() {
  const engine = openMemoryEngine();
  const log = openEventLog(engine);
  await fill(log, 300);
  return { engine, log };
}

function flip(value: Buffer, at: number): Buffer {
  const flipped = Buffer.from(value);
  flipped[at] = flipped[at]! ^ 1;
  return flipped;
}
