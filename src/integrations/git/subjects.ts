/** What a commit's subject says about the release before it. */

const TAKEN_BACK = /^(?:revert |revert:|emergency fix)|hotfix|rollback|roll back/i;

/**
 * Does the subject say that something that had shipped was taken back or patched in a hurry? An ordinary `fix:` does
 * not: most of those mend what never shipped, and counting them would make every team look as if it failed.
 */
export function isRemediation(subject: string): boolean {
  return TAKEN_BACK.test(subject);
}
