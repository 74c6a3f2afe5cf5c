/** The model's text is compared with the computed text: sentences with other numbers or links are dropped. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkedProse, prosePrompt, proseQuestion } from '../../src/commands/briefing/prose.ts';

const COMPUTED = `# Briefing, Sunday 22 November 2026

2 runs ended (1 complete, 1 failed); 1 thing needs you.

_From 2026-11-21 07:00 to 2026-11-22 07:05, Europe/Berlin; events 101 to 245 of the log._

- **failed**, deploy: exit code 137 after 3.5 s (\`3f9c1a2b4d5e\`, 12 steps), see https://example.test/log
`;

const kept = (prose: string) => checkedProse(prose, COMPUTED);

describe('a sentence of the model', () => {
  it.each([
    'Two runs ended: 1 is complete, and the deploy failed with exit code 137.',
    'On 22 November 2026 at 7:05 there were 12 steps.',
    'It took 3.5 s (`3f9c1a2b4d5e`).',
    'Nothing else happened.',
    'See https://example.test/log.',
    'Dr. A. Smith has 1 thing to do.',
  ])('stays when its numbers are there: %s', (sentence) => {
    expect(kept(sentence)).toEqual({ markdown: `${sentence}\n`, dropped: [] });
  });
  it.each([
    'There were 3 failures.',
    'Three runs ended.',
    'A dozen steps more than a hundred.',
    'It took 3.7 s.',
    'It is 50% done.',
    'The run `3f9c1a2b4d5f` failed.',
    'On 23 November all was well.',
    'Ends at ４ o’clock.',
    'See https://evil.test/?q=1.',
    '![](https://evil.test/pixel)',
    'Click [here](javascript:alert).',
    'A <img src=x> picture.',
  ])('goes when one is not: %s', (sentence) => {
    const { markdown, dropped } = kept(`Fine so far.\nAll is well.\n${sentence}`);
    expect(markdown).toBe('Fine so far.\nAll is well.\n');
    expect(dropped.join(' ')).toBe(sentence);
  });
});

it('takes the line with its only sentence, and leaves the mark with the rest of it', () => {
  const prose =
    '# Briefing\n\n- It failed with 137. There were 99 others. Look at it.\n- There were 98 more.\n1. Deploy again.\n\n\n\nDone.';
  expect(kept(prose)).toEqual({
    markdown: '# Briefing\n\n- It failed with 137. Look at it.\n1. Deploy again.\n\nDone.\n',
    dropped: ['There were 99 others.', 'There were 98 more.'],
  });
});

it('knows where sentences end that no space follows', () => {
  expect(kept('実行は1件です。失敗は99件です。確認してください。')).toEqual({
    markdown: '実行は1件です。確認してください。\n',
    dropped: ['失敗は99件です。'],
  });
});

it('uses nothing of a text of which most is made up, or in which nothing is said', () => {
  expect(kept('There were 77 runs. There were 78 runs. Fine.').markdown).toBeNull();
  expect(kept('').markdown).toBeNull();
  expect(kept(' \n--- \n').markdown).toBeNull();
});

it('lets no number through that is not in the computed text, whatever the model writes', () => {
  const word = fc.oneof(
    fc.constantFrom('run', 'failed.', '-', '\n', '#', '!'),
    fc.nat(99_999).map(String),
    fc.string(),
  );
  const plain = (number: string): string => number.replace(/^0+(?=\d)/, '');
  const known = new Set(COMPUTED.match(/\d+/g)?.map(plain));
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const { markdown } = kept(words.join(' '));
      const lines = (markdown ?? '').split('\n').map((line) => line.replace(/^\s*\d{1,3}[.)](?=\s|$)/, ''));
      for (const number of lines.join('\n').match(/(?<![\p{L}\p{N}.,:/_-])\d+(?![\p{L}\p{N}.,:/_%-])/gu) ?? []) {
        expect(known.has(number) || known.has(number.replace(/^0+(?=\d)/, '')) || /^0*[12457]$/.test(number)).toBe(
          true,
        );
      }
    }),
    { numRuns: 500 },
  );
});

it('asks for the language and the length, and calls the facts data', () => {
  expect(prosePrompt({ language: 'de', length: 'short' })).toContain('language with the code de, at most 90 words');
  expect(proseQuestion('a\n')).toBe('FACTS\na\nEND');
});
