/**
 * The identity of this daemon among those of its log: an id and a name, generated once and kept in the home. Leases of
 * a node go to its next process at once. A copy of a home must be another node, so the file names the home's inode.
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
});
export interface NodeIdentity extends Pick<z.infer<typeof zKept>, 'id' | 'name'> {
  /** Whether the home was a copy of another one until now. */
  readonly isCopied: boolean;
}

const ID_BYTES = 8;
const NAME_CHARACTERS = 6;

/** With `home` null, the identity is that of this process only. The setting `name` overrides the kept name. */
export async function nodeIdentity(
  home: string | null,
  ids: IdGenerator,
  name: string | undefined,
): Promise<NodeIdentity> {
  const kept = home === null ? generate(ids) : await readOrGenerate(home, ids);
  return { id: kept.id, name: name ?? kept.name, isCopied: kept.isCopied };
}

function generate(ids: IdGenerator, isCopied = false): NodeIdentity {
  const id = ids.hex(ID_BYTES);
  return { id, name: `node-${id.slice(0, NAME_CHARACTERS)}`, isCopied };
}

/** A file that cannot be read, or is that of another home, is replaced: the daemon is another node from then on. */
async function readOrGenerate(home: string, ids: IdGenerator): Promise<NodeIdentity> {
  const path = join(home, 'node.json');
  const place = String(statSync(home, { bigint: true }).ino);
  const kept = await readKept(path);
  if (kept?.home === place) return { ...kept, isCopied: false };
  const isOwn = kept !== null && kept.home === undefined;
  const identity = isOwn ? { ...kept, isCopied: false } : generate(ids, kept !== null);
  const { id, name } = identity;
  const writing = writeFileAtomically(path, `${JSON.stringify({ id, name, home: place })}\n`);
  // On a full disk the file of an earlier program does as it is.
  await (isOwn ? writing.catch(() => undefined) : writing);
  return identity;
}

async function readKept(path: string): Promise<z.infer<typeof zKept> | null> {
  try {
    return zKept.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}
