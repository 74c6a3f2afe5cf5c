/** The engines that store files. An engine's code is loaded when a store of it is opened. */
import type { CowConfig } from './cow/config.ts';
import type { Disk } from './disk.ts';
import type { EmbeddedKvConfig } from './embedded-kv/config.ts';
import type { KeyValueEngine } from './engine.ts';
import type { LsmConfig } from './lsm/config.ts';
import type { DiskBackend } from './marker.ts';

/** The configuration of each engine. Each engine validates its own part when it opens. */
export interface BackendConfig {
  readonly cow?: CowConfig;
  readonly lsm?: Partial<LsmConfig>;
  readonly embedded_kv?: EmbeddedKvConfig;
}

/** The file that every store of an engine has from its creation on. A store without it is damaged, not new. */
export const MAIN_FILES: Readonly<Record<DiskBackend, string>> = {
  cow: 'tree.db',
  lsm: 'MANIFEST',
  embedded_kv: 'data.sqlite',
};

/**
 * Opens the engine `backend` in its folder, which must exist and may be empty. Rejects with a `StorageError`. `cow` and
 * `lsm` write through `disk`, by default the file system of the machine; `embedded_kv` writes by itself.
 */
export async function openBackend(
  backend: DiskBackend,
  options: { readonly directory: string; readonly config: BackendConfig; readonly disk?: Disk | undefined },
): Promise<KeyValueEngine> {
  const { directory, config } = options;
  switch (backend) {
    case 'cow': {
      const [{ openCow }, { nodeDisk }] = await Promise.all([import('./cow/engine.ts'), import('./node-disk.ts')]);
      return openCow({ directory, disk: options.disk ?? nodeDisk, config: config.cow ?? {} });
    }
    case 'lsm': {
      const [{ openLsm }, { nodeDisk }] = await Promise.all([import('./lsm/engine.ts'), import('./node-disk.ts')]);
      return openLsm({ directory, disk: options.disk ?? nodeDisk, config: config.lsm ?? {} });
    }
    case 'embedded_kv': {
      const { openEmbeddedKv } = await import('./embedded-kv/engine.ts');
      return openEmbeddedKv({ directory, config: config.embedded_kv ?? {} });
    }
  }
}
