/** The home directory of the user who runs this process. */
import { homedir, userInfo } from 'node:os';

/**
 * `$HOME`, else that of the user database; an empty `$HOME` would make paths relative. Null for a user who has neither,
 * as in a container with an arbitrary user id.
 */
export function homeDirectory(): string | null {
  try {
    return homedir() || userInfo().homedir || null;
  } catch {
    return null;
  }
}
