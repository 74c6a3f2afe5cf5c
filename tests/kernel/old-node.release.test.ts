/**
 * The kernel in Node 20, where SQLite does not run: a log in memory works, and everything that needs SQLite throws a
 * clear error.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';
import { runtimes } from '../../scripts/runtimes.ts';
import { requireSqlite } from '../../src/storage/sqlite.ts';
import { temporaryFolder } from '../support/folders.ts';

const NODE_20 = runtimes().find(({ name }) => name === 'Node 20')!.program;

async function bundle(): Promise<string> {
  const input = join(import.meta.dirname, 'old-node-program.ts');
  const sqlite = { id: import.meta.resolve('better-sqlite3'), external: true } as const;
  const resolveId = (id: string) => (id === 'better-sqlite3' ? sqlite : null);
  const built = await rolldown({
    input,
    platform: 'node',
    transform: { target: 'es2022' },
    plugins: [{ name: 'sqlite', resolveId }],
    logLevel: 'silent',
  });
  const { output } = await built.generate({ format: 'esm', codeSplitting: false });
  await built.close();
  const file = join(temporaryFolder('old-node'), 'program.mjs');
  writeFileSync(file, output[0].code);
  return file;
}

it.skipIf(NODE_20 === undefined)('a log in memory works in Node 20, and a folder and tables are refused', async () => {
  const { stdout } = await promisify(execFile)(NODE_20!, [await bundle(), temporaryFolder('log')]);
  const refused = expect.stringContaining('need Node 22 or newer; this is 20.');
  expect(JSON.parse(stdout)).toEqual({ texts: ['kept'], folder: refused, tables: refused, tested: refused });
});

it('the Node of the checkout has SQLite', () => {
  expect(() => requireSqlite()).not.toThrow();
  expect(() => requireSqlite('21.9.0')).toThrow('need Node 22 or newer; this is 21.9.0');
});
