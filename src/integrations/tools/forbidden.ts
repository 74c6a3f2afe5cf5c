/**
 * Names that no tool may touch, wherever they are: credentials to read or write, Git's own files to write, and the
 * pseudo file systems through which a process can read the daemon's memory and environment.
 */

/** Why this absolute or relative path is off limits, or `undefined`. */
export function forbiddenName(path: string, intent: 'read' | 'write'): string | undefined {
  if (PSEUDO_FILE_SYSTEMS.test(path)) return 'is part of the system, not of a workspace';
  for (const part of path.split(/[\\/]/)) {
    const name = foldName(part);
    if (CREDENTIAL_NAMES.has(name)) return 'holds credentials, which tools may not touch';
    if (intent === 'write' && (name === '.git' || name === 'git~1')) {
      return "is one of Git's own files, which only git itself may change";
    }
  }
  return undefined;
}

const PSEUDO_FILE_SYSTEMS = /^\/(?:proc|sys|dev)(?:\/|$)/;

const CREDENTIAL_NAMES: ReadonlySet<string> = new Set([
  '.ssh',
  '.aws',
  '.gnupg',
  '.azure',
  '.kube',
  '.gcloud',
  '.netrc',
  '.pgpass',
  '.git-credentials',
  '.password-store',
]);

/** One spelling for what case-insensitive, Windows and HFS+ file systems take for the same name. */
function foldName(part: string): string {
  return part
    .normalize('NFC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[. ]+$/, '')
    .replace(/:.*$/, '')
    .toLowerCase();
}
