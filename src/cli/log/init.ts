/** `daybook log init`: makes or migrates the schema of a log on PostgreSQL. */
import { initLog } from '../../storage/postgres/init.ts';
import { isPostgresUrl } from '../../storage/postgres/url.ts';
import { UsageError } from '../errors.ts';
import { print, printJson } from '../text.ts';

interface InitOptions {
  readonly log: string;
  readonly role?: string;
  readonly json?: boolean;
}

export async function init({ log, role, json }: InitOptions): Promise<void> {
  if (!isPostgresUrl(log)) throw new UsageError('--log must be an address such as postgres://owner@host/database.');
  const report = await initLog({ url: log, role: role ?? null });
  if (json === true) return printJson(report);
  const { schema, from, to, log_id } = report;
  const done = from === 0 ? 'was made' : from < to ? `was migrated from version ${from}` : 'was up to date';
  const granted = role === undefined ? '' : ` The role ${role} has the rights of a daemon.`;
  await print(`The schema ${schema} ${done}; it has version ${to} and holds the log ${log_id}.${granted}\n`);
}
