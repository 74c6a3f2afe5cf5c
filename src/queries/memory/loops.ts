/**
 * Recognises texts that a context block has shown and that are offered as new. Storing them again would only repeat
 * the store.
 *
 * - Exact: the fingerprint of the text, or of every line of it, is that of a shown entry. With one new line the text is
 *   new, so that the line is not lost.
 * - Near: a shown memory in slightly other words. A new number, a negation more or less, a new content word, or another
 *   order of the same words makes the text new.
 */
import { stemmer } from 'stemmer';
import { MEMORY_NOT_FOUND } from '../../commands/memory/decide.ts';
import { contentLines, essence } from '../../commands/memory/lines.ts';
import type { Loop } from '../../commands/memory/recalled.ts';
import { refused } from '../../commands/refusal.ts';
import { SECTOR_TRAITS, zSector } from '../../events/memory/events.ts';
import { inSlices, type Slicing } from '../../lib/slices.ts';
import { drawerRow } from '../../projections/memory/drawers.ts';
import { factRow } from '../../projections/memory/facts.ts';
import { memoryRow } from '../../projections/memory/memories.ts';
import { anyShown, type RecalledText, recalledWith, wasShown } from '../../projections/memory/recalled.ts';
import { nearestTexts } from '../../projections/recall/recall.ts';
import type { DrawerQueryContext } from './drawers.ts';
import { unixSeconds } from './memories.ts';
import { memoryTexts } from './texts.ts';

export interface LoopContext extends DrawerQueryContext {
  /** Default: the slices of this process. */
  readonly slicing?: Slicing;
}

export interface RecallLoop {
  readonly loop: Loop;
  /** The entry that the text repeats, which the answer describes in place of a new memory. */
  readonly original: {
    readonly id: string;
    readonly sector: string;
    readonly tags: readonly string[];
    readonly weight: number;
    readonly created_at: number;
  };
}

const NEAR_COSINE_MIN = 0.9;
const NEAR_CANDIDATES = 5;
const LINES_MAX = 2_000;

type Match = RecalledText & Pick<Loop, 'kind' | 'similarity'>;

/**
 * The recall loop that storing `text` would close, or null. A text of many lines is compared in slices of a few
 * milliseconds, because each line is compared with the shown memories.
 */
export async function recallLoopOf(context: LoopContext, text: string, via: Loop['via']): Promise<RecallLoop | null> {
  if (!anyShown(context.views)) return null;
  const whole = exactMatch(context, text);
  if (whole !== null) return loopOf(context, whole, via);
  const byLines = await matchByLines(context, text, via);
  if (byLines !== null) return byLines;
  const near = nearMatch(context, text);
  return near === null ? null : loopOf(context, near, via);
}

function loopOf(context: DrawerQueryContext, match: Match, via: Loop['via']): RecallLoop {
  const { store, id, kind, similarity } = match;
  return { loop: { store, id, kind, similarity, via }, original: originalOf(context, match) };
}

function exactMatch({ views, encryption }: DrawerQueryContext, text: string): Match | null {
  const { loose, exact } = encryption.fingerprints();
  const shown = recalledWith(views, { loose: loose(text), exact: exact(text) });
  return shown === undefined ? null : { ...shown, kind: 'exact', similarity: 1 };
}

/** A whole block, or some lines of one. A line that ends with a colon only introduces others. */
async function matchByLines(context: LoopContext, text: string, via: Loop['via']): Promise<RecallLoop | null> {
  const lines = contentLines(text).filter((line) => !line.endsWith(':'));
  if (lines.length > LINES_MAX) return null;
  /** The loop of the first line, read at once, because the entry may be deleted while later lines are compared. */
  let firstLoop: RecallLoop | null = null;
  const matches: Match[] = [];
  for await (const line of inSlices(lines, context.slicing)) {
    const match = exactMatch(context, line) ?? nearMatch(context, line);
    if (match === null) return null;
    firstLoop ??= loopOf(context, match, via);
    matches.push(match);
  }
  if (firstLoop === null) return null;
  const kind = matches.every((match) => match.kind === 'exact') ? 'exact' : 'near';
  const similarity = Math.min(...matches.map((match) => match.similarity));
  return { ...firstLoop, loop: { ...firstLoop.loop, kind, similarity } };
}

function nearMatch({ views, encryption }: DrawerQueryContext, text: string): Match | null {
  if (!anyShown(views, 'memory')) return null;
  const query = { text, kind: 'memory', k: NEAR_CANDIDATES, min: NEAR_COSINE_MIN } as const;
  for (const { key, similarity } of nearestTexts(encryption.index(), query)) {
    if (!wasShown(views, key)) continue;
    const row = memoryRow(views, key, 0);
    if (row === undefined || saysMore(text, memoryTexts(encryption.cipher(), row).content)) continue;
    return { store: 'memory', id: key, kind: 'near', similarity: Math.min(1, similarity) };
  }
  return null;
}

const NEGATION = /^(?:not?|never|none|nobody|nothing|without|stop|\w+n't)$/u;
const FUNCTION_WORDS = new Set('the and for with that this are was were has had have its his her our their'.split(' '));
/** Content words of one or two characters. */
const SHORT_CONTENT_WORD = /^no$|[\p{N}\p{Script=Han}]/u;

/** Whether a text has content words that the known text lacks, another order of the words, or other negations. */
function saysMore(text: string, known: string): boolean {
  const knownWords = contentWords(known);
  const words = contentWords(text);
  const negations = (of: readonly string[]): string => of.filter((word) => NEGATION.test(word)).join();
  return negations(knownWords) !== negations(words) || !isSubsequence(words, knownWords);
}

function isSubsequence(words: readonly string[], of: readonly string[]): boolean {
  let at = 0;
  for (const word of words) {
    at = of.indexOf(word, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** Stems of the content words, in the order of the text. */
function contentWords(text: string): readonly string[] {
  const words = essence(text).match(/[\p{L}\p{N}']+/gu) ?? [];
  const content = words.filter(
    (word) => !FUNCTION_WORDS.has(word) && (word.length > 2 || SHORT_CONTENT_WORD.test(word)),
  );
  return content.map((word) => (/^[a-z]{4,}$/u.test(word) ? stemmer(word) : word));
}

function originalOf({ views, encryption }: DrawerQueryContext, { store, id }: RecalledText): RecallLoop['original'] {
  if (store === 'memory') {
    const row = memoryRow(views, id, 0);
    if (row === undefined) throw refused('not_found', MEMORY_NOT_FOUND);
    const { tags } = memoryTexts(encryption.cipher(), row);
    return { ...entryView(id, row.sector, row.created_at), tags };
  }
  if (store === 'drawer') {
    const row = drawerRow(views, id)!;
    return entryView(id, row.room, row.created_at);
  }
  return entryView(id, 'semantic', factRow(views, id)!.recorded_at);
}

function entryView(id: string, sectorName: string, createdAtMs: number): RecallLoop['original'] {
  const sector = zSector.catch('semantic').parse(sectorName);
  return { id, sector, tags: [], weight: SECTOR_TRAITS[sector].weight, created_at: unixSeconds(createdAtMs) };
}
