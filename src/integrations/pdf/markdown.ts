/** Parses markdown into blocks without active content; HTML is shown as text. */
import type Markdown from 'markdown-it';
import type { FontStyle } from './fonts.ts';
import type { Span } from './wrap.ts';

type Token = ReturnType<InstanceType<typeof Markdown>['parse']>[number];

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly spans: readonly Span[] }
  /** `tight`: in a list without blank lines between items. */
  | { readonly kind: 'paragraph'; readonly spans: readonly Span[]; readonly tight: boolean }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'list'; readonly start: number | null; readonly items: readonly (readonly Block[])[] }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | { readonly kind: 'table'; readonly head: readonly Cell[]; readonly rows: readonly (readonly Cell[])[] }
  | { readonly kind: 'rule' };

export interface Cell {
  readonly spans: readonly Span[];
  readonly align: 'left' | 'center' | 'right';
}

export async function markdownBlocks(text: string): Promise<readonly Block[]> {
  const { default: Parser } = await import('markdown-it');
  const parser = new Parser({ html: false, linkify: true, typographer: false });
  // An address is shown as it is written: decoded, it would look like another one.
  parser.normalizeLinkText = (address) => address;
  return blocksOf(new Cursor(parser.parse(text, {})));
}

class Cursor {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** The next token; undefined at the end of the open element. */
  next(): Token | undefined {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    return token === undefined || token.nesting < 0 ? undefined : token;
  }
}

function blocksOf(tokens: Cursor): readonly Block[] {
  const blocks: Block[] = [];
  for (let token = tokens.next(); token !== undefined; token = tokens.next()) {
    const block = blockOf(token, tokens);
    if (block !== undefined) blocks.push(block);
  }
  return blocks;
}

function blockOf(token: Token, tokens: Cursor): Block | undefined {
  switch (token.type) {
    case 'heading_open':
      return { kind: 'heading', level: Number(token.tag.slice(1)), spans: inlineOf(tokens, 'bold') };
    case 'paragraph_open':
      return { kind: 'paragraph', spans: inlineOf(tokens, 'regular'), tight: token.hidden };
    case 'fence':
    case 'code_block':
      return { kind: 'code', text: token.content.replace(/\n$/, '') };
    case 'bullet_list_open':
      return { kind: 'list', start: null, items: itemsOf(tokens) };
    case 'ordered_list_open':
      return { kind: 'list', start: Number(token.attrGet('start') ?? 1), items: itemsOf(tokens) };
    case 'blockquote_open':
      return { kind: 'quote', blocks: blocksOf(tokens) };
    case 'table_open':
      return tableOf(tokens);
    case 'hr':
      return { kind: 'rule' };
    default:
      return token.content === ''
        ? undefined
        : { kind: 'paragraph', spans: [{ text: token.content, style: 'regular' }], tight: false };
  }
}

function itemsOf(tokens: Cursor): readonly (readonly Block[])[] {
  const items: (readonly Block[])[] = [];
  while (tokens.next() !== undefined) items.push(blocksOf(tokens));
  return items;
}

function inlineOf(tokens: Cursor, style: FontStyle): readonly Span[] {
  const inline = tokens.next();
  tokens.next();
  return inline === undefined ? [] : spansOf(inline.children ?? [], style);
}

function tableOf(tokens: Cursor): Block {
  const rows: (readonly Cell[])[] = [];
  let headRows = 0;
  for (let part = tokens.next(); part !== undefined; part = tokens.next()) {
    while (tokens.next() !== undefined) {
      rows.push(rowOf(tokens, part.type === 'thead_open' ? 'bold' : 'regular'));
    }
    if (part.type === 'thead_open') headRows = rows.length;
  }
  return { kind: 'table', head: rows[0] ?? [], rows: rows.slice(headRows) };
}

function rowOf(tokens: Cursor, style: FontStyle): readonly Cell[] {
  const cells: Cell[] = [];
  for (let cell = tokens.next(); cell !== undefined; cell = tokens.next()) {
    const align = /text-align:(center|right)/.exec(String(cell.attrGet('style') ?? ''))?.[1];
    cells.push({ spans: inlineOf(tokens, style), align: (align as Cell['align'] | undefined) ?? 'left' });
  }
  return cells;
}

interface Marks {
  bold: number;
  italic: number;
  strike: number;
  links: string[];
}

function spansOf(tokens: readonly Token[], base: FontStyle): readonly Span[] {
  const marks: Marks = { bold: base === 'bold' ? 1 : 0, italic: 0, strike: 0, links: [] };
  return tokens.flatMap((token): readonly Span[] => {
    const mark = MARKS[token.type];
    if (mark !== undefined) {
      marks[mark] += token.nesting;
      return [];
    }
    if (token.type === 'link_open') marks.links.push(String(token.attrGet('href') ?? ''));
    if (token.type === 'link_close') marks.links.pop();
    const text = textOf(token);
    return text === '' ? [] : [{ text, ...styling(token, marks) }];
  });
}

const MARKS: Readonly<Record<string, 'bold' | 'italic' | 'strike'>> = {
  strong_open: 'bold',
  strong_close: 'bold',
  em_open: 'italic',
  em_close: 'italic',
  s_open: 'strike',
  s_close: 'strike',
};

function textOf(token: Token): string {
  switch (token.type) {
    case 'softbreak':
      return ' ';
    case 'hardbreak':
      return '\n';
    case 'image':
      return `[image: ${token.content === '' ? String(token.attrGet('src') ?? '') : token.content}]`;
    default:
      return token.content;
  }
}

/** Only harmless links become active. */
const SAFE_LINK = /^(?:https?:\/\/|mailto:)/i;

function styling(token: Token, marks: Marks): Omit<Span, 'text'> {
  const plain = marks.bold > 0 ? (marks.italic > 0 ? 'bold_italic' : 'bold') : marks.italic > 0 ? 'italic' : 'regular';
  const target = marks.links.at(-1);
  return {
    style: token.type === 'code_inline' ? 'mono' : plain,
    link: target !== undefined && SAFE_LINK.test(target) ? target : undefined,
    strike: marks.strike > 0 ? true : undefined,
  };
}
