/** Where the log is: in the home, or in a database with a copy in the home. */
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { type OpenStorageOptions, openStorage, type Storage } from '../storage/open.ts';

export interface LogStorageOptions extends Omit<OpenStorageOptions, 'directory' | 'ephemeral'> {
  readonly env: NodeJS.ProcessEnv;
  readonly report: (line: string) => void;
}

/** Opens the log of the settings. Code of the database is loaded only for a log that is in one. */
export async function openLogStorage(
  { home, log, ephemeral }: Pick<Config, 'home' | 'log' | 'ephemeral'>,
  options: LogStorageOptions,
): Promise<Storage> {
  if (log === undefined) return openStorage({ ...options, directory: join(home, 'data'), ephemeral });
  const { openPostgresStorage } = await import('../storage/postgres/open.ts');
  return openPostgresStorage({ ...options, url: log, directory: join(home, 'copy'), ephemeral });
}
