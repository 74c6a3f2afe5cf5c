/** The errors that commands throw; each is printed as one sentence. */

/** The command line is wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command failed: exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
