/** Opens the log: in the home, or in a database with a copy in the home. */
import { join } from 'node:path';
import { type Config, ConfigError } from '../config.ts';
import { copyFolder, readSource } from '../storage/copy-folder.ts';
import type { StoredEventLog } from '../storage/log/event-log.ts';
import { type OpenStorageOptions, openStorage, type Storage } from '../storage/open.ts';

export interface LogStorageOptions extends Omit<OpenStorageOptions, 'directory' | 'ephemeral'> {
  readonly env: NodeJS.ProcessEnv;
  readonly report: (line: string) => void;
  /** Called while the copy of a log in a database catches up, with the log so far and the events of the database. */
  readonly copying: (log: StoredEventLog, total: number) => void;
}

/** Opens the configured log. The PostgreSQL code is loaded only for a log in a database. */
export async function openLogStorage(
  { home, log, ephemeral }: Pick<Config, 'home' | 'log' | 'ephemeral'>,
  options: LogStorageOptions,
): Promise<Storage> {
  const copy = copyFolder(home);
  if (log === undefined) {
    if (!ephemeral && readSource(copy) !== null) {
      throw new ConfigError(
        `The log of this home is in a database: ${copy} holds a copy of it. Set DAYBOOK_LOG, or remove that folder to ` +
          `go on with the log in ${join(home, 'data')}.`,
      );
    }
    const storage = await openStorage({ ...options, directory: join(home, 'data'), ephemeral });
    for (const { file, offset, what } of storage.engine.repaired ?? []) {
      options.report(`The store had a damaged part that it does not need: ${file} at ${offset ?? 0}: ${what}.`);
    }
    return storage;
  }
  const { openPostgresStorage } = await import('../storage/postgres/open.ts');
  return openPostgresStorage({ ...options, url: log, directory: copy, ephemeral });
}
