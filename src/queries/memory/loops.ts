/**
 * Recognises what the daemon itself handed out when somebody offers it as new: a memory that is fed with what it said
 * grows without learning.
 *
 * - Exact: the fingerprint of the text, or of every line of it, is that of something that a block showed. One new line
 *   among them makes the text new: what it says must not be lost.
 * - Near: a memory that was shown, in slightly other words. A new number, a negation more or less, a new telling word,
 *   or the same words in another order make it new.
 */
import { stemmer } from 'stemmer';
import { MEMORY_NOT_FOUND } from '../../commands/memory/decide.ts';
import { essence, tellingLines } from '../../commands/memory/lines.ts';
import { type Loop, RECALL_STREAM_ID, recalled } from '../../commands/memory/recalled.ts';
import { SECTOR_TRAITS, zSector } from '../../events/memory/events.ts';
import { HttpError } from '../../http/server/errors.ts';
import { drawerRow } from '../../projections/memory/drawers.ts';
import { factRow } from '../../projections/memory/facts.ts';
import { memoryRow } from '../../projections/memory/memories.ts';
import { anyShown, type RecalledText, recalledWith, wasShown } from '../../projections/memory/recalled.ts';
import { nearestTexts } from '../../projections/recall/recall.ts';
import type { Views } from '../../projections/views.ts';
import type { MemoryKeeper } from '../../reactors/memory/memory-store.ts';
import type { CommandHandler, Origin } from '../../streams/command-handler.ts';
import { seconds } from './memory-context.ts';
import { memoryWords } from './texts.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly views: Views;
  readonly dispatcher: CommandHandler;
  readonly memory: MemoryKeeper;
}

export interface Recognised {
  readonly loop: Loop;
  /** What is answered instead of a new memory. */
  readonly known: {
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

export function recognise(deps: Dependencies, text: string, via: Loop['via']): Recognised | null {
  if (!anyShown(deps.views)) return null;
  const found = exactly(deps, text) ?? byLines(deps, text) ?? nearly(deps, text);
  if (found === null) return null;
  const { store, id, kind, similarity } = found;
  return { loop: { store, id, kind, similarity, via }, known: knownView(deps, found) };
}

export async function countLoops(deps: Dependencies, loops: readonly Loop[], origin: Origin): Promise<void> {
  if (loops.length === 0) return;
  await deps.dispatcher.dispatch(recalled, RECALL_STREAM_ID, { type: 'RecogniseLoops', loops }, { origin });
}

type Found = RecalledText & Pick<Loop, 'kind' | 'similarity'>;

function exactly(deps: Dependencies, text: string): Found | null {
  const found = recalledWith(deps.views, marksOf(deps, text));
  return found === undefined ? null : { ...found, kind: 'exact', similarity: 1 };
}

function marksOf(deps: Dependencies, text: string) {
  const { fingerprint, exact } = deps.memory.marks();
  return { fingerprint: fingerprint(text), exact: exact(text) };
}

/** A block, or some lines of one, pasted as a whole; lines that only introduce others say nothing. */
function byLines(deps: Dependencies, text: string): Found | null {
  const lines = tellingLines(text).filter((line) => !line.endsWith(':'));
  if (lines.length > LINES_MAX) return null;
  const ours: Found[] = [];
  for (const line of lines) {
    const found = exactly(deps, line) ?? nearly(deps, line);
    if (found === null) return null;
    ours.push(found);
  }
  const [first] = ours;
  if (first === undefined) return null;
  const kind = ours.every((found) => found.kind === 'exact') ? 'exact' : 'near';
  return { ...first, kind, similarity: Math.min(...ours.map(({ similarity }) => similarity)) };
}

function nearly(deps: Dependencies, text: string): Found | null {
  if (!anyShown(deps.views, 'memory')) return null;
  const query = { text, kind: 'memory', k: NEAR_CANDIDATES, min: NEAR_COSINE_MIN } as const;
  for (const { key, similarity } of nearestTexts(deps.memory.index(), query)) {
    if (!wasShown(deps.views, key)) continue;
    const row = memoryRow(deps.views, key, 0);
    if (row === undefined || saysMore(text, memoryWords(deps.memory.vault(), row).content)) continue;
    return { store: 'memory', id: key, kind: 'near', similarity: Math.min(1, similarity) };
  }
  return null;
}

const NEGATION = /^(?:not?|never|none|nobody|nothing|without|stop|\w+n't)$/u;
const FUNCTION_WORDS = new Set('the and for with that this are was were has had have its his her our their'.split(' '));

/**
 * Whether the text has a word that may matter and that the other one lacks, has its words in another order (who owes
 * whom), or denies what the other does not.
 */
function saysMore(text: string, known: string): boolean {
  const before = spoken(known);
  const words = spoken(text);
  const denials = (of: readonly string[]): string => of.filter((word) => NEGATION.test(word)).join();
  return denials(before) !== denials(words) || !follows(words, before);
}

/** Whether the words come in this order among those of the other text. */
function follows(words: readonly string[], among: readonly string[]): boolean {
  let at = 0;
  for (const word of words) {
    at = among.indexOf(word, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** Stems in the order of the text, without words that say nothing. */
function spoken(text: string): readonly string[] {
  const words = essence(text).match(/[\p{L}\p{N}']+/gu) ?? [];
  const telling = words.filter((word) => !FUNCTION_WORDS.has(word) && (word.length > 2 || SHORT_TELLING.test(word)));
  return telling.map((word) => (/^[a-z]{4,}$/u.test(word) ? stemmer(word) : word));
}

/** Of the shortest words, those that count. */
const SHORT_TELLING = /^no$|[\p{N}\p{Script=Han}]/u;

function knownView(deps: Dependencies, { store, id }: RecalledText): Recognised['known'] {
  const vault = deps.memory.vault();
  if (store === 'memory') {
    const row = memoryRow(deps.views, id, 0);
    if (row === undefined) throw new HttpError(404, MEMORY_NOT_FOUND);
    const { tags } = memoryWords(vault, row);
    return { ...view(id, row.sector, row.created_at), tags };
  }
  if (store === 'drawer') {
    const row = drawerRow(deps.views, id)!;
    return view(id, row.room, row.created_at);
  }
  return view(id, 'semantic', factRow(deps.views, id)!.recorded_at);
}

function view(id: string, name: string, at: number): Recognised['known'] {
  const sector = zSector.catch('semantic').parse(name);
  return { id, sector, tags: [], weight: SECTOR_TRAITS[sector].weight, created_at: seconds(at) };
}
