/** Creates the parts of the memory: encryption, vectors, intake of drawers. */
import { join } from 'node:path';
import { wingOf } from '../integrations/git/wing.ts';
import { textCiphers } from '../integrations/vault/text-cipher.ts';
import { createVectorFiles } from '../integrations/vectors/files.ts';
import { createReadWriteLock } from '../lib/read-write-lock.ts';
import type { Leases } from '../ports/leases.ts';
import { questionSteps } from '../queries/memory/search.ts';
import { DrawerIntake } from '../reactors/memory/drawer-intake.ts';
import { EncryptionProcess } from '../reactors/memory/encryption.ts';
import { EncryptionState } from '../reactors/memory/encryption-state.ts';
import { checkpointErasedViews } from '../reactors/memory/erasure.ts';
import { openSealedIndex } from '../reactors/memory/text-index.ts';
import { MemoryVectors } from '../reactors/memory/vectors/vectors.ts';
import type { foldingOf } from '../read-models.ts';
import type { EventLog } from '../storage/event-log.ts';
import type { StorageControl } from '../storage/ops/control.ts';
import type { Integrations } from './integrations.ts';
import type { Streams } from './streams.ts';
import type { System } from './system.ts';

interface Parts extends System, Streams {
  readonly log: EventLog;
  readonly integrations: Pick<Integrations, 'embedders' | 'secrets'>;
  readonly folding: Pick<ReturnType<typeof foldingOf>, 'unavailable' | 'rebuild'>;
  readonly storageControl: StorageControl;
  readonly cluster: { readonly leases: Pick<Leases, 'isShared'> };
}

export function createMemory({ config, env, integrations, folding, storageControl, cluster, ...parts }: Parts) {
  const { views, announce, clock } = parts;
  const { folded$ } = parts.committed;
  let computedWing: string | undefined;
  const wing = (): string => (computedWing ??= wingOf(config.workspace));
  const encryption = new EncryptionState({ views, folded$, openIndex: openSealedIndex });
  const memoryLock = createReadWriteLock();
  const memoryVectors = new MemoryVectors({
    views,
    folded$,
    encryption,
    announce,
    clock,
    embedders: integrations.embedders,
    viewsUnavailable: folding.unavailable,
    files: createVectorFiles(config.ephemeral ? null : join(config.home, 'vectors')),
  });
  const context = { ...parts, encryption, wing };
  checkpointErasedViews(parts, parts.committed);
  const encryptionProcess = new EncryptionProcess({
    ...context,
    lock: memoryLock,
    ciphers: textCiphers,
    secrets: integrations.secrets,
    passphrase: env.DAYBOOK_MEMORY_PASSPHRASE,
    isRequired: config.memory_encryption,
    rekeyVectors: () => memoryVectors.rekey(),
    rebuildViews: folding.rebuild,
    viewsUnavailable: folding.unavailable,
    storageControl,
    warmUpSteps: questionSteps(context),
  });
  const drawerIntake = new DrawerIntake({ ...context, lock: memoryLock, isShared: cluster.leases.isShared });
  return { wing, encryption, memoryLock, memoryVectors, encryptionProcess, drawerIntake };
}
