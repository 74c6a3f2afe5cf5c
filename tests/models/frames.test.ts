/** The parts of a provider package as frames, and which of them show that a model is alive. */
import { describe, expect, it } from 'vitest';
import type { StreamPart } from '../../src/integrations/models/adapters.ts';
import { toFrames } from '../../src/integrations/models/frames.ts';
import { collect } from './support.ts';

const USAGE = { inputTokens: { total: 1 }, outputTokens: { total: 2 } };
const FINISH = { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: USAGE } as StreamPart;

async function framesOf(...parts: readonly object[]) {
  async function* stream(): AsyncGenerator<StreamPart> {
    yield* parts as readonly StreamPart[];
    yield FINISH;
  }
  const { frames } = await collect(toFrames(stream()));
  return frames.slice(0, -1);
}

// A count with a fraction or beyond all counts ended the run with an internal error, a negative one took tokens away.
it.each([
  [7, 7],
  [0, 0],
  [1.5, null],
  [-5, null],
  [1e30, null],
  [Number.NaN, null],
  [undefined, null],
])('the usage: %s is %s', async (told, kept) => {
  async function* stream(): AsyncGenerator<StreamPart> {
    yield { ...FINISH, usage: { inputTokens: { total: told }, outputTokens: { total: told } } } as StreamPart;
  }
  const { finish } = await collect(toFrames(stream()));
  expect(finish?.usage).toEqual({ input_tokens: kept, output_tokens: kept });
});

describe('a tool input that is being written', () => {
  it('shows a sign of life with every piece, however short', async () => {
    const delta = (piece: string) => ({ type: 'tool-input-delta', id: '1', delta: piece });
    const frames = await framesOf(
      { type: 'tool-input-start', id: '1', toolName: 'write_file' },
      delta('{"pa'),
      delta('th":'),
      delta('"x"}'),
      { type: 'tool-call', toolCallId: '1', toolName: 'write_file', input: '{"path":"x"}' },
    );
    const alive = { type: 'text', text: '' };
    const call = { type: 'tool_call', call: { id: '1', name: 'write_file', input: { path: 'x' } } };
    expect(frames).toEqual([alive, alive, alive, call]);
  });

  it('shows none with an empty piece: that is how a provider keeps a connection open', async () => {
    expect(await framesOf({ type: 'tool-input-delta', id: '1', delta: '' })).toEqual([]);
    expect(await framesOf({ type: 'text-delta', id: '1', delta: '' })).toEqual([]);
  });
});
