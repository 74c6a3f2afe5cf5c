/**
 * Shared frames compared with a plain array: for any interleaving of publishing, subscribing, asking, leaving and
 * waiting, a subscriber gets every frame after its cursor exactly once and in order; a blocked one ends with an error.
 */
import fc from 'fast-check';
import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { type Entry, type Frame, frame, type Write } from '../../src/streams/replay-buffer.ts';
import {
  BEHIND_BYTES_MAX,
  BEHIND_FRAMES_MAX,
  FellBehind,
  type FrameSource,
  shareFrames,
} from '../../src/streams/shared-frames.ts';
import { turns } from '../support/turns.ts';
import { NO_PAUSE } from './marbles.ts';

/** A frame of so many bytes, or of the smallest possible size. */
const frameOf = (seq: number, bytes = 40): Frame => frame(seq, 'x'.repeat(Math.max(0, bytes - frame(seq, '').bytes)));
const frames = (count: number, after = 0, bytes = 40): Frame[] =>
  Array.from({ length: count }, (_, index) => frameOf(after + index + 1, bytes));

/** Frames over an array that is their store; `publish` stores first, as the log does. */
function sharedOver(store: Entry[]) {
  const live$ = new Subject<readonly Frame[]>();
  const reads: number[] = [];
  const source: FrameSource = {
    head: () => store.at(-1)?.seq ?? 0,
    *read(after) {
      reads.push(after);
      const from = store.findIndex(({ seq }) => seq > after);
      if (from >= 0) yield* store.slice(from);
    },
    live: (after) => {
      expect(after).toBe(store.at(-1)?.seq ?? 0);
      return live$;
    },
  };
  return {
    follow: shareFrames(source, { pace: NO_PAUSE }),
    reads,
    end: () => live$.complete(),
    subscribers: () => (live$.observed ? 1 : 0),
    publish(...published: readonly Frame[]) {
      store.push(...published);
      live$.next(published);
    },
  };
}

/** A subscriber as a socket drives it: the test decides when it asks for the next write. */
function subscriber({ follow }: Pick<ReturnType<typeof sharedOver>, 'follow'>, after: number) {
  const demand$ = new Subject<void>();
  const state = { after, got: [] as Frame[], writes: [] as Write[], isDone: false, isCut: false };
  const subscription = follow({ after, demand$ }).subscribe({
    next(write) {
      const text = write.frames.map(({ seq, json }) => `id: ${seq}\ndata: ${json}\n\n`).join('');
      expect(write.bytes.toString()).toBe(text);
      state.writes.push(write);
      state.got.push(...write.frames);
    },
    complete: () => {
      state.isDone = true;
    },
    error: (error) => {
      expect(error).toBeInstanceOf(FellBehind);
      state.isCut = true;
    },
  });
  return {
    state,
    ask: () => demand$.next(),
    leave: () => subscription.unsubscribe(),
    /** Asks until it has completed, or has so many frames. */
    async readAll(enough = Number.POSITIVE_INFINITY): Promise<void> {
      while (!state.isDone && !state.isCut && state.got.length < enough) {
        demand$.next();
        await turns(1);
      }
    },
  };
}

type Step =
  | { readonly kind: 'publish'; readonly frames: number; readonly gap: number; readonly bytes: number }
  | { readonly kind: 'open'; readonly back: number }
  | { readonly kind: 'ask' | 'leave'; readonly subscriber: number }
  | { readonly kind: 'turn' };

const publishing = fc.record({
  kind: fc.constant('publish' as const),
  frames: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 60, max: 300 })),
  gap: fc.integer({ min: 0, max: 2 }),
  bytes: fc.oneof(fc.constant(40), fc.integer({ min: 20, max: 30_000 })),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: publishing },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('open' as const), back: fc.integer({ min: 0, max: 4_000 }) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('ask' as const), subscriber: fc.nat(7) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), subscriber: fc.nat(7) }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'turn' as const }) },
);

describe('every frame once, in order', () => {
  it('for any interleaving of publishing, subscribing, asking, leaving and waiting', async () => {
    const history = fc.integer({ min: 0, max: 600 });
    await fc.assert(
      fc.asyncProperty(history, fc.array(step, { maxLength: 60 }), async (past, steps) => {
        const store: Frame[] = frames(past);
        const shared = sharedOver(store);
        const all: ReturnType<typeof subscriber>[] = [];
        const left = new Set<unknown>();
        for (const each of steps) {
          const newest = store.at(-1)?.seq ?? 0;
          if (each.kind === 'turn') await turns(1);
          else if (each.kind === 'publish') {
            const seq = (index: number): number => newest + (index + 1) * (1 + each.gap);
            shared.publish(...Array.from({ length: each.frames }, (_, index) => frameOf(seq(index), each.bytes)));
          } else if (each.kind === 'open') all.push(subscriber(shared, Math.max(0, newest - each.back)));
          else {
            const one = all[each.subscriber % Math.max(1, all.length)];
            if (each.kind === 'ask') one?.ask();
            else if (one !== undefined) {
              left.add(one);
              one.leave();
            }
          }
        }
        shared.end();
        for (const one of all) {
          const due = store.filter(({ seq }) => seq > one.state.after);
          if (!left.has(one)) await one.readAll();
          const isWhole = !left.has(one) && !one.state.isCut;
          expect(one.state.got).toEqual(isWhole ? due : due.slice(0, one.state.got.length));
        }
        expect(shared.subscribers()).toBe(0);
      }),
      { numRuns: 150 },
    );
  });

  it('also when frames are published while a subscriber reads stored ones', async () => {
    const shared = sharedOver(frames(5_000));
    const one = subscriber(shared, 0);
    for (let seq = 5_001; one.state.got.length < seq - 1; seq += 1) {
      shared.publish(frameOf(seq));
      one.ask();
      await turns(1);
    }
    expect(one.state.got.map(({ seq }) => seq)).toEqual(one.state.got.map((_, index) => index + 1));
    expect(one.state.got.length).toBeGreaterThan(5_000);
  });

  it('frames stored while there was no subscriber are delivered without waiting for more', async () => {
    const store = frames(2);
    const shared = sharedOver(store);
    const first = subscriber(shared, 0);
    await turns();
    first.leave();
    store.push(frameOf(3), frameOf(4));
    const second = subscriber(shared, 2);
    await turns();
    expect(second.state.got.map(({ seq }) => seq)).toEqual([3, 4]);
  });

  it('skipped entries give no frame but take turns; the cursor moves past them', async () => {
    const entries: Entry[] = frames(10_000);
    for (let index = 0; index < entries.length - 1; index += 1) entries[index] = { seq: index + 1, json: null };
    const shared = sharedOver(entries);
    const one = subscriber(shared, 0);
    await turns(20);
    expect(one.state.got.map(({ seq }) => seq)).toEqual([10_000]);
    expect(shared.reads).toEqual([0, 2_000, 4_000, 6_000, 8_000]);
  });

  it('a current subscriber gets new frames without reading the store, however sparse its selection is', async () => {
    const shared = sharedOver(frames(1));
    const one = subscriber(shared, 1);
    for (const seq of [50, 1_000, 1_001]) {
      shared.publish(frameOf(seq));
      one.ask();
      await turns();
    }
    expect(one.state.got.map(({ seq }) => seq)).toEqual([50, 1_000, 1_001]);
    expect(shared.reads).toEqual([]);
  });

  it('a long history is read one write a turn, so that other subscribers are served', async () => {
    const one = subscriber(sharedOver(frames(5_000)), 0);
    let count = 0;
    let isCounting = true;
    const countTurn = (): void => {
      count += 1;
      if (isCounting) setImmediate(countTurn);
    };
    countTurn();
    await one.readAll(5_000);
    isCounting = false;
    expect(one.state.writes.length).toBeGreaterThan(10);
    expect(count).toBeGreaterThanOrEqual(one.state.writes.length);
  });

  it('one write stays small, and holds at least one frame however large that is', async () => {
    const shared = sharedOver([frameOf(1, 100_000), ...frames(400, 1, 1_000)]);
    const one = subscriber(shared, 0);
    shared.end();
    await one.readAll();
    const sizes = one.state.writes.map(({ bytes }) => bytes.length);
    expect(sizes[0]).toBe(100_000);
    expect(Math.max(...sizes.slice(1))).toBeLessThanOrEqual(16_384);
  });

  it('subscribers at the same place share a write and its bytes', async () => {
    const shared = sharedOver([]);
    const [first, second] = [subscriber(shared, 0), subscriber(shared, 0)];
    shared.publish(frameOf(1), frameOf(2));
    await turns();
    expect(first!.state.got).toEqual([frameOf(1), frameOf(2)]);
    expect(second!.state.writes[0]).toBe(first!.state.writes[0]);
    expect(second!.state.writes[0]!.bytes).toBe(first!.state.writes[0]!.bytes);
  });
});

describe('slow subscribers', () => {
  /** A subscriber whose socket took one write and then no more. */
  async function blocked() {
    const shared = sharedOver([frameOf(1)]);
    const one = subscriber(shared, 0);
    await turns();
    let seq = 1;
    const more = async (count: number, bytes = 40): Promise<void> => {
      shared.publish(...frames(count, seq, bytes));
      seq += count;
      await turns();
    };
    return { shared, one, more };
  }

  it.each([
    { frames: BEHIND_FRAMES_MAX, bytes: 40, isCut: false },
    { frames: BEHIND_FRAMES_MAX + 1, bytes: 40, isCut: true },
    { frames: 1, bytes: BEHIND_BYTES_MAX, isCut: false },
    { frames: 1, bytes: BEHIND_BYTES_MAX + 1, isCut: true },
    { frames: 64, bytes: BEHIND_BYTES_MAX / 64, isCut: false },
    { frames: 65, bytes: BEHIND_BYTES_MAX / 64, isCut: true },
  ])('$frames frames of $bytes bytes while blocked: cut off $isCut', async ({ frames: count, bytes, isCut }) => {
    const { shared, one, more } = await blocked();
    await more(count, bytes);
    expect(one.state.isCut).toBe(isCut);
    expect(shared.subscribers()).toBe(isCut ? 0 : 1);
  });

  it('end at the limit when frames come one at a time', async () => {
    const { one, more } = await blocked();
    let sent = 0;
    while (!one.state.isCut) {
      await more(1);
      sent += 1;
    }
    expect(sent).toBe(BEHIND_FRAMES_MAX + 1);
  });

  it('do not end while they keep reading stored frames, however far behind', async () => {
    const shared = sharedOver(frames(20_000));
    const one = subscriber(shared, 0);
    for (let seq = 20_000; seq < 40_000; seq += 1_000) {
      one.ask();
      await turns();
      shared.publish(...frames(1_000, seq));
    }
    expect(one.state.isCut).toBe(false);
    expect(one.state.got.length).toBeGreaterThan(1_000);
  });

  it('are not blocked while they wait for new frames', async () => {
    const shared = sharedOver([]);
    const one = subscriber(shared, 0);
    for (let seq = 1; seq <= 3_000; seq += 1) {
      shared.publish(frameOf(seq));
      await turns(1);
      one.ask();
    }
    await one.readAll(3_000);
    expect(one.state.isCut).toBe(false);
    expect(one.state.got).toHaveLength(3_000);
  });

  it('do not delay other subscribers', async () => {
    const { shared, one, more } = await blocked();
    const quick = subscriber(shared, 1);
    for (let round = 0; round < 30; round += 1) {
      await more(50);
      quick.ask();
    }
    expect(one.state.isCut).toBe(true);
    shared.end();
    await quick.readAll();
    expect(quick.state.got).toHaveLength(1_500);
  });
});

describe('the end', () => {
  it('comes after the last frame, for subscribers that wait and for those that are behind', async () => {
    const shared = sharedOver([]);
    const waiting = subscriber(shared, 0);
    const late = subscriber(shared, 0);
    shared.publish(frameOf(1), frameOf(2));
    shared.end();
    for (const one of [waiting, late]) {
      await one.readAll();
      expect(one.state.got).toEqual([frameOf(1), frameOf(2)]);
    }
  });

  it('the last subscriber unsubscribes from the source', async () => {
    const shared = sharedOver([]);
    const [first, second] = [subscriber(shared, 0), subscriber(shared, 0)];
    first!.leave();
    expect(shared.subscribers()).toBe(1);
    second!.leave();
    expect(shared.subscribers()).toBe(0);
  });
});
