/**
 * Names that no tool may touch, wherever they are: credentials to read or write, Git's own files to write, and the
 * pseudo file systems.
 */
import { CREDENTIAL_NAMES, foldFileName, PSEUDO_FILE_SYSTEMS } from '../../lib/sensitive-paths.ts';

/** Why this absolute or relative path is off limits, or `undefined`. */
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
