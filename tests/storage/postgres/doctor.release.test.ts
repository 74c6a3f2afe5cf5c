/** The findings of `daybook doctor` about badly configured servers: each line names the risk. */
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { initLog } from '../../../src/storage/postgres/init.ts';
import { memoryFolder } from '../../support/folders.ts';
import { type Cluster, startStandby, withPostgres } from '../../support/postgres.ts';
import { runProgramHere } from '../../support/program.ts';
import { until } from '../../support/until.ts';
import { event, fill, to } from '../log-helpers.ts';
import { openLog, rollBackTo, schemaOf } from './helpers.ts';

interface Finding {
  readonly name: string;
  readonly state: string;
  readonly detail: string;
}

async function allFindings(url: string, home: string): Promise<readonly Finding[]> {
  const env = { DAYBOOK_LOG: url, DAYBOOK_HOME: home };
  const { stdout } = await runProgramHere(['doctor', '--json'], { env });
  return (JSON.parse(stdout) as { findings: Finding[] }).findings;
}

/** The findings about the database, by name. */
async function findings(url: string): Promise<Readonly<Record<string, Finding>>> {
  const all = await allFindings(url, memoryFolder('home'));
  return Object.fromEntries(
    all.filter(({ name }) => name.startsWith('database ')).map((each) => [each.name.slice('database '.length), each]),
  );
}

/** A log with a role that has the rights of a daemon; a statement of the owner changes the role. */
async function logOfRole(cluster: Cluster, name: string): Promise<{ url: string; schema: string }> {
  const url = await cluster.newLog();
  await cluster.query(`CREATE ROLE ${name} LOGIN`);
  await initLog({ url, role: name });
  return { url: url.replace('postgres@', `${name}@`), schema: schemaOf(url) };
}

withPostgres('daybook doctor', (cluster) => {
  /** Settings of the whole server, for the time of `work`. */
  async function configured<Result>(settings: Readonly<Record<string, string>>, work: () => Promise<Result>) {
    const reload = () => cluster().query('SELECT pg_reload_conf(), pg_sleep(0.2)');
    for (const [name, value] of Object.entries(settings)) {
      await cluster().query(`ALTER SYSTEM SET ${name} = '${value}'`);
    }
    await reload();
    try {
      return await work();
    } finally {
      for (const name of Object.keys(settings)) await cluster().query(`ALTER SYSTEM RESET ${name}`);
      await reload();
    }
  }

  test.each([
    ['full_page_writes', { full_page_writes: 'off' }, 'a crash of its machine can leave half-written pages'],
    ['fsync', {}, 'a crash of its machine can destroy the whole database'],
    ['synchronous_commit', { synchronous_commit: 'off' }, 'a crash of the server loses events that were acknowledged'],
    ['standby', { synchronous_standby_names: 'away' }, 'a synchronous standby is named and none is connected'],
  ])('%s: says what is at risk', async (name, settings, risk) => {
    const { url } = await logOfRole(cluster(), `of_${name}`);
    const found = await configured(settings, () => findings(url));
    expect(found[name]).toMatchObject({ state: 'warning', detail: expect.stringContaining(risk) });
  });

  test.each([
    ['append', 'REVOKE EXECUTE ON FUNCTION $.append FROM @'],
    ['leases', 'REVOKE EXECUTE ON FUNCTION $.take_lease FROM @'],
    ['tables', 'REVOKE SELECT ON $.events FROM @'],
    ['nodes', 'REVOKE INSERT ON $.nodes FROM @'],
  ])('a role that lacks the right to %s is broken', async (what, statement) => {
    const role = `lacks_${what}`;
    const { url, schema } = await logOfRole(cluster(), role);
    await cluster().query(statement.replace('$', schema).replace('@', role));
    expect((await findings(url)).rights).toMatchObject({ state: 'broken', detail: expect.stringContaining('lacks') });
  });

  test('a database that is configured well, one without the schema, and one that cannot be reached', async () => {
    const { url } = await logOfRole(cluster(), 'well');
    expect(await findings(url)).toMatchObject({
      schema: { state: 'ok', detail: expect.stringMatching(/127\.0\.0\.1:\d+\/postgres/) },
      clock: { state: 'ok' },
      rights: { state: 'ok' },
    });
    await cluster().query('CREATE ROLE stranger LOGIN');
    expect(await findings(url.replace('well@', 'stranger@'))).toMatchObject({
      connection: { state: 'broken', detail: expect.stringContaining('lacks a right') },
    });
    expect(await findings(cluster().url('absent'))).toMatchObject({ schema: { state: 'broken' } });
    expect(await findings('postgres://u:geheim@127.0.0.1:1/db')).toMatchObject({
      connection: { state: 'broken', detail: expect.stringMatching(/^(?!.*geheim)/) },
    });
  });

  test('a database that lost events of the copy here, or has others for them, is broken', async () => {
    const url = await cluster().newLog();
    const home = memoryFolder('home');
    const storageFinding = async () => (await allFindings(url, home)).find(({ name }) => name === 'storage');
    const { log, close } = await openLog(url, { directory: join(home, 'copy') });
    await fill(log, 9);
    const tree = Buffer.from(log.treeHash(6), 'hex');
    await close();
    expect(await storageFinding()).toMatchObject({ state: 'ok' });
    const schema = schemaOf(url);
    await rollBackTo(6, { cluster: cluster(), schema });
    const lost = 'the database ends at 6, the copy of it here at 9';
    expect(await storageFinding()).toMatchObject({ state: 'broken', detail: lost });
    await cluster().query(`UPDATE ${schema}.head SET tree = $1`, [tree]);
    const other = await openLog(url);
    for (const number of [17, 18, 19]) await other.log.append([to('b-1', [event(number)])]);
    const rewritten = 'position 9 holds another event in the database than in the copy of it here';
    expect(await storageFinding()).toMatchObject({ state: 'broken', detail: rewritten });
  });

  test('a role whose transactions are read-only is broken', async () => {
    const { url } = await logOfRole(cluster(), 'only_reads');
    await cluster().query('ALTER ROLE only_reads SET default_transaction_read_only = on');
    expect((await findings(url)).rights).toMatchObject({
      state: 'broken',
      detail: expect.stringContaining('no event can be appended'),
    });
  });

  test('a role that row-level security keeps from rows is broken', async () => {
    const { url, schema } = await logOfRole(cluster(), 'row_security');
    await cluster().query(`ALTER TABLE ${schema}.events ENABLE ROW LEVEL SECURITY`);
    expect((await findings(url)).rights).toMatchObject({
      state: 'broken',
      detail: expect.stringContaining('row-level security'),
    });
  });

  test.each([
    ['a superuser', 'ALTER ROLE @ SUPERUSER', 'is a superuser'],
    ['an owner', 'ALTER SCHEMA $ OWNER TO @', 'owns the schema'],
    ['a writer of the tables', 'GRANT DELETE ON $.events TO @', 'may change the tables'],
  ])('%s can rewrite the history', async (who, statement, detail) => {
    const role = who.replaceAll(' ', '_');
    const { url, schema } = await logOfRole(cluster(), role);
    expect((await findings(url)).rights).toMatchObject({ state: 'ok' });
    await cluster().query(statement.replace('$', schema).replace('@', role));
    const { rights } = await findings(url);
    expect(rights).toMatchObject({ state: 'warning', detail: expect.stringContaining(detail) });
    expect(rights!.detail).toContain('can rewrite the history');
  });

  test('a role of a daemon sees that a standby is there, and that commits wait for one', async () => {
    const { url, schema } = await logOfRole(cluster(), 'of_standbys');
    const standby = await startStandby(cluster(), 'second');
    onTestFinished(() => standby.remove());
    const replicating = "SELECT FROM pg_stat_replication WHERE state = 'streaming'";
    await until(async () => (await cluster().query(replicating)).length > 0, 'the standby is there');
    const followed = await configured({ synchronous_standby_names: 'second' }, () => findings(url));
    expect(followed.standby).toBeUndefined();
    const commit = await configured({ synchronous_standby_names: 'another' }, async () => {
      const waiting = cluster().query(`INSERT INTO ${schema}.facts VALUES ('a', 'b')`, [], 'of_standbys');
      await until(async () => (await findings(url)).standby?.detail.includes('1 commits wait'), 'the commit waits');
      return { waiting };
    });
    await commit.waiting;
  });

  test('a pooler that gives the same connection to several clients is broken', async () => {
    // A function of this name goes before that of the system.
    await cluster().query(`CREATE SCHEMA shared;
      GRANT USAGE ON SCHEMA shared TO PUBLIC;
      CREATE FUNCTION shared.pg_backend_pid() RETURNS integer LANGUAGE sql AS 'SELECT 7'`);
    const { url } = await logOfRole(cluster(), 'pooled');
    expect((await findings(url)).pooler).toBeUndefined();
    await cluster().query('ALTER ROLE pooled SET search_path = shared, pg_catalog');
    expect((await findings(url)).pooler).toMatchObject({
      state: 'broken',
      detail: expect.stringContaining('needs its session mode'),
    });
  });

  test('a server that is too old, and one whose clock is wrong', async () => {
    // Only one version of the server is installed: functions of these names go before those of the system.
    await cluster().query(`CREATE SCHEMA other;
      GRANT USAGE ON SCHEMA other TO PUBLIC;
      CREATE FUNCTION other.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
        $$ SELECT pg_catalog.clock_timestamp() + interval '1 minute' $$`);
    const wrong = await logOfRole(cluster(), 'wrong_clock');
    await cluster().query('ALTER ROLE wrong_clock SET search_path = other, pg_catalog');
    expect((await findings(wrong.url)).clock).toMatchObject({
      state: 'warning',
      detail: expect.stringMatching(/^the clocks of this machine and of the database are (59\.\d|60\.\d) s apart/),
    });
    await cluster().query(`CREATE FUNCTION other.current_setting(name text) RETURNS text LANGUAGE sql AS $$
      SELECT CASE name WHEN 'server_version_num' THEN '140011' WHEN 'server_version' THEN '14.11'
        ELSE pg_catalog.current_setting(name) END $$`);
    const old = await logOfRole(cluster(), 'old_server');
    await cluster().query('ALTER ROLE old_server SET search_path = other, pg_catalog');
    expect((await findings(old.url)).server).toMatchObject({
      state: 'broken',
      detail: 'PostgreSQL 14.11; the log needs 15 or later',
    });
  });
});
