/**
 * Markdown as spoken text: sentences without markup. Headings, list entries and table rows end like sentences; a link
 * is its words, an image its description, a code block is announced but not read, ids are not spelled out.
 */
import type MarkdownIt from 'markdown-it';
import { isSpeakable } from '../../lib/sentences.ts';

type Token = ReturnType<InstanceType<typeof MarkdownIt>['parse']>[number];
type Parse = (markdown: string) => readonly Token[];

/** The parser is loaded at the first use. */
export async function spokenText(markdown: string): Promise<string> {
  const { default: Parser } = await import('markdown-it');
  const parser = new Parser('default', { html: true, linkify: false });
  return spoken(markdown, (text) => parser.parse(text, {}));
}

/** Pure. */
function spoken(markdown: string, parse: Parse): string {
  const speech: Speech = { said: [], lists: [], place: null, head: [], row: null, inHead: false };
  for (const token of parse(markdown.replaceAll('\0', ''))) READERS[token.type]?.(speech, token);
  return speech.said.filter((part) => part !== '').join('\n');
}

interface Speech {
  readonly said: string[];
  /** The number of the next entry of each enclosing list; null for lists without numbers. */
  readonly lists: (number | null)[];
  /** The list number before the next words. */
  place: number | null;
  head: string[];
  /** The cells of the current row. */
  row: string[] | null;
  inHead: boolean;
}

const endOfList = ({ lists }: Speech): void => void lists.pop();
const code = ({ said }: Speech, { content }: Token): void => void said.push(codeWords(content));

const READERS: Readonly<Record<string, (speech: Speech, token: Token) => void>> = {
  bullet_list_open: ({ lists }) => void lists.push(null),
  ordered_list_open: ({ lists }, token) => void lists.push(Number(token.attrGet('start') ?? 1)),
  bullet_list_close: endOfList,
  ordered_list_close: endOfList,
  list_item_open(speech) {
    const { lists } = speech;
    speech.place = lists.at(-1) ?? null;
    if (speech.place !== null) lists[lists.length - 1] = speech.place + 1;
  },
  thead_open: (speech) => void Object.assign(speech, { inHead: true, head: [] }),
  thead_close: (speech) => void Object.assign(speech, { inHead: false }),
  tr_open: (speech) => void Object.assign(speech, { row: [] }),
  tr_close(speech) {
    const { said, head, row, inHead } = speech;
    if (!inHead && row !== null) said.push(sentence(rowWords(head, row)));
    speech.row = null;
  },
  inline(speech, token) {
    const { said, head, row, inHead, place } = speech;
    const words = inlineWords(token.children ?? []);
    if (row === null) said.push(sentence(place === null || words === '' ? words : `${place}: ${words}`));
    else if (inHead) head.push(words);
    else row.push(words);
    speech.place = null;
  },
  fence: code,
  code_block: code,
};

function rowWords(head: readonly string[], row: readonly string[]): string {
  return row
    .map((cell, at) => [head[at] ?? '', cell] as const)
    .filter(([, cell]) => isSpeakable(cell))
    .map(([name, cell]) => (name === '' ? cell : `${name}: ${cell}`))
    .join(', ');
}

function codeWords(content: string): string {
  if (content.trim() === '') return '';
  const lines = content.replace(/\n$/, '').split('\n').length;
  return `Code of ${lines} ${lines === 1 ? 'line' : 'lines'} is left out.`;
}

function inlineWords(tokens: readonly Token[]): string {
  const parts = tokens.map((token) => {
    switch (token.type) {
      case 'text':
        return token.content;
      case 'code_inline':
        return isId(token.content) ? '' : token.content;
      case 'html_inline':
        return /^<br\b/i.test(token.content) ? ' ' : '';
      case 'softbreak':
      case 'hardbreak':
        return ' ';
      case 'image':
        return token.content;
      default:
        return '';
    }
  });
  return tidy(parts.join(''));
}

/** Whether a word is a hash, which nobody understands when it is spelled out. */
function isId(text: string): boolean {
  return /^(?=.*\d)[0-9a-f-]{8,}$/i.test(text.trim());
}

/** Emoji with their skin tones, joiners and tags, flags, and what makes an emoji of a digit. Letters keep joiners. */
const EMOJI = /[\p{ExtPict}\p{EMod}\p{RI}][\u200d\ufe0f\u{e0020}-\u{e007f}]*|[\ufe0f\u20e3]/gu;

function tidy(text: string): string {
  return text
    .replace(/\b[a-z][a-z0-9+.-]{0,31}:\/\/([^\s/]+)\S*/gi, (_, host: string) => host)
    .replace(EMOJI, '')
    .replace(/\(\s*[,;]?\s*/g, '(')
    .replace(/\(\s*\)/g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ([,.;:!?)])/g, '$1')
    .trim();
}

/** Adds a full stop unless there is one, so that the voice falls and pauses. */
function sentence(text: string): string {
  if (!isSpeakable(text)) return '';
  return /[\p{STerm}…:]["\p{Pe}\p{Pf}]*$/u.test(text) ? text.replace(/:$/, '.') : `${text.replace(/[,;]$/, '')}.`;
}
