/** Markdown converted to spoken text. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { spokenText } from '../../src/queries/voice/spoken-text.ts';

it.each([
  ['headings end as sentences', '# Briefing\n\n## Needs you', 'Briefing.\nNeeds you.'],
  [
    'entries of lists, numbered ones with their number',
    '- one\n- two!\n\n3. three\n4. four',
    'one.\ntwo!\n3: three.\n4: four.',
  ],
  ['nested lists', '1. a\n   - b\n2. c', '1: a.\nb.\n2: c.'],
  ['a link is its words', 'See [the log](https://example.test/a/b?c=1).', 'See the log.'],
  ['a bare address is its host', 'See https://example.test/a/b?c=1 now', 'See example.test now.'],
  ['a picture is its description', '![A chart of runs](x.png)', 'A chart of runs.'],
  [
    'code in a line is said, ids are not spelled',
    'Run `npm test` (`3f9c1a2b4d5e`, 12 steps)',
    'Run npm test (12 steps).',
  ],
  ['an id alone in parentheses goes with them', 'Done (`01a201ac-fe14-7001-8e1a-dde1506f4eb3`).', 'Done.'],
  [
    'code between the lines is left out and said to be',
    '```js\na();\nb();\n```\n\n    c',
    'Code of 2 lines is left out.\nCode of 1 line is left out.',
  ],
  [
    'a table is its rows, each cell with its heading',
    '| Run | State |\n|---|---|\n| a | **failed** |\n| b | — |',
    'Run: a, State: failed.\nRun: b.',
  ],
  ['emphasis, quotes and rules leave no mark', '> **Very** _important_ ~~not~~\n\n---', 'Very important not.'],
  [
    'HTML is not read, a line break parts words',
    'A <b>bold</b> word<br>here<script>\n\n<!-- x -->',
    'A bold word here.',
  ],
  ['code of no lines is nothing', '```\n```\n\n```\n\n```', ''],
  ['entities are what they stand for', 'Q&amp;A &lt;3', 'Q&A <3.'],
  ['lines of a paragraph are one', 'one\ntwo  \nthree:', 'one two three.'],
  ['emoji of several code points are not said', 'Good 👍🏽, 👩‍👩‍👧 🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️ 1️⃣ done ✅', 'Good, 1 done.'],
  ['letters keep what joins them', 'क्‍ष می‌خواهم', 'क्‍ष می‌خواهم.'],
  [
    'full stops and question marks of every script end a sentence',
    '你好。\n\n何？\n\n「終わり。」\n\nهل هذا؟\n\nयह है।',
    '你好。\n何？\n「終わり。」\nهل هذا؟\nयह है।',
  ],
  ['nothing to say is nothing', '# \n\n---\n\n- \n\n⭐', ''],
])('%s', async (_, markdown, said) => {
  expect(await spokenText(markdown)).toBe(said);
});

it('never leaves a mark of markdown at the beginning of a line, and ends every line as a sentence', async () => {
  const piece = fc.oneof(
    fc.constantFrom('# ', '- ', '1. ', '> ', '```\n', '| a | b |\n|--|--|\n', '**', '`', '[x](y)', '\n', '\n\n'),
    fc.string({ unit: fc.constantFrom(...'abc 12,;') }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece), async (pieces) => {
      const said = await spokenText(pieces.join(''));
      for (const line of said === '' ? [] : said.split('\n')) expect(line).toMatch(/[.!?…]["”’)]*$/);
    }),
    { numRuns: 300 },
  );
});
