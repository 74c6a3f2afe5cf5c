/**
 * The checkpoints that this Daybook cosigned for other logs: one file for each log, `witness/<SHA-256 of the origin>`,
 * outside `data/`. A store that is put back from a backup must not make the witness forget what it signed.
 */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readPrivateFile, writeFileAtomically } from '../../lib/atomic-file.ts';
import { type WitnessStates, WitnessStateTrouble } from '../../ports/witness-states.ts';

/** `folder` null keeps them in memory. */
export function createWitnessStates(folder: string | null): WitnessStates {
  const known = new Map<string, string>();
  const pathOf = (origin: string): string =>
    join(folder ?? '', `${createHash('sha256').update(origin).digest('hex')}.checkpoint`);
  return {
    async read(origin) {
      const note = known.get(origin) ?? (folder === null ? null : await readNote(pathOf(origin)));
      if (note !== null) known.set(origin, note);
      return note;
    },
    async write(origin, note) {
      // After a failed write nobody knows which of the two the disk holds.
      known.delete(origin);
      if (folder !== null) await writeNote(folder, pathOf(origin), note);
      known.set(origin, note);
    },
  };
}

async function readNote(path: string): Promise<string | null> {
  try {
    return await readPrivateFile(path);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new WitnessStateTrouble(`What the witness cosigned cannot be read: ${path} (${code}).`);
  }
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
