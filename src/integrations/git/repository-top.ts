/** Finds the top of a git checkout. */
import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The nearest folder that contains `.git`, from `directory` upwards; undefined when there is none. */
export async function repositoryTop(directory: string): Promise<string | undefined> {
  for (let folder = directory; ; folder = dirname(folder)) {
    const isTop = await lstat(join(folder, '.git')).then(
      () => true,
      () => false,
    );
    if (isTop) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}
