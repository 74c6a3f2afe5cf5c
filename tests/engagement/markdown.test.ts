/** The documents, read by a markdown parser: typed text stays text, and every table is a table. */
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { readiness } from '../../src/commands/engagement/readiness.ts';
import type { EngagementDocument } from '../../src/events/engagement/records.ts';
import { percent } from '../../src/lib/percent.ts';
import type { DocumentParts } from '../../src/queries/engagement/document-parts.ts';
import { handoverMarkdown } from '../../src/queries/engagement/handover.ts';
import { reportMarkdown } from '../../src/queries/engagement/report.ts';
import { bullets, cell, code, line, paragraphs, table } from '../../src/queries/markdown.ts';
import { completing, deliverableIds, documentOf, gateIds, historyOf, OPEN, REASON } from './support.ts';

const markdown = new MarkdownIt({ html: true });

/** Tables of a document as the parser has them: rows of cells of plain text. */
function tables(text: string): readonly (readonly (readonly string[])[])[] {
  const found: string[][][] = [];
  let inside = false;
  for (const token of markdown.parse(text, {})) {
    if (token.type === 'table_open') found.push([]);
    if (token.type === 'table_open' || token.type === 'table_close') inside = !inside;
    if (token.type === 'tr_open') found.at(-1)!.push([]);
    if (token.type !== 'inline' || !inside) continue;
    const parts = (token.children ?? []).map((child) => (child.type === 'html_inline' ? '\n' : child.content));
    found.at(-1)!.at(-1)!.push(parts.join(''));
  }
  return found;
}

/** A list of these texts as the parser writes it. */
function listOf(...texts: readonly string[]): string {
  return `<ul>\n${texts.map((text) => `<li>${markdown.utils.escapeHtml(text)}</li>\n`).join('')}</ul>\n`;
}

function headings(text: string): readonly string[] {
  const tokens = markdown.parse(text, {});
  return tokens.flatMap((token, at) =>
    token.type === 'heading_open' ? [`${token.tag} ${tokens[at + 1]!.content}`] : [],
  );
}

function partsOf(document: EngagementDocument): DocumentParts {
  return { document, phases: readiness(document), standings: new Map(), asOf: null, erased: [] };
}

const NASTY = 'a|b \\| c\\ <script>alert(1)</script>\r\n# d `e|f`\\';
const opened = documentOf(historyOf(OPEN));
const fresh = partsOf(opened);

it.each([line, cell, paragraphs, (text: string) => code(text).slice(1, -1)])(
  'typed text cannot turn the text after it around (%o)',
  (written) => expect(written('a\u202eb\u2066c\u202d שלום \u200f(d)')).toBe('abc שלום \u200f(d)'),
);

it.each([
  [
    'colours of a terminal',
    '\u001b[32mpassed\u001b[0m: 40 \u001b]8;;http://a.example\u0007tests\u001b]8;;\u0007',
    'passed: 40 tests',
  ],
  ['control characters', '\u0007 # a\u0000b\fc\u0085d\u009b', '# ab c d'],
])('typed text leaves out %s', (_what, typed, shown) => {
  for (const written of [line(typed), cell(typed), code(typed).slice(1, -1).trim()]) expect(written).toBe(shown);
  expect(markdown.render(bullets([line(typed)]))).toBe(listOf(shown));
  expect(markdown.renderInline(paragraphs(typed))).toBe(shown);
  expect(cell('\u0007 \u202e')).toBe('—');
});

describe('a code span', () => {
  it.each([
    ['/w', '`/w`'],
    ['a`b', '`` a`b ``'],
    ['`', '`` ` ``'],
    ['a``b', '``` a``b ```'],
    ['a\n\n# b', '`a  # b`'],
  ])('of %j is %s', (text, expected) => {
    expect(code(text)).toBe(expected);
  });
  it('holds any text, and nothing leaves it', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'a`\n\r\u2028 #-![](<'), minLength: 1 }), (text) => {
        const [open, inline, close, ...more] = markdown.parse(code(text), {});
        if (text.trim() === '') return true;
        return (
          [open?.type, close?.type, more.length].join() === 'paragraph_open,paragraph_close,0' &&
          inline?.children?.map(({ type }) => type).join() === 'code_inline'
        );
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a cell', () => {
  it.each([
    ['a|b', 'a\\|b'],
    ['a\nb\r\nc', 'a<br>b<br>c'],
    ['a\\|b', 'a\\\\\\|b'],
    ['C:\\temp', 'C:\\temp'],
    ['x < 200 ms', 'x < 200 ms'],
    ['<b>', '\\<b>'],
    ['  ', '—'],
    [null, '—'],
  ])('of %j is %s', (text, expected) => {
    expect(cell(text)).toBe(expected);
  });
  it('holds any text, and the row keeps its cells', () => {
    const texts = fc.array(fc.string({ unit: fc.constantFrom(...'a|\\\n<> #-`') }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(texts, (row) => {
        const [parsed] = tables(table(['A', 'B', 'C'], [row.map((text) => cell(text)), ['x', 'y', 'z']]));
        expect(parsed!.map((cells) => cells.length)).toEqual([3, 3, 3]);
        expect(parsed![2]).toEqual(['x', 'y', 'z']);
      }),
      { numRuns: 500 },
    );
  });
  it('reads back as what was typed', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab|\\<\n*_`[](') }), (typed) => {
        const [parsed] = tables(table(['A', 'B'], [[cell(typed), 'y']]));
        expect(parsed![1]![0]).toBe(typed.trim() === '' ? '—' : typed.trim());
      }),
      { numRuns: 500 },
    );
  });
});

describe('other text', () => {
  it('is one line in headings and bullets', () => {
    expect(line(' a\n\n b\r\nc ')).toBe('a b c');
  });
  it.each([
    'src/__init__.py',
    'phase *one*, **now**',
    '`nightly_settle` and one ` more',
    '![plan](http://tracker.example/x.png) [here](javascript:alert(1))',
    '&copy; &amp; &#65; R&D',
    '~~gone~~ and ~gone~',
    '_under_ __score__ snake_case',
    'ends with \\',
    '\\* \\_ \\`',
  ])('shows %j as it was typed', (typed) => {
    for (const shown of [`**${line(typed)}**`, `- ${line(typed)}`, paragraphs(typed)]) {
      const inline = markdown.parse(shown, {}).find(({ type }) => type === 'inline')!;
      const kinds = new Set(inline.children!.map(({ type }) => type));
      expect([...kinds].filter((kind) => !['text', 'strong_open', 'strong_close'].includes(kind))).toEqual([]);
      expect(inline.children!.map(({ content }) => content).join('')).toBe(typed);
    }
  });
  // GitHub's markdown takes an escape as a part of the address: the link led elsewhere, and \`http://a.example/<b>\` was HTML.
  it.each([
    ['https://a.example/src/__init__.py', '<https://a.example/src/__init__.py>'],
    ['see (https://a.example/Ada_(name)).', 'see (<https://a.example/Ada_(name)>).'],
    ['**https://a.example/x**', '\\*\\*<https://a.example/x>\\*\\*'],
    ['http://a.example/<b>x', '<http://a.example/>\\<b>x'],
    ['<http://a.example/*>', '\\<<http://a.example/>\\*>'],
    ['http://a.example/?a=1&copy;_', '<http://a.example/?a=1>\\&copy;\\_'],
    ['www.a.example/__init__.py', 'www\\.a.example/\\_\\_init\\_\\_.py'],
    ['https://a.example/go_no_go?x=1&y=2, http://b.example', 'https://a.example/go_no_go?x=1&y=2, http://b.example'],
  ])('has in %j an address that is one to every reader', (typed, expected) => {
    expect(line(typed)).toBe(expected);
    const inline = markdown.parse(expected, {}).find(({ type }) => type === 'inline')!;
    expect(inline.children!.map(({ content }) => content).join('')).toBe(typed);
  });
  it('keeps the number signs at the end of a heading', () => {
    expect(headings(`### ${line('Runbook ##')}`)).toEqual(['h3 Runbook \\##']);
    const inline = markdown.parse(`### ${line('Runbook ##')}`, {})[1]!;
    expect(inline.children!.map(({ content }) => content).join('')).toBe('Runbook ##');
  });
  it('is escaped only where it would mean something', () => {
    expect(line('docs/go_no_go.md: p95 = 3 * 2 ms (~5 %) [draft] R&D <5 ms a|b C:\\temp')).toBe(
      'docs/go_no_go.md: p95 = 3 * 2 ms (~5 %) [draft] R&D <5 ms a|b C:\\temp',
    );
  });
  it('reads back whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab *_`~[]()!&;#<>\\|/') }), (typed) => {
        const inline = markdown.parse(`x ${line(typed)} x`, {}).find(({ type }) => type === 'inline')!;
        expect(inline.children!.map(({ type, content }) => [type, content])).toEqual([
          ['text', `x ${line(typed) === '' ? '' : typed.trim()} x`],
        ]);
      }),
      { numRuns: 1_000 },
    );
  });
  it.each([
    '# Ship',
    '1. Ship',
    '2)',
    '> 5 users',
    '- x',
    '+ dark mode',
    '---',
    '- - -',
    '[x]: http://a.example',
    '##',
  ])('is %j also at the beginning of an item', (typed) => {
    expect(markdown.render(bullets([line(typed), 'last']))).toBe(listOf(typed, 'last'));
    expect(markdown.render(bullets([`${line(typed)}: done`]))).toBe(listOf(`${typed}: done`));
  });
  it('is an item whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab1 #>-+*.)[]:_=~`(!<\\/') }), (typed) => {
        expect(markdown.render(bullets([`${line(typed)} x`]))).toBe(listOf(`${typed.trim()} x`.trim()));
      }),
      { numRuns: 1_000 },
    );
  });
  it('in an item is escaped only where it would mean something', () => {
    const typed = ['#12 fixed', '-5 °C', '+49 30', '1.5 GB', '[draft] plan', 'a # b', '2026-11-29: done'];
    expect(bullets(typed.map(line))).toBe(typed.map((each) => `- ${each}`).join('\n'));
  });
  it.each(['[Ada\nsaid]: hello', '[a](b]: c'])('%j is no definition of a link, which would not be shown', (typed) => {
    expect(markdown.render(paragraphs(typed))).toBe(`<p>${typed}</p>\n`);
    expect(markdown.render(bullets([line(typed)]))).toBe(listOf(typed.replace('\n', ' ')));
  });
  it('makes no structure of its own', () => {
    const typed = '*over\nlines* `x\ny` a\\ \n# h\n> q\n- b\n1. n\n| t |\n```\n---\n===\n<div>\n[a]: b';
    const tokens = markdown.parse(paragraphs(typed), {});
    expect([...new Set(tokens.map(({ type }) => type))]).toEqual(['paragraph_open', 'inline', 'paragraph_close']);
    const inline = new Set(tokens.flatMap(({ children }) => children ?? []).map(({ type }) => type));
    expect([...inline].toSorted()).toEqual(['softbreak', 'text']);
  });
});

it.each([
  [null, 'n/a'],
  [0, '0%'],
  [1 / 3, '33%'],
  [2 / 3, '67%'],
  [0.999, '99%'],
  [0.001, '1%'],
  [1, '100%'],
])('percent of %s is %s', (completion, expected) => {
  expect(percent(completion)).toBe(expected);
});

describe('report.md', () => {
  it('has the outline of the contract', () => {
    const phase = ['h3 Deliverables', 'h3 Gates'];
    expect(headings(reportMarkdown(fresh))).toEqual(
      [
        'h1 Ledger migration — engagement status',
        'h2 Phase summary',
        ...['h2 1 — Discover &amp; Assess', ...phase, 'h3 Blockers (12)'],
        ...['h2 2 — Prove', ...phase, 'h3 Blockers (9)'],
        ...['h2 3 — Build & Harden', ...phase, 'h3 Blockers (14)'],
        ...['h2 4 — Operate & Transfer', ...phase, 'h3 Blockers (11)'],
      ].map((heading) => heading.replace('&amp;', '&')),
    );
    const [summary] = tables(reportMarkdown(fresh));
    expect(summary).toEqual([
      ['Phase', 'Cadence', 'Accepted', 'In scope', 'Complete', 'Gates pass', 'Gates open', 'Exit'],
      ['Discover & Assess', '—', '0', '9', '0%', '0/3', '3', 'blocked'],
      ['Prove', '4–8 weeks', '0', '5', '0%', '0/4', '4', 'blocked'],
      ['Build & Harden', 'Scope-dependent', '0', '9', '0%', '0/5', '5', 'blocked'],
      ['Operate & Transfer', 'Ongoing or fixed', '0', '7', '0%', '0/4', '4', 'blocked'],
    ]);
  });

  it('shows n/a, never 0 %, when nothing is in scope', () => {
    const waive = deliverableIds(opened, 'prove').map(
      (deliverable_id) => ({ type: 'ChangeDeliverable', deliverable_id, status: 'waived', ...REASON }) as const,
    );
    const history = historyOf(OPEN, ...waive);
    const [summary] = tables(reportMarkdown(partsOf(documentOf(history))));
    expect(summary![2]).toEqual(['Prove', '4–8 weeks', '0', '0', 'n/a', '0/4', '4', 'blocked']);
  });

  it('says that a phase can be left', () => {
    const history = historyOf(OPEN, ...completing('discover'));
    const text = reportMarkdown(partsOf(documentOf(history)));
    expect(tables(text)[0]![1]).toEqual(['Discover & Assess', '—', '9', '9', '100%', '3/3', '0', 'ready']);
    expect(text).toContain('### Blockers (0)\n\nNo blockers');
  });

  it('keeps its tables whatever people typed', () => {
    const id = deliverableIds(opened, 'build')[0]!;
    const gate_id = gateIds(opened, 'build')[0]!;
    const file = { path: '/x', size_bytes: 3, sha256: 'a'.repeat(64) };
    const attach = { type: 'AttachEvidence', deliverable_id: id, kind: 'file', ...REASON } as const;
    const history = historyOf(
      { ...OPEN, name: NASTY, client: NASTY, summary: NASTY },
      { type: 'ChangeDeliverable', deliverable_id: id, owner: NASTY, ...REASON },
      { ...attach, evidence_id: 'e', label: NASTY, reference: NASTY, file },
      {
        type: 'JudgeGate',
        gate_id,
        verdict: 'pass',
        observed: NASTY,
        rationale: NASTY,
        decided_by: NASTY,
        ...REASON,
      },
      { type: 'AdvancePhase', move_id: 'm', force: true, reason: NASTY },
    );
    const parts = partsOf(documentOf(history));
    const text = reportMarkdown(parts);
    for (const rows of tables(text)) expect(new Set(rows.map((cells) => cells.length)).size).toBe(1);
    expect(tables(text).map((rows) => rows[0]!.length)).toEqual([8, 5, 5, 5, 8, 5, 7]);
    expect(headings(text).length).toBe(headings(reportMarkdown(fresh)).length + 3);
    for (const document of [text, handoverMarkdown(parts)]) expect(markdown.render(document)).not.toContain('<script>');
  });

  it('says when the engagement was last changed, and so does the handover pack', () => {
    const parts = partsOf({
      ...fresh.document,
      engagement: { ...fresh.document.engagement, updated_at: Date.UTC(2026, 10, 3, 9, 30) },
    });
    expect(reportMarkdown(parts)).toContain('**Last change:** 2026-11-03 09:30 UTC');
    expect(handoverMarkdown(parts)).toContain('last changed on 2026-11-03 09:30 UTC.');
  });

  it('says of a file that could not be read that nothing of it was recorded', () => {
    const [deliverable_id] = deliverableIds(opened, 'build');
    const facts = {
      deliverable_id: deliverable_id!,
      kind: 'file',
      label: 'Plan',
      reference: '/gone',
      file: null,
    } as const;
    const history = historyOf(OPEN, { type: 'AttachEvidence', evidence_id: 'e', ...facts, ...REASON });
    const text = reportMarkdown(partsOf(documentOf(history)));
    expect(text).toMatch(/\| \/gone \|.*\| no file recorded \|$/m);
  });

  it('keeps earlier verdicts with who and when', () => {
    const gate_id = gateIds(opened, 'discover')[0]!;
    const judge = { type: 'JudgeGate', gate_id, rationale: '', ...REASON } as const;
    const history = historyOf(
      OPEN,
      { ...judge, verdict: 'fail', observed: '3 misses', decided_by: 'Ann' },
      { ...judge, verdict: 'pass', observed: '0 misses', decided_by: 'Bo' },
    );
    const text = reportMarkdown(partsOf(documentOf(history)));
    expect(text).toContain('— `pass`');
    expect(text).toContain('Decided by Bo on 1970-01-01 00:00 UTC');
    expect(text).toContain('Earlier verdict: `fail` by Ann on 1970-01-01 00:00 UTC; observed: 3 misses');
  });
});

it('a gate that was removed stays in both documents with the verdict it had', () => {
  const gate_id = gateIds(opened, 'discover')[0]!;
  const judge = { type: 'JudgeGate', gate_id, rationale: '', decided_by: null, ...REASON } as const;
  const removal = { type: 'RemoveGate', gate_id, reason: 'Out of | scope.' } as const;
  const history = historyOf(OPEN, { ...judge, verdict: 'fail', observed: '3 misses' }, removal);
  const parts = partsOf(documentOf(history));
  for (const document of [reportMarkdown(parts), handoverMarkdown(parts)]) {
    const [head, row] = tables(document).at(-1)!;
    expect(head).toEqual(['When', 'Phase', 'Gate', 'Last verdict', 'By', 'Reason']);
    expect(row!.slice(1)).toEqual(['Discover & Assess', 'Inventory is complete', 'fail', 'owner', 'Out of | scope.']);
  }
  expect(reportMarkdown(fresh)).not.toContain('Removed gates');
});

it('a close and a reopening are in both documents with their times, senders and reasons', () => {
  const change = (status: 'closed' | 'active', reason: string) =>
    ({ type: 'ChangeEngagement', move_id: 'm', status, reason }) as const;
  const history = historyOf(OPEN, change('closed', 'Accepted | by Acme.'), change('active', 'A late finding.'));
  const parts = partsOf(documentOf(history));
  for (const document of [reportMarkdown(parts), handoverMarkdown(parts)]) {
    expect(
      tables(document)
        .at(-1)!
        .map(([, ...cells]) => cells),
    ).toEqual([
      ['From', 'To', 'By', 'Reason'],
      ['draft', 'closed', 'owner', 'Accepted | by Acme.'],
      ['closed', 'active', 'owner', 'A late finding.'],
    ]);
  }
  for (const document of [reportMarkdown(fresh), handoverMarkdown(fresh)]) {
    expect(document).not.toContain('Status changes');
  }
});

describe('handover.md', () => {
  const [accepted, waived, claimed] = deliverableIds(opened, 'operate');
  const change = { type: 'ChangeDeliverable', ...REASON } as const;
  const note = { type: 'AttachEvidence', kind: 'url', deliverable_id: accepted!, file: null, ...REASON } as const;
  const history = historyOf(
    OPEN,
    { ...note, evidence_id: 'e', label: 'Wiki', reference: 'https://wiki/runbooks' },
    { ...change, deliverable_id: accepted!, status: 'accepted' },
    { ...change, deliverable_id: waived!, status: 'waived' },
    { ...change, deliverable_id: claimed!, status: 'accepted' },
  );
  const parts = partsOf(documentOf(history));
  const text = handoverMarkdown(parts);
  const section = (name: string): string => text.split(/^## /m).find((part) => part.startsWith(name)) ?? '';

  it('has every operate deliverable with its evidence, or says that there is none', () => {
    const operating = section('Operating the system');
    expect(operating.match(/^### /gm)).toHaveLength(7);
    expect(operating).toContain('- [url] Wiki — https://wiki/runbooks');
    expect(operating.match(/\*\*No artifact/g)).toHaveLength(6);
  });
  it('says of each how it stands and whom to ask', () => {
    const assigned = { ...change, deliverable_id: claimed!, owner: 'Ines *Baur*' } as const;
    const pack = handoverMarkdown(partsOf(documentOf(historyOf(OPEN, assigned))));
    expect(pack).toContain('Status: not started. Owner: not named.');
    expect(pack).toContain('Status: not started. Owner: Ines \\*Baur\\*.');
    expect(section('Operating the system').match(/^Status: accepted\. Owner: not named\.$/gm)).toHaveLength(2);
  });
  it('lists what was delivered, and leaves out phases in which nothing was', () => {
    const delivered = section('Everything delivered');
    expect(headings(`## ${delivered}`)).toEqual(['h2 Everything delivered', 'h3 Operate & Transfer']);
    expect(delivered).toContain('- **Runbooks** (1 evidence item)');
    expect(delivered).toContain('- **On-call handbook** (0 evidence items)\n  - **No artifact is attached');
    expect(handoverMarkdown(fresh)).toContain('Nothing has been accepted yet.');
  });
  it('lists what was not, without calling missing evidence so', () => {
    const outstanding = section('Not delivered');
    expect(outstanding).not.toContain('no evidence');
    expect(outstanding).not.toContain('On-call handbook');
    expect(outstanding).toContain('“Exit plan” has not been started.');
  });
  it('says in one sentence that nothing is outstanding', () => {
    const all = (['discover', 'prove', 'build', 'operate'] as const).flatMap(completing);
    const done = partsOf(documentOf(historyOf(OPEN, ...all)));
    expect(handoverMarkdown(done)).toContain('## Not delivered\n\nNothing is outstanding.');
  });
  it('speaks of waiving only when something was waived', () => {
    expect(section('Waived by agreement')).toContain('- **Escalation paths** — no reason recorded');
    const gate_id = gateIds(opened, 'discover')[2]!;
    const waive = { verdict: 'waived', observed: null, decided_by: null, rationale: 'Set by the regulator.' } as const;
    const judged = historyOf(OPEN, { type: 'JudgeGate', gate_id, ...waive, ...REASON });
    expect(handoverMarkdown(partsOf(documentOf(judged)))).toContain(
      '## Waived by agreement\n\n- **Roadmap is ordered by dependency** (gate) — Set by the regulator.',
    );
    expect(handoverMarkdown(fresh)).not.toContain('Waived');
  });
  it('shows a forced advance with what it overrode, as the report does', () => {
    const forced = {
      type: 'AdvancePhase',
      move_id: 'm',
      force: true,
      reason: 'The board decided.',
    } as const;
    const moved = partsOf(documentOf(historyOf(OPEN, forced)));
    for (const document of [reportMarkdown(moved), handoverMarkdown(moved)]) {
      expect(document).toContain('**forced advance** | 12 | owner | The board decided.');
      expect(document).toContain('Discover & Assess (12 blockers)\n\n- “Current-state architecture map”');
    }
  });
});
