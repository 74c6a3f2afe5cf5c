/** What all parts of a daemon are created with. */
import type { Config } from '../config.ts';
import type { Timers } from '../lib/timers.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdGenerator } from '../ports/id-generator.ts';

export interface System {
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  /** Writes a line to stderr. */
  readonly announce: (line: string) => void;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: IdGenerator;
  /** Version of Daybook. */
  readonly version: string;
}
