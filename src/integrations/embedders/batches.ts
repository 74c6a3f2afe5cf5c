/**
 * Embeds any number of texts in requests of a size that the provider accepts.
 *
 * - A request that may succeed later is retried after the delay that the provider asks for, or a growing backoff.
 * - A batch that is too large for the provider is halved; a single text that is too large is an error.
 * - All vectors of a call have one dimension, the requested one if any; else it is an error.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbedderError, type EmbeddingChoice } from '../../ports/embedder.ts';
import { type EmbeddingHost, nameOf } from './providers.ts';
import { AttemptError, type EmbeddingTarget, requestVectors } from './request.ts';

export interface Batching {
  readonly target: EmbeddingTarget;
  readonly host: EmbeddingHost;
  readonly choice: EmbeddingChoice;
  readonly kind: 'document' | 'query';
  readonly signal: AbortSignal;
}

type Vectors = readonly (readonly number[])[];

const ATTEMPTS_MAX = 5;
/** Attempts for an unreachable server: a caller waits, and such a server rarely appears meanwhile. */
const UNREACHABLE_ATTEMPTS_MAX = 3;
const BACKOFF_MS_FIRST = 250;
const BACKOFF_MS_MAX = 8_000;
/** When a provider asks for a longer delay, the call fails. */
const ASKED_WAIT_MS_MAX = 30_000;
const DIMENSION_MAX = 16_384;

export async function embedAll(batching: Batching, texts: readonly string[]): Promise<Vectors> {
  const batches = batchesOf(batching.host, texts);
  const answers: Vectors[] = [];
  const stop = new AbortController();
  const signal = AbortSignal.any([batching.signal, stop.signal]);
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < batches.length) {
      const at = next++;
      answers[at] = await embedBatch({ ...batching, signal }, batches[at]!);
    }
  };
  const lanes = Array.from({ length: Math.min(batching.host.lanes, batches.length) }, lane);
  try {
    await Promise.all(lanes);
  } catch (error) {
    stop.abort(error);
    await Promise.allSettled(lanes);
    throw error;
  }
  return sameDimension(batching, answers.flat());
}

export function batchesOf(host: EmbeddingHost, texts: readonly string[]): readonly (readonly string[])[] {
  const batches: string[][] = [];
  let characters = 0;
  for (const text of texts) {
    const last = batches.at(-1);
    const fits =
      last !== undefined && last.length < host.batchTexts && characters + text.length <= host.batchCharacters;
    if (fits) last.push(text);
    else batches.push([text]);
    characters = fits ? characters + text.length : text.length;
  }
  return batches;
}

async function embedBatch(batching: Batching, texts: readonly string[]): Promise<Vectors> {
  const { target, choice, kind, signal } = batching;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await requestVectors(target, { choice, kind, texts }, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AttemptError)) throw error;
      if (error.tooLarge && texts.length > 1) return embedHalves(batching, texts);
      if (!error.again || attempt >= attemptsMax(error) || (error.waitMs ?? 0) > ASKED_WAIT_MS_MAX) throw error;
      await sleep(error.waitMs ?? backoffMs(attempt), undefined, { signal });
    }
  }
}

async function embedHalves(batching: Batching, texts: readonly string[]): Promise<Vectors> {
  const middle = Math.ceil(texts.length / 2);
  const first = await embedBatch(batching, texts.slice(0, middle));
  return [...first, ...(await embedBatch(batching, texts.slice(middle)))];
}

function attemptsMax({ reason }: AttemptError): number {
  return reason === 'unreachable' ? UNREACHABLE_ATTEMPTS_MAX : ATTEMPTS_MAX;
}

/** Doubles with each attempt, minus up to a quarter at random, so that failed requests spread out. */
function backoffMs(attempt: number): number {
  return Math.min(BACKOFF_MS_MAX, BACKOFF_MS_FIRST * 2 ** (attempt - 1)) * (1 - Math.random() / 4);
}

function sameDimension({ host, choice }: Batching, vectors: Vectors): Vectors {
  const dimension = choice.dimensions ?? vectors[0]?.length ?? 0;
  if (dimension > DIMENSION_MAX) {
    throw new EmbedderError('bad_output', `${nameOf(host)} sent vectors of more than ${DIMENSION_MAX} numbers.`);
  }
  const deviating = vectors.find((vector) => vector.length !== dimension);
  if (deviating === undefined) return vectors;
  throw new EmbedderError(
    'bad_output',
    `${nameOf(host)} sent a vector of ${deviating.length} numbers where ${dimension} were due.`,
  );
}
