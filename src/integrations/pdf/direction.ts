/**
 * Which way text runs: what is written from right to left is put in the order in which a page shows it (UAX #9).
 *
 * - Marks that would force a direction are shown as their numbers and force none.
 * - A line is ordered by itself, in the direction of its paragraph.
 */

export interface Run<Piece> {
  /** A part of one piece, mirrored where it runs from right to left. */
  readonly text: string;
  readonly piece: Piece;
  readonly rtl: boolean;
}

/** R and AL, EN and AN, and the rest as UAX #9 names them; a mark takes the kind of what it stands on. */
type Kind = 'L' | 'R' | 'AL' | 'EN' | 'AN' | 'ES' | 'ET' | 'CS' | 'NSM' | 'ON';

/** Where all that runs from right to left is, of what the typeface has: most text is told apart by this alone. */
const FROM_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const LETTER_FROM_RIGHT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Nko}]/u;

/** A word of such letters with their marks, as the source of a pattern. */
export const WORD_FROM_RIGHT = `${LETTER_FROM_RIGHT.source}(?:${LETTER_FROM_RIGHT.source}|\\p{Mn})*`;

const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/[\p{Mn}\p{Me}]/u, 'NSM'],
  [/[0-9\u06f0-\u06f9]/, 'EN'],
  [/[\u0660-\u0669\u066b\u066c]/, 'AN'],
  [/[+\u2212-]/, 'ES'],
  [/[,.:/\u00a0\u060c]/, 'CS'],
  [/[#%\u00b0\u2030\u066a\p{Sc}]/u, 'ET'],
  [/[\p{Script=Hebrew}\p{Script=Nko}]/u, 'R'],
  [/\p{Script=Arabic}/u, 'AL'],
  [/[\p{L}\p{N}\p{Mc}]/u, 'L'],
];

const MIRRORED: ReadonlyMap<string, string> = new Map(
  ['()', '[]', '{}', '<>', '«»', '‹›', '≤≥', '⟨⟩'].flatMap(([open, close]) => [
    [open!, close!],
    [close!, open!],
  ]),
);

export function hasFromRight(text: string): boolean {
  return FROM_RIGHT.test(text);
}

/** The direction of a paragraph is that of its first letter. */
export function beginsAtRight(paragraph: string): boolean {
  if (!hasFromRight(paragraph)) return false;
  for (const character of paragraph) {
    const kind = kindOf(character);
    if (kind === 'L') return false;
    if (kind === 'R' || kind === 'AL') return true;
  }
  return false;
}

/** The pieces of a line as runs from left to right. */
export function shown<Piece extends { readonly text: string }>(
  pieces: readonly Piece[],
  beginsRight: boolean,
): readonly Run<Piece>[] {
  const levels = levelsOf([...pieces.map((piece) => piece.text).join('')], beginsRight ? 1 : 0);
  const runs: { text: string; piece: Piece; level: number }[] = [];
  let at = 0;
  for (const piece of pieces) {
    for (const character of piece.text) {
      const level = levels[at++]!;
      const last = runs.at(-1);
      if (last?.piece === piece && last.level === level) last.text += character;
      else runs.push({ text: character, piece, level });
    }
  }
  for (const level of [2, 1]) reverseFrom(runs, level);
  return runs.map(({ text, piece, level }) => {
    const rtl = level === 1;
    return { text: rtl ? mirrored(text) : text, piece, rtl };
  });
}

/** Runs of this level and higher, as far as they stand side by side, change places. */
function reverseFrom(runs: { readonly level: number }[], level: number): void {
  for (let from = 0; from < runs.length; from += 1) {
    let to = from;
    while (to < runs.length && runs[to]!.level >= level) to += 1;
    if (to > from + 1) runs.splice(from, to - from, ...runs.slice(from, to).reverse());
    from = Math.max(from, to);
  }
}

function mirrored(text: string): string {
  return [...text].map((character) => MIRRORED.get(character) ?? character).join('');
}

/**
 * The words and spaces of a run from right to left, in the order shown. The typeface turns over the letters of a word;
 * one without letters it sets as it is, so that is turned over here.
 */
export function wordsFromRight(text: string): readonly string[] {
  const words = text.match(/ +|[^ ]+/g) ?? [];
  return words.reverse().map((word) => (LETTER_FROM_RIGHT.test(word) ? word : [...word].reverse().join('')));
}

const known = new Map<string, Kind>();

function kindOf(character: string): Kind {
  let kind = known.get(character);
  if (kind === undefined) {
    kind = KINDS.find(([of]) => of.test(character))?.[1] ?? 'ON';
    known.set(character, kind);
  }
  return kind;
}

/** 0 and 2 run from left to right, 1 from right to left. */
function levelsOf(characters: readonly string[], base: 0 | 1): readonly number[] {
  const around = base === 0 ? 'L' : 'R';
  const kinds = weakResolved(characters.map(kindOf), around);
  resolveBrackets(characters, kinds, around);
  const levels = kinds.map((kind) => {
    if (kind === 'R') return 1;
    return kind === 'L' ? base * 2 : 2;
  });
  forStretches(kinds, isNeutral, (from, to) => {
    const before = sideOf(kinds[from - 1] ?? around);
    const level = before === sideOf(kinds[to] ?? around) ? sideLevel(before, base) : base;
    levels.fill(level, from, to);
  });
  for (let at = characters.length - 1; at >= 0 && /\s/.test(characters[at]!); at -= 1) levels[at] = base;
  return levels;
}

function sideLevel(side: 'L' | 'R', base: 0 | 1): number {
  return side === 'R' ? 1 : base * 2;
}

/** Numbers count as written from right to left where neutral characters stand beside them. */
function sideOf(kind: Kind): 'L' | 'R' {
  return kind === 'L' ? 'L' : 'R';
}

function isNeutral(kind: Kind): boolean {
  return kind === 'ON';
}

/** Rules W1 to W7: marks, numbers and what stands in and beside them. */
function weakResolved(of: readonly Kind[], around: Kind): Kind[] {
  const kinds = [...of];
  for (const [at, kind] of kinds.entries()) if (kind === 'NSM') kinds[at] = kinds[at - 1] ?? around;
  let strong = around;
  for (const [at, kind] of kinds.entries()) {
    if (kind === 'L' || kind === 'R' || kind === 'AL') strong = kind;
    if (kind === 'EN' && strong === 'AL') kinds[at] = 'AN';
  }
  for (const [at, kind] of kinds.entries()) if (kind === 'AL') kinds[at] = 'R';
  for (const [at, kind] of kinds.entries()) {
    const before = kinds[at - 1];
    if (before === undefined || before !== kinds[at + 1]) continue;
    if ((kind === 'ES' && before === 'EN') || (kind === 'CS' && (before === 'EN' || before === 'AN')))
      kinds[at] = before;
  }
  forStretches(
    kinds,
    (kind) => kind === 'ET',
    (from, to) => {
      if (kinds[from - 1] === 'EN' || kinds[to] === 'EN') kinds.fill('EN', from, to);
    },
  );
  strong = around;
  for (const [at, kind] of kinds.entries()) {
    if (kind === 'ES' || kind === 'ET' || kind === 'CS') kinds[at] = 'ON';
    if (kind === 'L' || kind === 'R') strong = kind;
    if (kind === 'EN' && strong === 'L') kinds[at] = 'L';
  }
  return kinds;
}

const BRACKETS: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
  ['⟨', '⟩'],
]);

/** Rule N0: both brackets of a pair run as what is in them does, or as what is before them. */
function resolveBrackets(characters: readonly string[], kinds: Kind[], around: 'L' | 'R'): void {
  let before: 'L' | 'R' = around;
  let seen = 0;
  for (const [open, close] of pairsOf(characters, kinds)) {
    for (; seen < open; seen += 1) if (!isNeutral(kinds[seen]!)) before = sideOf(kinds[seen]!);
    const within = new Set(
      kinds
        .slice(open + 1, close)
        .filter((kind) => !isNeutral(kind))
        .map(sideOf),
    );
    if (within.size === 0) continue;
    const kind = within.has(sideOf(around)) ? around : before;
    kinds[open] = kind;
    kinds[close] = kind;
  }
}

/** More than so many open at once end the search, as UAX #9 has it. */
const OPEN_MAX = 63;

function pairsOf(characters: readonly string[], kinds: readonly Kind[]): readonly (readonly [number, number])[] {
  const pairs: [number, number][] = [];
  const open: { readonly at: number; readonly close: string }[] = [];
  for (const [at, character] of characters.entries()) {
    if (kinds[at] !== 'ON') continue;
    const close = BRACKETS.get(character);
    if (close !== undefined) {
      if (open.length === OPEN_MAX) break;
      open.push({ at, close });
    } else {
      const match = open.findLastIndex((opened) => opened.close === character);
      if (match >= 0) pairs.push([open.splice(match)[0]!.at, at]);
    }
  }
  return pairs.sort(([a], [b]) => a - b);
}

function forStretches(
  kinds: readonly Kind[],
  of: (kind: Kind) => boolean,
  then: (from: number, to: number) => void,
): void {
  for (let from = 0; from < kinds.length; from += 1) {
    if (!of(kinds[from]!)) continue;
    let to = from;
    while (to < kinds.length && of(kinds[to]!)) to += 1;
    then(from, to);
    from = to;
  }
}
