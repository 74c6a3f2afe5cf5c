/**
 * Parts of markdown documents. Typed text is escaped, so that it cannot become markup.
 *
 * - A cell is one line: pipes are escaped, line breaks are `<br>`.
 * - A character is escaped only where markdown would read it as markup: `*` beside a word, `_` at its edge, `](`,
 *   `&amp;`. So `ledger_v2` stays unchanged, and a label cannot embed an image.
 * - An address is one link with or without the linking of plain addresses, which knows no escapes.
 * - Characters that turn the text after them around are left out. Marks that affect only their neighbours stay.
 * - Colours of terminals and control characters are left out, because pasted output has them.
 */
import { withoutEscapeSequences } from '../lib/escape-sequences.ts';

export const NONE = '—';

const LINE_BREAK = /\r\n|[\r\n\u2028\u2029]/g;

/** Embeddings, overrides and isolates of UAX #9, which hold to the end of the paragraph unless they are closed. */
const REORDERING = /[\u202a-\u202e\u2066-\u2069]/g;

/** Without what readers do not see, but terminals and editors may obey; lines end with `\n`. */
function visible(text: string): string {
  return withoutEscapeSequences(text)
    .replace(LINE_BREAK, '\n')
    .replace(REORDERING, '')
    .replace(/[\v\f\u0085]/g, ' ')
    .replace(/[^\P{Cc}\t\n]/gu, '');
}

/** Text on one line, for headings and bullets. Number signs at its end are escaped: they would close a heading. */
export function line(text: string): string {
  return inert(
    visible(text)
      .trim()
      .replace(/(?<!\s)\s*\n\s*/g, ' '),
  ).replace(/(?<=^|\s)#+$/, '\\$&');
}

/** Text in a table cell; blank is a dash. */
export function cell(text: string | null): string {
  const typed = visible(text ?? '').trim();
  return typed === '' ? NONE : inert(typed).replaceAll('|', '\\|').replaceAll('\n', '<br>');
}

/** Typed paragraphs; headings, lists, quotes, tables, rules and fences in them are escaped. */
export function paragraphs(text: string): string {
  const typed = visible(text).trim().split('\n');
  const blockMark = text.includes(']:') ? /^([#>|=+*~`_[-])/ : /^([#>|=+*~`_-])/;
  return inert(typed.map((one) => one.trim()).join('\n'))
    .split('\n')
    .map((one) => one.replace(blockMark, '\\$1').replace(/^(\d+)([.)])/, '$1\\$2'))
    .join('\n');
}

/** Text as a code span, on one line; the text may hold backticks. */
export function code(text: string): string {
  const flat = visible(text).replace(/[\t\n]/g, ' ');
  const runs = flat.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(0, ...runs.map((run) => run.length)) + 1);
  const pad = runs.length > 0 ? ' ' : '';
  return fence + pad + flat + pad + fence;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** A list of items of one line each, which may begin with typed text. */
export function bullets(items: readonly string[]): string {
  return items.map((item) => `- ${item.replace(BLOCK_MARK, '\\$&').replace(NUMBER_MARK, '$1\\$2')}`).join('\n');
}

/** At the beginning of an item: a heading, a quote, a list, a rule, a task, or the definition of a link. */
const BLOCK_MARK = /^(?:#(?=#{0,5}(?:\s|$))|>|[-+](?=\s|-*$)|\[(?=.*\]:|[ xX]\](?:\s|$)))/;
const NUMBER_MARK = /^(\d{1,9})([.)])(?=\s|$)/;

/** Blocks with an empty line between them; empty ones are left out. */
export function blocks(...parts: readonly (string | false)[]): string {
  return parts.filter((part) => part !== false && part !== '').join('\n\n');
}

/** To the minute, in UTC. */
export function time(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `in_progress` as `in progress`. */
export function words(name: string): string {
  return name.replaceAll('_', ' ');
}

/** Escapes markup. */
function inert(text: string): string {
  const strikes = text.indexOf('~') !== text.lastIndexOf('~');
  return text
    .split(LINKED)
    .map((part, index) => (index % 2 === 0 ? escaped(part, strikes) : linked(part, strikes)))
    .join('');
}

/** What GitHub's markdown links: it takes a backslash as a part of the address, so that the next character is markup. */
const LINKED = /((?:(?:https?|ftp):\/\/|www\.)[^ \t\n\r\f\v]+)/i;

/** Up to an entity and a parenthesis without its other half, and without punctuation at the end. */
const ADDRESS = /^\w+:\/\/(?=\w)(?:\((?:(?!&#?\w+;)[^\s<>()])*\)|(?!&#?\w+;)[^\s<>()])+(?<![!"'*,.:;?\]_`}~])/;

/** An address in which something would be escaped stands in angle brackets. What follows it is no link. */
function linked(part: string, strikes: boolean): string {
  if (escaped(part, strikes) === part) return part;
  const [address = ''] = ADDRESS.exec(part) ?? [];
  const rest = escaped(part.slice(address.length), strikes).replace(/:(?=\/\/)|(?<=www)\./gi, '\\$&');
  return (address && `<${address}>`) + rest;
}

/** A backslash at the end is escaped, too, because it would escape the following text. */
function escaped(text: string, strikes: boolean): string {
  const one = text
    .replace(/\\(?=[!-/:-@[-`{-~\n]|$)/g, '\\\\')
    .replace(/<(?=[A-Za-z/!?]|$)/g, '\\<')
    .replace(/&(?=#?\w+;)/g, '\\&')
    .replace(/\](?=\()/g, '\\]')
    .replaceAll('`', '\\`')
    .replace(/(?<!\s)\*|\*(?!\s)/g, '\\*')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_');
  return strikes ? one.replaceAll('~', '\\~') : one;
}
