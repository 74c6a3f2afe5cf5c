/** Checks of a log on PostgreSQL. */
import type { Config } from '../../config.ts';
import { examineDatabase } from '../../storage/postgres/examine.ts';
import { type Finding, finding } from './finding.ts';

/** Empty for a log in the home. */
export async function databaseFindings(config: Config | Error): Promise<readonly Finding[]> {
  if (config instanceof Error || config.log === undefined) return [];
  const findings = await examineDatabase(config.log);
  return findings.map(({ name, state, detail, mend }) => finding(`database ${name}`, state, detail, mend));
}
