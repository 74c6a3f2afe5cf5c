/**
 * The claim of an idempotency key among the daemons of one log: the lease `request-<id>`.
 *
 * - The claim is taken before the first commit that does not carry the answer, so that one daemon at a time does the
 *   work of a request. The others wait for its answer, or for the claim when it is released or its daemon stops.
 * - The commits of the work carry the lease as a fence: a daemon that was paused cannot append after another took over.
 * - A log that is not shared needs no claims, because its process runs requests with one key one at a time.
 */
import type { Timers } from '../../lib/timers.ts';
import type { Fence, Leases } from '../../ports/leases.ts';
import type { EventLog } from '../../storage/event-log.ts';
import { type HttpError, retryLater } from './errors.ts';

export type ClaimLeases = Pick<Leases, 'isShared' | 'acquire' | 'isElsewhere' | 'release' | 'onTableRead'>;

export interface ClaimParts {
  /** Absent for a log that is not shared. */
  readonly leases?: ClaimLeases;
  readonly log: Pick<EventLog, 'onAppended'>;
  readonly timers: Timers;
}

/** The claim of one request. */
export interface Claim {
  /** The fence of the commits; undefined before `take`, and on a log that is not shared. */
  readonly fence: Fence | undefined;
  /**
   * Takes the claim unless this request has it. Resolves with false when another daemon has answered the request
   * meanwhile. Rejects with 503 when neither happens within WAIT_MS_MAX.
   */
  take(): Promise<boolean>;
  /** Releases the claim. Never throws. */
  release(): void;
}

const UNSHARED: ClaimLeases = {
  isShared: false,
  acquire: async () => null,
  isElsewhere: () => false,
  release: async () => undefined,
  onTableRead: () => () => undefined,
};

const WAIT_MS_MAX = 20_000;
const RETRY_SECONDS = 1;

export function createClaim(
  { leases = UNSHARED, log, timers }: ClaimParts,
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
          await nextChange({ leases, log, timers }, isAnswered);
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

/** Resolves when the request was answered or the leases were read again, at the latest after CHANGE_MS_MAX. */
function nextChange({ leases, log, timers }: Required<ClaimParts>, isAnswered: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      for (const cancel of cancellations) cancel();
      resolve();
    };
    const cancellations = [
      timers.after(CHANGE_MS_MAX, done),
      leases.onTableRead(done),
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
  return retryLater(`${why} Send the request again.`, RETRY_SECONDS);
}
