/** The client's parser of server-sent events gives the same events as eventsource-parser, wherever the text is cut. */
import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSseParser, type SseMessage } from '../../src/client/server-sent-events.ts';

/** Another parser with the same rules; it leaves the last id to its caller. */
function others(text: string): SseMessage[] {
  const found: SseMessage[] = [];
  let last = '';
  const parser = createParser({
    onEvent({ id, event, data }) {
      if (id !== undefined) last = id;
      found.push({ id: last, event: event ?? 'message', data });
    },
  });
  parser.feed(text);
  return found;
}

function ours(pieces: readonly string[]): SseMessage[] {
  const parse = createSseParser();
  return pieces.flatMap(parse);
}

const line = fc.constantFrom(
  ...[
    'data: a',
    'data:b',
    'data',
    'data:  é🎈',
    'event: done',
    'event:',
    'id: 7',
    'id:8',
    'id',
    ': keep-alive',
    'x: y',
  ],
  ...['', '', ''],
);
const ending = fc.constantFrom('\n', '\r\n', '\n', '\r');

it('for every text and every cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(line, ending), { maxLength: 30 }),
      fc.array(fc.nat(200), { maxLength: 5 }),
      (lines, cuts) => {
        const text = lines.map(([each, end]) => each + end).join('');
        const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
        const pieces = places.slice(1).map((place, at) => text.slice(places[at], place));
        expect(ours(pieces)).toEqual(ours([text]));
        const [mine, theirs] = [ours([`${text}\n`]), others(`${text}\n`)];
        expect(mine.map(({ event, data }) => [event, data])).toEqual(theirs.map(({ event, data }) => [event, data]));
      },
    ),
  );
});

it.each<[string, readonly SseMessage[]]>([
  ['\uFEFFdata: x\n\n', [{ id: '', event: 'message', data: 'x' }]],
  ['id: 1\ndata: x\n\nid: 2\ndata: cut off', [{ id: '1', event: 'message', data: 'x' }]],
  ['id: 1\ndata: x\n\nid: 2\ndata: y\n', [{ id: '1', event: 'message', data: 'x' }]],
  ['id: 1\ndata: x\n\ndata: y\n\n', ['x', 'y'].map((data) => ({ id: '1', event: 'message', data }))],
  ['id: 1\0\ndata: x\n\n', [{ id: '', event: 'message', data: 'x' }]],
  ['data: one\ndata: two\n\n', [{ id: '', event: 'message', data: 'one\ntwo' }]],
  ['event: done\ndata: \n\n', [{ id: '', event: 'done', data: '' }]],
  ['event: done\n\n', []],
])('%j', (text, messages) => expect(ours([text])).toEqual(messages));

it('a message without an end is refused at 64 Mi characters', () => {
  const parse = createSseParser();
  const mebi = 'x'.repeat(1_024 * 1_024);
  expect(() => {
    for (let count = 0; count < 65; count += 1) parse(mebi);
  }).toThrow(RangeError);
});
