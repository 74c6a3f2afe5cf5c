/** Memories that answer a question, in the wire shape of search results. */
import { z } from 'zod';
import { classify } from '../../commands/memory/classify.ts';
import type { Clock } from '../../ports/clock.ts';
import type { TextCipher } from '../../ports/text-cipher.ts';
import { type DrawerQueryContext, findDrawers } from './drawers.ts';
import { memoryView } from './memories.ts';
import { type Found, type MemorySearch, searchMemories } from './ranking.ts';
import { zFound, zFoundDrawer } from './schemas.ts';

export interface SearchContext extends DrawerQueryContext {
  readonly clock: Clock;
}

export type MemoryQuestion = Pick<MemorySearch, 'text' | 'limit'> &
  Partial<Pick<MemorySearch, 'sector' | 'wing' | 'meaning'>>;

export const QUERY_RESULTS_DEFAULT = 10;
/** Only this beginning of a longer question is used. */
const QUESTION_CHARACTERS_MAX = 8_000;

export function questionIn(text: string): string {
  return text.length <= QUESTION_CHARACTERS_MAX ? text : text.slice(0, QUESTION_CHARACTERS_MAX).toWellFormed();
}

export function findMemories({ views, clock, encryption }: SearchContext, question: MemoryQuestion): readonly Found[] {
  const { sector, isGuess } = classify(question.text);
  return searchMemories({
    ...question,
    questionSector: isGuess ? null : sector,
    views,
    index: encryption.index(),
    now: clock.now(),
  });
}

export function foundView(cipher: TextCipher | null, { row, ...terms }: Found) {
  return { ...memoryView(cipher, row), ...terms };
}

/** The steps that answer a question, separately, so that the start can run them before the first request. */
export function questionSteps(context: SearchContext): readonly ((question: string) => void)[] {
  const results = (text: string) =>
    findMemories(context, { text, limit: QUERY_RESULTS_DEFAULT }).map((each) =>
      foundView(context.encryption.cipher(), each),
    );
  return [
    (text) => void z.array(zFound).parse(results(text)),
    (text) => void z.array(zFoundDrawer).parse(findDrawers(context, { text, k: QUERY_RESULTS_DEFAULT })),
  ];
}
