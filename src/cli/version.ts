/** The version of the program, from package.json. */
import { readFileSync } from 'node:fs';

export function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
