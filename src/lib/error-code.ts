/** Codes of errors of the operating system and of SQLite. */
import { constants } from 'node:os';

/** Such as `ENOENT`; undefined for an error without one. Node has no code of its own for a quota that is used up. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return undefined;
  return 'errno' in error && error.errno === -constants.errno.EDQUOT ? 'EDQUOT' : error.code;
}
