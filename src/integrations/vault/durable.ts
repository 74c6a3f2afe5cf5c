/** A small private file, replaced as a whole: after a crash it holds all of the old text or all of the new. */
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { VaultTrouble } from '../../ports/secret-vault.ts';

export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await rm(temporary, { force: true });
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new VaultTrouble(`The vault cannot be written: ${path} (${code}). Nothing was kept.`);
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
