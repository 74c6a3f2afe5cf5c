/** The identity of this daemon among those of its log: an id and a name, generated once and kept in the home. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomically } from '../../lib/atomic-file.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';

const zIdentity = z.object({ id: z.string().regex(/^[0-9a-f]{16}$/), name: z.string() });
export type NodeIdentity = z.infer<typeof zIdentity>;

const ID_BYTES = 8;
const NAME_CHARACTERS = 6;

/** With `home` null, the identity is that of this process only. The setting `name` overrides the kept name. */
export async function nodeIdentity(
  home: string | null,
  ids: IdGenerator,
  name: string | undefined,
): Promise<NodeIdentity> {
  const kept = home === null ? generate(ids) : await readOrGenerate(join(home, 'node.json'), ids);
  return { id: kept.id, name: name ?? kept.name };
}

function generate(ids: IdGenerator): NodeIdentity {
  const id = ids.hex(ID_BYTES);
  return { id, name: `node-${id.slice(0, NAME_CHARACTERS)}` };
}

/** A file that cannot be read is replaced: the daemon is another node from then on. */
async function readOrGenerate(path: string, ids: IdGenerator): Promise<NodeIdentity> {
  try {
    return zIdentity.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    const identity = generate(ids);
    await writeFileAtomically(path, `${JSON.stringify(identity)}\n`);
    return identity;
  }
}
