/**
 * Paths that no tool may touch: credentials for reading and writing, git's own files for writing, and pseudo file
 * systems.
 */
import { CREDENTIAL_NAMES, foldFileName, PSEUDO_FILE_SYSTEMS } from '../../lib/sensitive-paths.ts';

/** Why this absolute or relative path is forbidden; `undefined` when it is allowed. */
export function forbiddenName(path: string, intent: 'read' | 'write'): string | undefined {
  if (PSEUDO_FILE_SYSTEMS.test(path)) return 'is part of the system, not of a workspace';
  for (const part of path.split(/[\\/]/)) {
    const name = foldFileName(part);
    if (CREDENTIAL_NAMES.has(name)) return 'holds credentials, which tools may not touch';
    if (intent === 'write' && (name === '.git' || name === 'git~1')) {
      return "is one of Git's own files, which only git itself may change";
    }
  }
  return undefined;
}
