/** A route's way to the model's view of a question: it takes seconds at most, and things may have changed meanwhile. */

import type { House } from '../../../http/house.ts';
import { HttpError } from '../../../http/server/errors.ts';
import type { AskedVectors } from './vectors.ts';

/** What to search with, and what to say of it in the answer: nothing while no provider is configured. */
export async function askedVectors(
  house: House,
  text: string,
): Promise<{ readonly meaning: AskedVectors['meaning']; readonly report?: { vectors: AskedVectors['report'] } }> {
  const asked = await house.memoryVectors.question(text);
  if (asked === null) return { meaning: undefined };
  const unavailable = house.viewsUnavailable() ?? house.memory.locked();
  if (unavailable !== null) throw new HttpError(503, unavailable, { 'retry-after': '5' });
  return { meaning: asked.meaning, report: { vectors: asked.report } };
}
