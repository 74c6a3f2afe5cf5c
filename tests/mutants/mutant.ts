/** A safeguard that is removed from the storage, and the tests that must notice. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

export interface Mutant {
  /** What the mutated storage does wrong. */
  readonly name: string;
  readonly file: string;
  /** Each text stands in the file exactly once. */
  readonly edits: readonly { readonly find: string; readonly replace: string }[];
  /** Test files, the quickest first: they are tried one after the other until a test turns red. */
  readonly expect: readonly string[];
}

export interface Plain {
  readonly find: string;
  readonly replace: string;
}

/** Builds the mutants of one file. */
export function mutantsOf(
  file: string,
  expect: readonly string[],
  list: Readonly<Record<string, Plain | readonly Plain[]>>,
): Mutant[] {
  return Object.entries(list).map(([name, edits]) => ({
    name,
    file: `src/storage/${file}`,
    edits: isList(edits) ? edits : [edits],
    expect: expect.map((test) => `tests/${test}`),
  }));
}

/** What keeps a mutant from being made: a text that its file does not hold just once. */
export function staleness({ name, file, edits }: Mutant): string[] {
  const text = readFileSync(resolve(ROOT, file), 'utf8');
  return edits.flatMap(({ find }) => {
    const times = text.split(find).length - 1;
    return times === 1 ? [] : [`${name}: its text stands ${times} times in ${file}:\n${find}\n`];
  });
}

/** The text is taken out. */
export function without(find: string): Plain {
  return { find, replace: '' };
}

function isList(edits: Plain | readonly Plain[]): edits is readonly Plain[] {
  return Array.isArray(edits);
}
