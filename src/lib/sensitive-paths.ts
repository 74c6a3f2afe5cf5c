/** Names of credential stores and folders of the system that tools, documents and workspaces must not use. */
import { streamSafe } from './stream-safe.ts';

/** Forbidden anywhere in a path, for reading and writing. */
export const CREDENTIAL_NAMES: ReadonlySet<string> = new Set([
  ...['.ssh', '.aws', '.gnupg', '.azure', '.kube', '.gcloud', '.netrc', '.pgpass', '.git-credentials'],
  '.password-store',
]);

/** These give access to the memory and environment of processes. */
export const PSEUDO_FILE_SYSTEMS = /^(?:\/private)?\/(?:proc|sys|dev)(?:\/|$)/;

/** Also forbidden as a workspace or document: settings and password hashes of the machine. */
export const SYSTEM_FOLDERS = /^(?:\/private)?\/(?:proc|sys|dev|etc)(?:\/|$)/;

/** Maps names to one spelling where case-insensitive, Windows and HFS+ file systems treat them as equal. */
export function foldFileName(name: string): string {
  return streamSafe(name)
    .normalize('NFC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/(?<![. ])[. ]+$/, '')
    .replace(/:.*$/s, '')
    .toLowerCase();
}
