/** The one table of engines that keep files. Each is loaded when it is opened, so that nobody pays for the others. */
import type { Disk } from './disk.ts';
import type { EmbeddedKvConfig } from './embedded-kv/database.ts';
import type { KeyValueEngine } from './engine.ts';
import { StorageError } from './errors.ts';
import type { DiskBackend } from './marker.ts';

/** The configuration of each engine, by its name; the engine checks its own. */
export interface BackendConfig {
  readonly cow?: object;
  readonly lsm?: object;
  readonly embedded_kv?: EmbeddedKvConfig;
}

interface FileEngineOptions {
  readonly directory: string;
  readonly disk: Disk;
  readonly config: object;
}

type OpenFileEngine = (options: FileEngineOptions) => Promise<KeyValueEngine>;

/** Opens the engine `backend` in its folder, which exists and may be empty. */
export async function openBackend(
  backend: DiskBackend,
  options: { readonly directory: string; readonly config: BackendConfig },
): Promise<KeyValueEngine> {
  const { directory, config } = options;
  switch (backend) {
    case 'embedded_kv': {
      const { openEmbeddedKv } = await import('./embedded-kv/engine.ts');
      return openEmbeddedKv({ directory, config: config.embedded_kv ?? {} });
    }
    case 'cow':
    case 'lsm': {
      const [open, disk] = await Promise.all([loadFileEngine(backend), loadDisk()]);
      return open({ directory, disk, config: config[backend] ?? {} });
    }
  }
}

async function loadDisk(): Promise<Disk> {
  const { nodeDisk } = await import('./node-disk.ts');
  return nodeDisk;
}

/** The path is put together at run time: an engine that is not part of this build is an error only when asked for. */
async function loadFileEngine(backend: 'cow' | 'lsm'): Promise<OpenFileEngine> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  try {
    const loaded: Record<string, OpenFileEngine> = await import(`./${backend}/engine.${extension}`);
    return loaded[backend === 'cow' ? 'openCow' : 'openLsm']!;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new StorageError('STORAGE_CONFIG', `The engine ${backend} is not part of this build.`, { cause: error });
  }
}
