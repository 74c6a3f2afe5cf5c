/**
 * Splits the text of a model into text, reasoning and tool calls while it arrives.
 *
 * - The output, joined by kind, does not depend on how the input is cut into pieces.
 * - No part of a tag becomes text: a possible start of a tag is held back until it is decided, at the latest by `end`.
 * - The end tag of a call counts only outside a JSON string, so that a call can write a file that contains the tag.
 */
export type MarkupPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  /** The unparsed body of a call. */
  | { readonly kind: 'call'; readonly body: string };

export interface MarkupFilter {
  push(text: string): readonly MarkupPiece[];
  end(): readonly MarkupPiece[];
}

/** Tags of the prose transport. Only Daybook writes results; one that a model invents is dropped. */
export const CALL_TAG = 'tool_call';
export const RESULT_TAG = 'tool_result';

const REASONING_TAGS = ['think', 'thinking'];
const CALL_END = `</${CALL_TAG}>`;

const ANY_TAG = new RegExp(`<(?=/?(?:${[...REASONING_TAGS, CALL_TAG, RESULT_TAG].join('|')})>)`, 'gi');

/** Replaces the `<` of tags in quoted text, which then stay readable and have no effect. */
export function withoutTags(text: string): string {
  return text.replace(ANY_TAG, '‹');
}

type Block = 'text' | 'reasoning' | 'call' | 'dropped';

export function createMarkupFilter(options: { readonly tools: boolean }): MarkupFilter {
  const everywhere = tagSet(options.tools ? [...REASONING_TAGS, CALL_TAG, RESULT_TAG] : REASONING_TAGS);
  const reasoningEnds = tagSet(REASONING_TAGS, 'ends');
  const resultEnd = tagSet([RESULT_TAG], 'ends');
  const call = createCallScanner();
  const output = createOutput();
  let block: Block = 'text';
  let held = '';

  const enter = (next: Block): void => {
    block = next;
    output.skipSpace();
  };
  /** Consumes `held` up to a tag; false when more input is needed. */
  const upToTag = (tags: TagSet, kind: 'text' | 'reasoning' | null): boolean => {
    const tag = tags.find(held);
    const stop = tag?.at ?? tags.undecidedFrom(held);
    if (kind) output.say(kind, held.slice(0, stop));
    held = held.slice(tag ? tag.at + tag.length : stop);
    if (tag) enter(tag.opens ?? 'text');
    return tag !== null;
  };
  const inCall = (): boolean => {
    const found = call.take(held);
    held = found?.rest ?? '';
    if (!found) return false;
    output.call(found.body);
    enter('text');
    return true;
  };
  const step: Record<Block, () => boolean> = {
    text: () => upToTag(everywhere, 'text'),
    reasoning: () => upToTag(reasoningEnds, 'reasoning'),
    dropped: () => upToTag(resultEnd, null),
    call: inCall,
  };

  return {
    push(text) {
      held += text;
      while (step[block]());
      return output.take();
    },
    end() {
      if (block === 'text' || block === 'reasoning') output.say(block, held);
      if (block === 'call') output.call(call.unfinished());
      held = '';
      return output.take();
    },
  };
}

/** Collects output. White space after markup belongs to the markup. */
function createOutput() {
  let pieces: MarkupPiece[] = [];
  let skipping = false;
  return {
    skipSpace(): void {
      skipping = true;
    },
    say(kind: 'text' | 'reasoning', text: string): void {
      const kept = skipping ? text.trimStart() : text;
      if (kept === '') return;
      skipping = false;
      pieces.push({ kind, text: kept });
    },
    call(body: string): void {
      pieces.push({ kind: 'call', body });
    },
    take(): readonly MarkupPiece[] {
      const ready = pieces;
      pieces = [];
      return ready;
    },
  };
}

interface TagSet {
  find(text: string): { readonly at: number; readonly length: number; readonly opens: Block | null } | null;
  /** Index from which `text` may be the start of a tag; its length when it cannot. */
  undecidedFrom(text: string): number;
}

function tagSet(names: readonly string[], which: 'all' | 'ends' = 'all'): TagSet {
  const pattern = new RegExp(`<(${which === 'ends' ? '/' : '/?'})(${names.join('|')})>`, 'i');
  const whole = names.flatMap((name) => (which === 'ends' ? [`</${name}>`] : [`<${name}>`, `</${name}>`]));
  return {
    find(text) {
      const match = pattern.exec(text);
      if (!match) return null;
      const opens = match[1] === '/' ? null : blockOf(match[2]!.toLowerCase());
      return { at: match.index, length: match[0].length, opens };
    },
    undecidedFrom(text) {
      const at = text.lastIndexOf('<');
      const tail = at < 0 ? '' : text.slice(at).toLowerCase();
      return tail !== '' && whole.some((tag) => tag.startsWith(tail)) ? at : text.length;
    },
  };
}

function blockOf(tag: string): Block {
  if (tag === CALL_TAG) return 'call';
  return tag === RESULT_TAG ? 'dropped' : 'reasoning';
}

/** Collects the body of a call; reads every character once. */
function createCallScanner() {
  let body = '';
  let matched = 0;
  let inString = false;
  let escaped = false;
  const reset = (): string => {
    const whole = body;
    body = '';
    matched = 0;
    inString = false;
    escaped = false;
    return whole;
  };
  const inside = (char: string): void => {
    if (escaped) escaped = false;
    else if (char === '\\') escaped = true;
    else if (char === '"') inString = false;
  };
  const outside = (char: string): void => {
    matched = char.toLowerCase() === CALL_END[matched] ? matched + 1 : Number(char === '<');
    if (char === '"') inString = true;
  };
  return {
    take(text: string): { readonly body: string; readonly rest: string } | null {
      for (let at = 0; at < text.length; at++) {
        if (inString) inside(text[at]!);
        else outside(text[at]!);
        if (matched < CALL_END.length) continue;
        body += text.slice(0, at + 1);
        return { body: reset().slice(0, -CALL_END.length), rest: text.slice(at + 1) };
      }
      body += text;
      return null;
    },
    unfinished: reset,
  };
}
