/** The source of the time. It is passed as an argument, so that tests and replays can set the time. */
export interface Clock {
  /** Unix time in milliseconds. It may be set back while the daemon runs. */
  now(): number;
}
