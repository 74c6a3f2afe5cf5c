/**
 * The reactor of reviews: fetches the diff, has the model read it piece by piece, and records the review.
 *
 * - Fetching and asking change nothing outside, so an interrupted review starts again.
 * - The coverage names each piece whose model call fails for good; the review fails only when every piece fails.
 * - The whole review has one time limit. The model has no tools, so no text in a diff can make it act.
 */
import { hash } from 'node:crypto';
import { type DeliveryCommand, type DeliveryState, delivery } from '../../commands/webhook/decide.ts';
import { type CutDiff, cutDiff, type DiffPiece } from '../../commands/webhook/diff.ts';
import { type ReviewText, readReview, reviewFindings, reviewSummary } from '../../commands/webhook/findings.ts';
import { REVIEW_PROMPT, reviewMessage } from '../../commands/webhook/prompts.ts';
import type { Coverage, DeliveryEvent, ForgeRequest, Review } from '../../events/webhook.ts';
import { within } from '../../lib/timers.ts';
import { ForgeError, type ForgePort } from '../../ports/forge.ts';
import { ModelError, type ModelRequest } from '../../ports/models.ts';
import {
  framesWithin,
  type ModelReactorParts,
  questionRequest,
  retried,
  textOf,
} from '../../queries/run/model-calls.ts';
import type { EffectScope, Reactor } from '../../streams/reactor.ts';
import { createSlots } from '../run/slots.ts';

export interface ForgeReviewParts extends ModelReactorParts {
  readonly forge: ForgePort;
}

type Scope = EffectScope<DeliveryCommand, DeliveryState>;
type ReviewEffect = { readonly key: string; readonly request: ForgeRequest };

const REVIEWS_AT_ONCE_MAX = 2;
export const REVIEW_MS_MAX = 300_000;
const ANSWER_CHARACTERS_MAX = 1_000_000;

export function forgeReview(
  parts: ForgeReviewParts,
): Reactor<DeliveryCommand, DeliveryState, DeliveryEvent, ReviewEffect> {
  const slots = createSlots(REVIEWS_AT_ONCE_MAX);
  return {
    decider: delivery,
    actor: () => 'system',
    next: (state) =>
      state.status === 'due' || state.status === 'reviewing' ? { key: 'review', request: state.request } : undefined,
    recovery: (reason) => ({ type: 'RecoverReview', reason }),
    failure: (message) => ({
      type: 'FailReview',
      failure: { kind: 'internal', message: `Internal error: ${message}` },
    }),
    rested: (id) => slots.release(id),
    admit: (_effect, { id, signal }) => slots.acquire(id, { hasBegun: false, signal }),
    async perform({ request }, scope) {
      const started = await scope.send({ type: 'StartReview' });
      if (started.status === 'reviewing') await scope.send(await outcome(parts, request, scope));
    },
  };
}

function outcome(parts: ForgeReviewParts, request: ForgeRequest, scope: Scope): Promise<DeliveryCommand> {
  return within(parts.timers, REVIEW_MS_MAX, (late) => outcomeBefore(late, { parts, request, scope }));
}

interface Asked {
  readonly parts: ForgeReviewParts;
  readonly request: ForgeRequest;
  readonly scope: Scope;
}

async function outcomeBefore(late: AbortSignal, { parts, request, scope }: Asked): Promise<DeliveryCommand> {
  const signal = AbortSignal.any([scope.signal, late]);
  const failed = (kind: 'diff' | 'model', message: string): DeliveryCommand => {
    return { type: 'FailReview', failure: { kind, message } };
  };
  try {
    return { type: 'RecordReview', review: await review(parts, request, signal) };
  } catch (error) {
    if (error instanceof ForgeError) return failed('diff', error.message);
    if (error instanceof ModelError) return failed('model', error.message);
    if (!scope.signal.aborted && late.aborted) {
      return failed('model', `The review took longer than ${REVIEW_MS_MAX / 1000} seconds.`);
    }
    throw error;
  }
}

async function review(parts: ForgeReviewParts, request: ForgeRequest, signal: AbortSignal): Promise<Review> {
  const diff = await parts.forge.diff(request, signal);
  const cut = cutDiff(diff.text);
  const { provider, model } = parts.models.configured;
  const reading = await readPieces(parts, { request, cut }, signal);
  const coverage: Coverage = {
    files_total: cut.filesTotal,
    files_reviewed: cut.filesTotal - cut.skipped.length - reading.failedFiles.length,
    llm_calls: reading.calls,
    llm_calls_failed: reading.callsFailed,
    files_truncated: [...cut.truncated],
    files_skipped: [...cut.skipped],
    files_provider_failed: [...reading.failedFiles],
    diff_cut: diff.cut,
  };
  const bytes = Buffer.from(diff.text);
  return {
    findings: reviewFindings(reading.texts),
    summary: reviewSummary(reading.texts, coverage),
    coverage,
    source: diff.source,
    diff_bytes: bytes.length,
    diff_sha256: hash('sha256', bytes),
    provider,
    model,
  };
}

interface Read {
  readonly texts: readonly ReviewText[];
  readonly failedFiles: readonly string[];
  readonly calls: number;
  readonly callsFailed: number;
}

async function readPieces(
  parts: ForgeReviewParts,
  { request, cut }: { readonly request: ForgeRequest; readonly cut: CutDiff },
  signal: AbortSignal,
): Promise<Read> {
  const texts: ReviewText[] = [];
  const failedFiles: string[] = [];
  const counts = { calls: 0, callsFailed: 0 };
  let last: ModelError | null = null;
  for (const [index, piece] of cut.pieces.entries()) {
    const asked = modelRequest(parts, request, { piece, number: index + 1, of: cut.pieces.length });
    try {
      texts.push(readReview(await answer(parts, asked, { signal, counts })));
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      last = error;
      failedFiles.push(...piece.files.map((file) => file.path));
    }
  }
  if (last !== null && texts.length === 0) throw last;
  return { texts, failedFiles, ...counts };
}

function modelRequest(
  { models, settings }: ForgeReviewParts,
  request: ForgeRequest,
  part: { readonly piece: DiffPiece; readonly number: number; readonly of: number },
): ModelRequest {
  const { configured } = models;
  const question = reviewMessage(request, part.piece, part);
  return questionRequest(configured, settings(configured.provider, configured.model), {
    system: REVIEW_PROMPT,
    question,
  });
}

/** The complete answer. Every call is counted. */
function answer(
  { models, random, stallMs, timers }: ForgeReviewParts,
  request: ModelRequest,
  { signal, counts }: { readonly signal: AbortSignal; readonly counts: { calls: number; callsFailed: number } },
): Promise<string> {
  return retried({ random, signal, timers }, async () => {
    counts.calls += 1;
    try {
      const frames = framesWithin({ stallMs, signal, timers }, (live) => models.stream(request, live));
      const text = await textOf(frames, ANSWER_CHARACTERS_MAX);
      if (text.trim() === '') throw new ModelError('transient', 'The model answered with nothing.');
      return text;
    } catch (error) {
      if (!signal.aborted && error instanceof ModelError) counts.callsFailed += 1;
      throw error;
    }
  });
}
