/** `npm run client:generate`: writes the generated part of the client. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { optionsOf } from '../options.ts';
import { clientDocument } from './document.ts';
import { generatedFiles } from './render.ts';

const ROOT = resolve(import.meta.dirname, '../..');
export const GENERATED = join(ROOT, 'src/client/generated');

/** The text of a file, formatted as the project formats its sources. */
export function formatted(text: string, name: string): string {
  const biome = join(ROOT, 'node_modules/.bin/biome');
  const path = join(GENERATED, name);
  return execFileSync(biome, ['check', '--write', `--stdin-file-path=${path}`], {
    input: text,
    cwd: ROOT,
    encoding: 'utf8',
  });
}

if (import.meta.main) {
  optionsOf({});
  for (const [name, text] of Object.entries(await generatedFiles(await clientDocument()))) {
    writeFileSync(join(GENERATED, name), formatted(text, name));
  }
}
