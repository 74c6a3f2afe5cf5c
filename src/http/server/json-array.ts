/**
 * JSON arrays of any length. A short array is one text; a long one is rendered and sent in chunks, as fast as the
 * client reads, so that it is never in memory as a whole.
 */
import { TimeSlices } from '../../lib/slices.ts';
import { JSON_TYPE } from './headers.ts';
import { type Answer, json } from './route.ts';

export const CHUNK_CHARACTERS = 65_536;

/** JSON text around an array, `{"goals":` and `}`. */
interface Frame {
  readonly before: string;
  readonly after: string;
}

const NO_FRAME: Frame = { before: '', after: '' };

/** The array of items that are JSON texts. Items are taken one at a time, as they are needed. */
export async function jsonArray(
  items: AsyncIterable<string> | Iterable<string>,
  frame: Frame = NO_FRAME,
): Promise<Answer> {
  const chunks = chunksOf(items, frame);
  const first = await chunks.next();
  const second = await chunks.next();
  if (second.done === true) return json(first.value ?? '');
  return { kind: 'stream', status: 200, type: JSON_TYPE, chunks: joined([first.value ?? '', second.value], chunks) };
}

/** The object `{[name]: values, ...rest}`. The values are taken one at a time, as they are needed. */
export function jsonList(name: string, values: Iterable<unknown>, rest: object = {}): Promise<Answer> {
  const after = JSON.stringify(rest).slice(1);
  return jsonArray(jsonTexts(values), {
    before: `{${JSON.stringify(name)}:`,
    after: after === '}' ? after : `,${after}`,
  });
}

/** The JSON text of each value, rendered when it is needed. */
function* jsonTexts(values: Iterable<unknown>): Generator<string> {
  for (const value of values) yield JSON.stringify(value);
}

async function* joined(taken: readonly string[], rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield* taken;
  yield* rest;
}

/** The event loop turns after each chunk and each slice of time. */
async function* chunksOf(
  items: AsyncIterable<string> | Iterable<string>,
  { before, after }: Frame,
): AsyncGenerator<string, undefined> {
  const slices = new TimeSlices();
  let chunk = `${before}[`;
  let separator = '';
  for await (const item of items) {
    chunk += separator + item;
    separator = ',';
    if (chunk.length >= CHUNK_CHARACTERS) {
      yield chunk;
      chunk = '';
      await slices.next();
    } else if (slices.isOver) await slices.next();
  }
  yield `${chunk}]${after}`;
}
