/**
 * Models cut text between the two halves of a surrogate pair, and write tool inputs that canonical JSON cannot
 * represent. The log refuses both, so they must not end a run.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { zJson } from '../../src/events/envelope.ts';
import { recordableJson, wellFormed } from '../../src/integrations/models/well-formed.ts';
import type { ModelFrame } from '../../src/ports/models.ts';
import { canonicalJson } from '../../src/storage/canonical-json.ts';
import { codePoint } from '../support/text.ts';
import { collect } from './support.ts';

const STOP: ModelFrame = { type: 'finish', reason: 'stop', usage: { input_tokens: null, output_tokens: null } };
const text = (value: string): ModelFrame => ({ type: 'text', text: value });
const thought = (value: string, signature: string | null = null): ModelFrame => ({
  type: 'reasoning',
  text: value,
  signature,
});
const call = (id: string, name: string): ModelFrame => ({ type: 'tool_call', call: { id, name, input: {} } });

async function* each(frames: readonly ModelFrame[]): AsyncGenerator<ModelFrame> {
  yield* frames;
}

const ROWS: readonly (readonly [string, readonly ModelFrame[], readonly ModelFrame[]])[] = [
  ['two halves in two frames', [text('a\ud83c'), text('\udf89b')], [text('a'), text('🎉b')]],
  ['a sign of life between them', [text('\ud83c'), text(''), text('\udf89')], [text(''), text('🎉')]],
  ['a first half alone', [text('a\ud83c'), text('b')], [text('a'), text('\ufffdb')]],
  ['a second half alone', [text('\udf89b')], [text('\ufffdb')]],
  ['a half at the end', [text('a\ud83c'), STOP], [text('a'), text('\ufffd'), STOP]],
  ['a call between', [text('\ud83c'), call('1', 'x')], [text('\ufffd'), call('1', 'x')]],
  ['reasoning', [thought('\ud83c'), thought('\udf89')], [thought('🎉')]],
  ['reasoning, then text', [thought('\ud83c'), text('\udf89')], [thought('\ufffd'), text('\ufffd')]],
  ['a signature', [thought('\ud83c'), thought('', 's')], [thought('\ufffd', 's')]],
  ['a call’s names', [call('\ud83c1', 'read\udf89')], [call('\ufffd1', 'read\ufffd')]],
];

describe('frames', () => {
  it.each(ROWS)('%s', async (_, frames, expected) => {
    expect((await collect(wellFormed(each(frames)))).frames).toEqual(expected);
  });

  it('property: whole text cut anywhere is the same text, and no half is ever let through', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: codePoint }), fc.array(fc.nat(40)), async (whole, cuts) => {
        const at = [0, ...cuts.filter((cut) => cut < whole.length), whole.length].sort((a, b) => a - b);
        const frames = at.slice(1).map((end, index) => text(whole.slice(at[index], end)));
        const said = (await collect(wellFormed(each([...frames, STOP])))).frames.flatMap((frame) =>
          frame.type === 'text' ? [frame.text] : [],
        );
        expect(said.every((piece) => piece.isWellFormed())).toBe(true);
        expect(said.join('')).toBe(whole.toWellFormed());
      }),
    );
  });
});

describe('inputs', () => {
  it.each([
    ['a half character in a value', '{"a":"x\\ud83c"}', { a: 'x\ufffd' }],
    ['a half character in a key', '{"\\udf89":1}', { '\ufffd': 1 }],
    ['nothing special', '{"a":[1,null,"ü🎉"]}', { a: [1, null, 'ü🎉'] }],
    ['null', 'null', null],
  ])('%s', (_, given, expected) => {
    expect(recordableJson(given)).toEqual(expected);
  });

  it.each([
    ['no JSON', '{"a":'],
    ['a number beyond all numbers', '{"a":1e400}'],
    ['a key that the schemas of events leave out', '{"a":[{"__proto__":{"path":"x"}}]}'],
    ['nested 65 levels deep', `${'['.repeat(65)}${']'.repeat(65)}`],
    ['nested so deep that walking it would end the stack', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ])('%s is none', (_, given) => {
    expect(recordableJson(given)).toBeUndefined();
  });

  it('property: what is accepted can be said in canonical JSON, and an event keeps all of it', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary', maxDepth: 5 }), (given) => {
        const value = recordableJson(given);
        if (value !== undefined) expect(canonicalJson(zJson.parse(value))).toBe(canonicalJson(value));
      }),
    );
  });
});
