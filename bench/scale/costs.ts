/** The costs that the simulation uses, measured on one machine with the named commands. Times in microseconds. */
export const COSTS = {
  /** A commit of the database including its round trip, p50 of a lone INSERT: `bench:postgres --only alone`. */
  commit: 1_000,
  /** The spread of commits: a log-normal distribution whose p99 is this multiple of its p50. */
  commitP99: 5,
  /** One more event in a transaction, on the server: `bench:postgres --only inflight`. */
  serverEvent: 20,
  /** The same in the appending daemon: decide, hash, encode, write the copy, answer. */
  writerEvent: 54,
  /** A round trip to the database without a commit. */
  roundTrip: 300,
  /** Copying an event of another daemon: `bench/scale/load.ts`. */
  copyEvent: 18,
  /** Folding an event into the views: `bench:daemon`, views rebuilt. */
  foldEvent: 15,
} as const;

/** Bytes on disk of one event of 250 bytes, from `bench/scale/load.ts` at ten million. */
export const BYTES = {
  record: 250,
  table: 431,
  indexes: 145,
  wal: 730,
  copy: 420,
  leaf: 32,
} as const;
