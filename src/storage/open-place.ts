/**
 * Whether the paths of a data directory still lead to what this process has open. A directory that is moved away or
 * replaced keeps taking writes through the open files, and no later process finds them.
 */
import { statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';

/** Device and inode of a file or folder. */
interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** An open file, and the path that should lead to it. */
export interface OpenFile {
  readonly path: string;
  readonly identity: Identity;
}

export interface OpenPlaceParts {
  readonly directory: string;
  /** Files and folders that stay the same while the directory is open; the directory is one of them. */
  readonly lasting: readonly string[];
  /** Files below a folder that an engine has open for writing at the moment. */
  openFilesIn(folder: string): readonly OpenFile[];
}

/** Compares the paths of one data directory with its open files. */
export class OpenPlace {
  readonly #parts: OpenPlaceParts;
  readonly #lasting: readonly OpenFile[];

  /** Throws when a lasting path is absent. */
  constructor(parts: OpenPlaceParts) {
    this.#parts = parts;
    this.#lasting = parts.lasting.map((path) => ({ path, identity: statSync(path, { bigint: true }) }));
  }

  /** The fault as a sentence, null when every path leads to what is open. */
  get problem(): string | null {
    const { directory, openFilesIn } = this.#parts;
    const lost = [...this.#lasting, ...openFilesIn(directory)].find((file) => !leadsTo(file));
    if (lost === undefined) return null;
    const what = lost.path === directory ? 'It' : join(basename(directory), relative(directory, lost.path));
    return (
      `The data directory was changed while it is open: ${what} was moved, removed or replaced. ` +
      'Stop the process, put the data back as it was, and start again.'
    );
  }
}

function leadsTo({ path, identity }: OpenFile): boolean {
  try {
    const found = statSync(path, { bigint: true });
    return found.ino === identity.ino && found.dev === identity.dev;
  } catch {
    return false;
  }
}
