/**
 * Splits a file into the chunks that are embedded: programs at the start of their definitions, descending until the
 * parts are small enough, everything else by lines.
 *
 * - A grammar is loaded with the first file of its language. Files are split by lines when it cannot be loaded or
 *   parsing takes too long.
 * - A comment directly before a definition belongs to it.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Node, Parser } from 'web-tree-sitter';
import type { Grammar, Language } from './languages.ts';
import { byLines, CHUNK_CHARACTERS_MAX, createLineStarts, mergeSmall, type Piece } from './pieces.ts';

export interface Chunk {
  readonly text: string;
  readonly symbol: string | null;
  /** Counted from 1; both ends are included. */
  readonly startLine: number;
  readonly endLine: number;
}

/** The chunks in order; joined they are the text. An empty text has none. */
export async function chunksOf(text: string, language: Language | null): Promise<readonly Chunk[]> {
  const whole: Piece = { start: 0, end: text.length, symbol: null };
  const grammar = language?.grammar ?? null;
  const pieces = (grammar === null ? null : await bySyntax(text, grammar)) ?? byLines(text, whole);
  return numbered(text, mergeSmall(pieces));
}

function numbered(text: string, pieces: readonly Piece[]): readonly Chunk[] {
  let line = 1;
  return pieces.map(({ start, end, symbol }) => {
    const part = text.slice(start, end);
    const breaks = part.split('\n').length - 1;
    const chunk = { text: part, symbol, startLine: line, endLine: line + breaks - (part.endsWith('\n') ? 1 : 0) };
    line += breaks;
    return chunk;
  });
}

const PARSE_MS_MAX = 2_000;
const DEPTH_MAX = 200;
const SYMBOL_CHARACTERS_MAX = 200;

const parsers = new Map<Grammar, Promise<Parser | null>>();

/** Null when the text must be split by lines. */
async function bySyntax(text: string, grammar: Grammar): Promise<readonly Piece[] | null> {
  let loading = parsers.get(grammar);
  if (loading === undefined) {
    loading = loadParser(grammar).catch(() => null);
    parsers.set(grammar, loading);
  }
  const parser = await loading;
  return parser === null ? null : piecesWith(parser, text);
}

function piecesWith(parser: Parser, text: string): readonly Piece[] | null {
  const deadline = performance.now() + PARSE_MS_MAX;
  const progressCallback = (): boolean => performance.now() > deadline;
  const tree = parser.parse(text, null, { progressCallback });
  if (tree === null) {
    parser.reset();
    return null;
  }
  try {
    return cut(text, tree.rootNode, { within: { start: 0, end: text.length, symbol: null }, depth: 0 });
  } finally {
    tree.delete();
  }
}

interface CutRange {
  readonly within: Piece;
  readonly depth: number;
}

function cut(text: string, node: Node, { within, depth }: CutRange): readonly Piece[] {
  if (within.end - within.start <= CHUNK_CHARACTERS_MAX && depth > 0) return [within];
  const parts = depth > DEPTH_MAX ? [] : partsOf(text, node, within);
  if (parts.length === 0) return byLines(text, within);
  return parts.flatMap(({ piece, child }) => {
    if (piece.end - piece.start <= CHUNK_CHARACTERS_MAX) return [piece];
    return child === null ? byLines(text, piece) : cut(text, child, { within: piece, depth: depth + 1 });
  });
}

interface Part {
  readonly piece: Piece;
  readonly child: Node | null;
}

/** Splits the range at the line of each child; text before the first child is a part of its own. */
function partsOf(text: string, node: Node, within: Piece): readonly Part[] {
  const starts: { at: number; child: Node | null }[] = [{ at: within.start, child: null }];
  const startOfLine = createLineStarts(text);
  let commentFrom: number | null = null;
  for (const child of node.namedChildren) {
    if (child.endIndex <= within.start || child.startIndex >= within.end) continue;
    const at = Math.max(within.start, startOfLine(commentFrom ?? child.startIndex));
    if (child.type.includes('comment')) {
      commentFrom ??= child.startIndex;
      continue;
    }
    commentFrom = null;
    const last = starts.at(-1)!;
    if (at > last.at) starts.push({ at, child });
    else if (last.child === null || size(child) > size(last.child)) last.child = child;
  }
  if (starts.length === 1 && starts[0]!.child === null) return [];
  return starts.map(({ at, child }, index) => {
    const end = starts[index + 1]?.at ?? within.end;
    return { piece: { start: at, end, symbol: symbolOf(child, within.symbol) }, child };
  });
}

function size(node: Node): number {
  return node.endIndex - node.startIndex;
}

/** `Outer.inner`, from the grammar's name field; wrappers such as exports are looked through. */
function symbolOf(node: Node | null, outer: string | null): string | null {
  const name = node === null ? undefined : nameOf(node);
  if (name === undefined) return outer;
  // A wrapper and its content have one name.
  if (outer === name || outer?.endsWith(`.${name}`) === true) return outer;
  const full = outer === null ? name : `${outer}.${name}`;
  return full.length > SYMBOL_CHARACTERS_MAX ? outer : full;
}

/** Unnamed nodes that wrap a named one. */
const WRAPPERS: ReadonlySet<string> = new Set([
  'export_statement',
  'decorated_definition',
  'lexical_declaration',
  'variable_declaration',
  'template_declaration',
  'type_declaration',
  'declaration_list',
]);

function nameOf(node: Node): string | undefined {
  const named = node.childForFieldName('name') ?? nameInDeclarator(node) ?? nameWithoutField(node);
  if (named !== null) return named.text.split('\n', 1)[0];
  if (node.type === 'impl_item') return node.childForFieldName('type')?.text;
  if (!WRAPPERS.has(node.type)) return undefined;
  for (const child of node.namedChildren) {
    const inner = child.type.includes('comment') ? undefined : nameOf(child);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** The PowerShell grammar has no name field. */
function nameWithoutField(node: Node): Node | null {
  return node.type === 'function_statement'
    ? (node.namedChildren.find(({ type }) => type === 'function_name') ?? null)
    : null;
}

/** In C the name is in the declarator, which may be nested. */
function nameInDeclarator(node: Node): Node | null {
  let found = node.childForFieldName('declarator');
  for (let inner = found; inner !== null; inner = inner.childForFieldName('declarator')) found = inner;
  return found;
}

async function loadParser(grammar: Grammar): Promise<Parser> {
  const { Language, Parser: Implementation } = await import('web-tree-sitter');
  await Implementation.init();
  const package_ = dirname(createRequire(import.meta.url).resolve('@vscode/tree-sitter-wasm/package.json'));
  const language = await Language.load(join(package_, 'wasm', `tree-sitter-${grammar}.wasm`));
  return new Implementation().setLanguage(language);
}
