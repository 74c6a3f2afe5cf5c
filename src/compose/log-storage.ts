/** Where the log is: in the home, or in a database with a copy in the home. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from '../config.ts';
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
  const copy = join(home, 'copy');
  if (log === undefined) {
    if (!ephemeral && existsSync(copy)) {
      throw new ConfigError(
        `The log of this home is in a database: ${copy} holds a copy of it. Set DAYBOOK_LOG, or remove that folder to ` +
          `go on with the log in ${join(home, 'data')}.`,
      );
    }
    return openStorage({ ...options, directory: join(home, 'data'), ephemeral });
  }
  const { openPostgresStorage } = await import('../storage/postgres/open.ts');
  return openPostgresStorage({ ...options, url: log, directory: copy, ephemeral });
}
