/** Programs on this machine. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute } from 'node:path';

/** Whether a path is a file that this process may execute. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The absolute folders of the variable `PATH`, in its order. */
export function pathFolders(path = ''): readonly string[] {
  return path.split(delimiter).filter((folder) => isAbsolute(folder));
}
