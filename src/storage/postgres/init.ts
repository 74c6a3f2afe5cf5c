/** Creates and migrates the database schema of a log, and grants the rights of a daemon to a role. */
import { StorageError } from '../errors.ts';
import { isServerError, storageErrorOf } from './failures.ts';
import { connect } from './hosts.ts';
import { grants, MIGRATIONS, SCHEMA_VERSION } from './schema.ts';
import { parseAddress } from './url.ts';

export interface InitOptions {
  /** The address of the log, with a user that may create the schema. */
  readonly url: string;
  /** The role of the daemons, which must exist; null when they use the owner's. */
  readonly role: string | null;
}

export interface InitReport {
  readonly schema: string;
  readonly log_id: string;
  /** Version of the schema before, 0 when there was none. */
  readonly from: number;
  readonly to: number;
  readonly role: string | null;
}

/** The schema needs PostgreSQL 15. */
export const SERVER_VERSION_MIN = 150_000;

/** Idempotent. Rejects with a `StorageError`, and then changes nothing. */
export async function initLog({ url, role }: InitOptions): Promise<InitReport> {
  const address = parseAddress(url);
  const { schema } = address;
  const client = await connect(address).catch((error: unknown) => {
    throw storageErrorOf(error);
  });
  try {
    await checkServer(client);
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`daybook:${schema}`]);
    const from = await versionOf(client, schema);
    if (from > SCHEMA_VERSION) {
      throw new StorageError('STORAGE_CONFIG', `The schema has version ${from}; this program knows ${SCHEMA_VERSION}.`);
    }
    if (from === 0) await makeSchema(client, schema);
    await client.query(`SET LOCAL search_path = ${schema}`);
    for (const migration of MIGRATIONS.slice(from)) await client.query(migration(schema));
    if (from === 0) await client.query('INSERT INTO meta (version) VALUES ($1)', [SCHEMA_VERSION]);
    else if (from < SCHEMA_VERSION) await client.query('UPDATE meta SET version = $1', [SCHEMA_VERSION]);
    if (role !== null) await client.query(grants(schema, client.escapeIdentifier(role)));
    const { rows } = await client.query<{ log_id: string }>('SELECT log_id FROM meta');
    await client.query('COMMIT');
    return { schema, log_id: rows[0]!.log_id, from, to: SCHEMA_VERSION, role };
  } catch (error) {
    throw isServerError(error) && error.code === '42501' ? lacksRight(error) : storageErrorOf(error);
  } finally {
    await client.end().catch(() => {});
  }
}

type Client = Awaited<ReturnType<typeof connect>>;

async function checkServer(client: Client): Promise<void> {
  const query =
    "SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding";
  const { rows } = await client.query<{ version: number; encoding: string }>(query);
  const { version, encoding } = rows[0]!;
  if (version < SERVER_VERSION_MIN) {
    throw new StorageError(
      'STORAGE_CONFIG',
      `The server has version ${version}; the log needs PostgreSQL 15 or later.`,
    );
  }
  if (encoding !== 'UTF8') {
    throw new StorageError('STORAGE_CONFIG', `The database has the encoding ${encoding}; the log needs UTF8.`);
  }
}

/** An empty schema that is there already is used: its owner need not have the right to create one. */
async function makeSchema(client: Client, schema: string): Promise<void> {
  const of = (table: string, column: string) => `EXISTS (SELECT FROM ${table} WHERE ${column} = to_regnamespace($1))`;
  const query = `SELECT to_regnamespace($1) IS NOT NULL AS there,
    ${of('pg_class', 'relnamespace')} OR ${of('pg_proc', 'pronamespace')} AS used`;
  const { rows } = await client.query<{ there: boolean; used: boolean }>(query, [schema]);
  const { there, used } = rows[0]!;
  if (used) {
    // The first migration revokes rights on everything in the schema.
    const what = `The schema ${schema} holds other tables or functions; give the log a schema of its own.`;
    throw new StorageError('STORAGE_CONFIG', what);
  }
  if (!there) await client.query(`CREATE SCHEMA ${schema}`);
}

function lacksRight(cause: unknown): StorageError {
  const what = 'The user of the address may not make or change the schema; `daybook log init` needs one that may.';
  return new StorageError('STORAGE_CONFIG', what, { cause });
}

/** Version of the schema, 0 when it has no log. */
async function versionOf(client: Client, schema: string): Promise<number> {
  const { rows } = await client.query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [
    `${schema}.meta`,
  ]);
  if (rows[0]?.there !== true) return 0;
  const found = await client.query<{ version: number }>(`SELECT version FROM ${schema}.meta`);
  return found.rows[0]?.version ?? 0;
}
