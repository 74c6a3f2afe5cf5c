/** The result of a check of `daybook doctor`. */

/** `broken`: something needed does not work, and the exit code is 1. `off`: absent and not needed. */
export type FindingState = 'ok' | 'off' | 'warning' | 'broken';

export interface Finding {
  readonly name: string;
  readonly state: FindingState;
  /** Never a key or a token. */
  readonly detail: string;
  /** How to fix what is broken, or to get what is missing. */
  readonly mend?: string;
}

export function finding(name: string, state: FindingState, detail: string, mend?: string): Finding {
  return { name, state, detail, ...(mend !== undefined && { mend }) };
}
