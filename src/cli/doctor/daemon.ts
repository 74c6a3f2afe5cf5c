/** Checks of the daemon: whether it runs and is healthy; otherwise whether it could listen. */
import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename } from 'node:path';
import type { ApprovalPolicy, Health, StorageStats } from '../../client/client.ts';
import type { Config } from '../../config.ts';
import { type Discovery, readDiscovery } from '../../discovery.ts';
import { holding } from '../../integrations/tools/marker.ts';
import { copyFolder, logDirectory, readSource } from '../../storage/copy-folder.ts';
import { DISK_FULL } from '../../storage/disk-reserve.ts';
import { lockHolder } from '../../storage/lock.ts';
import { MOVED } from '../../storage/open-place.ts';
import { createClient } from '../client.ts';
import { counted, duration, minute } from '../text.ts';
import { type Finding, finding } from './finding.ts';

export interface DaemonFindings {
  readonly findings: readonly Finding[];
  /** Null when no daemon answers. */
  readonly health: Health | null;
  /** The provider of the model that the daemon uses when a request names none; null when no daemon answers. */
  readonly provider: string | null;
}

/** A daemon that does not respond within this time hangs. */
const RESPONSE_TIMEOUT_MS = 5_000;

/** By then the program that renews a certificate has usually done so. */
const RENEWAL_DAYS_MIN = 14;

/** Null when no daemon is running. */
export async function daemonFindings(home: string): Promise<DaemonFindings | null> {
  const daemon = readDiscovery(home);
  if (daemon === null) return null;
  const certificate = certificateFindings(daemon, Date.now());
  try {
    const { api } = createClient(home, { timeoutMs: RESPONSE_TIMEOUT_MS });
    const health = await api.health.get();
    const head = await api.log.head();
    const about = `${daemon.url}, process ${daemon.pid}, version ${health.version}, up ${duration(health.uptime_seconds * 1_000)}`;
    const problem = health.log.failure ?? health.views.unavailable;
    const state =
      problem === null
        ? finding('daemon', 'ok', about)
        : finding('daemon', 'broken', `${about}: ${problem}`, mendOf(home, health.log.failure));
    const log = `${health.log.backend}, ${counted(head.position, 'event')}, tree ${head.tree_hash.slice(0, 16)}…`;
    const policy = approvalFinding(await api.approvals.policy());
    const active = (await api.models.list()).models.find((model) => model.active);
    const storage = [finding('storage', 'ok', log), ...backupFindings(await api.storage.stats())];
    const findings = [state, ...certificate, ...storage, signedFinding(health), policy];
    return { findings, health, provider: active?.provider ?? null };
  } catch (error) {
    // The daemon was killed; another program may have its process id.
    if (lockHolder(logDirectory(home))?.pid !== daemon.pid) return null;
    const isUntrusted = certificate.some(({ state }) => state === 'broken');
    const mend = isUntrusted ? undefined : `end process ${daemon.pid} and start the daemon again`;
    const state = finding('daemon', 'broken', (error as Error).message, mend);
    return { findings: [state, ...certificate], health: null, provider: null };
  }
}

/** How long the certificate in its file is valid, `now` being Unix time in milliseconds; nothing without HTTPS. */
export function certificateFindings({ certificate }: Pick<Discovery, 'certificate'>, now: number): readonly Finding[] {
  if (certificate === undefined) return [];
  const renew = `put a valid one in ${certificate}; the daemon uses it from the next connection on`;
  try {
    const until = new X509Certificate(readFileSync(certificate)).validToDate.getTime();
    if (until <= now) return [finding('certificate', 'broken', `expired ${minute(until)}`, renew)];
    const isShort = until - now < RENEWAL_DAYS_MIN * 86_400_000;
    return [
      finding('certificate', isShort ? 'warning' : 'ok', `valid until ${minute(until)}`, isShort ? renew : undefined),
    ];
  } catch (error) {
    return [finding('certificate', 'broken', `cannot be read: ${(error as Error).message}`, renew)];
  }
}

/** Undefined when the failure itself says what to do. A restart does not fix a log in a database. */
function mendOf(home: string, failure: string | null): string | undefined {
  if (failure === null || failure === DISK_FULL || failure.startsWith(MOVED)) return undefined;
  return readSource(copyFolder(home)) === null ? 'restart it' : 'mend the database; the daemon goes on by itself';
}

/** Nothing for a daemon that makes no backups. */
function backupFindings({ last_backup_at: at, backup_failure: failure }: StorageStats): readonly Finding[] {
  if (at === undefined || failure === undefined) return [];
  const newest = at === null ? 'none yet' : `newest of ${minute(at)}`;
  if (failure === null) return [finding('backups', 'ok', newest)];
  const again = 'mend the cause, then: daybook storage backup --verified';
  return [finding('backups', 'warning', `${newest}; the latest attempt failed: ${failure}`, again)];
}

/** The policy of runs whose request names none. `daybook approvals policy` overrides the configured one. */
function approvalFinding({ policy, configured, effective }: ApprovalPolicy): Finding {
  const from = policy === null ? 'as configured' : `set by \`daybook approvals policy\`; configured is ${configured}`;
  return finding('approvals', 'ok', `${effective} for runs that name no policy (${from})`);
}

function signedFinding({ checkpoints: { size, warning, witnesses } }: Health): Finding {
  const next = witnesses.missing ? 'see: daybook log witness list' : undefined;
  if (warning !== null) return finding('signed log', 'warning', warning, next);
  return finding('signed log', 'ok', `newest checkpoint over ${counted(size ?? 0, 'event')}`);
}

/** Whether a daemon that is started now could listen. */
export async function portFinding({ host, port }: Pick<Config, 'host' | 'port'>): Promise<Finding> {
  if (port === 0) return finding('port', 'ok', 'a free one at each start');
  const code = await listenError(host, port);
  if (code === null) return finding('port', 'ok', `${port} is free`);
  if (code !== 'EADDRINUSE')
    return finding('port', 'broken', `${host}:${port} cannot be used: ${code}`, 'choose another one');
  const holder = portHolder(port);
  const holderName = holder === null ? 'another program' : `process ${holder.pid} (${holder.name})`;
  return finding('port', 'broken', `${port} is held by ${holderName}`, 'end it, or set DAYBOOK_DAEMON_PORT');
}

function listenError(host: string, port: number): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const server = createServer();
  server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  return promise;
}

/** The process that listens on a port; null when unknown. Known on Linux, for processes of this user. */
function portHolder(port: number): { readonly pid: number; readonly name: string } | null {
  const links = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listeners(table, port)));
  const holds = holding(links);
  for (const entry of links.size === 0 ? [] : readdirSync('/proc')) {
    const pid = Number(entry);
    if (Number.isInteger(pid) && holds(pid)) return { pid, name: basename(readlinkSync(`/proc/${pid}/exe`)) };
  }
  return null;
}

const LISTEN = '0A';

/** The sockets that listen on a port, as `/proc/<pid>/fd` names them. */
function listeners(table: string, port: number): string[] {
  try {
    const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
    const rows = readFileSync(table, 'utf8')
      .split('\n')
      .slice(1)
      .map((row) => row.trim().split(/\s+/));
    return rows.flatMap(([, local, , state, , , , , , inode]) =>
      local?.endsWith(wanted) === true && state === LISTEN ? [`socket:[${inode}]`] : [],
    );
  } catch {
    return [];
  }
}
