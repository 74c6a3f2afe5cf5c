/** The one table of engines that keep files. Each is loaded when it is opened, so that nobody pays for the others. */
import type { CowConfig } from './cow/config.ts';
import type { EmbeddedKvConfig } from './embedded-kv/database.ts';
import type { KeyValueEngine } from './engine.ts';
import type { LsmConfig } from './lsm/config.ts';
import type { DiskBackend } from './marker.ts';

/** The configuration of each engine, by its name; the engine checks its own. */
export interface BackendConfig {
  readonly cow?: CowConfig;
  readonly lsm?: Partial<LsmConfig>;
  readonly embedded_kv?: EmbeddedKvConfig;
}

/** The file every store of an engine has from its first moment: without it the store is not a new one, it is lost. */
export const MAIN_FILES: Readonly<Record<DiskBackend, string>> = {
  cow: 'tree.db',
  lsm: 'MANIFEST',
  embedded_kv: 'data.sqlite',
};

/** Opens the engine `backend` in its folder, which exists and may be empty. */
export async function openBackend(
  backend: DiskBackend,
  options: { readonly directory: string; readonly config: BackendConfig },
): Promise<KeyValueEngine> {
  const { directory, config } = options;
  switch (backend) {
    case 'cow': {
      const [{ openCow }, { nodeDisk }] = await Promise.all([import('./cow/engine.ts'), import('./node-disk.ts')]);
      return openCow({ directory, disk: nodeDisk, config: config.cow ?? {} });
    }
    case 'lsm': {
      const [{ openLsm }, { nodeDisk }] = await Promise.all([import('./lsm/engine.ts'), import('./node-disk.ts')]);
      return openLsm({ directory, disk: nodeDisk, config: config.lsm ?? {} });
    }
    case 'embedded_kv': {
      const { openEmbeddedKv } = await import('./embedded-kv/engine.ts');
      return openEmbeddedKv({ directory, config: config.embedded_kv ?? {} });
    }
  }
}
