/**
 * Maps the stream parts of the provider packages to frames.
 *
 * - A stream without its finish part is an error.
 * - Every piece of tool input yields an empty text frame, so that a slow model does not count as stalled. Keep-alives
 *   of the connection yield none.
 * - Tool inputs are buffered. The total size is limited.
 */
import type { Json } from '../../events/envelope.ts';
import { type FinishReason, ModelError, type ModelFrame, SIGN_OF_LIFE } from '../../ports/models.ts';
import type { StreamPart } from './adapters.ts';
import { writeSignature } from './signatures.ts';
import { recordableJson } from './well-formed.ts';

type FinishPart = Extract<StreamPart, { type: 'finish' }>;
type ToolCallPart = Extract<StreamPart, { type: 'tool-call' }>;

const ANSWER_CHARACTERS_MAX = 16_000_000;

export async function* toFrames(parts: AsyncIterable<StreamPart>): AsyncGenerator<ModelFrame> {
  let finish: FinishPart | null = null;
  let called = false;
  let size = 0;
  for await (const part of parts) {
    if (part.type === 'error') throw part.error;
    size += 'delta' in part ? part.delta.length : 0;
    if (size > ANSWER_CHARACTERS_MAX) throw new ModelError('fatal', 'The model’s answer is too long.');
    if (part.type === 'finish') finish = part;
    if (part.type === 'tool-call') called = true;
    if (part.type === 'tool-input-delta' && part.delta !== '') yield SIGN_OF_LIFE;
    yield* framesOf(part);
  }
  if (!finish || isCutOff(finish)) throw new ModelError('transient', 'The answer ended before it was finished.');
  yield { type: 'finish', reason: called ? 'tool_calls' : reasonOf(finish), usage: usageOf(finish) };
}

/** The packages add a finish part to a stream that breaks off; a real one has the provider's own reason. */
function isCutOff(finish: FinishPart): boolean {
  return finish.finishReason.raw === undefined && /^(?:other|error)$/.test(finish.finishReason.unified);
}

function framesOf(part: StreamPart): ModelFrame[] {
  switch (part.type) {
    case 'text-start':
    case 'text-delta':
    case 'text-end': {
      const text: ModelFrame[] =
        part.type === 'text-delta' && part.delta !== '' ? [{ type: 'text', text: part.delta }] : [];
      return [...text, ...signatureFrames(part)];
    }
    case 'reasoning-start':
    case 'reasoning-delta':
    case 'reasoning-end': {
      const text = part.type === 'reasoning-delta' ? part.delta : '';
      const frame: ModelFrame[] = text === '' ? [] : [{ type: 'reasoning', text, signature: null }];
      return [...frame, ...signatureFrames(part)];
    }
    case 'tool-call':
      return part.providerExecuted ? [] : [...signatureFrames(part), { type: 'tool_call', call: readCall(part) }];
    default:
      return [];
  }
}

/** An empty reasoning frame that carries the signature. */
function signatureFrames(part: StreamPart): ModelFrame[] {
  const signature = signatureOf(part);
  return signature === null ? [] : [{ type: 'reasoning', text: '', signature }];
}

function signatureOf(part: StreamPart): string | null {
  const metadata = 'providerMetadata' in part ? part.providerMetadata : undefined;
  const text = (provider: string, field: string): string | null => {
    const value = metadata?.[provider]?.[field];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const signed = text('anthropic', 'signature');
  if (signed !== null) return writeSignature({ by: 'anthropic', value: signed });
  const redacted = text('anthropic', 'redactedData');
  if (redacted !== null) return writeSignature({ by: 'anthropic-redacted', value: redacted });
  const thought = text('google', 'thoughtSignature');
  if (thought !== null) return writeSignature({ by: 'google', value: thought });
  const id = text('openai', 'itemId');
  const sealed = text('openai', 'reasoningEncryptedContent');
  return part.type === 'reasoning-end' && id !== null && sealed !== null
    ? writeSignature({ by: 'openai', id, value: sealed })
    : null;
}

function readCall(part: ToolCallPart) {
  return { id: part.toolCallId, name: part.toolName, input: readInput(part.input) };
}

function readInput(input: string): Json {
  if (input.trim() === '') return {};
  return recordableJson(input) ?? input;
}

function reasonOf({ finishReason }: FinishPart): FinishReason {
  const { unified } = finishReason;
  if (unified === 'tool-calls') return 'tool_calls';
  if (unified === 'content-filter') return 'content_filter';
  return unified === 'error' ? 'other' : unified;
}

function usageOf({ usage }: FinishPart) {
  return { input_tokens: countOf(usage.inputTokens.total), output_tokens: countOf(usage.outputTokens.total) };
}

/** A number of tokens; null for anything but a whole number from 0. */
function countOf(count: number | undefined): number | null {
  return count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : null;
}
