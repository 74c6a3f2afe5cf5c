/**
 * The claim of an idempotency key among the daemons of one log: the lease `request-<id>`.
 *
 * - It is taken before the first commit that does not carry the answer, so one daemon at a time does the work of a
 *   request. The others wait for its answer, or for the claim when it is given back or its daemon dies.
 * - The commits of the work carry the lease: a daemon that was paused appends nothing after another has taken over.
 * - A log that a process has for itself needs no claims: requests with one key run one at a time there.
 */
import type { Timers } from '../../lib/timers.ts';
import type { Fence, Leases } from '../../ports/leases.ts';
import type { EventLog } from '../../storage/event-log.ts';
import { HttpError } from './errors.ts';

export type ClaimLeases = Pick<Leases, 'isShared' | 'acquire' | 'isElsewhere' | 'release' | 'onLooked'>;

export interface ClaimParts {
  /** Left out for a log that the process has for itself. */
  readonly leases?: ClaimLeases;
  readonly log: Pick<EventLog, 'onAppended'>;
  readonly timers: Timers;
}

/** The claim of one request. */
export interface Claim {
  /** What commits carry; undefined before `take`, and on a log of its own. */
  readonly fence: Fence | undefined;
  /**
   * Takes the claim unless this request has it. Resolves with false when the request was answered by another daemon
   * meanwhile. Rejects with 503 when neither comes about in time.
   */
  take(): Promise<boolean>;
  /** Gives it back. Never rejects. */
  release(): void;
}

const OWN_LOG: ClaimLeases = {
  isShared: false,
  acquire: async () => null,
  isElsewhere: () => false,
  release: async () => undefined,
  onLooked: () => () => undefined,
};

/** How long a request waits for the answer of another daemon. */
const WAIT_MS_MAX = 20_000;
const RETRY_SECONDS = '1';

export function createClaim(
  { leases = OWN_LOG, log, timers }: ClaimParts,
  id: string,
  isAnswered: () => boolean,
): Claim {
  const name = `request-${id}`;
  let fence: Fence | undefined;
  return {
    get fence() {
      return fence;
    },
    async take() {
      if (!leases.isShared || fence !== undefined) return !isAnswered();
      let isLate = false;
      const cancel = timers.after(WAIT_MS_MAX, () => {
        isLate = true;
      });
      try {
        while (!isLate) {
          const lease = await leases.acquire(name);
          if (lease !== null) fence = { name: lease.name, holder: lease.holder, epoch: lease.epoch };
          if (isAnswered()) return false;
          if (lease !== null) return true;
          await change({ leases, log, timers }, isAnswered);
        }
      } finally {
        cancel();
      }
      throw tooLate(leases.isElsewhere(name));
    },
    release() {
      if (fence !== undefined) void leases.release(name);
    },
  };
}

/** Resolves with the answer or the next look at the leases, at the latest after a second. */
function change({ leases, log, timers }: Required<ClaimParts>, isAnswered: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      for (const leave of leaves) leave();
      resolve();
    };
    const leaves = [
      timers.after(CHANGE_MS_MAX, done),
      leases.onLooked(done),
      log.onAppended(() => {
        if (isAnswered()) done();
      }),
    ];
  });
}

const CHANGE_MS_MAX = 1_000;

function tooLate(isElsewhere: boolean): HttpError {
  const why = isElsewhere
    ? 'Another daemon works on a request with this Idempotency-Key.'
    : 'The Idempotency-Key cannot be claimed: the database of the log does not answer.';
  return new HttpError(503, `${why} Send the request again.`, { 'retry-after': RETRY_SECONDS });
}
