/**
 * HTML as values: text becomes markup only through `markup`, which escapes every part that is not markup itself.
 *
 * - A page is one document without script or external resources, so it can be saved to a file.
 * - Every page includes `web/tokens.css`, the colours that it shares with the console, and `web/base.css`.
 */
import { readFileSync } from 'node:fs';

/** Markup from `markup`; every other value is text. */
export interface Markup {
  readonly markup: string;
}

export type Part = string | number | null | Markup | readonly Part[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/** Template tag: literal parts are markup, inserted ones are escaped. */
export function markup(literals: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  let text = literals[0]!;
  for (const [index, part] of parts.entries()) text += render(part) + literals[index + 1]!;
  return { markup: text };
}

function render(part: Part): string {
  if (part === null) return '';
  if (typeof part === 'string') return escapeHtml(part);
  if (typeof part === 'number') return String(part);
  return 'markup' in part ? part.markup : part.map(render).join('');
}

interface Page {
  readonly title: string;
  /** Styles and scripts. Default: the styles of pages without a script, inline. */
  readonly head?: Markup;
  readonly body: Markup;
  /** The first child of the body. */
  readonly banner?: Markup;
}

export function page({ title, head = styles(), body, banner }: Page): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="/favicon.svg">
${head}
</head>
<body>${banner ?? null}
<main>
${body}
</main>
</body>
</html>
`.markup;
}

function styles(): Markup {
  return markup`<style>${{ markup: webFile('tokens.css') + webFile('base.css') }}</style>`;
}

const files = new Map<string, string>();

/** A file of `web/`, read once. `name` comes from this program, never from a request. */
export function webFile(name: string): string {
  let text = files.get(name);
  if (text === undefined) {
    text = readFileSync(new URL(`../../web/${name}`, import.meta.url), 'utf8');
    files.set(name, text);
  }
  return text;
}

const MOMENT: Intl.DateTimeFormatOptions = {
  ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  timeZoneName: 'short',
};
/** Created with the first page, because a format loads the tables of its language. */
let time: Intl.DateTimeFormat | undefined;

/** A moment in the daemon's own time zone, with its name; machines read the attribute. */
export function moment(at: number): Markup {
  time ??= new Intl.DateTimeFormat('sv-SE', MOMENT);
  return markup`<time datetime="${new Date(at).toISOString()}">${time.format(at)}</time>`;
}

/** An age in one unit: `just now`, `5 min ago`, `3 h ago`, `2 d ago`. */
export function age(at: number, now: number): string {
  const minutes = Math.floor(Math.max(0, now - at) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} d ago`;
}
