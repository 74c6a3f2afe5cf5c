/**
 * Refusals: the reason why a command or query is not carried out. Deciders return a `Refusal`; code outside a
 * decider throws `Refused`. `http/server/errors` turns the kind into a status.
 */
import { cut } from '../lib/characters.ts';

/** Why a command or query is not carried out, in the terms of its caller; each kind has one HTTP status. */
export type RefusalKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'too_large'
  | 'unsupported'
  | 'unsupported_media'
  | 'too_many'
  | 'failed'
  | 'bad_output'
  | 'unavailable'
  | 'timed_out';

/** The caller sees the message as `{error}`, so it must not contain secrets or paths that are not the caller's. */
export class Refusal {
  readonly kind: RefusalKind;
  readonly message: string;

  constructor(kind: RefusalKind, message: string) {
    this.kind = kind;
    this.message = message;
  }
}

/** A refusal as an exception. */
export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.name = 'Refused';
    this.refusal = refusal;
  }
}

/** The exception for a refusal: `throw refused('not_found', 'Goal not found')`. */
export function refused(kind: RefusalKind, message: string): Refused {
  return new Refused(new Refusal(kind, message));
}

export function isRefusal(decision: unknown): decision is Refusal {
  return decision instanceof Refusal;
}

/** Limit of the code points of a caller's text that an error message repeats. */
const ECHO_CHARACTERS_MAX = 200;

/** A caller's text for an error message: letters, digits, hyphen, underscore and dot are kept; the rest is dropped. */
export function sanitiseEcho(text: string): string {
  return cut(text.replace(/[^\p{L}\p{N}\-_.]/gu, ''), ECHO_CHARACTERS_MAX).text;
}
