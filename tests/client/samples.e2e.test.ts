/** The example of every method, as in its doc comment and in `/docs`, compiles against the types of the client. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { clientDocument } from '../../scripts/client/document.ts';
import { operationsOf } from '../../scripts/client/operations.ts';
import { clientCall } from '../../src/http/openapi/samples.ts';
import { temporaryFolder } from '../support/folders.ts';

const CLIENT = resolve('src/client/client.ts');
const COMPILE_MS_MAX = 60_000;

/** What the compiler says about a program of these calls. */
async function compiled(calls: readonly string[]): Promise<string> {
  const folder = temporaryFolder('samples');
  const functions = calls.map((call, at) => `export async function call${at}(): Promise<void> {\n${call}\n}`);
  const head = `import { createClient } from ${JSON.stringify(CLIENT)};\nconst client = createClient();\n`;
  writeFileSync(join(folder, 'samples.mts'), head + functions.join('\n'));
  const options = {
    noUnusedLocals: false,
    rewriteRelativeImportExtensions: false,
    noEmit: true,
    types: ['node'],
    typeRoots: [resolve('node_modules/@types')],
  };
  const project = { extends: resolve('tsconfig.json'), compilerOptions: options, files: ['samples.mts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...project, include: [], exclude: [] }));
  const run = promisify(execFile)(resolve('node_modules/.bin/tsc'), ['--project', folder]);
  return run.then(
    ({ stdout }) => stdout,
    ({ stdout }: { readonly stdout: string }) => stdout,
  );
}

it('the example of each method compiles', { timeout: COMPILE_MS_MAX }, async () => {
  const calls = operationsOf(await clientDocument()).map(({ operation }) => clientCall(operation));
  const faults = await compiled([...calls, 'await client.goals.create({ title: 7 });']);
  // The last call is the only one that does not: the compiler has seen them all.
  expect(faults.match(/error TS/g)).toHaveLength(1);
  expect(faults).toContain("Type 'number' is not assignable");
});
