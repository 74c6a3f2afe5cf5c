/** Tables on a page: no column breaks a word for which the page has room, and a header stays with its first row. */
import { expect, it } from 'vitest';
import { writeBlocks } from '../../src/integrations/pdf/blocks.ts';
import { markdownBlocks } from '../../src/integrations/pdf/markdown.ts';
import { recordedPages } from './pages.ts';

async function written(markdown: string) {
  const pages = recordedPages();
  const kept: number[] = [];
  writeBlocks({ ...pages, keep: (height) => void kept.push(height) }, await markdownBlocks(markdown));
  return { texts: pages.drawn.map(({ text }) => text.trim()), kept };
}

const HASH = '0123456789abcdef'.repeat(4);

it('keeps words whole beside a hash and a path, which are broken', async () => {
  const { texts } = await written(
    `| Deliverable | Kind | Label | Reference | Captured | Bytes | SHA-256 | File today |
|---|---|---|---|---|---|---|---|
| Current-state architecture map | file | Risks | docs/systems-inventory.md | 2026-11-23 13:04 UTC | 44 | ${HASH} | unchanged |
`,
  );
  for (const word of ['Deliverable', 'Current-state', 'architecture', 'Reference', '2026-11-23', 'unchanged']) {
    expect(texts).toContain(word);
  }
  expect(texts).not.toContain(HASH);
});

it('keeps the words of the head whole where the page is too narrow for all words', async () => {
  const head = ['Deliverable', 'Kind', 'Label', 'Reference', 'Captured', 'Bytes', 'SHA-256', 'File'];
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  const { texts } = await written(row(head) + row(head.map(() => '-')) + row(head.map(() => 'interdepartment')));
  expect(texts).toEqual(expect.arrayContaining(head));
  expect(texts).not.toContain('interdepartment');
});

it('asks for room for the head and the whole first row, and for a heading above it', async () => {
  const one = await written('| a |\n|---|\n| b |\n');
  const many = await written(`| a |\n|---|\n| ${'word '.repeat(300)} |\n`);
  expect(many.kept[0]).toBeGreaterThan(one.kept[0]! + 50);
  const headed = await written(`# Evidence\n\n| a |\n|---|\n| ${'word '.repeat(300)} |\n`);
  expect(headed.kept[0]).toBeGreaterThan(many.kept[0]! + 20);
  expect(headed.texts.slice(0, 2)).toEqual(['Evidence', 'a']);
});
