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
  let beginsName = true;
  /** Per open brace, whether its alternatives begin a name. */
  const braces: boolean[] = [];
  for (let at = 0; at < pattern.length; ) {
    const piece = nextPiece(pattern.slice(at), { beginsName, depth: braces.length });
    source += piece.source;
    at += piece.length;
    if (piece.brace === 'opens') braces.push(beginsName);
    else if (piece.brace === 'parts') beginsName = braces.at(-1) === true;
    else beginsName = pattern[at - 1] === '/';
    if (piece.brace === 'closes') braces.pop();
  }
  return new RegExp(`^${braces.length === 0 ? source : literal(pattern)}$`);
}

interface Piece {
  readonly source: string;
  readonly length: number;
  readonly brace?: 'opens' | 'parts' | 'closes';
}

interface Place {
  /** The piece is at the beginning of a name. */
  readonly beginsName: boolean;
  /** Number of open braces. */
  readonly depth: number;
}

function nextPiece(rest: string, { beginsName, depth }: Place): Piece {
  if (rest.startsWith('**/') && beginsName) return { source: '(?:[^/]+/)*', length: 3 };
  if (/^\*\*(?:$|[,}])/.test(rest) && beginsName && (rest.length === 2 || depth > 0))
    return { source: '.*', length: 2 };
  if (rest.startsWith('*')) return { source: '[^/]*', length: /^\*+/.exec(rest)?.[0].length ?? 1 };
  if (rest.startsWith('?')) return { source: '[^/]', length: 1 };
  if (rest.startsWith('[')) return characterClass(rest);
  if (rest.startsWith('\\') && rest.length > 1) return { source: literal(rest[1] as string), length: 2 };
  if (rest.startsWith('{')) return { source: '(?:', length: 1, brace: 'opens' };
  if (depth > 0 && rest.startsWith('}')) return { source: ')', length: 1, brace: 'closes' };
  if (depth > 0 && rest.startsWith(',')) return { source: '|', length: 1, brace: 'parts' };
  return { source: literal(rest[0] as string), length: 1 };
}

function characterClass(rest: string): Piece {
  const found = /^\[([!^]?)(\]?(?:\\.|[^\]\\/])*)\]/.exec(rest);
  const inner = found?.[2];
  if (found === null || inner === undefined || inner === '') return { source: '\\[', length: 1 };
  const body = inner.replace(/\\(.)/g, '$1').replace(/[\\\]^[]/g, '\\$&');
  const source = `(?!/)[${found[1] === '' ? '' : '^'}${body}]`;
  return { source: isValid(source) ? source : literal(found[0]), length: found[0].length };
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
