/** The time, as an argument of everything that would otherwise be impure. */
export interface Clock {
  /** Unix time in milliseconds. It may be set back while the daemon runs. */
  now(): number;
}
