/**
 * Stores the checkpoints that this Daybook cosigned for other logs: one file per log, `witness/<SHA-256 of the origin>`,
 * outside `data/`, so that restoring the store from a backup does not reset the witness.
 */
import { hash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readPrivateFile, writeFileAtomically } from '../../lib/atomic-file.ts';
import { type WitnessStates, WitnessStateTrouble, type WitnessTable } from '../../ports/witness-states.ts';

/** `folder` null keeps the checkpoints in memory. */
export function createWitnessStates(folder: string | null): WitnessStates {
  const known = new Map<string, string>();
  const pathOf = (origin: string): string => join(folder ?? '', `${hash('sha256', origin)}.checkpoint`);
  return {
    async read(origin) {
      const note = known.get(origin) ?? (folder === null ? null : await readNote(pathOf(origin)));
      if (note !== null) known.set(origin, note);
      return note;
    },
    async write(origin, note) {
      // After a failed write, the disk may have either checkpoint.
      known.delete(origin);
      if (folder !== null) await writeNote(folder, pathOf(origin), note);
      known.set(origin, note);
    },
  };
}

/**
 * The states that all daemons of a log share: in its database, and in the files of this home. The larger checkpoint of
 * the two counts, so that a database that lost its newest transactions does not reset the witness.
 */
export function sharedWitnessStates(files: WitnessStates, table: WitnessTable): WitnessStates {
  const askTable = async <Result>(ask: () => Promise<Result>): Promise<Result> => {
    try {
      return await ask();
    } catch (error) {
      throw new WitnessStateTrouble(`What the witness cosigned cannot be asked for: ${(error as Error).message}`);
    }
  };
  return {
    async read(origin) {
      const [own, shared] = [await files.read(origin), await askTable(() => table.witnessed(origin))];
      return sizeIn(own) > sizeIn(shared) ? own : shared;
    },
    async write(origin, note, before) {
      const shared = await askTable(() => table.witnessed(origin));
      const isUnchanged = sizeIn(shared) <= sizeIn(before);
      if (!isUnchanged || !(await askTable(() => table.witness(origin, note, shared)))) {
        throw new WitnessStateTrouble('Another daemon of this log cosigned a checkpoint meanwhile.');
      }
      await files.write(origin, note, before);
    },
  };
}

/** The size on the second line of a checkpoint; -1 without one. */
function sizeIn(note: string | null): number {
  return note === null ? -1 : Number(note.split('\n', 2)[1]);
}

function readNote(path: string): Promise<string | null> {
  return readPrivateFile(path).catch(({ code = 'unknown error' }: NodeJS.ErrnoException) => {
    throw new WitnessStateTrouble(`What the witness cosigned cannot be read: ${path} (${code}).`);
  });
}

async function writeNote(folder: string, path: string, note: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFileAtomically(path, note);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new WitnessStateTrouble(`What the witness cosigns cannot be written: ${path} (${code}).`);
  }
}
