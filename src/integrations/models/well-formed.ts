/**
 * What a model wrote, as what can be recorded: whole characters, and tool inputs that canonical JSON can say.
 *
 * - Providers cut text anywhere, also between the two halves of a character: a half waits for its other half.
 * - A half that stays alone becomes U+FFFD, as it would in UTF-8.
 * - An input that cannot be recorded counts as no JSON: it stays text, and the run tells the model.
 */
import type { Json } from '../../events/envelope.ts';
import type { ModelFrame } from '../../ports/models.ts';

/** The schemas of events leave this key out: recorded, the input would be another one than the run went on with. */
const UNKEPT_KEY = '__proto__';
/** Levels of lists and objects in a tool's input; the event around it and the next request add some of their own. */
const INPUT_DEPTH_MAX = 64;
const LONE = '\uFFFD';

type Piece = Extract<ModelFrame, { type: 'text' | 'reasoning' }>;

export async function* wellFormed(frames: AsyncIterable<ModelFrame>): AsyncGenerator<ModelFrame> {
  let half: { readonly of: Piece['type']; readonly character: string } | null = null;
  for await (const frame of frames) {
    const piece = frame.type === 'text' || frame.type === 'reasoning' ? frame : null;
    // A sign of life says nothing and separates nothing.
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

/** The JSON in `text`; undefined when it is none, or none that can be recorded. */
export function recordableJson(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return recordable(value, INPUT_DEPTH_MAX);
  } catch {
    return undefined;
  }
}

/** Nothing follows a signature in its block. */
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

/** A copy with whole characters; throws at what cannot be said. */
function recordable(value: Json, levels: number): Json {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('A number beyond all numbers.');
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) throw new RangeError('Nested too deep.');
  if (Array.isArray(value)) return value.map((item) => recordable(item, levels - 1));
  if (Object.hasOwn(value, UNKEPT_KEY)) throw new RangeError('A key that is not kept.');
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.toWellFormed(), recordable(item, levels - 1)]),
  );
}
