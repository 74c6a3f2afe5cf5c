/**
 * The peer: emmett's event store on PostgreSQL, installed by npm into a cache because Daybook itself does not need it.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const EMMETT_VERSION = '0.42.0';
const PACKAGE = '@event-driven-io/emmett-postgresql';
export const EMMETT_FOLDER = join(homedir(), '.cache', 'daybook-bench', `emmett-postgresql-${EMMETT_VERSION}`);
/** The connections of its pool: of 4, 10, 16, 32 and 64 it was fastest with 32, by 3 % over 16. */
export const EMMETT_POOL = 32;

/** Installs the peer if it is missing. */
export function installEmmett(): void {
  if (existsSync(join(EMMETT_FOLDER, 'node_modules', PACKAGE))) return;
  mkdirSync(EMMETT_FOLDER, { recursive: true });
  writeFileSync(join(EMMETT_FOLDER, 'package.json'), '{"private":true}\n');
  const options = ['install', '--ignore-scripts', '--no-audit', '--no-fund', `${PACKAGE}@${EMMETT_VERSION}`];
  execFileSync('npm', options, { cwd: EMMETT_FOLDER, stdio: ['ignore', 'ignore', 'inherit'] });
}
