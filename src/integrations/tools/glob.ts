/**
 * Compiles glob patterns to regular expressions: `*`, `?` and `[…]` within a name, `**` across directories, `{a,b}` for
 * either text. docs/decisions/0009 gives the reason for not using a library.
 *
 * - A pattern has no syntax errors: unclosed brackets are literal.
 * - Many stars against a long name take long. Matching belongs in a worker that can be stopped.
 */

/** Matches a whole path with `/` between its names. */
export function globToRegExp(pattern: string): RegExp {
  let source = '';
  let at = 0;
  let depth = 0;
  while (at < pattern.length) {
    const piece = nextPiece(pattern, at, depth);
    source += piece.source;
    depth += piece.deeper;
    at += piece.length;
  }
  return new RegExp(`^${depth === 0 ? source : literal(pattern)}$`);
}

interface Piece {
  readonly source: string;
  readonly length: number;
  /** Change of the nesting depth of braces. */
  readonly deeper: -1 | 0 | 1;
}

function nextPiece(pattern: string, at: number, depth: number): Piece {
  const rest = pattern.slice(at);
  const plain = (source: string, length: number): Piece => ({ source, length, deeper: 0 });
  if (rest.startsWith('**/') && startsName(pattern, at)) return plain('(?:[^/]+/)*', 3);
  if (rest === '**' && startsName(pattern, at)) return plain('.*', 2);
  if (rest.startsWith('*')) return plain('[^/]*', /^\*+/.exec(rest)?.[0].length ?? 1);
  if (rest.startsWith('?')) return plain('[^/]', 1);
  if (rest.startsWith('[')) return characterClass(rest);
  if (rest.startsWith('\\') && rest.length > 1) return plain(literal(rest[1] as string), 2);
  if (rest.startsWith('{')) return { source: '(?:', length: 1, deeper: 1 };
  if (depth > 0 && rest.startsWith('}')) return { source: ')', length: 1, deeper: -1 };
  if (depth > 0 && rest.startsWith(',')) return plain('|', 1);
  return plain(literal(rest[0] as string), 1);
}

function startsName(pattern: string, at: number): boolean {
  return at === 0 || pattern[at - 1] === '/';
}

function characterClass(rest: string): Piece {
  const found = /^\[([!^]?)(\]?(?:\\.|[^\]\\/])*)\]/.exec(rest);
  const inner = found?.[2];
  if (found === null || inner === undefined || inner === '') return { source: '\\[', length: 1, deeper: 0 };
  const body = inner.replace(/\\(.)/g, '$1').replace(/[\\\]^[]/g, '\\$&');
  const source = `(?!/)[${found[1] === '' ? '' : '^'}${body}]`;
  return { source: isValid(source) ? source : literal(found[0]), length: found[0].length, deeper: 0 };
}

/** A reversed range, as in `[z-a]`, is an invalid regular expression. */
function isValid(source: string): boolean {
  try {
    return new RegExp(source) instanceof RegExp;
  } catch {
    return false;
  }
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
