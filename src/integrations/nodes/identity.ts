/** Who this daemon is among those of its log: an id and a name, made once and kept in the home. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomically } from '../../lib/atomic-file.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';

const zIdentity = z.object({ id: z.string().regex(/^[0-9a-f]{16}$/), name: z.string() });
export type NodeIdentity = z.infer<typeof zIdentity>;

const ID_BYTES = 8;
const NAME_CHARACTERS = 6;

/** `home` null: of this process only. `name` is a setting, which goes before the kept one. */
export async function nodeIdentity(
  home: string | null,
  ids: IdGenerator,
  name: string | undefined,
): Promise<NodeIdentity> {
  const kept = home === null ? made(ids) : await keptIn(join(home, 'node.json'), ids);
  return { id: kept.id, name: name ?? kept.name };
}

function made(ids: IdGenerator): NodeIdentity {
  const id = ids.hex(ID_BYTES);
  return { id, name: `node-${id.slice(0, NAME_CHARACTERS)}` };
}

/** A file that cannot be read is made again: the daemon is another node from then on. */
async function keptIn(path: string, ids: IdGenerator): Promise<NodeIdentity> {
  try {
    return zIdentity.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    const identity = made(ids);
    await writeFileAtomically(path, `${JSON.stringify(identity)}\n`);
    return identity;
  }
}
