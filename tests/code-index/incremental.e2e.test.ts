/** An index that is built incrementally equals one that is built from nothing. */
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createCodeIndex } from '../../src/integrations/code-index/code-index.ts';
import { decodeChunk } from '../../src/integrations/code-index/format.ts';
import { openIndex } from '../../src/integrations/code-index/reader.ts';
import { createEmbedders } from '../../src/integrations/embedders/embedders.ts';
import { localVector } from '../../src/projections/recall/vector.ts';
import { byDepth } from '../support/depth.ts';
import { removeFolder, temporaryFolder } from '../support/folders.ts';
import { writeFiles } from './support.ts';

const RUNS = byDepth({ sample: 1, dense: 3, long: 60 });
const PATHS = ['a.ts', 'b.py', 'c.md', 'd/e.ts', 'd/f.txt'];

type Edit =
  | { readonly kind: 'write'; readonly path: string; readonly parts: readonly number[] }
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'rename'; readonly path: string; readonly to: string };

const path = fc.constantFrom(...PATHS);
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), path, parts: fc.array(fc.nat(5), { maxLength: 5 }) }),
  fc.record({ kind: fc.constant('delete' as const), path }),
  fc.record({ kind: fc.constant('rename' as const), path, to: path }),
);

/** Six functions of different sizes, so that the same texts come back in other places. */
const part = (number: number): string =>
  `function part${number}(a) {\n${`  call${number}(a);\n`.repeat(20 * (number + 1))}}\n`;

function apply(workspace: string, change: Edit): void {
  const at = join(workspace, change.path);
  if (change.kind === 'write') writeFiles(workspace, { [change.path]: change.parts.map(part).join('\n') });
  else if (change.kind === 'delete') rmSync(at, { force: true });
  else {
    mkdirSync(join(workspace, 'd'), { recursive: true });
    try {
      renameSync(at, join(workspace, change.to));
    } catch {
      // There is no such file at the moment.
    }
  }
}

async function build(workspace: string, home: string) {
  const embedders = createEmbedders({ env: {}, localVector });
  const choice = embedders.selected();
  const index = createCodeIndex({ workspace, home, ephemeral: false }, embedders);
  const { signal } = new AbortController();
  const outcome = await index.build({
    choice,
    embedder: embedders.open(choice),
    signal,
    at: 1,
    progress: () => undefined,
  });
  await index.close();
  const reader = await openIndex(outcome.path);
  const table = await reader.table('chunks');
  const rows = [];
  for (let row = 0; row < reader.header.chunks; row += 1) {
    const { hash: _, ...chunk } = decodeChunk(table, row);
    rows.push({ ...chunk, ...(await reader.text(decodeChunk(table, row))), vector: [...reader.vector(row)] });
  }
  const tables = [await reader.table('terms'), await reader.table('postings')];
  const files = await reader.files();
  await reader.close();
  return { outcome, content: { rows, files, tables } };
}

it('after any sequence of edits', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(edit, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 3 }),
      async (steps) => {
        const [workspace, home] = [temporaryFolder('workspace'), temporaryFolder('home')];
        for (const step of steps) {
          for (const change of step) apply(workspace, change);
          const grown = await build(workspace, home);
          const again = await build(workspace, home);
          expect(again.outcome.embedded).toBe(0);
          expect(again.content).toEqual(grown.content);
        }
        const fresh = temporaryFolder('home');
        expect((await build(workspace, home)).content).toEqual((await build(workspace, fresh)).content);
        for (const each of [workspace, home, fresh]) removeFolder(each);
      },
    ),
    { numRuns: RUNS },
  );
}, 900_000);
