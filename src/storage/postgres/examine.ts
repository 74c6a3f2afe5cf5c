/** Examines the database of a log: version, durability, rights, clock, schema, and the risk of each finding. */
import type { StorageError } from '../errors.ts';
import type { StoredEventLog } from '../log/event-log.ts';
import { leafOf } from '../log/record.ts';
import { equalHashes } from '../merkle.ts';
import { Connections } from './connections.ts';
import { POOLED, storageErrorOf } from './failures.ts';
import { SERVER_VERSION_MIN } from './init.ts';
import { openPrimary } from './open.ts';
import { checkVersion, type Meta, TABLES } from './schema.ts';
import { type PostgresAddress, parseAddress, placeName } from './url.ts';

export interface DatabaseFinding {
  readonly name: string;
  /** `broken`: the log cannot be used. `warning`: something may be lost. */
  readonly state: 'ok' | 'warning' | 'broken';
  /** Holds no password. */
  readonly detail: string;
  readonly mend?: string;
}

interface Facts {
  readonly version: number;
  readonly version_text: string;
  readonly encoding: string;
  readonly encrypted: boolean;
  readonly local: boolean;
  readonly synchronous_commit: string;
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly standby_names: string;
  readonly standbys: number;
  readonly synchronous_standbys: number;
  /** Standbys of which the role may not know more than that they are there: it lacks `pg_read_all_stats`. */
  readonly unknown_standbys: number;
  /** Commits of this role that wait for a synchronous standby. */
  readonly waiting_commits: number;
  readonly now_ms: number;
  readonly is_superuser: boolean;
  readonly is_owner: boolean;
  readonly can_append: boolean;
  readonly can_read: boolean;
  readonly hides_rows: boolean;
  readonly can_write: boolean;
  readonly read_only: string;
}

const CLOCK_SKEW_MS_MAX = 5_000;

/** Never rejects: a failed query is a finding, too. */
export async function examineDatabase(url: string): Promise<readonly DatabaseFinding[]> {
  let connections: Connections | null = null;
  let address: PostgresAddress | null = null;
  try {
    address = parseAddress(url);
    connections = new Connections(address);
    const { schema } = address;
    const metas = await connections.use(async (client) => {
      const there = await client.query<{ there: boolean }>(`SELECT to_regclass('${schema}.meta') IS NOT NULL AS there`);
      if (there.rows[0]?.there !== true) return [];
      return (await client.query<Meta>(`SELECT log_id, version, oldest FROM ${schema}.meta`)).rows;
    });
    const ofSchema = schemaFinding(address, metas[0]);
    if (ofSchema.state === 'broken') return [ofSchema];
    const began = Date.now();
    const facts = await connections.use(async (client) => (await client.query<Facts>(factsSql(schema))).rows[0]!);
    const skewMs = facts.now_ms - (began + Date.now()) / 2;
    return [
      ofSchema,
      ...serverFindings(facts),
      ...durabilityFindings(facts),
      rightsFinding(facts),
      clockFinding(skewMs),
      ...(await poolerFindings(connections)),
    ];
  } catch (error) {
    return [connectionFinding(storageErrorOf(error), address)];
  } finally {
    await connections?.close();
  }
}

/**
 * Why the log of the database does not continue a copy of it, judged by the newest event of the copy; null when it
 * does. Rejects with a `StorageError` when the database cannot be read.
 */
export async function differenceFrom(copy: StoredEventLog, url: string): Promise<string | null> {
  const { position } = copy.head();
  const { primary, close } = await openPrimary(url);
  const { head, leaf } = await primary.tail(position).finally(close);
  if (head.position < position) return `the database ends at ${head.position}, the copy of it here at ${position}`;
  const [newest] = copy.readRaw({ after: Math.max(0, position - 1), limit: 1 });
  if (newest === undefined || (leaf !== null && equalHashes(leafOf(newest.record), leaf))) return null;
  return `position ${position} holds another event in the database than in the copy of it here`;
}

function connectionFinding({ code, message }: StorageError, address: PostgresAddress | null): DatabaseFinding {
  const place = address === null ? '' : `${placeName(address)}: `;
  const mend = code === 'STORAGE_UNAVAILABLE' ? 'start the server, or correct DAYBOOK_LOG' : 'see docs/postgresql.md';
  return { name: 'connection', state: 'broken', detail: `${place}${message}`, mend };
}

/** Through a pooler that shares connections, a second connection reaches the idle server process of the first one. */
async function poolerFindings(connections: Connections): Promise<DatabaseFinding[]> {
  const ids = await connections.use(() => connections.use(async () => connections.processIds));
  if (new Set(ids).size === ids.length) return [];
  return [{ name: 'pooler', state: 'broken', detail: POOLED, mend: 'pool_mode = session' }];
}

function factsSql(schema: string): string {
  return `SELECT
    current_setting('server_version_num')::int AS version, current_setting('server_version') AS version_text,
    current_setting('server_encoding') AS encoding,
    coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS encrypted,
    coalesce(inet_client_addr() <<= '127.0.0.0/8' OR inet_client_addr() = '::1', true) AS local,
    current_setting('synchronous_commit') AS synchronous_commit, current_setting('fsync') AS fsync,
    current_setting('full_page_writes') AS full_page_writes,
    current_setting('synchronous_standby_names') AS standby_names,
    (SELECT count(*)::int FROM pg_stat_replication) AS standbys,
    (SELECT count(*)::int FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')) AS synchronous_standbys,
    (SELECT count(*)::int FROM pg_stat_replication WHERE sync_state IS NULL) AS unknown_standbys,
    (SELECT count(*)::int FROM pg_stat_activity WHERE wait_event = 'SyncRep') AS waiting_commits,
    (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS now_ms,
    (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS is_superuser,
    (SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = '${schema}') AS is_owner,
    (SELECT bool_and(has_function_privilege(p.oid, 'EXECUTE')) FROM pg_proc p
      WHERE p.pronamespace = '${schema}'::regnamespace AND proname IN ('append', 'append_one', 'erase', 'lock_head', 'take_lease'))
      AND has_table_privilege('${schema}.leases', 'UPDATE') AND has_table_privilege('${schema}.nodes', 'INSERT') AS can_append,
    (SELECT bool_and(has_table_privilege('${schema}.' || name, 'SELECT'))
      FROM unnest('{${TABLES.join(',')}}'::text[]) AS name) AS can_read,
    (SELECT bool_or(row_security_active('${schema}.' || name))
      FROM unnest('{${TABLES.join(',')}}'::text[]) AS name) AS hides_rows,
    has_table_privilege('${schema}.events', 'INSERT, UPDATE, DELETE, TRUNCATE') AS can_write,
    current_setting('transaction_read_only') AS read_only`;
}

function schemaFinding(address: PostgresAddress, meta: Meta | undefined): DatabaseFinding {
  const name = 'schema';
  const mend = 'daybook log init --log URL';
  if (meta === undefined) return { name, state: 'broken', detail: `${placeName(address)}: there is no log`, mend };
  try {
    checkVersion(meta);
  } catch (error) {
    return { name, state: 'broken', detail: (error as Error).message, mend };
  }
  return { name, state: 'ok', detail: `${placeName(address)}, version ${meta.version}, log ${meta.log_id}` };
}

function serverFindings({ version, version_text, encoding, encrypted, local }: Facts): DatabaseFinding[] {
  const name = 'server';
  if (version < SERVER_VERSION_MIN) {
    return [
      { name, state: 'broken', detail: `PostgreSQL ${version_text}; the log needs 15 or later`, mend: 'upgrade it' },
    ];
  }
  if (encoding !== 'UTF8') {
    return [{ name, state: 'broken', detail: `encoding ${encoding}; the log needs UTF8`, mend: 'make a new database' }];
  }
  const detail = `PostgreSQL ${version_text}, ${encrypted ? 'encrypted' : 'not encrypted'}`;
  if (encrypted || local) return [{ name, state: 'ok', detail }];
  const risk = `${detail}: others on the network can read and change what is sent`;
  return [{ name, state: 'warning', detail: risk, mend: 'set sslmode=verify-full in DAYBOOK_LOG' }];
}

/** Settings without which an acknowledged append may be lost. */
function durabilityFindings(facts: Facts): DatabaseFinding[] {
  const { synchronous_commit: commit, fsync, full_page_writes: pages, standby_names: names } = facts;
  const findings: DatabaseFinding[] = [];
  const warn = (name: string, detail: string, mend: string) => findings.push({ name, state: 'warning', detail, mend });
  if (commit === 'off') {
    const detail = 'synchronous_commit is off: a crash of the server loses events that were acknowledged';
    warn('synchronous_commit', detail, "ALTER DATABASE … SET synchronous_commit = 'on'");
  }
  if (fsync === 'off') {
    warn('fsync', 'fsync is off: a crash of its machine can destroy the whole database', 'fsync = on');
  }
  if (pages === 'off') {
    const detail = 'full_page_writes is off: a crash of its machine can leave half-written pages';
    warn('full_page_writes', detail, 'full_page_writes = on');
  }
  if (facts.standbys > 0 && (names === '' || commit === 'local')) {
    const detail = `${facts.standbys} standbys, none of them synchronous: a failover loses the newest events`;
    warn('standby', detail, 'set synchronous_standby_names and synchronous_commit = on');
  }
  if (facts.waiting_commits > 0) {
    const detail = `${facts.waiting_commits} commits wait for a synchronous standby that does not answer`;
    warn('standby', detail, 'restart the standby, or change synchronous_standby_names');
  } else if (names !== '' && facts.synchronous_standbys + facts.unknown_standbys === 0) {
    const detail = 'a synchronous standby is named and none is connected: appends wait until it is';
    warn('standby', detail, 'start the standby, or change synchronous_standby_names');
  }
  if (findings.length > 0) return findings;
  const { synchronous_standbys: synchronous, unknown_standbys: unknown } = facts;
  const known = synchronous === 0 ? 'no standby' : `${synchronous} synchronous standbys`;
  const standby =
    unknown === 0 ? known : `${unknown} standbys; only a role with pg_read_all_stats sees how they follow`;
  return [{ name: 'durability', state: 'ok', detail: `synchronous_commit ${commit}, fsync on, ${standby}` }];
}

function rightsFinding(facts: Facts): DatabaseFinding {
  const { is_superuser, is_owner, can_append, can_read, can_write, read_only } = facts;
  const name = 'rights';
  if (read_only === 'on') {
    const detail = 'transactions are read-only: no event can be appended';
    return {
      name,
      state: 'broken',
      detail,
      mend: 'default_transaction_read_only = off, for role, database and server',
    };
  }
  const mend = 'daybook log init --log URL --role NAME, and that role in DAYBOOK_LOG';
  if (!can_append || !can_read) return { name, state: 'broken', detail: 'the role lacks rights on the log', mend };
  if (facts.hides_rows) {
    const detail = 'row-level security keeps the role from rows of the log';
    return { name, state: 'broken', detail, mend: 'ALTER TABLE … DISABLE ROW LEVEL SECURITY' };
  }
  const who = is_superuser ? 'is a superuser' : is_owner ? 'owns the schema' : 'may change the tables';
  if (!is_superuser && !is_owner && !can_write) {
    return { name, state: 'ok', detail: 'the role may append, erase and read, and nothing else' };
  }
  const detail = `the role ${who}: whoever takes this daemon over can rewrite the history`;
  return { name, state: 'warning', detail, mend };
}

function clockFinding(skewMs: number): DatabaseFinding {
  const seconds = (Math.abs(skewMs) / 1000).toFixed(1);
  if (Math.abs(skewMs) <= CLOCK_SKEW_MS_MAX) return { name: 'clock', state: 'ok', detail: `${seconds} s apart` };
  const detail = `the clocks of this machine and of the database are ${seconds} s apart: times of events are wrong`;
  return { name: 'clock', state: 'warning', detail, mend: 'synchronise both with NTP' };
}
