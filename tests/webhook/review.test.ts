/** Reviews without a network: cutting a diff for the model, and parsing its answer. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutDiff, PIECE_CHARACTERS_MAX, PIECES_MAX } from '../../src/commands/webhook/diff.ts';
import { FINDINGS_MAX, readReview, reviewFindings, reviewSummary } from '../../src/commands/webhook/findings.ts';

const file = (path: string, size = 10): string =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n${`+${'x'.repeat(9)}\n`.repeat(size)}`;

describe('a diff', () => {
  it.each([
    ['nothing', '', []],
    ['one file', file('a.ts'), ['a.ts']],
    ['two, one with a blank in its name', file('a.ts') + file('b c.ts'), ['a.ts', 'b c.ts']],
    [
      'a deleted one',
      'diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n',
      ['x'],
    ],
    ['a binary one', 'diff --git a/i.png b/i.png\nBinary files a/i.png and b/i.png differ\n', ['i.png']],
    [
      'ones whose names are not ASCII, as git quotes them',
      String.raw`diff --git "a/caf\303\251 \"x\"\t.md" "b/caf\303\251 \"x\"\t.md"
--- "a/caf\303\251 \"x\"\t.md"
+++ "b/caf\303\251 \"x\"\t.md"
@@ -1 +1 @@
-a
+b
diff --git "a/\346\227\245.png" "b/\346\227\245.png"
Binary files differ
`,
      ['café "x"\\t.md', '日.png'],
    ],
    ['one that git did not write', '--- old.c\n+++ new.c\n@@ -1 +1 @@\n-a\n+b\n', ['new.c']],
    ['a line of content that looks like a header', `${file('a.ts')}+diff --git a/no b/no\n`, ['a.ts']],
  ])('of %s has its files', (_name, text, files) => {
    const cut = cutDiff(text);
    expect(cut.filesTotal).toBe(files.length);
    expect(cut.pieces.flatMap((piece) => piece.files.map((each) => each.path))).toEqual(files);
  });
  it('of which nothing names a file has none', () => {
    expect(cutDiff('Only words, diff --git a/no b/no and +++ no\n').filesTotal).toBe(0);
    expect(cutDiff('diff --git \n').pieces[0]?.files[0]?.path).toBe('unknown');
  });
  it('names a file by the path after the change, whose own b/ and blanks within stay', () => {
    const path = (text: string) => cutDiff(text).pieces[0]?.files[0]?.path;
    expect(path('--- a/a/lib b/one\t2020\n+++ b/a/lib b/two\t2026\n')).toBe('a/lib b/two');
    expect(path('diff --git a/a/x b/a/x\n--- a/a/x\n+++ /dev/null\n')).toBe('a/x');
    expect(path('diff --git a/old b/new b/two \nrename to two\n')).toBe('two');
  });
  it('is cut after a whole line where there is one, and a file that fits exactly is whole', () => {
    const head = file('a', 0);
    const lines = (length: number): string => `${head}+${'x'.repeat(length - head.length - 2)}\n`;
    const whole = cutDiff(lines(PIECE_CHARACTERS_MAX) + lines(PIECE_CHARACTERS_MAX));
    expect([whole.pieces.length, whole.truncated]).toEqual([2, []]);
    const long = cutDiff(`${head}+one\n+${'x'.repeat(PIECE_CHARACTERS_MAX)}\n`);
    expect([long.pieces[0]?.files[0]?.text, long.truncated]).toEqual([`${head}+one\n`, ['a']]);
    const names = Array.from({ length: PIECES_MAX + 2 }, (_, at) => `f${at}`);
    const cut = cutDiff(names.map((name) => file(name, 6_000)).join(''));
    expect([cut.truncated, cut.skipped]).toEqual([names.slice(0, PIECES_MAX), names.slice(PIECES_MAX)]);
  });
  it('is cut into pieces that fit, and what is left out is named', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 12_000 }), { maxLength: 40 }), (sizes) => {
        const diff = sizes.map((size, index) => file(`f${index}`, size)).join('');
        const cut = cutDiff(diff);
        expect(cut.pieces.length).toBeLessThanOrEqual(PIECES_MAX);
        for (const piece of cut.pieces) {
          const length = piece.files.reduce((sum, each) => sum + each.text.length, 0);
          expect(length).toBeLessThanOrEqual(PIECE_CHARACTERS_MAX);
        }
        const read = cut.pieces.flatMap((piece) => piece.files.map((each) => each.path));
        expect([...read, ...cut.skipped].sort()).toEqual(sizes.map((_, index) => `f${index}`).sort());
        for (const path of cut.truncated) expect(read).toContain(path);
      }),
      { numRuns: process.env.DAYBOOK_LONG === '1' ? 1_000 : 60 },
    );
  });
});

describe('an answer', () => {
  const json = { summary: 's', findings: [{ file: 'a', line: 3, severity: 'HIGH', title: 't', detail: 'd' }] };
  const finding = { file: 'a', line: 3, severity: 'high', title: 't', detail: 'd' };
  it.each([
    ['JSON', JSON.stringify(json)],
    ['JSON in a fence', `Here it is:\n\n\`\`\`json\n${JSON.stringify(json, null, 2)}\n\`\`\`\nThat is all.`],
    ['JSON in prose', `I found this: ${JSON.stringify(json)} — as asked.`],
  ])('as %s is read', (_name, text) =>
    expect(readReview(text)).toEqual({ summary: 's', findings: [finding], found: 1 }),
  );

  it.each([
    ['no findings', '{"summary":"fine","findings":[]}', 0, 'fine'],
    ['texts as findings', '{"summary":"s","findings":["one","two",""]}', 2, 's'],
    ['other names', '{"findings":[{"path":"a","line":"12","message":"m"}]}', 1, ''],
    ['a bare list', '[{"title":"a"},{"title":"b"}]', 2, ''],
    ['things that say nothing', '{"findings":[{},null,7,{"title":" "}]}', 0, ''],
    ['prose', 'All is well here.', 0, 'All is well here.'],
    ['a list in prose', 'Two things:\n\n- first\n- second\n  more\n', 2, 'Two things:'],
    ['a numbered list', '1. a\n2) b\n', 2, ''],
    ['broken JSON', '{"summary": "x", "findings": [', 0, '{"summary": "x", "findings": ['],
  ])('with %s counts %i', (_name, text, count, summary) => {
    const read = readReview(text);
    expect([read.findings.length, read.summary]).toEqual([count, summary]);
  });
  it('gives each finding its place, its severity and its words', () => {
    const answer = [
      { path: ' a.ts ', line: '12 to 14', severity: ' High ', message: 'm', description: 'd' },
      { file: 'b.ts', path: 'c.ts', line: 0, detail: 'only this' },
      { title: 't', message: 'm', detail: ' ', description: 'why', line: 1.5 },
      'words',
    ];
    expect(readReview(JSON.stringify(answer)).findings).toEqual([
      { file: 'a.ts', line: 12, severity: 'high', title: 'm', detail: 'd' },
      { file: 'b.ts', line: null, severity: null, title: 'only this', detail: '' },
      { file: null, line: null, severity: null, title: 't', detail: 'why' },
      { file: null, line: null, severity: null, title: 'words', detail: '' },
    ]);
  });
  it('in prose has the items at the left margin, and before them its summary', () => {
    const answer = '\nSound.\n\nMostly.\n* one \n  - within\n12) two\n1234. no item\n• \n';
    const titles = readReview(answer).findings.map(({ title }) => title);
    expect([titles, readReview(answer).summary]).toEqual([['one', 'two'], 'Sound.\n\nMostly.']);
  });
  it('is read from the first fence, also without a language, and not from JSON of another kind', () => {
    const fenced = (open: string, body: string) =>
      readReview(`See {this}:\n${open}\n${body}\n  \`\`\`\n{that}`).summary;
    expect(fenced('```json ', '{"summary":"s"}')).toBe('s');
    expect(fenced('```', '{"summary":"s"}')).toBe('s');
    expect(readReview('{"title":"no review"}').summary).toBe('{"title":"no review"}');
    expect(readReview('```json\n{"summary":"never closed"').summary).toMatch(/^```json/);
  });
  it('of any kind never fails, and is bounded', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.json().map((value) => `{"findings":${value}}`),
        ),
        (text) => {
          const read = readReview(text);
          expect(read.findings.length).toBeLessThanOrEqual(FINDINGS_MAX);
          for (const each of read.findings) expect(each.title.isWellFormed() && each.title !== '').toBe(true);
        },
      ),
      { numRuns: 300 },
    );
    expect(readReview(JSON.stringify(Array(2_000).fill('x'))).findings).toHaveLength(FINDINGS_MAX);
  });
});

it('a summary names what was not reviewed, however long the texts of the model are', () => {
  const coverage = {
    ...{ files_total: 9, files_reviewed: 7, llm_calls: 2, llm_calls_failed: 0, diff_cut: true },
    ...{ files_truncated: ['long.ts'], files_skipped: ['late.ts'], files_provider_failed: ['lost.ts'] },
  };
  for (const characters of [0, 10, 7_999, 8_000]) {
    const text = { findings: [], found: 1, summary: '😀'.repeat(characters / 2) };
    const summary = reviewSummary([text, { ...text, found: 0 }], coverage);
    expect([summary.length <= 8_000, summary.isWellFormed()]).toEqual([true, true]);
    expect(summary).toMatch(
      /(?:^|\n\n)1 finding in 7 of 9 changed files\. .*of: long\.ts\. .*too long: late\.ts\. .*failed: lost\.ts\. The diff is longer.*\.$/,
    );
  }
});

it('a summary joins what the model said, and names ten files', () => {
  const none = { files_truncated: [], files_skipped: [], files_provider_failed: [] };
  const counts = { files_total: 12, files_reviewed: 1, llm_calls: 1, llm_calls_failed: 0, diff_cut: false };
  const text = (summary: string) => ({ findings: [], found: 0, summary });
  const files = (count: number) => Array.from({ length: count }, (_, at) => `f${at}`);
  const skipped = (count: number) => reviewSummary([text('')], { ...counts, ...none, files_skipped: files(count) });
  expect(reviewSummary([text('One.'), text(''), text('Two.')], { ...counts, ...none })).toBe(
    'One.\n\nTwo.\n\n0 findings in 1 of 12 changed files.',
  );
  expect(skipped(10)).toMatch(/ too long: f0, f1, .*, f9\.$/);
  expect(skipped(11)).toMatch(/, f9 and 1 more\.$/);
  expect(reviewSummary([], { ...counts, ...none, files_total: 0 })).toBe(
    'The diff is empty: there was nothing to review.',
  );
});

it('a review with more findings than are kept counts them all, and says so', () => {
  const coverage = {
    ...{ files_total: 2, files_reviewed: 2, llm_calls: 2, llm_calls_failed: 0, diff_cut: false },
    ...{ files_truncated: [], files_skipped: [], files_provider_failed: [] },
  };
  const answered = (findings: number) => readReview(JSON.stringify(Array(findings).fill('x')));
  const summaryOf = (...counts: readonly number[]) => reviewSummary(counts.map(answered), coverage);
  expect(summaryOf(FINDINGS_MAX)).toBe('500 findings in 2 of 2 changed files.');
  for (const counts of [
    [300, 312],
    [612, 0],
  ]) {
    expect(summaryOf(...counts)).toBe('612 findings in 2 of 2 changed files. Only the first 500 findings are kept.');
    expect(reviewFindings(counts.map(answered))).toHaveLength(FINDINGS_MAX);
  }
});
