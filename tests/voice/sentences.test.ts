/** Sentences of a text that still arrives: the same wherever it is cut, and no text is lost. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSpeakable, SENTENCE_CHARACTERS_MAX, sentenceSplitter, sentencesOf } from '../../src/lib/sentences.ts';

describe('a sentence ends', () => {
  it.each([
    ['Yes. No! Why? So…', ['Yes.', 'No!', 'Why?', 'So…']],
    ['He said "Stop." Then (quietly.) Nothing.', ['He said "Stop."', 'Then (quietly.)', 'Nothing.']],
    ['Dr. Who met Mr. J. Smith at 3.14 a.m. today.', ['Dr. Who met Mr. J. Smith at 3.14 a.m. today.']],
    ['Apples, e.g. red ones, z.B. rote. Done.', ['Apples, e.g. red ones, z.B. rote.', 'Done.']],
    ['Steps:\n1. Open it.\n2. Close it.', ['Steps:', '1. Open it.', '2. Close it.']],
    ['今日は。元気ですか？はい', ['今日は。', '元気ですか？', 'はい']],
    ['هل هذا؟ نعم! یہ ہے۔ اچھا', ['هل هذا؟', 'نعم!', 'یہ ہے۔', 'اچھا']],
    ['यह है। वह है।', ['यह है।', 'वह है।']],
    ['*** \n --- \n Hello', ['Hello']],
    ['No end', ['No end']],
    ['', []],
  ])('%j', (text, sentences) => {
    expect(sentencesOf(text)).toEqual(sentences);
  });

  it('is known as soon as white space follows, not before', () => {
    const splitter = sentenceSplitter();
    expect(splitter.push('It is 3.')).toEqual([]);
    expect(splitter.push('5 degrees.')).toEqual([]);
    expect(splitter.push(' Take')).toEqual(['It is 3.5 degrees.']);
    expect(splitter.end()).toEqual(['Take']);
  });

  it('at the last of several marks, of whichever script each is', () => {
    const splitter = sentenceSplitter();
    const streamed = Array.from('はい。. はい。…いいえ').flatMap((character) => splitter.push(character));
    expect([...streamed, ...splitter.end()]).toEqual(['はい。.', 'はい。', '…いいえ']);
    expect(sentencesOf('はい。. はい。…いいえ')).toEqual(['はい。.', 'はい。', '…いいえ']);
  });

  it('at a pause when it goes on for too long', () => {
    const [first = '', ...others] = sentencesOf(`${'words and more, '.repeat(40)}end.`);
    expect(first.length).toBeLessThanOrEqual(SENTENCE_CHARACTERS_MAX);
    expect(first).toMatch(/more,$/);
    expect(others.length).toBeGreaterThan(0);
    expect(sentencesOf('x'.repeat(1_000)).map((part) => part.length)).toEqual([400, 400, 200]);
    expect(sentencesOf('😀x'.repeat(400)).every((part) => part.isWellFormed())).toBe(true);
  });
});

const pieces = fc.array(
  fc.oneof(
    fc.constantFrom('.', '!', '?', '…', ' ', '\n', '"', ')', 'Dr', 'e.g', '1', 'word', ', ', '。', '」', 'é', '😀'),
    fc.string({ unit: 'grapheme', maxLength: 8 }),
  ),
  { maxLength: 60 },
);

const speakable = (text: string): string => (text.match(/[\p{L}\p{N}]/gu) ?? []).join('');

describe('always', () => {
  it('however the text is cut, the sentences are the same', () => {
    fc.assert(
      fc.property(pieces, (parts) => {
        const splitter = sentenceSplitter();
        const streamed = [...parts.flatMap((part) => splitter.push(part)), ...splitter.end()];
        expect(streamed).toEqual(sentencesOf(parts.join('')));
      }),
    );
  });

  it('every word of a text that is about as long as a sentence may be is in one of them', () => {
    const long = fc.tuple(fc.integer({ min: 380, max: 420 }), pieces, fc.constantFrom('x', 'word ', 'a, '));
    fc.assert(
      fc.property(long, ([characters, parts, filler]) => {
        const text = `${filler.repeat(characters)}`.slice(0, characters) + parts.join('');
        const splitter = sentenceSplitter();
        const streamed = [...Array.from(text).flatMap((part) => splitter.push(part)), ...splitter.end()];
        expect(streamed).toEqual(sentencesOf(text));
        expect(speakable(streamed.join(' '))).toBe(speakable(text));
        expect(Math.max(...streamed.map((each) => each.length))).toBeLessThanOrEqual(SENTENCE_CHARACTERS_MAX);
      }),
    );
  });

  it('every word is in one of them, in order', () => {
    fc.assert(
      fc.property(pieces, (parts) => {
        expect(speakable(sentencesOf(parts.join('')).join(' '))).toBe(speakable(parts.join('')));
      }),
    );
  });
});

it.each([
  ['Hi', true],
  ['7', true],
  ['—', false],
  ['*** 😀 !', false],
  ['', false],
])('%j is speakable: %s', (text, speakable) => {
  expect(isSpeakable(text)).toBe(speakable);
});
