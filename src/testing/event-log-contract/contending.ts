/** Many writers at once, several handles on one log, and writers that crash. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import type { EventLog, RecordedEvent } from '../../storage/event-log.ts';
import { type Case, type CrashingLog, event, fill, idOf, isWhole, positions, to, upTo } from './case.ts';

const WRITERS = 64;
const COUNTERS = 8;
const ROUNDS = 4;
/** A crash is tried after every step that the work takes; this limit fails a log that never completes the work. */
const STEPS_MAX = 2_000;

/** Increments a counter as a command handler would: reads, decides, appends, and starts again after a conflict. */
async function increment(log: EventLog, counter: string, id: number): Promise<void> {
  for (;;) {
    const version = log.streamVersion(counter);
    const [last] = log.readStream(counter, { reverse: true, limit: 1 });
    const before = last === undefined ? 0 : (last.data as { value: number }).value;
    const result = await log.append([to(counter, [event(id, { value: before + 1 })], version)]);
    if (result.kind !== 'conflict') return;
  }
}

/** 64 writers, spread over the handles, increment eight counters. */
async function contend(logs: readonly EventLog[]): Promise<void> {
  await Promise.all(
    upTo(WRITERS).map(async (writer) => {
      for (const round of upTo(ROUNDS)) {
        await increment(logs[writer % logs.length]!, `counter-${writer % COUNTERS}`, writer * 1_000 + round);
      }
    }),
  );
}

async function hasCounted(log: EventLog): Promise<void> {
  await isWhole(log);
  equal(log.head().position, WRITERS * ROUNDS);
  for (let counter = 0; counter < COUNTERS; counter += 1) {
    const values = [...log.readStream(`counter-${counter}`)].map(({ data }) => (data as { value: number }).value);
    deepEqual(values, upTo((WRITERS * ROUNDS) / COUNTERS));
  }
}

/** Resolves when the listeners of a log have been notified of a position. */
function reached(log: EventLog, position: number): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (log.head().position < position) return;
      leave();
      resolve();
    };
    const leave = log.onAppended(check);
    check();
  });
}

const contention: readonly Case[] = [
  {
    name: 'contention: 64 writers with expected versions lose no increment',
    run: async ({ log }) => {
      await contend([log]);
      await hasCounted(log);
    },
  },
  {
    name: 'contention: readers never see a hole, nor a part of an append',
    run: async ({ log }) => {
      const appends = upTo(60).map((number) => {
        const three = [0, 1, 2].map((part) => event(number * 10 + part, { number }));
        return log.append([to(`s-${number % 5}`, three.slice(0, 2)), to('other-1', three.slice(2))]);
      });
      let isDone = false;
      const reader = async (): Promise<void> => {
        while (!isDone) {
          const found = [...log.readAll()];
          deepEqual(positions(found), upTo(found.length));
          equal(found.length % 3, 0);
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      const readers = Promise.all([reader(), reader()]);
      await Promise.all(appends);
      isDone = true;
      await readers;
      equal(log.head().position, 180);
    },
  },
];

const sharing: readonly Case[] = [
  {
    name: 'shared: what one handle appends, the other has, tells its listeners, and proves',
    needs: 'shared',
    run: async ({ log, another }) => {
      const other = await another();
      const heard: RecordedEvent[] = [];
      other.onAppended((events) => heard.push(...events));
      await fill(log, 300);
      await reached(other, 300);
      deepEqual(heard, [...log.readAll()]);
      deepEqual(other.head(), log.head());
      deepEqual(other.inclusionProof(7, 300), log.inclusionProof(7, 300));
      await isWhole(other);
    },
  },
  {
    name: 'shared: an append decided on an old state is decided again',
    needs: 'shared',
    run: async ({ log, another }) => {
      const other = await another();
      await fill(log, 50);
      const conflict = await other.append([to('stream-0', [event(900)], 'none')]);
      deepEqual(conflict, { kind: 'conflict', stream: 'stream-0', expected: 'none', actual: 17 });
      const version = log.streamVersion('stream-0');
      await log.append([to('stream-0', [event(901)], version)]);
      equal((await other.append([to('stream-0', [event(902)], version + 1)])).kind, 'appended');
      equal((await other.append([to('stream-0', [event(901)], version)])).kind, 'duplicate');
    },
  },
  {
    name: 'shared: 64 writers over three handles lose no increment',
    needs: 'shared',
    run: async ({ log, another }) => {
      const logs = [log, await another(), await another()];
      await contend(logs);
      for (const each of logs) {
        await reached(each, WRITERS * ROUNDS);
        await hasCounted(each);
      }
    },
  },
  {
    name: 'shared: an erasure by one handle drops the payload for the other',
    needs: 'shared',
    run: async ({ log, another }) => {
      await fill(log, 5);
      const other = await another();
      await log.erase([2, 3]);
      await reached(other, 6);
      equal(other.at(2)?.erased, true);
      equal(other.at(3)?.data, null);
      await isWhole(other);
    },
  },
];

const crashing: readonly Case[] = [
  {
    name: 'crash: after any step, every acknowledged append is there once and no other is there in part',
    needs: 'crashes',
    run: async ({ place, close, reopen }) => {
      let number = 0;
      for (let steps = 0; ; steps += 1) {
        ok(steps < STEPS_MAX, `the work takes more than ${STEPS_MAX} steps`);
        await close();
        const writer = await place.openCrashing!(steps).catch(() => null);
        const acknowledged = writer === null ? [] : await workUntilCrash(writer, number);
        number += 100;
        const log = await reopen();
        await isWhole(log);
        const things = [...log.readAll()].filter(({ type }) => type === 'ThingHappened');
        const ids = things.map(({ id }) => id);
        equal(new Set(ids).size, ids.length);
        for (const id of acknowledged) ok(ids.includes(id), `an acknowledged event is lost after step ${steps}`);
        equal(ids.length % 2, 0, `a part of an append is there after step ${steps}`);
        if (writer?.isCrashed === false) return;
      }
    },
  },
];

/** Appends pairs and an erasure until the log refuses; returns the ids of what was acknowledged. */
async function workUntilCrash(writer: CrashingLog, number: number): Promise<string[]> {
  const { log } = writer;
  const acknowledged: string[] = [];
  const pair = async (each: number): Promise<void> => {
    const first = number + each * 10;
    await log.append([to('a-1', [event(first)]), to('b-1', [event(first + 1)])]);
    acknowledged.push(idOf(first), idOf(first + 1));
  };
  try {
    await pair(1);
    await Promise.all([pair(2), pair(3)]);
    await log.erase([log.head().position]);
    await pair(4);
  } catch {
    // The crash, or a consequence of it.
  }
  await writer.close().catch(() => {});
  return acknowledged;
}

export const contending: readonly Case[] = [...contention, ...sharing, ...crashing];
