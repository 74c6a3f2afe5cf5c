/** The libraries of the package: `exports` of package.json. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const MANIFEST = resolve(import.meta.dirname, '../../package.json');

/** Files in the package by entry: a path, or conditions of which `default` is the file. */
type Exports = Readonly<Record<string, string | { readonly default: string }>>;

/** Each library with its file, such as `['./client', './dist/client/index.js']`. */
export function libraries(): readonly (readonly [string, string])[] {
  const { exports } = JSON.parse(readFileSync(MANIFEST, 'utf8')) as { readonly exports: Exports };
  return Object.entries(exports)
    .map(([entry, target]) => [entry, typeof target === 'string' ? target : target.default] as const)
    .filter(([, file]) => file.startsWith('./dist/'));
}
