/** Maps a file name to its language and the grammar that splits it. Without a grammar, files are split by lines. */
export type Grammar =
  | 'bash'
  | 'c-sharp'
  | 'cpp'
  | 'css'
  | 'go'
  | 'java'
  | 'javascript'
  | 'php'
  | 'powershell'
  | 'python'
  | 'ruby'
  | 'rust'
  | 'tsx'
  | 'typescript';

export interface Language {
  /** Name in search results. */
  readonly name: string;
  readonly grammar: Grammar | null;
}

type Row = readonly [name: string, grammar: Grammar | null, endings: string];

const ROWS: readonly Row[] = [
  ['typescript', 'typescript', 'ts mts cts'],
  ['tsx', 'tsx', 'tsx'],
  ['javascript', 'javascript', 'js mjs cjs jsx'],
  ['python', 'python', 'py pyi'],
  ['go', 'go', 'go'],
  ['rust', 'rust', 'rs'],
  ['java', 'java', 'java'],
  ['c', 'cpp', 'c h'],
  ['cpp', 'cpp', 'cc cpp cxx hh hpp hxx ino'],
  ['csharp', 'c-sharp', 'cs'],
  ['ruby', 'ruby', 'rb rake gemspec'],
  ['php', 'php', 'php'],
  ['shell', 'bash', 'sh bash zsh'],
  ['powershell', 'powershell', 'ps1 psm1'],
  ['css', 'css', 'css'],
  ['scss', null, 'scss sass less'],
  ['markdown', null, 'md mdx markdown'],
  ['html', null, 'html htm vue svelte astro'],
  ['json', null, 'json jsonc json5'],
  ['yaml', null, 'yaml yml'],
  ['toml', null, 'toml'],
  ['sql', null, 'sql'],
  ['kotlin', null, 'kt kts'],
  ['swift', null, 'swift'],
  ['scala', null, 'scala'],
  ['lua', null, 'lua'],
  ['elixir', null, 'ex exs'],
  ['haskell', null, 'hs'],
  ['zig', null, 'zig'],
  ['dart', null, 'dart'],
  ['r', null, 'r'],
  ['protobuf', null, 'proto'],
  ['graphql', null, 'graphql gql'],
  ['terraform', null, 'tf'],
];

const BY_ENDING = new Map(
  ROWS.flatMap(([name, grammar, endings]) => endings.split(' ').map((ending) => [ending, { name, grammar }] as const)),
);

const BY_NAME = new Map<string, Language>([
  ['dockerfile', { name: 'dockerfile', grammar: null }],
  ['makefile', { name: 'makefile', grammar: null }],
  ['rakefile', { name: 'ruby', grammar: 'ruby' }],
  ['gemfile', { name: 'ruby', grammar: 'ruby' }],
]);

/** Null when the name is not known. */
export function languageOf(path: string): Language | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return BY_ENDING.get(name.slice(name.lastIndexOf('.') + 1)) ?? BY_NAME.get(name) ?? null;
}
