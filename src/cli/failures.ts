/** The two ways a command ends badly on purpose; both are shown as their one sentence. */

/** The caller asked for something that makes no sense: exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** What was asked could not be done: exit code 1. */
export class CommandError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CommandError';
  }
}
