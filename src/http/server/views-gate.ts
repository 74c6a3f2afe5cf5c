/**
 * Routes that need the views are refused while these cannot be read; and what a handler answered or threw does not
 * count when they were lost while it was at work: it may rest on what was taken back. What it appended stays.
 */
import type { Answer } from './answer.ts';
import { HttpError, outgoing } from './errors.ts';
import type { RequestParts } from './keyed.ts';

const KEPT = 'What this request has changed is kept.';

/** Null when the views can be read, or are not needed. */
export function refusalWithoutViews(parts: Pick<RequestParts, 'deps' | 'spec'>): HttpError | null {
  const unavailable = unavailableFor(parts);
  return unavailable === null ? null : refusal(unavailable);
}

/** The refusal that takes the place of an answer; null when the answer stands. */
export function lostMeanwhile(parts: RequestParts): HttpError | null {
  const unavailable = unavailableFor(parts);
  if (unavailable === null) return null;
  return refusal(parts.spec.method === 'GET' ? unavailable : `${unavailable} ${KEPT}`);
}

/** What is told instead of an error. That nothing could be appended is told as it is. */
export function errorOrLost(parts: RequestParts, error: unknown): unknown {
  return outgoing(error).status === 503 ? error : (lostMeanwhile(parts) ?? error);
}

/** An answer that is kept for an idempotent repeat. */
export async function sureAnswer(parts: RequestParts, work: () => Answer | Promise<Answer>): Promise<Answer> {
  let answer: Answer;
  try {
    answer = await work();
  } catch (error) {
    throw errorOrLost(parts, error);
  }
  const lost = lostMeanwhile(parts);
  if (lost !== null) throw lost;
  return answer;
}

function unavailableFor({ deps, spec }: Pick<RequestParts, 'deps' | 'spec'>): string | null {
  return spec.withoutViews === true ? null : deps.viewsUnavailable();
}

function refusal(message: string): HttpError {
  return new HttpError(503, message, { 'retry-after': '5' });
}
