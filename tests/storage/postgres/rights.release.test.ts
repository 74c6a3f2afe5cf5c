/**
 * The database refuses changes of the history by any role, and everything but appends and erasures by a daemon's role.
 */
import { describe, expect, test } from 'vitest';
import { initLog } from '../../../src/storage/postgres/init.ts';
import { MIGRATIONS } from '../../../src/storage/postgres/schema.ts';
import { event, fill, isWhole, to } from '../../../src/testing/event-log-contract/case.ts';
import { type Cluster, withPostgres } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import { openLog, schemaOf } from './helpers.ts';

const REFUSED = '23001';
const NOT_ALLOWED = '42501';

/** A log with five events, and its address for the role of a daemon. */
async function logWithRole(cluster: Cluster): Promise<{ schema: string; url: string; ofRole: string; role: string }> {
  const url = await cluster.newLog();
  const schema = schemaOf(url);
  const role = `daemon_${schema}`;
  await cluster.query(`CREATE ROLE ${role} LOGIN`);
  await initLog({ url, role });
  await fill((await openLog(url)).log, 5);
  return { schema, url, ofRole: url.replace('postgres@', `${role}@`), role };
}

/** The SQLSTATE with which a statement of a role fails. */
async function stateOf(cluster: Cluster, role: string, text: string): Promise<string | undefined> {
  return cluster.query(text, [], role).then(
    () => undefined,
    (error: { code?: string }) => error.code,
  );
}

withPostgres('the rights on a log', (cluster) => {
  test('a daemon with a role of its own appends, erases, follows and verifies', async () => {
    const { ofRole } = await logWithRole(cluster());
    const [{ log }, other] = [await openLog(ofRole), await openLog(ofRole)];
    await fill(log, 20, 100);
    await log.erase([3]);
    await other.log.append([to('a-1', [event(900)])]);
    await isWhole(other.log);
    expect(other.log.at(3)?.erased).toBe(true);
  });

  test('a log whose rows row-level security hides refuses reads, and loses nothing when that ends', async () => {
    const { schema, ofRole } = await logWithRole(cluster());
    const url = `${ofRole}&poll_ms=20&patience_ms=100`;
    const [{ log }, other] = [await openLog(url), await openLog(url)];
    const switchTo = (state: string) => cluster().query(`ALTER TABLE ${schema}.events ${state} ROW LEVEL SECURITY`);
    await switchTo('ENABLE');
    await log.append([to('a-1', [event(900)])]);
    const refusal = () => other.log.failure?.message.includes('row-level security is on');
    await until(refusal, 'the other daemon says why it cannot read');
    await switchTo('DISABLE');
    await until(() => other.log.failure === null);
    expect(other.log.head()).toEqual(log.head());
  });

  describe.each(['postgres', 'daemon'])('as %s', (who) => {
    test.each([
      'UPDATE events SET type = $$Other$$ WHERE position = 2',
      'UPDATE events SET record = (SELECT record FROM events WHERE position = 3) WHERE position = 2',
      'DELETE FROM events WHERE position = 5',
      'TRUNCATE events',
      'DELETE FROM head',
      'TRUNCATE head',
      'TRUNCATE leases',
      "INSERT INTO leases VALUES ('run-1', 'n/1', 1, now()); DELETE FROM leases",
    ])('%s is refused', async (statement) => {
      const { schema, role } = await logWithRole(cluster());
      const text = statement.replaceAll(/\b(events|head|leases)\b/g, `${schema}.$1`);
      const state = await stateOf(cluster(), who === 'daemon' ? role : who, text);
      expect(state).toBe(who === 'daemon' ? NOT_ALLOWED : REFUSED);
      await isWhole((await openLog(cluster().url(schema))).log);
    });
  });

  test.each([
    `INSERT INTO events (position, id, stream, version, type, schema, at, leaf, record)
      SELECT 6, gen_random_uuid(), 'x-1', 1, type, schema, at, leaf, record FROM events WHERE position = 1`,
    'UPDATE head SET position = 4',
    'CREATE TABLE mine (one int)',
    'CREATE FUNCTION sha256(bytea) RETURNS bytea LANGUAGE sql AS $$ SELECT $1 $$',
    'DROP TRIGGER events_update ON events',
    'SET session_replication_role = replica',
    'SELECT events_of_others FROM pg_authid',
  ])('the role of a daemon cannot: %s', async (statement) => {
    const { schema, role } = await logWithRole(cluster());
    const text = `SET search_path = ${schema}, public; ${statement}`;
    expect(['42501', '42703']).toContain(await stateOf(cluster(), role, text));
  });

  test.each([
    ['a record that is not that of its leaf', { record: 'decode($$00$$, $$hex$$) || record' }],
    ['a position that the record does not name', { position: '7' }],
    ['a stream that the record does not name', { stream: '$$other-1$$' }],
    ['a version that the record does not name', { version: '9' }],
  ])('not even the owner inserts %s', async (_, change) => {
    const { schema } = await logWithRole(cluster());
    const columns = ['position', 'id', 'stream', 'version', 'type', 'schema', 'at', 'leaf', 'record'];
    const values = columns.map((column) => (change as Record<string, string>)[column] ?? column);
    const text = `WITH gone AS (SELECT * FROM ${schema}.events WHERE position = 5)
      INSERT INTO ${schema}.events (${columns.join()}) SELECT ${values.join()} FROM gone`;
    expect(await stateOf(cluster(), 'postgres', text)).toBe('23514');
  });

  test('erase refuses a tombstone that no record of an erasure names', async () => {
    const { schema, role } = await logWithRole(cluster());
    const text = `SELECT ${schema}.erase(0, '{2}', '{1}', '{40}', decode(repeat('02', 40), 'hex'))`;
    expect(await stateOf(cluster(), role, text)).toBe(REFUSED);
  });

  test('PUBLIC may not execute the functions of the schema, which resolve names in the schema only', async () => {
    const { schema } = await logWithRole(cluster());
    const rows = await cluster().query<{ name: string; config: string[] | null; public: boolean; definer: boolean }>(
      `SELECT proname AS name, proconfig AS config, prosecdef AS definer,
        has_function_privilege('public', p.oid, 'EXECUTE') AS public
        FROM pg_proc p WHERE pronamespace = $1::regnamespace`,
      [schema],
    );
    expect(rows.filter((row) => row.public)).toEqual([]);
    const definers = rows.filter(({ definer }) => definer);
    expect(definers.map(({ name }) => name).sort()).toEqual([
      'append',
      'append_one',
      'erase',
      'lock_head',
      'take_lease',
    ]);
    for (const { config } of definers) expect(config).toEqual([`search_path=${schema}, pg_temp`]);
  });

  test('log init of a later version leaves a daemon its rights, and the events their checks', async () => {
    const [schema, role] = ['log_of_version_3', 'daemon_of_version_3'];
    const url = cluster().url(schema);
    const before = MIGRATIONS.slice(0, 3).map((migration) => migration(schema));
    await cluster().query(`CREATE SCHEMA ${schema}; SET search_path = ${schema}; ${before.join('\n')}
      INSERT INTO meta (version) VALUES (3);
      CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA ${schema} TO ${role};
      GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${role};
      GRANT EXECUTE ON FUNCTION append, erase, lock_head TO ${role}`);
    await expect(openLog(url)).rejects.toMatchObject({ code: 'STORAGE_CONFIG' });
    expect(await initLog({ url, role: null })).toMatchObject({ from: 3, to: MIGRATIONS.length });
    const { log } = await openLog(url.replace('postgres@', `${role}@`));
    await log.append([to('a-1', [event(1)])]);
    await log.append([to('a-1', [event(2), event(3)])]);
    await log.erase([1]);
    await isWhole(log);
    const change = `INSERT INTO ${schema}.events SELECT 5, gen_random_uuid(), stream, 9, type, schema, at, leaf, record
      FROM ${schema}.events WHERE position = 2`;
    expect(await stateOf(cluster(), 'postgres', change)).toBe('23514');
  });

  describe('fences', () => {
    const lease = (name: string, epoch: number) => ({ name, holder: 'n/1', epoch });

    test('an append under a lease is accepted; one under a lost lease is refused, but not its neighbours', async () => {
      const { schema, ofRole } = await logWithRole(cluster());
      await cluster().query(
        `INSERT INTO ${schema}.leases VALUES ('run-1', 'n/1', 3, now()), ('run-2', 'n/1', 1, now())`,
      );
      const { log } = await openLog(ofRole);
      const under = (number: number, epoch: number) =>
        log.append([to('a-1', [event(number)])], { fences: [lease('run-1', epoch), lease('run-2', 1)] });
      expect((await under(50, 3)).kind).toBe('appended');
      const [fresh, stale, unknown, free] = await Promise.allSettled([
        under(51, 3),
        under(52, 2),
        log.append([to('a-1', [event(53)])], { fences: [lease('run-9', 1)] }),
        log.append([to('a-1', [event(54)])]),
      ]);
      expect([fresh, free].map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
      for (const refused of [stale, unknown]) {
        expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'STORAGE_FENCED' } });
      }
      await cluster().query(`UPDATE ${schema}.leases SET holder = 'm/1', epoch = 4 WHERE name = 'run-1'`);
      await expect(under(55, 3)).rejects.toMatchObject({ code: 'STORAGE_FENCED' });
      expect([...log.readStream('a-1')]).toHaveLength(3);
    });

    test('an epoch never falls, and a lease does not change its holder without a new one', async () => {
      const { schema, role } = await logWithRole(cluster());
      await cluster().query(`INSERT INTO ${schema}.leases VALUES ('run-1', 'n/1', 3, now())`);
      for (const change of ['epoch = 2', "holder = 'm/1'", "name = 'run-2'"]) {
        expect(await stateOf(cluster(), role, `UPDATE ${schema}.leases SET ${change}`)).toBe(REFUSED);
      }
      expect(await stateOf(cluster(), role, `DELETE FROM ${schema}.leases`)).toBe(NOT_ALLOWED);
    });
  });
});
