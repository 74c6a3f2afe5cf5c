/**
 * The provider of a daemon without a configured model (`rehearsal` on the wire): deterministic, offline, without a
 * language model. It calls real tools, and its calls in the prose transport go through the same codec as those of a
 * real model.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelFrame, ModelRequest } from '../../ports/models.ts';
import { callId, nextCallNumber, withoutMarkup, writeCall } from './prose.ts';
import { type ScriptedAnswer, scriptedAnswer } from './scripted-answer.ts';

/** Small enough to split tags and words, as real streams do. */
const FRAME_CHARS = 24;
const PACE_MS = 50;

export function scriptedFrames(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelFrame> {
  const answer = scriptedAnswer(request);
  const firstCall = nextCallNumber(request.messages);
  if (request.settings.tool_transport === 'native') return spoken(answer, { signal, firstCall, markup: '' });
  const markup = answer.calls.map((call) => `\n${writeCall(call)}`).join('');
  const prose = spoken({ ...answer, calls: [] }, { signal, firstCall, markup });
  return withoutMarkup(prose, { tools: request.tools.length > 0, firstCall });
}

async function* spoken(
  answer: ScriptedAnswer,
  { signal, firstCall, markup }: { readonly signal: AbortSignal; readonly firstCall: number; readonly markup: string },
): AsyncGenerator<ModelFrame> {
  signal.throwIfAborted();
  yield* framesOf(answer.text);
  for (let frame = 1; frame <= answer.slowFrames; frame++) {
    await sleep(PACE_MS, undefined, { signal });
    yield { type: 'text', text: `\nSlowly, ${frame} of ${answer.slowFrames}.` };
  }
  yield* framesOf(markup);
  for (const [index, call] of answer.calls.entries()) {
    yield { type: 'tool_call', call: { id: callId(firstCall + index), ...call } };
  }
  const reason = answer.calls.length > 0 ? 'tool_calls' : 'stop';
  yield { type: 'finish', reason, usage: { input_tokens: null, output_tokens: null } };
}

/** Splits between characters: half a surrogate pair could not be sent. */
function framesOf(text: string): ModelFrame[] {
  const chars = Array.from(text);
  const starts = Array.from({ length: Math.ceil(chars.length / FRAME_CHARS) }, (_, index) => index * FRAME_CHARS);
  return starts.map((at) => ({ type: 'text', text: chars.slice(at, at + FRAME_CHARS).join('') }));
}
