/** The parameters of a run of `npm run bench:postgres`: its sizes, and the messages to and from its writers. */
import type { Hot } from '../storage/plan.ts';

export interface Scale {
  /** Rounds of each subject, in turns; the table compares their medians. */
  readonly rounds: number;
  readonly roundMs: number;
  /** The number of events that are read, copied and folded. */
  readonly events: number;
  readonly relayMs: number;
  readonly takeovers: number;
}

export const FULL: Scale = { rounds: 9, roundMs: 2_000, events: 1_000_000, relayMs: 20_000, takeovers: 5 };
export const QUICK: Scale = { rounds: 3, roundMs: 500, events: 40_000, relayMs: 3_000, takeovers: 1 };

export const IN_FLIGHT = 64;
/** Appends per second through one daemon while another one is observed. */
export const RELAYED_PER_SECOND = 500;

/**
 * `bare`: one column in addition to the key. `bare-table`: the columns and indexes of the log's table, without its
 * checks.
 */
export const SUBJECTS = ['daybook', 'emmett', 'bare', 'bare-table'] as const;
export type SubjectName = (typeof SUBJECTS)[number];

export interface WriterPlan {
  readonly subject: SubjectName;
  /** The database; the URL of a log also names its schema. */
  readonly url: string;
  /** The folder of the copy, for the log only. */
  readonly folder: string;
}

/** A round: this number of writers for this time, each with one append in flight. */
export interface RoundPlan {
  readonly inFlight: number;
  readonly ms: number;
  /** true: take a CPU profile. */
  readonly profile: boolean;
}

export interface RoundResult {
  readonly events: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of the writer. */
  readonly cpuSeconds: number;
  readonly profile?: readonly Hot[];
}
