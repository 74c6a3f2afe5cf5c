/**
 * Whether the paths of a data directory still lead to what this process has open. A directory that is moved away or
 * replaced would take writes through the open files, and no later process finds them there: appends are refused.
 */
import { closeSync, fstatSync, openSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { StorageError } from './errors.ts';

/** Begins every message of `STORAGE_MOVED`. */
export const MOVED = 'The data directory was changed while it is open';
/** What the paths lead to is looked up this often at most. */
const ANSWER_MS_MAX = 20;

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
  /** Files of the directory that the engine has open for writing at the moment. */
  written(): readonly OpenFile[];
}

/** The file or folder that a path leads to. Throws when there is none. */
export function foundAt(path: string): OpenFile {
  return { path, identity: statSync(path, { bigint: true }) };
}

/**
 * Compares the paths of one data directory with its open files. The lasting ones are kept open until it is disposed of:
 * file systems in user space may give a file another inode once nobody has it open.
 */
export class OpenPlace implements Disposable {
  readonly #parts: OpenPlaceParts;
  readonly #descriptors: DisposableStack;
  readonly #lasting: readonly OpenFile[];
  #checkedAt = Number.NEGATIVE_INFINITY;
  #refusal: StorageError | null = null;

  /** Throws when a lasting path is absent. */
  constructor(parts: OpenPlaceParts) {
    this.#parts = parts;
    using descriptors = new DisposableStack();
    this.#lasting = parts.lasting.map((path) => {
      const descriptor = descriptors.adopt(openSync(path, 'r'), closeSync);
      return { path, identity: fstatSync(descriptor, { bigint: true }) };
    });
    this.#descriptors = descriptors.move();
  }

  [Symbol.dispose](): void {
    this.#descriptors.dispose();
  }

  /** The fault as a sentence, null when every path leads to what is open. */
  get problem(): string | null {
    return this.#problemOf([...this.#lasting, ...this.#parts.written()]);
  }

  /**
   * Why appends are refused, as `STORAGE_MOVED`; null while the path of every file that they are written to leads to
   * it. Other paths do not count: some file systems change the identity of what nobody has open.
   */
  get refusal(): StorageError | null {
    const now = performance.now();
    if (now - this.#checkedAt < ANSWER_MS_MAX) return this.#refusal;
    this.#checkedAt = now;
    const problem = this.#problemOf(this.#parts.written());
    if (problem === null) this.#refusal = null;
    else this.#refusal ??= new StorageError('STORAGE_MOVED', problem);
    return this.#refusal;
  }

  #problemOf(files: readonly OpenFile[]): string | null {
    const { directory } = this.#parts;
    const lost = files.find((file) => !leadsTo(file));
    if (lost === undefined) return null;
    const what = lost.path === directory ? 'It' : join(basename(directory), relative(directory, lost.path));
    return (
      `${MOVED}: ${what} was moved, removed or replaced. Nothing is written until it is back. Stop the process, put ` +
      'the data back as it was, and start again.'
    );
  }
}

function leadsTo({ path, identity }: OpenFile): boolean {
  try {
    const found = foundAt(path).identity;
    return found.ino === identity.ino && found.dev === identity.dev;
  } catch {
    return false;
  }
}
