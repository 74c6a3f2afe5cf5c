/** What the simulation starts from: measured on one machine, by the commands that are named. Times in microseconds. */
export const COSTS = {
  /** A commit of the database with its round trip, p50 of a lone INSERT: `bench:postgres --only alone`. */
  commit: 1_000,
  /** The spread of commits: of a log-normal distribution whose p99 is so many times its p50. */
  commitP99: 5,
  /** One more event in a transaction, on the server: `bench:postgres --only inflight`. */
  serverEvent: 20,
  /** The same in the daemon that appends: decide, hash, encode, write the copy, answer. */
  writerEvent: 54,
  /** A round trip to the database without a commit. */
  roundTrip: 300,
  /** An event of another daemon taken into the copy: `bench/scale/load.ts`. */
  copyEvent: 18,
  /** An event folded into the views: `bench:daemon`, views rebuilt. */
  foldEvent: 15,
} as const;

/** Bytes of one event of 250 bytes, of `bench/scale/load.ts` at ten million. */
export const BYTES = {
  record: 250,
  table: 431,
  indexes: 145,
  wal: 730,
  copy: 420,
  leaf: 32,
} as const;
