/**
 * A model's text of a briefing: references are filled in; a sentence with its own number, quantity or link is dropped.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkedProse, prosePrompt, proseQuestion, type Reference } from '../../src/commands/briefing/prose.ts';
import { codePoint } from '../support/text.ts';

const HEADLINE = '5 runs ended (2 complete, 3 failed); 1 thing needs you.';

const number = (value: number): Reference => ({ kind: 'number', value: String(value), meaning: 'a count' });
const quote = (text: string): Reference => ({ kind: 'quote', value: `“${text}”`, meaning: 'a title' });
const REFERENCES = new Map<string, Reference>([
  ['jobs_complete', number(2)],
  ['jobs_failed', number(3)],
  ['needs_you', number(1)],
  ['period_to', { kind: 'time', value: '2026-11-22 07:05', meaning: 'end of the period' }],
  ['goal_1', quote('555 jobs failed, see example.com')],
  ['job_1', quote('deploy')],
  ['job_1_id', { kind: 'id', value: '`3f9c1a2b4d5e`', meaning: 'id of the job' }],
]);

const checked = (prose: string, language = 'en') =>
  checkedProse(prose, { headline: HEADLINE, references: REFERENCES, language });
const isKept = (sentence: string, language = 'en'): boolean =>
  checked(`Fine so far.\nSo it goes.\n${sentence}`, language).dropped.length === 0;

describe('a sentence of the model', () => {
  it.each([
    ['{jobs_failed} jobs failed.', '3 jobs failed.'],
    ['Look at {job_1} ({job_1_id}): it failed.', 'Look at “deploy” (`3f9c1a2b4d5e`): it failed.'],
    [
      '**{jobs_failed}** failed, {jobs_complete} are complete, until {period_to}.',
      '**3** failed, 2 are complete, until 2026-11-22 07:05.',
    ],
    ['The goal {goal_1} is open.', 'The goal “555 jobs failed, see example.com” is open.'],
    ['Dr. A. Smith has a job to look at, e.g. the deploy.', 'Dr. A. Smith has a job to look at, e.g. the deploy.'],
  ])('is filled in: %s', (sentence, filled) => {
    expect(checked(sentence)).toEqual({ markdown: `${HEADLINE}\n\n${filled}\n`, dropped: [] });
  });

  it.each([
    'Forty-one jobs failed.',
    'forty one jobs failed',
    'FORTYONE jobs failed.',
    'For**ty**-one jobs failed.',
    'For\u00adty jobs failed.',
    'Ｆｏｒｔｙ jobs failed.',
    'Fourty jobs failed.',
    'The forty-first job failed.',
    'A dozen jobs failed.',
    'Dozens of jobs failed.',
    'A couple of jobs failed.',
    'No jobs failed.',
    'No one waits.',
    'Nothing failed.',
    'Not a job failed.',
    'None of the jobs failed.',
    'All jobs failed.',
    'Every job failed.',
    'Both jobs failed.',
    'Several jobs failed.',
    'Some jobs failed.',
    'Most of the jobs failed.',
    'Half of the jobs failed.',
    'Half_the_jobs failed.',
    'A third failed.',
    'It failed twice.',
    'XLI jobs failed.',
    'xli jobs failed.',
    'Einundvierzig jobs failed.',
    'сорок jobs failed.',
    'f o u r jobs failed',
    '四十一 jobs failed.',
  ])('goes when it says a number or a quantity in words: %s', (sentence) => {
    expect(isKept(sentence)).toBe(false);
  });

  it.each([
    '3 jobs failed.',
    '3 completed and 2 failed.',
    '2 completed and 3 failed.',
    '555 jobs failed.',
    'It took 3.7 s.',
    'It ends at ４ o’clock.',
    '½ of the jobs failed.',
    '&#52;1 jobs failed.',
    '&half; of the jobs failed.',
    '４️⃣ jobs failed.',
    '🔟 jobs failed.',
    'The run `3f9c1a2b4d5e` failed.',
    '{jobs_failed}% failed.',
    '{jobs_failed} percent failed.',
    '{jobs_failed}{jobs_complete} failed.',
    '{jobs_failed} {jobs_complete} failed.',
    '{jobs_failed}\u{feff}{jobs_complete} failed.',
    '{jobs_failed}.{jobs_complete} s.',
    '-{jobs_failed} jobs.',
    'Minus {jobs_failed} jobs.',
    '{jobs_failed}k jobs.',
    '{jobs_failed} k jobs.',
    '{jobs_failed} million jobs.',
    'The {jobs_failed}th job.',
  ])('goes when it has digits of its own, or makes another number of a fact: %s', (sentence) => {
    expect(isKept(sentence)).toBe(false);
  });

  it.each([
    '{jobs_lost} jobs failed.',
    '{Jobs_failed} jobs failed.',
    '{jobs_failed jobs failed.',
    '{} jobs failed.',
    '{constructor} failed.',
    '{jobs_\u200bfailed} failed.',
  ])('goes when a reference is unknown: %s', (sentence) => {
    expect(isKept(sentence)).toBe(false);
  });

  it.each([
    'See https://evil.test/?q=x.',
    'See example.com/x for more to read.',
    'See example.com.',
    'See Example\\.com.',
    'See exam*ple*.com.',
    'See www.example.com.',
    'See //example/x.',
    'See localhost/x.',
    'See пример.рф.',
    'Write to office@example.',
    'Write to mailto:office.',
    'Click [here](javascript:alert).',
    'Click [here][there].',
    '![](//evil/pixel)',
    'A <img src=x> picture.',
    'See {goal_1}.com.',
    'See localhost.',
    'See www for more to read.',
    'Look at a//b.',
    'Fish &amp; chips.',
    'Fish &#xAB; chips.',
    'A <b picture.',
    'A picture] of it.',
    'A `picture.',
  ])('goes when it has a link or markup: %s', (sentence) => {
    expect(isKept(sentence)).toBe(false);
  });
});

describe('what looks like a link, markup or a number and is none', () => {
  it.each([
    'Dr. A. Smith has a job to look at, e.g. the deploy.',
    'It failed: look at it :-) again.',
    'Meet @ noon.',
    'Awwww, it failed.',
    'Ask Xli about it.',
    'It failed ...and again.',
    'The localhosts & the rest failed; look.',
    'Look\tat it/them again.',
    'Look at {job_1} {job_1_id} again.',
    '“{job_1}” failed.',
    '({jobs_failed}) failed.',
  ])('stays: %s', (sentence) => {
    expect(isKept(sentence)).toBe(true);
  });
  it.each([
    ['adjacent facts with digits', '{jobs_failed} {period_to} failed.'],
    ['a control character', 'Look\u0007 at it.'],
    ['a character for private use', 'Look at \u{e000} again.'],
  ])('goes with %s', (_, sentence) => {
    expect(isKept(sentence)).toBe(false);
  });
});

describe('in another language', () => {
  it.each([
    ['de', 'Einundvierzig Läufe sind fehlgeschlagen.'],
    ['de', 'Dreißig Läufe sind fehlgeschlagen.'],
    ['de-AT', 'Kein Lauf ist fehlgeschlagen.'],
    ['de', 'Die Hälfte ist fehlgeschlagen.'],
    ['de', 'Several sind fehlgeschlagen.'],
    ['fr', 'Quatre-vingt-dix tâches ont échoué.'],
    ['fr', 'Aucune tâche en vue.'],
    ['es', 'Cuarenta y una tareas fallaron.'],
    ['it', 'Ventidue lavori falliti.'],
    ['pt-BR', 'Três tarefas falharam.'],
    ['nl', 'Eenenveertig taken mislukt.'],
    ['ja', '三件が失敗しました。'],
    ['ja', 'すべて失敗しました。'],
    ['zh', '两个任务失败。'],
    ['fi', 'Kaikki on hyvin.'],
  ])('%s: numbers and quantities go: %s', (language, sentence) => {
    expect(isKept(sentence, language)).toBe(false);
  });
  it.each([
    ['de', 'Ein Lauf braucht dich: {job_1} ist fehlgeschlagen.', 'Ein Lauf braucht dich: “deploy” ist fehlgeschlagen.'],
    ['fr', 'L’échec de {job_1} vous attend.', 'L’échec de “deploy” vous attend.'],
    ['pt', 'Falha no {job_1}.', 'Falha no “deploy”.'],
    ['ja', '失敗は{jobs_failed}件です。確認してください。', '失敗は3件です。確認してください。'],
  ])('%s: facts stay: %s', (language, sentence, filled) => {
    expect(checked(sentence, language)).toEqual({ markdown: `${HEADLINE}\n\n${filled}\n`, dropped: [] });
  });
});

it('stands below the computed headline, whatever the model writes first', () => {
  expect(checked('# Good morning\n\n{jobs_failed} failed.').markdown).toBe(
    `${HEADLINE}\n\n# Good morning\n\n3 failed.\n`,
  );
});

it('takes the line with its only sentence, and leaves the mark with the rest of it; list items have no number', () => {
  const prose =
    '# Briefing\n\n- It failed. There were 99 others. Look at it.\n- There were 98 more.\n41. jobs failed\n\n\n\nDone.';
  expect(checked(prose)).toEqual({
    markdown: `${HEADLINE}\n\n# Briefing\n\n- It failed. Look at it.\n- jobs failed\n\nDone.\n`,
    dropped: ['There were 99 others.', 'There were 98 more.'],
  });
});

it.each([
  ['paragraphs and blank lines', 'Fine.\n \t\n \n\nSo it goes.', 'Fine.\n\nSo it goes.'],
  ['every line break', 'Fine.\r\nSo.\rIt is.\u2028Well.\u2029Good.', 'Fine.\nSo.\nIt is.\nWell.\nGood.'],
  ['titles', '## So far\n\nFine.', '## So far\n\nFine.'],
  ['a title and an item without their first sentence', '## 99 others! So\n- 98 more! It is.', '## So\n- It is.'],
  ['lists', '* Fine.\n+   So it goes.\n  - Well.', '* Fine.\n+   So it goes.\n  - Well.'],
  ['numbered lists', '1. Fine.\n 12) So it goes.\n123. Well.', '- Fine.\n - So it goes.\n- Well.'],
  ['white space around it', '\n\n  Fine. \n\n', 'Fine.'],
  ['what follows a dropped first line', 'There were 99 others.\n\nFine.\nSo it goes.', 'Fine.\nSo it goes.'],
  ['the rest of a line', 'Fine! Are there 99 others? So it goes… Well.', 'Fine! So it goes… Well.'],
  ['half of its sentences', 'There were 99 others. Fine.', 'Fine.'],
  ['no punctuation of a dropped line', '[!]\n`\nFine.', 'Fine.'],
])('keeps %s', (_, prose, kept) => {
  expect(checked(prose).markdown).toBe(`${HEADLINE}\n\n${kept}\n`);
});

it('takes the full stop of an initial for no end of a sentence, and one without a space after it in Japanese', () => {
  const initial = checked('Ask A. Smith about 99 others. Fine.');
  expect(initial).toEqual({ markdown: `${HEADLINE}\n\nFine.\n`, dropped: ['Ask A. Smith about 99 others.'] });
  const japanese = checked('失敗は九件です。確認してください。', 'ja');
  expect(japanese).toEqual({ markdown: `${HEADLINE}\n\n確認してください。\n`, dropped: ['失敗は九件です。'] });
});

it('uses nothing of a text of which more than half is dropped, or in which nothing is said', () => {
  expect(checked('There were 77 runs. There were 78 runs. Fine.').markdown).toBeNull();
  expect(checked('There were 77 runs.\n---\n***\n').markdown).toBeNull();
  expect(checked('There were 77 runs.\nThere were 78 runs.\n---\nFine.\n***').markdown).toBeNull();
  expect(checked('{jobs_failed}').markdown).toBeNull();
  expect(checked('').markdown).toBeNull();
  expect(checked(' \n--- \n').markdown).toBeNull();
});

it('lists dropped sentences that say something: the first fifty, each cut after 500 characters', () => {
  expect(checked('[!]\nFine.').dropped).toEqual([]);
  const many = Array.from({ length: 51 }, (_, at) => `Run ${at} failed.`);
  expect(checked(many.join(' ')).dropped).toEqual(many.slice(0, 50));
  const long = `Runs 9 ${'x'.repeat(492)}🚀 failed.`;
  expect(checked(long).dropped).toEqual([`Runs 9 ${'x'.repeat(492)}\ufffd`]);
});

it('takes no longer with words that can be read as a numeral in many ways', () => {
  expect(isKept(`The zwei${'tenen'.repeat(2_000)}x failed.`)).toBe(true);
  expect(isKept(`The zwei${'tenen'.repeat(2_000)} failed.`)).toBe(false);
});

describe('whatever the model writes', () => {
  const NUMERALS = ['two', 'Three', 'forty', 'forty-one', 'dozen', 'hundred', 'third', 'twenty-second', 'IV', '四'];
  const QUANTIFIERS = ['no', 'None', 'all', 'every', 'several', 'half', 'both', 'most', 'nothing', 'twice'];
  const LINKS = ['example.com', 'example.com/x', 'https://example', 'www.example'];
  const own = [...NUMERALS, ...QUANTIFIERS, ...LINKS];
  const said = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom('jobs', 'failed', 'the', 'deploy', '-', '*', '**', '_', '(', ')', '“', ','),
    },
    { weight: 5, arbitrary: fc.constantFrom(...REFERENCES.keys(), 'jobs_lost').map((name) => `{${name}}`) },
    { weight: 1, arbitrary: fc.constantFrom(...own) },
    { weight: 1, arbitrary: fc.nat(99_999).map(String) },
    { weight: 1, arbitrary: fc.string({ maxLength: 4, unit: codePoint }) },
    { weight: 1, arbitrary: fc.constantFrom('.', '. ', '!', '\n', '\n- ', '\n7. ', '# ') },
  );
  /** Pieces with or without a space between them. */
  const prose = fc
    .array(fc.tuple(said, fc.constantFrom(' ', ' ', ' ', '')), { maxLength: 30 })
    .map((pieces) => `Fine. So it is. Good day. Well then. ${pieces.flat().join('')}`);
  const FACTS = new Set([...REFERENCES.values()].map(({ value }) => value));

  it('is kept only with numbers that are facts, each whole and as it was recorded', () => {
    let kept = 0;
    fc.assert(
      fc.property(prose, (text) => {
        const { markdown } = checked(text);
        if (markdown === null) return;
        const body = markdown.slice(HEADLINE.length);
        // Quoted titles and ids are values of references as a whole.
        const bare = [...FACTS]
          .filter((value) => /^[“`]/.test(value))
          .reduce((left, value) => left.replaceAll(value, ' '), body);
        const numbers = bare.replaceAll('2026-11-22 07:05', ' ').match(/[^\s(“*_]*\p{N}[^\s)”*_.,:;!?]*/gu) ?? [];
        for (const found of numbers) expect(FACTS).toContain(found);
        kept += numbers.length;
      }),
      { numRuns: 2_000 },
    );
    expect(kept).toBeGreaterThan(100);
  });

  it('is kept without numerals, quantifiers and links of its own', () => {
    fc.assert(
      fc.property(prose, fc.constantFrom(...own), fc.boolean(), (text, word, isUpper) => {
        const sentence = `The ${isUpper ? word.toUpperCase() : word} jobs failed`;
        const { markdown } = checked(`${text}\n\n${sentence}`);
        expect(markdown ?? '').not.toContain(sentence);
      }),
    );
  });

  it('is kept as it is when it is made of plain words and references', () => {
    const plain = fc.constantFrom(
      'jobs',
      'failed',
      'the',
      'deploy',
      'Look',
      'at',
      'again',
      'in',
      'while',
      'you',
      'slept',
    );
    const reference = fc.constantFrom(...REFERENCES.keys());
    fc.assert(
      fc.property(fc.array(fc.tuple(plain, fc.option(reference)), { minLength: 1, maxLength: 8 }), (pieces) => {
        const written = pieces.map(([word, name]) => (name === null ? word : `${word} {${name}}`)).join(' ');
        const filled = pieces.map(([word, name]) => (name === null ? word : `${word} ${REFERENCES.get(name)!.value}`));
        expect(checked(written).markdown).toBe(`${HEADLINE}\n\n${filled.join(' ')}\n`);
      }),
    );
  });
});

it('asks for the language and the length, names references, and calls the facts data', () => {
  expect(prosePrompt({ language: 'de', length: 'short' })).toContain('language with the code de, at most 90 words');
  const facts = new Map([
    ['jobs_failed', number(3)],
    ['job_1', quote('deploy')],
  ]);
  expect(proseQuestion(facts)).toBe('FACTS\n{jobs_failed} = 3 (a count)\n{job_1} = “deploy” (a title)\nEND');
});
