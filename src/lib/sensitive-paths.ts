/** Names of what holds credentials, and the folders that are the system's own: one list for all who must keep out. */

/** Closed by name wherever they are, to read and to write. */
export const CREDENTIAL_NAMES: ReadonlySet<string> = new Set([
  ...['.ssh', '.aws', '.gnupg', '.azure', '.kube', '.gcloud', '.netrc', '.pgpass', '.git-credentials'],
  '.password-store',
]);

/** Through these a process can read the daemon's memory and environment. */
export const PSEUDO_FILE_SYSTEMS = /^(?:\/private)?\/(?:proc|sys|dev)(?:\/|$)/;

/** With the machine's settings and password hashes: nothing that a person works on. */
export const SYSTEM_FOLDERS = /^(?:\/private)?\/(?:proc|sys|dev|etc)(?:\/|$)/;

/** One spelling for what case-insensitive, Windows and HFS+ file systems take for the same name. */
export function foldFileName(name: string): string {
  return name
    .normalize('NFC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[. ]+$/, '')
    .replace(/:.*$/, '')
    .toLowerCase();
}
