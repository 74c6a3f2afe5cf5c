/** Updates are recorded in batches, one append at a time, and none is lost while the log takes no writes. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RoomTextEvent } from '../../src/events/room.ts';
import { BATCH_BYTES_MAX, BATCH_MS_MAX, TextRecorder } from '../../src/live/room/recorder.ts';
import type { Replica } from '../../src/ports/replica.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const piece = (text: string): Uint8Array => Buffer.from(text);
const STATE = piece('the whole text');

/** A log whose appends are let through one by one. */
function shutLog(weight = { state: 0, since: 0 }) {
  const appended: string[] = [];
  const troubles: string[] = [];
  let let1: { through(): void; fail(): void } | null = null;
  const replica: Pick<Replica, 'merge' | 'state'> = {
    merge: (updates) => Buffer.concat(updates),
    state: () => STATE,
  };
  const append = (event: RoomTextEvent): Promise<void> => {
    expect(let1).toBeNull();
    return new Promise((resolve, reject) => {
      const end = (how: () => void) => () => {
        let1 = null;
        how();
      };
      let1 = {
        through: end(() => {
          const encoded = event.type === 'RoomTextCompacted' ? event.data.state : event.data.update;
          appended.push(`${event.type === 'RoomTextCompacted' ? '=' : '+'}${Buffer.from(encoded, 'base64')}`);
          resolve();
        }),
        fail: end(() => reject(new Error('no room on the disk'))),
      };
    });
  };
  const recorder = new TextRecorder({ append, onTrouble: (why) => troubles.push(why.message) }, { replica, weight });
  return {
    recorder,
    replica,
    appended,
    troubles,
    isAppending: () => let1 !== null,
    async go(how: 'through' | 'fail' = 'through') {
      let1![how]();
      await vi.advanceTimersByTimeAsync(0);
    },
  };
}

describe('a batch', () => {
  it('goes when its oldest piece has waited long enough, with all that came meanwhile', async () => {
    const log = shutLog();
    log.recorder.add(piece('a'));
    await vi.advanceTimersByTimeAsync(BATCH_MS_MAX - 1);
    log.recorder.add(piece('b'));
    expect(log.isAppending()).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(log.isAppending()).toBe(true);
    await log.go();
    expect(log.appended).toEqual(['+ab']);
    await vi.advanceTimersByTimeAsync(10 * BATCH_MS_MAX);
    expect(log.isAppending()).toBe(false);
  });

  it('goes at once when it is large', () => {
    const log = shutLog();
    log.recorder.add(new Uint8Array(BATCH_BYTES_MAX));
    expect(log.isAppending()).toBe(true);
  });

  it('waits for the one before it, and then its time', async () => {
    const log = shutLog();
    log.recorder.add(new Uint8Array(BATCH_BYTES_MAX));
    log.recorder.add(piece('b'));
    await log.go();
    expect(log.isAppending()).toBe(false);
    await vi.advanceTimersByTimeAsync(BATCH_MS_MAX);
    await log.go();
    expect(log.appended[1]).toBe('+b');
  });
});

describe('the whole state', () => {
  it('takes the place of a batch when the records since the last one outweigh it', async () => {
    const log = shutLog({ state: 1_000_000, since: 1_000_001 });
    log.recorder.add(piece('a'));
    await vi.advanceTimersByTimeAsync(BATCH_MS_MAX);
    await log.go();
    log.recorder.add(piece('b'));
    await vi.advanceTimersByTimeAsync(BATCH_MS_MAX);
    await log.go();
    expect(log.appended).toEqual([`=${Buffer.from(STATE)}`, '+b']);
  });

  it.each([
    { state: 0, since: 262_144 },
    { state: 1_000_000, since: 1_000_000 },
  ])('is not due at %j', async (weight) => {
    const log = shutLog(weight);
    log.recorder.add(piece('a'));
    await vi.advanceTimersByTimeAsync(BATCH_MS_MAX);
    await log.go();
    expect(log.appended).toEqual(['+a']);
  });
});

it.each([
  ['are recorded as the whole state', STATE, [`=${Buffer.from(STATE)}`, '+b']],
  ['of a state that could not be read again are dropped, and the next ones are recorded', null, ['+b']],
])('changes that cannot be merged: %s', async (_name, state, appended) => {
  const log = shutLog();
  log.replica.merge = () => null;
  log.replica.state = () => state;
  log.recorder.add(piece('a'));
  await vi.advanceTimersByTimeAsync(BATCH_MS_MAX);
  if (log.isAppending()) await log.go();
  log.replica.merge = (updates) => Buffer.concat(updates);
  log.recorder.add(piece('b'));
  await vi.advanceTimersByTimeAsync(BATCH_MS_MAX);
  await log.go();
  expect(log.appended).toEqual(appended);
  expect([log.troubles, log.recorder.unsaved()]).toEqual([[], []]);
});

describe('a log that takes no writes', () => {
  it('is tried again until it does; nothing is lost, the order is kept, and the failure is reported once', async () => {
    const log = shutLog();
    log.recorder.add(piece('a'));
    await vi.advanceTimersByTimeAsync(BATCH_MS_MAX);
    await log.go('fail');
    log.recorder.add(piece('b'));
    expect(log.recorder.unsaved().map(String)).toEqual([piece('a'), piece('b')].map(String));
    await vi.advanceTimersByTimeAsync(1_000);
    await log.go('fail');
    await vi.advanceTimersByTimeAsync(1_000);
    await log.go();
    expect(log.appended).toEqual(['+ab']);
    expect(log.troubles).toEqual(['no room on the disk']);
    expect(log.recorder.unsaved()).toEqual([]);
  });

  it('is reported again after an append has succeeded', async () => {
    const log = shutLog();
    for (const how of ['fail', 'through', 'fail'] as const) {
      log.recorder.add(piece('a'));
      await vi.advanceTimersByTimeAsync(1_000);
      await log.go(how);
    }
    expect(log.troubles).toHaveLength(2);
  });

  it('does not make what waits grow for ever: the whole state takes its place', async () => {
    const log = shutLog();
    log.recorder.add(piece('a'));
    await vi.advanceTimersByTimeAsync(BATCH_MS_MAX);
    await log.go('fail');
    for (let each = 0; each < 5; each += 1) log.recorder.add(new Uint8Array(1_048_576));
    expect(log.recorder.unsaved().reduce((sum, { length }) => sum + length, 0)).toBeLessThan(2 * 1_048_576);
  });

  it('does not either when less than the limit is written between two attempts', async () => {
    const log = shutLog();
    for (let attempt = 0; attempt < 10; attempt += 1) {
      log.recorder.add(new Uint8Array(1_048_576));
      await vi.advanceTimersByTimeAsync(1_000);
      await log.go('fail');
    }
    expect(log.recorder.unsaved().reduce((sum, { length }) => sum + length, 0)).toBeLessThan(5 * 1_048_576);
  });
});

describe('saved', () => {
  it('waits for no time, and until the last piece is in', async () => {
    const log = shutLog();
    log.recorder.add(piece('a'));
    let isSaved = false;
    const saved = log.recorder.saved().then(() => {
      isSaved = true;
    });
    expect(log.isAppending()).toBe(true);
    log.recorder.add(piece('b'));
    await log.go();
    expect(isSaved).toBe(false);
    await log.go();
    await saved;
    expect(log.appended).toEqual(['+a', '+b']);
  });

  it('is there at once when nothing is unsaved', () => shutLog().recorder.saved());
});

describe('closing', () => {
  it('records what waits', async () => {
    const log = shutLog();
    log.recorder.add(piece('a'));
    const closed = log.recorder.close();
    await vi.advanceTimersByTimeAsync(0);
    await log.go();
    expect(await closed).toBe(true);
    expect(log.appended).toEqual(['+a']);
  });

  it('reports an append that the log refuses for good, stops trying, and settles its waiters', async () => {
    const log = shutLog();
    log.recorder.add(piece('a'));
    const saved = log.recorder.saved();
    await log.go('fail');
    const closed = log.recorder.close();
    await vi.advanceTimersByTimeAsync(0);
    await log.go('fail');
    expect(await closed).toBe(false);
    await saved;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(log.isAppending()).toBe(false);
  });
});
