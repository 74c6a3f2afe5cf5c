/**
 * Renders Markdown of models and users as elements. The parsed text becomes Preact nodes, never markup: HTML in it is
 * text, links lead only to `http`, `https`, `mailto` and this page, and images become links, so nothing is loaded from
 * elsewhere.
 *
 * The parser is loaded when the first text is shown; until then the source text is shown.
 */
import { signal } from '@preact/signals';
import { type ComponentChildren, Fragment, h, type JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { count } from '../format.ts';
import { beginning } from '../lib/beginning.ts';
import { text } from '../text.ts';

/** The used part of a token of markdown-it. */
interface Token {
  readonly type: string;
  readonly tag: string;
  readonly nesting: -1 | 0 | 1;
  readonly content: string;
  readonly hidden: boolean;
  readonly children: readonly Token[] | null;
  attrGet(name: string): string | number | null;
}

interface Parser {
  parse(text: string, env: object): readonly Token[];
}

const CHARACTERS_MAX = 200_000;
/** Longer words are broken in a table, which would otherwise be wider than its page. */
const LONG_WORD = /\S{24}/;
const parser = signal<Parser | null>(null);
let isLoading = false;

function load(): void {
  if (isLoading) return;
  isLoading = true;
  void import('markdown-it').then(({ default: MarkdownIt }) => {
    const made = new MarkdownIt({ html: false, linkify: true, breaks: false });
    // An address is shown as it is written: decoded, it would look like another one.
    made.normalizeLinkText = (address) => address;
    parser.value = made;
  });
}

interface MarkdownProps {
  readonly of: string;
  /** The level of the highest heading in the text. */
  readonly heading?: number;
  /** Of a longer text the first lines are shown, and how much that is. */
  readonly charactersMax?: number;
}

export function Markdown({ of, heading = 3, charactersMax = CHARACTERS_MAX }: MarkdownProps): JSX.Element {
  useEffect(load, []);
  const ready = parser.value;
  const shown = beginning(of, charactersMax);
  const content = useMemo(
    () => (ready === null ? null : elements(ready.parse(shown, {}), heading)),
    [ready, shown, heading],
  );
  if (content === null) {
    return (
      <div class="prose" dir="auto">
        <p class="as-is">{of}</p>
      </div>
    );
  }
  return (
    <div class="prose" dir="auto">
      {content}
      {shown.length < of.length && <p class="quiet">{text.cut(count(shown.length), count(of.length))}</p>}
    </div>
  );
}

const TAGS = new Set([
  ...['p', 'ul', 'ol', 'li', 'blockquote', 'strong', 'em', 's', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
]);

/** Elements of a flat list of tokens, in which an opening token and its closing token enclose their content. */
function elements(tokens: readonly Token[], heading: number): ComponentChildren[] {
  const stack: { readonly at: number; readonly children: ComponentChildren[] }[] = [{ at: -1, children: [] }];
  for (const [at, token] of tokens.entries()) {
    if (token.nesting === 1) {
      stack.push({ at, children: [] });
    } else if (token.nesting === -1 && stack.length > 1) {
      const { at: opened, children } = stack.pop()!;
      const isLong = LONG_WORD.test(tokens[opened + 1]!.content);
      stack.at(-1)!.children.push(element(tokens[opened]!, children, { heading, isLong }));
    } else {
      stack.at(-1)!.children.push(leaf(token, heading));
    }
  }
  return stack[0]!.children;
}

function element(
  token: Token,
  children: ComponentChildren[],
  { heading, isLong }: { readonly heading: number; readonly isLong: boolean },
): ComponentChildren {
  if (token.hidden) return h(Fragment, null, children);
  if (token.tag === 'a') return <Link href={String(token.attrGet('href') ?? '')}>{children}</Link>;
  if (!TAGS.has(token.tag)) return h(Fragment, null, children);
  const level = /^h([1-6])$/.exec(token.tag)?.[1];
  if (level !== undefined) return h(`h${Math.min(6, Number(level) + heading - 1)}`, { dir: 'auto' }, children);
  if (token.tag === 'table') {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard.
      <div class="prose-table" tabIndex={0}>
        <table>{children}</table>
      </div>
    );
  }
  // A list goes on with its numbers after a block that interrupts it.
  if (token.tag === 'ol') return <ol start={Number(token.attrGet('start') ?? 1)}>{children}</ol>;
  if (token.tag === 'td') return <td class={isLong ? 'long' : undefined}>{children}</td>;
  return h(token.tag, token.tag === 'p' || token.tag === 'li' ? { dir: 'auto' } : null, children);
}

function leaf(token: Token, heading: number): ComponentChildren {
  switch (token.type) {
    case 'inline':
      return h(Fragment, null, elements(token.children ?? [], heading));
    case 'code_inline':
      return <code>{token.content}</code>;
    case 'fence':
    case 'code_block':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: wide code is scrolled by keyboard.
        <pre tabIndex={0}>
          <code>{token.content}</code>
        </pre>
      );
    case 'softbreak':
      return '\n';
    case 'hardbreak':
      return <br />;
    case 'hr':
      return <hr />;
    case 'image':
      return <Link href={String(token.attrGet('src') ?? '')}>{token.content || token.attrGet('src')}</Link>;
    default:
      return token.content;
  }
}

const SAFE_ADDRESS = /^(?:https?:|mailto:|#\/)/i;

function Link({ href, children }: { readonly href: string; readonly children: ComponentChildren }): JSX.Element {
  if (!SAFE_ADDRESS.test(href)) return <span>{children}</span>;
  return (
    <a href={href} rel="noreferrer noopener" target={href.startsWith('#') ? undefined : '_blank'}>
      {children}
    </a>
  );
}
