/** A route's way to the model's view of a question: it takes seconds at most, and things may have changed meanwhile. */

import { HttpError } from '../../../http/server/errors.ts';
import type { MemoryKeeper } from '../memory-store.ts';
import type { AskedVectors, MemoryVectors } from './vectors.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly memory: MemoryKeeper;
  readonly memoryVectors: MemoryVectors;
  viewsUnavailable(): string | null;
}

/** What to search with, and what to say of it in the answer: nothing while no provider is configured. */
export async function askedVectors(
  deps: Dependencies,
  text: string,
): Promise<{ readonly meaning: AskedVectors['meaning']; readonly report?: { vectors: AskedVectors['report'] } }> {
  const asked = await deps.memoryVectors.question(text);
  if (asked === null) return { meaning: undefined };
  const unavailable = deps.viewsUnavailable() ?? deps.memory.locked();
  if (unavailable !== null) throw new HttpError(503, unavailable, { 'retry-after': '5' });
  return { meaning: asked.meaning, report: { vectors: asked.report } };
}
