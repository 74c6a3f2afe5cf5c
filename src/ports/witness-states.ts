/** The state of a witness: of each log, the newest checkpoint that it cosigned. */

export interface WitnessStates {
  /**
   * The checkpoint, a signed note with our cosignature; null when none of this origin was ever cosigned. Throws
   * `WitnessStateTrouble`.
   */
  read(origin: string): Promise<string | null>;
  /**
   * Replaces `before`, the value that was read. Durable when it resolves. Calls for one origin must not overlap. Throws
   * `WitnessStateTrouble`, also when another daemon has replaced it meanwhile.
   */
  write(origin: string, note: string, before: string | null): Promise<void>;
}

/** The same state for all daemons of a log, in its database. Rejects when the database cannot be reached. */
export interface WitnessTable {
  witnessed(origin: string): Promise<string | null>;
  /** False when another daemon has replaced `before` already. */
  witness(origin: string, note: string, before: string | null): Promise<boolean>;
}

/** The state cannot be read or written, so nothing may be cosigned. */
export class WitnessStateTrouble extends Error {
  override readonly name = 'WitnessStateTrouble';
}
