/** Retries of model calls, and that chats do not repeat tokens. */
import { describe, expect, it } from 'vitest';
import { systemTimers } from '../../src/lib/timers.ts';
import { type FinishReason, ModelError, type ModelFrame, type ModelsPort } from '../../src/ports/models.ts';
import { harness } from '../../src/projections/harness.ts';
import { openViews } from '../../src/projections/views.ts';
import { chatTokens } from '../../src/queries/run/chat.ts';
import { retried, textOf } from '../../src/queries/run/model-calls.ts';

const random = (): number => 0;
const transient = (retryAfterMs = 0): ModelError => new ModelError('transient', 'busy', { retryAfterMs });

describe('a call', () => {
  const failing = (error: unknown, signal = new AbortController().signal) => {
    const calls: number[] = [];
    const done = retried({ random, signal, timers: systemTimers }, async () => {
      calls.push(calls.length + 1);
      throw error;
    });
    return { calls, done };
  };

  it('is made three times while it fails transiently, and once otherwise', async () => {
    const busy = failing(transient());
    await expect(busy.done).rejects.toThrow('busy');
    expect(busy.calls).toEqual([1, 2, 3]);
    for (const error of [new ModelError('fatal', 'no'), new Error('bug')]) {
      const { calls, done } = failing(error);
      await expect(done).rejects.toBe(error);
      expect(calls).toEqual([1]);
    }
  });

  it('is not made again when the provider asks for a wait of more than a minute', async () => {
    const { calls, done } = failing(transient(60_001));
    await expect(done).rejects.toThrow('busy');
    expect(calls).toEqual([1]);
  });

  it('is not made again when the caller hangs up, before or during the wait', async () => {
    const before = failing(transient(), AbortSignal.abort());
    await expect(before.done).rejects.toThrow('busy');
    const hangUp = new AbortController();
    const during = failing(transient(60_000), hangUp.signal);
    hangUp.abort();
    await expect(during.done).rejects.toThrow();
    expect([before.calls, during.calls]).toEqual([[1], [1]]);
  });
});

describe('the text of an answer', () => {
  async function* answer(reason: FinishReason): AsyncGenerator<ModelFrame> {
    yield { type: 'text', text: '{"findings": [' };
    yield { type: 'finish', reason, usage: { input_tokens: 1, output_tokens: 1 } };
  }

  it.each(['stop', 'tool_calls', 'other'] as const)('that ends with %s is whole', async (reason) => {
    expect(await textOf(answer(reason), 100)).toBe('{"findings": [');
  });

  it.each(['length', 'content_filter'] as const)('that ends with %s is refused: it was cut off', async (reason) => {
    await expect(textOf(answer(reason), 100)).rejects.toMatchObject({
      kind: 'fatal',
      message: expect.stringContaining('cut off'),
    });
  });
});

describe('a chat', () => {
  const TOKENS: readonly ModelFrame[] = ['', 'Hel', 'lo'].map((text) => ({ type: 'text', text }));

  /** Each call sends some frames, then fails, unless it sends all of them. */
  function chat(...sent: readonly number[]) {
    let [calls, closed] = [0, 0];
    async function* stream(): AsyncGenerator<ModelFrame> {
      const count = sent[calls]!;
      calls += 1;
      try {
        yield* TOKENS.slice(0, count);
        if (count < TOKENS.length) throw transient();
      } finally {
        closed += 1;
      }
    }
    const models: Pick<ModelsPort, 'choose' | 'stream'> = { choose: () => ({ provider: 'p', model: 'm' }), stream };
    const deps = { config: { model_stall_seconds: 60 }, random, timers: systemTimers, views: views(), models };
    const tokens = chatTokens(deps, { messages: [] }, new AbortController().signal);
    return { tokens, counts: () => ({ calls, closed }) };
  }

  function views() {
    const store = openViews(null);
    store.exec(harness.create);
    return store;
  }

  it('is begun again until there is text', async () => {
    const { tokens, counts } = chat(0, 1, 3);
    const read: string[] = [];
    for await (const token of tokens) read.push(token);
    expect(read).toEqual(['Hel', 'lo']);
    expect(counts()).toEqual({ calls: 3, closed: 3 });
  });

  it('is not begun again after text', async () => {
    const { tokens, counts } = chat(2, 3);
    expect(await tokens.next()).toMatchObject({ value: 'Hel' });
    await expect(tokens.next()).rejects.toThrow('busy');
    expect(counts()).toEqual({ calls: 1, closed: 1 });
  });

  it('that its reader leaves ends the call', async () => {
    const { tokens, counts } = chat(3);
    for await (const token of tokens) if (token === 'Hel') break;
    expect(counts()).toEqual({ calls: 1, closed: 1 });
  });
});
