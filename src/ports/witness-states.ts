/** What a witness remembers of each log: the newest checkpoint that it cosigned. */

export interface WitnessStates {
  /**
   * The checkpoint, a signed note with our cosignature; null when none of this origin was ever cosigned. Throws
   * `WitnessStateTrouble`.
   */
  read(origin: string): Promise<string | null>;
  /** Durable when it resolves. Calls for one origin must not overlap. Throws `WitnessStateTrouble`. */
  write(origin: string, note: string): Promise<void>;
}

/** What was cosigned before cannot be read or written, so nothing may be cosigned. */
export class WitnessStateTrouble extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WitnessStateTrouble';
  }
}
