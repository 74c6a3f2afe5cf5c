/**
 * Makes the output of a model recordable: well-formed text, and tool inputs that canonical JSON can represent.
 *
 * - Providers may split a surrogate pair between frames: the first half is held back until the second arrives.
 * - A lone surrogate becomes U+FFFD, as in UTF-8.
 * - An input that cannot be recorded stays text; the run reports that to the model.
 */
import type { Json } from '../../events/envelope.ts';
import type { ModelFrame } from '../../ports/models.ts';

/** Event schemas drop this key: the recorded input would differ from the executed one. */
const DROPPED_KEY = '__proto__';
/** Nesting limit of a tool's input; the event and the next request add levels. */
const INPUT_DEPTH_MAX = 64;
const LONE = '\uFFFD';

type Piece = Extract<ModelFrame, { type: 'text' | 'reasoning' }>;

export async function* wellFormed(frames: AsyncIterable<ModelFrame>): AsyncGenerator<ModelFrame> {
  let half: { readonly of: Piece['type']; readonly character: string } | null = null;
  for await (const frame of frames) {
    const piece = frame.type === 'text' || frame.type === 'reasoning' ? frame : null;
    // An empty text frame separates nothing.
    if (piece?.type === 'text' && piece.text === '') {
      yield piece;
      continue;
    }
    if (half !== null && half.of !== piece?.type) yield loneHalf(half.of);
    const before: string = half !== null && half.of === piece?.type ? half.character : '';
    half = null;
    if (piece === null) {
      yield frame.type === 'tool_call' ? { ...frame, call: wellFormedCall(frame.call) } : frame;
      continue;
    }
    const text: string = before + piece.text;
    const cut = /[\uD800-\uDBFF]$/.test(text) && !closes(piece);
    if (cut) half = { of: piece.type, character: text.slice(-1) };
    const whole = (cut ? text.slice(0, -1) : text).toWellFormed();
    if (whole !== '' || closes(piece)) yield { ...piece, text: whole };
  }
}

/** Parses JSON; undefined when it is invalid or cannot be recorded. */
export function recordableJson(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return recordable(value, INPUT_DEPTH_MAX);
  } catch {
    return undefined;
  }
}

/** A signature ends its block. */
function closes(piece: Piece): boolean {
  return piece.type === 'reasoning' && piece.signature !== null;
}

function loneHalf(of: Piece['type']): Piece {
  return of === 'text' ? { type: 'text', text: LONE } : { type: 'reasoning', text: LONE, signature: null };
}

function wellFormedCall(call: Extract<ModelFrame, { type: 'tool_call' }>['call']) {
  const input = typeof call.input === 'string' ? call.input.toWellFormed() : call.input;
  return { id: call.id.toWellFormed(), name: call.name.toWellFormed(), input };
}

/** A well-formed copy. Throws `RangeError` for values that cannot be recorded. */
function recordable(value: Json, levels: number): Json {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('A number beyond all numbers.');
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) throw new RangeError('Nested too deep.');
  if (Array.isArray(value)) return value.map((item) => recordable(item, levels - 1));
  if (Object.hasOwn(value, DROPPED_KEY)) throw new RangeError('A key that is not kept.');
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.toWellFormed(), recordable(item, levels - 1)]),
  );
}
