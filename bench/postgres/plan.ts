/** What a run of `npm run bench:postgres` measures: its sizes, and what its writers are asked and answer. */
import type { Hot } from '../storage/plan.ts';

export interface Scale {
  /** Rounds of each subject, taken in turns; the table compares their medians. */
  readonly rounds: number;
  readonly roundMs: number;
  /** Events that are read, copied and folded. */
  readonly events: number;
  readonly relayMs: number;
  readonly takeovers: number;
}

export const FULL: Scale = { rounds: 9, roundMs: 2_000, events: 1_000_000, relayMs: 20_000, takeovers: 5 };
export const QUICK: Scale = { rounds: 3, roundMs: 500, events: 40_000, relayMs: 3_000, takeovers: 1 };

export const IN_FLIGHT = 64;
/** Appends a second through one daemon while another one is watched. */
export const RELAYED_PER_SECOND = 500;

/** `bare`: one column beside the key. `bare-table`: the columns and indexes of the log's table, without its checks. */
export const SUBJECTS = ['daybook', 'emmett', 'bare', 'bare-table'] as const;
export type SubjectName = (typeof SUBJECTS)[number];

export interface WriterPlan {
  readonly subject: SubjectName;
  /** The database; a log's URL names its schema, too. */
  readonly url: string;
  /** The folder of the copy, of the log only. */
  readonly folder: string;
}

/** A round: so many writers for so long, each with one append in flight. */
export interface RoundPlan {
  readonly inFlight: number;
  readonly ms: number;
  /** true: sample where the time goes. */
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
