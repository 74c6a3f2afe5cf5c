/**
 * Read models as they were at a moment: the events up to it are folded by the same projection into temporary views, and
 * the same query that answers for the present reads them.
 *
 * - The events of one stream are folded anew for each question.
 * - The events of whole categories are found by the stream index, so other categories cost nothing. Their views are
 *   cached for a minute: a later moment continues the cached fold, an earlier one starts from the beginning.
 * - A question whose fold of categories takes longer than `foldMsMax` is refused. The fold is cached, and the next
 *   question continues it.
 * - An erased payload is in no past state. The erasure of any payload discards all cached views.
 */
import { z } from 'zod';
import { refused } from '../../commands/refusal.ts';
import type { EventTable } from '../../events/define.ts';
import { KeyedMutex } from '../../lib/keyed-mutex.ts';
import { TimeSlices } from '../../lib/slices.ts';
import { WorkPool } from '../../lib/work-pool.ts';
import type { Projection } from '../../projections/projection.ts';
import type { Views } from '../../projections/views.ts';
import { isOutOfReach } from '../../projections/views-failures.ts';
import type { EventLog, RecordedEvent } from '../../storage/event-log.ts';
import { Moments, withPlus } from './moment.ts';
import { PastFold } from './past-fold.ts';

/** Present in answers to `?at=`: the requested moment, and the newest included event; `position` is 0 without one. */
export const zAsOf = z.object({
  asked: z.string().describe('`at` of the request.'),
  position: z.int(),
  at: z.int().nullable(),
  leaf_hash: z.string().length(64).nullable(),
});
z.globalRegistry.add(zAsOf, { id: 'AsOf' });
export type AsOf = Readonly<z.infer<typeof zAsOf>>;

export function asOfEvent({ asked }: Moment, newest: Pick<RecordedEvent, 'position' | 'at' | 'leafHash'> | null): AsOf {
  return { asked, position: newest?.position ?? 0, at: newest?.at ?? null, leaf_hash: newest?.leafHash ?? null };
}

/** A moment: the text of `at`, and the position of the last included event. */
export interface Moment {
  readonly asked: string;
  readonly position: number;
}

/** The events that a question needs, and the projection that folds them. */
export type PastScope =
  | { readonly projection: Projection; readonly stream: string }
  | { readonly projection: Projection; readonly categories: readonly string[] };

export interface Past<Result> {
  readonly result: Result;
  readonly asOf: AsOf;
}

export interface PastViewsParts {
  readonly log: EventLog;
  /** The definitions of all event types that the projections fold. */
  readonly events: EventTable;
  /** Milliseconds that one question may fold the events of categories. Default: FOLD_MS_MAX. */
  readonly foldMsMax?: number;
}

const FOLD_MS_MAX = 20_000;
/** Limits of the questions that are answered concurrently, and of those that wait. */
const RUNNING_MAX = 4;
const WAITING_MAX = 64;
const KEPT_MAX = 4;
const KEPT_MS = 60_000;

export class PastViews {
  readonly #parts: PastViewsParts;
  readonly #moments: Moments;
  readonly #pool = new WorkPool({
    runningMax: RUNNING_MAX,
    waitingMax: WAITING_MAX,
    full: () => refused('unavailable', 'Too many questions about the past are waiting; try again soon.'),
  });
  readonly #mutex = new KeyedMutex();
  /** Folds of categories that no question uses now, the longest unused first. */
  readonly #kept = new Map<string, { readonly fold: PastFold; readonly timer: NodeJS.Timeout }>();
  /** Number of commits that recorded erasures. */
  #erasures = 0;

  constructor(parts: PastViewsParts) {
    this.#parts = parts;
    this.#moments = new Moments(parts.log);
    parts.log.onAppended((events) => {
      if (!events.some(({ type }) => type === 'PayloadErased')) return;
      this.#erasures += 1;
      for (const key of this.#kept.keys()) this.#taken(key)?.close();
    });
  }

  /** The moment of an `?at=`. Throws `Refused` (invalid) when it is neither a position of the log nor a time. */
  async moment(at: string, signal?: AbortSignal): Promise<Moment> {
    return { asked: withPlus(at), position: await this.#moments.position(at, signal) };
  }

  /**
   * The result of a query on the views at a moment. Throws what the query throws, and `Refused` (unavailable) when too
   * many questions wait or the fold takes too long.
   */
  async read<Result>(
    moment: Moment,
    scope: PastScope,
    query: (views: Views) => Result,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Past<Result>> {
    const answer = (fold: PastFold): Past<Result> => ({
      result: query(fold.views),
      asOf: asOfEvent(moment, fold.newest),
    });
    try {
      return await this.#pool.admit(signal, () => {
        if ('stream' in scope) {
          return this.#pool.inSlot(signal, () => this.#ofStream(scope, moment, { signal, answer }));
        }
        const key = JSON.stringify([scope.projection.name, scope.categories]);
        return this.#mutex.run(key, () =>
          this.#pool.inSlot(signal, () => this.#ofCategories(key, scope, { moment, signal, answer })),
        );
      });
    } catch (error) {
      if (!isOutOfReach(error)) throw error;
      throw refused('unavailable', 'There is no room on the disk for the tables of a past state.');
    }
  }

  async #ofStream<Result>(
    { projection, stream }: Extract<PastScope, { stream: string }>,
    { position }: Moment,
    { signal, answer }: { readonly signal: AbortSignal; readonly answer: (fold: PastFold) => Result },
  ): Promise<Result> {
    const { log, events } = this.#parts;
    const fold = new PastFold(projection, events);
    const slices = new TimeSlices();
    try {
      for (const event of log.readStream(stream)) {
        if (event.position > position) break;
        fold.add(event);
        if (slices.isOver) await slices.next();
        signal.throwIfAborted();
      }
      return answer(fold);
    } finally {
      fold.close();
    }
  }

  async #ofCategories<Result>(
    key: string,
    { projection, categories }: Extract<PastScope, { categories: readonly string[] }>,
    {
      moment: { position },
      signal,
      answer,
    }: { readonly moment: Moment; readonly signal: AbortSignal; readonly answer: (fold: PastFold) => Result },
  ): Promise<Result> {
    const { log, events, foldMsMax = FOLD_MS_MAX } = this.#parts;
    const erasures = this.#erasures;
    let fold = this.#taken(key);
    if (fold !== undefined && fold.position > position) {
      fold.close();
      fold = undefined;
    }
    fold ??= new PastFold(projection, events);
    try {
      const range = { categories, through: position, msMax: foldMsMax, signal };
      if (await fold.addCategories(log, range)) return answer(fold);
    } finally {
      if (fold.isSound && erasures === this.#erasures) this.#keep(key, fold);
      else fold.close();
    }
    throw refused(
      'unavailable',
      `The state at that time is being folded, at position ${fold.position} of ${position} now; ask again to go on.`,
    );
  }

  #taken(key: string): PastFold | undefined {
    const cached = this.#kept.get(key);
    if (cached === undefined) return undefined;
    clearTimeout(cached.timer);
    this.#kept.delete(key);
    return cached.fold;
  }

  #keep(key: string, fold: PastFold): void {
    const timer = setTimeout(() => this.#taken(key)?.close(), KEPT_MS).unref();
    this.#kept.set(key, { fold, timer });
    if (this.#kept.size > KEPT_MAX) this.#taken(this.#kept.keys().next().value!)?.close();
  }
}
