/** Logins with a password and by TLS, with the `sslmode` of libpq; a database with several hosts. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { storageErrorOf } from '../../../src/storage/postgres/failures.ts';
import { connect } from '../../../src/storage/postgres/hosts.ts';
import { parseAddress } from '../../../src/storage/postgres/url.ts';
import { memoryFolder } from '../../support/folders.ts';
import { type Cluster, POSTGRES_PROGRAMS, startCluster } from '../../support/postgres.ts';

describe.skipIf(POSTGRES_PROGRAMS === null)('the login to a database (needs PostgreSQL)', () => {
  let cluster: Cluster;
  let authority: string;
  let passfile: string;

  beforeAll(async () => {
    const folder = memoryFolder('tls');
    authority = join(folder, 'ca.crt');
    certificates(folder);
    cluster = await startCluster();
    const { uid, gid } = statSync(cluster.folder);
    for (const name of ['server.crt', 'server.key']) {
      const path = join(cluster.folder, name);
      writeFileSync(path, readFileSync(join(folder, name)));
      chmodSync(path, 0o600);
      chownSync(path, uid, gid);
    }
    await cluster.query("CREATE ROLE secret LOGIN PASSWORD 'pass:word'");
    const rules =
      'hostnossl all secret all reject\nhostssl all secret all scram-sha-256\nhost all postgres all trust\n';
    writeFileSync(join(cluster.folder, 'data/pg_hba.conf'), rules);
    await cluster.query(`ALTER SYSTEM SET ssl_cert_file = '${join(cluster.folder, 'server.crt')}'`);
    await cluster.query(`ALTER SYSTEM SET ssl_key_file = '${join(cluster.folder, 'server.key')}'`);
    await cluster.query('ALTER SYSTEM SET ssl = on');
    await cluster.query('SELECT pg_reload_conf()');
    await cluster.stop('SIGINT');
    await cluster.start();
    passfile = join(folder, 'pgpass');
    writeFileSync(passfile, `*:*:*:secret:pass\\:word\n`);
  }, 60_000);
  afterAll(() => cluster.remove(), 60_000);

  /** Whether the connection is encrypted, or the code of its failure. */
  const login = async (host: string, settings: string, user = 'secret'): Promise<boolean | string> => {
    const address = parseAddress(
      `postgres://${user}@${host}:${cluster.port}/postgres?passfile=${passfile}&${settings}`,
      {},
    );
    try {
      const client = await connect(address);
      const { rows } = await client.query<{ ssl: boolean }>('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
      await client.end();
      return rows[0]!.ssl;
    } catch (error) {
      return storageErrorOf(error).code;
    }
  };

  test.each([
    ['localhost', 'sslmode=disable', 'STORAGE_UNAVAILABLE'],
    ['localhost', 'sslmode=allow', true],
    ['localhost', 'sslmode=prefer', true],
    ['localhost', 'sslmode=require', true],
    ['localhost', 'sslmode=verify-ca', 'STORAGE_UNAVAILABLE'],
    ['localhost', 'sslmode=verify-ca&CA', true],
    ['127.0.0.1', 'sslmode=verify-ca&CA', true],
    ['localhost', 'sslmode=verify-full&CA', true],
    ['127.0.0.1', 'sslmode=verify-full&CA', 'STORAGE_UNAVAILABLE'],
    ['localhost', 'sslmode=require&OTHER', 'STORAGE_UNAVAILABLE'],
  ])('%s with %s', async (host, settings, expected) => {
    const other = join(cluster.folder, 'server.crt');
    const given = settings.replace('OTHER', `sslrootcert=${other}`).replace('CA', `sslrootcert=${authority}`);
    expect(await login(host, given)).toBe(expected);
  });

  test.each([
    ['localhost', 'sslmode=verify-full', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['127.0.0.1', 'sslmode=verify-full&sslrootcert=CA', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['localhost', 'sslmode=require&passfile=/dev/null', 'the server asks for a password'],
    ['localhost', 'sslmode=prefer&passfile=/dev/null', 'the server asks for a password'],
    ['localhost', 'sslmode=require&sslrootcert=/nowhere/ca.crt', 'The file of sslrootcert cannot be read (ENOENT).'],
    ['localhost', 'sslmode=require&sslkey=/nowhere/key', 'The file of sslkey cannot be read (ENOENT).'],
  ])('%s with %s fails with a sentence that names the reason: %s', async (host, settings, reason) => {
    const given = `passfile=${passfile}&${settings.replace('CA', authority)}`;
    const address = parseAddress(`postgres://secret@${host}:${cluster.port}/postgres?${given}`, {});
    const failure = await connect(address).catch(storageErrorOf);
    expect(failure).toMatchObject({ message: expect.stringContaining(reason) });
  });

  test('a server without TLS is taken by prefer and allow, not by require', async () => {
    const plain = await startCluster({ ssl: 'off' });
    onTestFinished(() => plain.remove());
    const of = (mode: string) => connect(parseAddress(`${plain.url('x')}&sslmode=${mode}`, {}));
    for (const mode of ['disable', 'allow', 'prefer']) await (await of(mode)).end();
    await expect(of('require')).rejects.toSatisfy((error) =>
      storageErrorOf(error).message.includes('the server has no TLS'),
    );
  });

  test('a wrong password, and none, are refused', async () => {
    writeFileSync(passfile, '*:*:*:secret:wrong\n');
    expect(await login('localhost', 'sslmode=require')).toBe('STORAGE_UNAVAILABLE');
    writeFileSync(passfile, '');
    expect(await login('localhost', 'sslmode=require')).toBe('STORAGE_UNAVAILABLE');
    writeFileSync(passfile, '*:*:*:secret:pass\\:word\n');
    expect(await login('localhost', 'sslmode=require')).toBe(true);
  });

  test('a connection has the limits of its address, also where the role has others', async () => {
    await cluster.query("ALTER ROLE secret SET statement_timeout = '1min'");
    const limits = 'statement_timeout_ms=7000&lock_timeout_ms=3000';
    const client = await connect(
      parseAddress(`postgres://secret@localhost:${cluster.port}/postgres?passfile=${passfile}&${limits}`, {}),
    );
    const { rows } = await client.query(
      `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
        current_setting('idle_in_transaction_session_timeout') AS idle`,
    );
    expect(rows).toEqual([{ statement: '7s', lock: '3s', idle: '5s' }]);
    await client.end();
  });

  test('of several hosts the first that answers is taken', async () => {
    const url = `postgres://postgres@127.0.0.1:1,127.0.0.1:${cluster.port}/postgres?sslmode=disable`;
    const client = await connect(parseAddress(url, {}));
    await client.end();
  });
});

/** An authority and a certificate of `localhost` that it signed, in a folder. */
function certificates(folder: string): void {
  const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: 'ignore' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.crt', '-days', '2', '-subj', '/CN=Test authority');
  openssl('req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=localhost');
  writeFileSync(join(folder, 'names'), 'subjectAltName=DNS:localhost\n');
  const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'server.csr', ...signed, '-out', 'server.crt');
}
