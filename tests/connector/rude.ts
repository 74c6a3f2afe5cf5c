import { readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join, resolve } from 'node:path';
import { temporaryFolder } from '../support/folders.ts';

/** rude-server.ts as JavaScript, for one test file: a server that Node need not strip of types starts in a third of the time. */
export function rudeServer(): string {
  const path = join(temporaryFolder('rude'), 'rude-server.mjs');
  writeFileSync(path, stripTypeScriptTypes(readFileSync(resolve('tests/connector/rude-server.ts'), 'utf8')));
  return path;
}
