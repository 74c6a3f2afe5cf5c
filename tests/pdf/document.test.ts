/** Whole documents: the same bytes every time, for any content. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderDocument } from '../../src/integrations/pdf/document.ts';
import { createPageWriter } from '../../src/integrations/pdf/pages.ts';
import type { PdfDocument } from '../../src/ports/pdf.ts';
import { byDepth, IS_DENSE } from '../support/depth.ts';
import { codePoint } from '../support/text.ts';

const MARKDOWN = `# One

## Two with a [link](https://example.org/a)

- list

| a | b |
|---|---|
${'| long cell that wraps | x |\n'.repeat(120)}

\`\`\`
${'code '.repeat(60)}
\`\`\`

### Three
`;

const documents: Readonly<Record<string, PdfDocument>> = {
  empty: { kind: 'source', title: 'empty.txt', text: '' },
  source: { kind: 'source', title: 'a.ts', text: 'const a = 1;\n'.repeat(200) },
  // More than 500 000 characters: its pages are written out one by one.
  long: { kind: 'source', title: 'long.txt', text: `${'word '.repeat(17)}\n`.repeat(6_000) },
  markdown: { kind: 'markdown', title: 'a.md', text: MARKDOWN },
  conversation: {
    kind: 'conversation',
    title: 'Größe 你好',
    facts: [['Task', 'x']],
    entries: [
      { kind: 'message', speaker: 'You', format: 'plain', text: 'hello' },
      { kind: 'step', number: 1, tool: 'bash', success: false },
      { kind: 'message', speaker: 'Assistant', format: 'markdown', text: MARKDOWN },
    ],
    created_ms: 1_700_000_000_000,
    changed_ms: 1_700_000_100_000,
  },
};

async function set(document: PdfDocument): Promise<string> {
  return Buffer.from(await renderDocument(document)).toString('latin1');
}

const rendered = new Map<string, Promise<string>>();

/** One of the documents, set once for all tests that only look at it. */
function shown(name: string): Promise<string> {
  const known = rendered.get(name) ?? set(documents[name]!);
  rendered.set(name, known);
  return known;
}

const count = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].length;
const pages = (text: string): number => count(text, /\/Type \/Page\b(?!s)/g);

it.each(Object.keys(documents))('%s is a PDF and the same bytes a second time', async (name) => {
  const first = await shown(name);
  expect(first.slice(0, 5)).toBe('%PDF-');
  expect(first.trimEnd().endsWith('%%EOF')).toBe(true);
  expect((await set(documents[name]!)) === first).toBe(true);
});

describe('a document', () => {
  it('has pages, bookmarks, links and an embedded typeface', async () => {
    const text = await shown('markdown');
    expect(pages(text)).toBeGreaterThan(2);
    expect(count(text, /\/Title \(/g)).toBe(3);
    expect(text).toContain('/URI (https://example.org/a)');
    expect(text).toMatch(/\/FontFile2/);
    expect(text).toContain('/PageMode /UseOutlines');
    expect(text).not.toMatch(/\/JavaScript|\/Launch|\/EmbeddedFile/);
  });

  it('of many pages lets go of them and still numbers them', async () => {
    const text = await shown('long');
    expect(pages(text)).toBeGreaterThan(70);
  });

  it.runIf(IS_DENSE)('holds a table of more rows than a call may have arguments', async () => {
    const text = await set({ kind: 'markdown', title: 'rows.md', text: `| a |\n|---|\n${'| x |\n'.repeat(150_000)}` });
    expect(pages(text)).toBeGreaterThan(2_000);
  });

  it('carries the dates of its task', async () => {
    const text = await shown('conversation');
    expect(text).toContain('(D:20231114221320Z)');
    expect(text).toContain('(D:20231114221500Z)');
  });

  it('with an empty transcript is valid', async () => {
    const text = await set({ ...documents.conversation!, entries: [] } as PdfDocument);
    expect(pages(text)).toBe(1);
  });

  it('changes when its text does', async () => {
    const one = await set({ kind: 'source', title: 'a', text: 'x' });
    expect(await set({ kind: 'source', title: 'a', text: 'y' })).not.toBe(one);
  });

  it('is set from any text', async () => {
    const text = fc.string({ unit: codePoint, maxLength: 400 });
    await fc.assert(
      fc.asyncProperty(text, fc.constantFrom('markdown' as const, 'source' as const), async (of, kind) => {
        expect(pages(await set({ kind, title: of.slice(0, 20), text: of }))).toBeGreaterThan(0);
      }),
      { numRuns: byDepth({ sample: 8, dense: 15, long: 500 }) },
    );
  });

  it('has at most 5 000 pages', async () => {
    const changed = new Date(0);
    const writer = await createPageWriter({ title: 'x', created: changed, changed, long: false, spentMs: () => 0 });
    for (let page = 1; page <= 5_000; page += 1) writer.take(writer.height);
    expect(() => writer.take(1)).toThrow('A PDF may have at most 5000 pages.');
  });

  it('of much markdown is refused with the bound that it meets', async () => {
    const document = { kind: 'markdown', title: 'm.md', text: 'a'.repeat(4_000_001) } as const;
    await expect(renderDocument(document)).rejects.toMatchObject({
      fault: 'too_large',
      message: expect.stringContaining('at most 4000000 characters'),
    });
  });

  it('of markdown is measured in characters, not in UTF-16 units', async () => {
    const document = { kind: 'markdown', title: 'm.md', text: `${'😀'.repeat(1_000)}\n\n`.repeat(2_000) } as const;
    const refused = { fault: 'too_large', message: expect.stringContaining('10 s of processor time') };
    await expect(renderDocument(document, () => 10_001)).rejects.toMatchObject(refused);
  });

  it('is given up at the first new page after 10 s of processor time', async () => {
    const text = 'one line\n'.repeat(200);
    let looks = 0;
    const spentMs = (): number => {
      looks += 1;
      return looks === 1 ? 10_000 : 10_001;
    };
    const refused = { fault: 'too_large', message: expect.stringContaining('10 s of processor time') };
    await expect(renderDocument({ kind: 'source', title: 'a.txt', text }, spentMs)).rejects.toMatchObject(refused);
    expect(looks).toBe(2);
  });

  it.runIf(IS_DENSE)(
    'that needs too much memory is refused whatever flags Node has, and the next one is rendered',
    async () => {
      // With this flag V8 ends a whole process when the heap of one of its threads is full.
      const env = { ...process.env, NODE_OPTIONS: '--max-semi-space-size=64' };
      const program = join(import.meta.dirname, 'render-too-much.ts');
      const { stdout } = await promisify(execFile)(process.execPath, [program], { env });
      expect(JSON.parse(stdout)).toEqual({
        refused: { fault: 'too_large', message: 'A PDF may take at most 200 MiB of memory.' },
        next: expect.any(Number),
      });
    },
  );

  it('compresses its pages', async () => {
    const text = await shown('source');
    const stream = /stream\r?\n([\s\S]*?)\r?\nendstream/.exec(text)![1]!;
    expect(inflateSync(Buffer.from(stream, 'latin1')).length).toBeGreaterThan(stream.length);
  });
});
