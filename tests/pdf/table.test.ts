/** Tables on a page: no column breaks a word for which the page has room, and a header stays with its first row. */
import { expect, it } from 'vitest';
import { wholeFrame } from '../../src/integrations/pdf/lines.ts';
import { markdownBlocks } from '../../src/integrations/pdf/markdown.ts';
import { writeTable } from '../../src/integrations/pdf/table.ts';
import { recordedPages } from './pages.ts';

async function written(markdown: string) {
  const pages = recordedPages();
  const kept: number[] = [];
  const [table] = await markdownBlocks(markdown);
  if (table?.kind !== 'table') throw new Error('That is no table.');
  writeTable({ ...pages, keep: (height) => void kept.push(height) }, table, wholeFrame(pages));
  return { texts: pages.drawn.map(({ text }) => text), kept };
}

const HASH = '0123456789abcdef'.repeat(4);

it('keeps words whole beside a hash and a path, which are broken', async () => {
  const { texts } = await written(
    `| Deliverable | Kind | Label | Reference | Captured | Bytes | SHA-256 | File today |
|---|---|---|---|---|---|---|---|
| Current-state architecture map | file | Risks | docs/systems-inventory.md | 2026-11-23 13:04 UTC | 44 | ${HASH} | unchanged |
`,
  );
  const lines = texts.map((text) => text.trim());
  for (const word of ['Deliverable', 'Current-state', 'architecture', 'Reference', '2026-11-23', 'unchanged']) {
    expect(lines).toContain(word);
  }
  expect(lines).not.toContain(HASH);
});

it('asks for room for the head and the whole first row', async () => {
  const one = await written('| a |\n|---|\n| b |\n');
  const many = await written(`| a |\n|---|\n| ${'word '.repeat(300)} |\n`);
  expect(many.kept[0]).toBeGreaterThan(one.kept[0]! + 50);
});
