/**
 * The identity of this daemon among those of its log: an id and a name, generated once and kept in the home. Leases of
 * a node go to its next process at once. A copy of a home must be another node, so the file names the home's inode and
 * time of birth. Either says that it is the same folder: some file systems number their inodes anew with each mount.
 */
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomically } from '../../lib/atomic-file.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';

const zKept = z.object({
  id: z.string().regex(/^[0-9a-f]{16}$/),
  name: z.string(),
  /** The inode of the home; absent before there was this field. */
  home: z.string().exactOptional(),
  /** The birth of the home in ns since 1970, `0` where the file system keeps none; absent before there was this field. */
  born: z.string().exactOptional(),
});
export interface NodeIdentity extends Pick<z.infer<typeof zKept>, 'id' | 'name'> {
  /** Whether the home was a copy of another one until now. False where the file system cannot tell. */
  readonly isCopied: boolean;
}

const ID_BYTES = 8;
const NAME_CHARACTERS = 6;
/** `born` where the file system keeps no times of birth. */
const NO_BIRTH = '0';

/** With `home` null, the identity is that of this process only. The setting `name` overrides the kept name. */
export async function nodeIdentity(
  home: string | null,
  ids: IdGenerator,
  name: string | undefined,
): Promise<NodeIdentity> {
  const kept = home === null ? { ...generate(ids), isCopied: false } : await readOrGenerate(home, ids);
  return { id: kept.id, name: name ?? kept.name, isCopied: kept.isCopied };
}

function generate(ids: IdGenerator): Omit<NodeIdentity, 'isCopied'> {
  const id = ids.hex(ID_BYTES);
  return { id, name: `node-${id.slice(0, NAME_CHARACTERS)}` };
}

/** A file that cannot be read, or is that of another home, is replaced: the daemon is another node from then on. */
async function readOrGenerate(home: string, ids: IdGenerator): Promise<NodeIdentity> {
  const path = join(home, 'node.json');
  const { ino, birthtimeNs } = statSync(home, { bigint: true });
  const place = { home: String(ino), born: String(birthtimeNs) };
  const kept = await readKept(path);
  const isOwn = kept !== null && isSame(kept, place);
  const { id, name } = isOwn ? kept : generate(ids);
  if (!isOwn || kept.home !== place.home || kept.born !== place.born) {
    const writing = writeFileAtomically(path, `${JSON.stringify({ id, name, ...place })}\n`);
    // On a full disk the file of an earlier start does as it is.
    await (isOwn ? writing.catch(() => undefined) : writing);
  }
  return { id, name, isCopied: !isOwn && kept !== null && kept.born !== NO_BIRTH };
}

function isSame(kept: z.infer<typeof zKept>, place: { home: string; born: string }): boolean {
  return kept.home === undefined || kept.home === place.home || (kept.born === place.born && kept.born !== NO_BIRTH);
}

async function readKept(path: string): Promise<z.infer<typeof zKept> | null> {
  try {
    return zKept.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}
