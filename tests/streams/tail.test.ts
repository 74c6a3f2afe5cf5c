/**
 * The tail against a plain array: whatever the interleaving of publishing, reading, paging, trimming and waiting, a
 * reader gets every frame behind its cursor exactly once and in order; who blocks is cut off by the rule and no other.
 */
import fc from 'fast-check';
import { TestScheduler } from 'rxjs/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Chunk, TailReader } from '../../src/streams/reader.ts';
import type { Frame } from '../../src/streams/ring.ts';
import { BEHIND_BYTES_MAX, BEHIND_FRAMES_MAX, createTail, KEEP_ALIVE_MS, type Tail } from '../../src/streams/tail.ts';

const frame = (seq: number, bytes = 40): Frame => {
  const head = `id: ${seq}\ndata: `;
  return { seq, block: head + 'x'.repeat(Math.max(0, bytes - head.length)) };
};

/** A tail over an array that is its store; `publish` stores first, as the log does. */
function tailOver(store: Frame[]): { tail: Tail; publish(...frames: Frame[]): void } {
  const page = (after: number, limit: number): readonly Frame[] => {
    const from = store.findIndex(({ seq }) => seq > after);
    return from < 0 ? [] : store.slice(from, from + limit);
  };
  const tail = createTail(page, store.at(-1)?.seq ?? 0);
  return {
    tail,
    publish(...frames) {
      store.push(...frames);
      tail.publish(frames);
    },
  };
}

/** The blocks of a chunk, which its bytes must hold, each with its blank line. */
function blocksOf(chunk: Chunk): readonly string[] {
  if (chunk.kind === 'tick') return [];
  const blocks = chunk.frames.map(({ block }) => block);
  expect(chunk.bytes.toString()).toBe(blocks.map((block) => `${block}\n\n`).join(''));
  return blocks;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A reader as a socket drives it: one `next` at a time, whenever it is told to pull. */
function follow(tail: Tail, after: number) {
  const state = { got: [] as string[], done: false, cut: false, pulling: null as Promise<void> | null };
  const reader: TailReader = tail.read({
    after,
    cutOff: () => {
      state.cut = true;
    },
  });
  const pull = (): Promise<void> => {
    state.pulling ??= reader.next().then((result) => {
      state.pulling = null;
      if (result.done === true) state.done = true;
      else state.got.push(...blocksOf(result.value));
    });
    return state.pulling;
  };
  return { after, state, pull, reader };
}

type Step =
  | { readonly kind: 'publish'; readonly frames: number; readonly gap: number; readonly bytes: number }
  | { readonly kind: 'open'; readonly back: number }
  | { readonly kind: 'pull' | 'close'; readonly reader: number }
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
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('pull' as const), reader: fc.nat(7) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('close' as const), reader: fc.nat(7) }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'turn' as const }) },
);

describe('every frame once, in order', () => {
  it('for any interleaving of publishing, opening, pulling, closing and waiting', async () => {
    const history = fc.integer({ min: 0, max: 600 });
    await fc.assert(
      fc.asyncProperty(history, fc.array(step, { maxLength: 60 }), async (past, steps) => {
        const store = Array.from({ length: past }, (_, index) => frame(index + 1));
        const { tail, publish } = tailOver(store);
        const readers: ReturnType<typeof follow>[] = [];
        const closed = new Set<unknown>();
        for (const each of steps) {
          if (each.kind === 'turn') await turn();
          else if (each.kind === 'publish') {
            const seq = store.at(-1)?.seq ?? 0;
            const frames = Array.from({ length: each.frames }, (_, index) =>
              frame(seq + (index + 1) * (1 + each.gap), each.bytes),
            );
            publish(...frames);
          } else if (each.kind === 'open')
            readers.push(follow(tail, Math.max(0, (store.at(-1)?.seq ?? 0) - each.back)));
          else {
            const reader = readers[each.reader % Math.max(1, readers.length)];
            if (each.kind === 'pull') void reader?.pull();
            else if (reader !== undefined) {
              closed.add(reader);
              reader.reader.close();
            }
          }
        }
        tail.end();
        for (const reader of readers) {
          while (!reader.state.done) await reader.pull();
          const due = store.filter(({ seq }) => seq > reader.after).map(({ block }) => block);
          const whole = !closed.has(reader) && !reader.state.cut;
          expect(reader.state.got).toEqual(whole ? due : due.slice(0, reader.state.got.length));
        }
        expect(tail.readers).toBe(0);
      }),
      { numRuns: 150 },
    );
  });

  it('across the seam: a reader that is paging through history meets what is published meanwhile', async () => {
    const { tail, publish } = tailOver(Array.from({ length: 5_000 }, (_, index) => frame(index + 1)));
    const reader = follow(tail, 0);
    for (let seq = 5_001; reader.state.got.length < seq - 1; seq += 1) {
      publish(frame(seq));
      await reader.pull();
    }
    const ids = reader.state.got.map((block) => Number(/^id: (\d+)/.exec(block)?.[1]));
    expect(ids).toEqual(ids.map((_, index) => index + 1));
    expect(ids.length).toBeGreaterThan(5_000);
  });

  it('from the store alone: what was never published, because nobody read then, comes without waiting for more', async () => {
    const store = [frame(1), frame(2)];
    const { tail } = tailOver(store);
    store.push(frame(3), frame(4));
    const reader = follow(tail, 2);
    await reader.pull();
    expect(reader.state.got).toEqual([frame(3).block, frame(4).block]);
  });

  it('a long history is read a write a turn, so that others get theirs', async () => {
    const { tail } = tailOver(Array.from({ length: 5_000 }, (_, index) => frame(index + 1)));
    const reader = follow(tail, 0);
    let turns = 0;
    let counting = true;
    const count = (): void => {
      turns += 1;
      if (counting) setImmediate(count);
    };
    count();
    let writes = 0;
    while (reader.state.got.length < 5_000) {
      await reader.pull();
      writes += 1;
    }
    counting = false;
    expect(turns).toBeGreaterThanOrEqual(writes);
    expect(writes).toBeGreaterThan(10);
  });

  it('one write stays small, and holds at least one frame however large that is', async () => {
    const { tail } = tailOver([
      frame(1, 100_000),
      ...Array.from({ length: 400 }, (_, index) => frame(index + 2, 1_000)),
    ]);
    const reader = tail.read({ after: 0, cutOff: () => undefined });
    const sizes: number[] = [];
    tail.end();
    for await (const chunk of reader) if (chunk.kind === 'frames') sizes.push(chunk.bytes.length);
    expect(sizes[0]).toBe(100_002);
    expect(Math.max(...sizes.slice(1))).toBeLessThanOrEqual(16_384 + 400);
  });

  it('shares the encoded bytes between readers at the same place', async () => {
    const { tail, publish } = tailOver([]);
    const readers = [follow(tail, 0), follow(tail, 0)].map(({ reader }) => reader.next());
    publish(frame(1), frame(2));
    const [first, second] = await Promise.all(readers);
    if (first?.done !== false || first.value.kind !== 'frames') return expect.fail('no frames');
    expect(first.value.frames).toEqual([frame(1), frame(2)]);
    if (second?.done !== false || second.value.kind !== 'frames') return expect.fail('no frames');
    expect(second.value.bytes).toBe(first.value.bytes);
  });
});

describe('slow readers', () => {
  /** A reader whose socket took one chunk and then no more. */
  async function blocked() {
    const { tail, publish } = tailOver([frame(1)]);
    const reader = follow(tail, 0);
    await reader.pull();
    let seq = 1;
    const more = (count: number, bytes = 40): void => {
      publish(...Array.from({ length: count }, (_, index) => frame(seq + index + 1, bytes)));
      seq += count;
    };
    return { tail, reader, more };
  }

  it.each([
    { frames: BEHIND_FRAMES_MAX, bytes: 40, cut: false },
    { frames: BEHIND_FRAMES_MAX + 1, bytes: 40, cut: true },
    { frames: 1, bytes: BEHIND_BYTES_MAX, cut: false },
    { frames: 1, bytes: BEHIND_BYTES_MAX + 1, cut: true },
    { frames: 64, bytes: BEHIND_BYTES_MAX / 64, cut: false },
    { frames: 65, bytes: BEHIND_BYTES_MAX / 64, cut: true },
  ])('$frames frames of $bytes bytes while blocked: cut off $cut', async ({ frames, bytes, cut }) => {
    const { tail, reader, more } = await blocked();
    more(frames, bytes);
    expect(reader.state.cut).toBe(cut);
    expect(tail.readers).toBe(cut ? 0 : 1);
    await reader.pull();
    expect(reader.state.done).toBe(cut);
  });

  it('one frame at a time: never before the rule, and at the latest 64 frames after it', async () => {
    const { reader, more } = await blocked();
    let sent = 0;
    while (!reader.state.cut) {
      more(1);
      sent += 1;
    }
    expect(sent).toBeGreaterThan(BEHIND_FRAMES_MAX);
    expect(sent).toBeLessThanOrEqual(BEHIND_FRAMES_MAX + 64);
  });

  it('a reader of history that keeps reading is never cut off, however far behind', async () => {
    const { tail, publish } = tailOver(Array.from({ length: 20_000 }, (_, index) => frame(index + 1)));
    const reader = follow(tail, 0);
    for (let seq = 20_001; seq < 40_000; seq += 1_000) {
      await reader.pull();
      publish(...Array.from({ length: 1_000 }, (_, index) => frame(seq + index)));
    }
    expect(reader.state.cut).toBe(false);
    expect(reader.state.got.length).toBeGreaterThan(1_000);
  });

  it('a reader that waits for news is not blocked', async () => {
    const { tail, publish } = tailOver([]);
    const idle = follow(tail, 0);
    void idle.pull();
    const other = follow(tail, 0);
    for (let seq = 1; seq <= 3_000; seq += 1) {
      publish(frame(seq));
      await idle.pull();
      await other.pull();
      void idle.pull();
    }
    expect([idle.state.cut, other.state.cut]).toEqual([false, false]);
    expect(other.state.got).toHaveLength(3_000);
  });

  it('one blocked reader costs the others nothing', async () => {
    const { tail, reader, more } = await blocked();
    const quick = follow(tail, 1);
    for (let round = 0; round < 30; round += 1) {
      more(50);
      await quick.pull();
    }
    expect(reader.state.cut).toBe(true);
    tail.end();
    while (!quick.state.done) await quick.pull();
    expect(quick.state.got).toHaveLength(1_500);
  });
});

describe('the end of a tail', () => {
  it('comes after the last frame, for readers that wait and for readers that are behind', async () => {
    const { tail, publish } = tailOver([]);
    const waiting = follow(tail, 0);
    void waiting.pull();
    const late = follow(tail, 0);
    publish(frame(1), frame(2));
    tail.end();
    for (const reader of [waiting, late]) {
      while (!reader.state.done) await reader.pull();
      expect(reader.state.got).toEqual([frame(1).block, frame(2).block]);
    }
  });

  it('a closed reader ends also while it waits, and leaves nothing behind', async () => {
    const { tail } = tailOver([]);
    const reader = follow(tail, 0);
    const pulled = reader.pull();
    reader.reader.close();
    await pulled;
    expect([reader.state.done, tail.readers]).toEqual([true, 0]);
  });
});

describe('keep-alive', () => {
  afterEach(() => vi.useRealTimers());

  it('ticks every 15 s, only for readers that wait', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { tail, publish } = tailOver([]);
    const waiting = tail.read({ after: 0, cutOff: () => undefined });
    const busy = follow(tail, 0);
    publish(frame(1));
    await busy.pull();
    await waiting.next();
    const next = waiting.next();
    vi.advanceTimersByTime(KEEP_ALIVE_MS - 1);
    expect(await Promise.race([next, turn().then(() => 'nothing yet')])).toBe('nothing yet');
    vi.advanceTimersByTime(1);
    expect(await next).toEqual({ done: false, value: { kind: 'tick' } });
    tail.end();
    while (!busy.state.done) await busy.pull();
    expect(busy.state.got).toEqual([frame(1).block]);
  });
});

describe('grown$', () => {
  it('tells the newest number of each batch at once, and completes with the tail', () => {
    new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(({ hot, expectObservable }) => {
      const { tail, publish } = tailOver([]);
      const batches: Record<string, number[]> = { a: [1], b: [2, 3], c: [9] };
      hot('--a--b--c|', batches).subscribe({
        next: (seqs) => publish(...seqs.map((seq) => frame(seq))),
        complete: () => tail.end(),
      });
      expectObservable(tail.grown$).toBe('--x--y--z|', { x: 1, y: 3, z: 9 });
    });
  });
});
