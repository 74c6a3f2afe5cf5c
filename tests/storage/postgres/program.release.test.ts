/** The program with a log on PostgreSQL: init, verify, migrate, and a database that does not answer. */
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openStorage } from '../../../src/storage/open.ts';
import { openPostgresStorage } from '../../../src/storage/postgres/open.ts';
import { MIGRATIONS } from '../../../src/storage/postgres/schema.ts';
import { fill } from '../../../src/testing/event-log-contract/case.ts';
import { daemonHere, testDaemon } from '../../support/daemon.ts';
import { memoryFolder, temporaryFolder } from '../../support/folders.ts';
import { listening } from '../../support/ports.ts';
import { withPostgres } from '../../support/postgres.ts';
import { runProgramHere } from '../../support/program.ts';
import { openLog, schemaOf } from './helpers.ts';

withPostgres('the program', (cluster) => {
  const run = (words: readonly string[], env: NodeJS.ProcessEnv = {}) => runProgramHere(words, { env });

  describe('daybook log init', () => {
    test('makes the schema, says so, and does nothing the second time', async () => {
      const url = cluster().url('made_by_init');
      const first = await run(['log', 'init', '--log', url]);
      expect(first).toMatchObject({ code: 0, stderr: '' });
      expect(first.stdout).toMatch(
        /^The schema made_by_init was made; it has version \d+ and holds the log [0-9a-f-]{36}\.\n$/,
      );
      const second = JSON.parse((await run(['log', 'init', '--log', url, '--json'])).stdout);
      expect(second.from).toBe(second.to);
      expect(first.stdout).toContain(second.log_id);
    });

    test('brings an older schema up to date and keeps its log', async () => {
      const schema = 'made_earlier';
      const url = cluster().url(schema);
      await cluster().query(`CREATE SCHEMA ${schema}; SET search_path = ${schema}; ${MIGRATIONS[0]!(schema)};
        INSERT INTO meta (version) VALUES (1)`);
      const [meta] = await cluster().query<{ log_id: string }>(`SELECT log_id FROM ${schema}.meta`);
      await expect(openLog(url)).rejects.toMatchObject({ code: 'STORAGE_CONFIG' });
      const { stdout } = await run(['log', 'init', '--log', url]);
      expect(stdout).toContain('was migrated from version 1');
      expect(stdout).toContain(meta!.log_id);
      await fill((await openLog(url)).log, 3);
    });

    test('refuses a schema with tables or functions of others, whose rights stay as they are', async () => {
      await cluster().query(
        'CREATE SCHEMA shared; CREATE FUNCTION shared.util() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
      );
      const ended = await run(['log', 'init', '--log', cluster().url('shared')]);
      const sentence = 'The schema shared holds other tables or functions; give the log a schema of its own.';
      expect(ended).toMatchObject({ code: 2, stdout: '', stderr: `daybook: ${sentence}\n` });
      await cluster().query('CREATE ROLE passer_by LOGIN; GRANT USAGE ON SCHEMA shared TO passer_by');
      expect(await cluster().query('SELECT shared.util()', [], 'passer_by')).toEqual([{ util: 1 }]);
    });

    test('gives the role no rights on tables that others made in the schema since', async () => {
      const url = await cluster().newLog();
      await cluster().query(`CREATE TABLE ${schemaOf(url)}.salaries (one int); CREATE ROLE curious LOGIN`);
      expect(await run(['log', 'init', '--log', url, '--role', 'curious'])).toMatchObject({ code: 0 });
      const read = cluster().query(`SELECT * FROM ${schemaOf(url)}.salaries`, [], 'curious');
      await expect(read).rejects.toMatchObject({ code: '42501' });
      const env = { DAYBOOK_LOG: url.replace('postgres@', 'curious@'), DAYBOOK_HOME: memoryFolder('home') };
      const { stdout } = await run(['doctor'], env);
      expect(stdout).toContain('the role may append, erase and read, and nothing else');
    });

    test('needs no right to create a schema where an empty one is there, and says which right is missing', async () => {
      await cluster().query('CREATE ROLE tenant LOGIN; CREATE SCHEMA of_tenant AUTHORIZATION tenant');
      const url = (schema: string) => cluster().url(schema).replace('postgres@', 'tenant@');
      expect(await run(['log', 'init', '--log', url('of_tenant')])).toMatchObject({ code: 0, stderr: '' });
      const refused = await run(['log', 'init', '--log', url('not_there')]);
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('may not make or change the schema') });
    });

    test('refuses a role that does not exist, an address of something else, and prints no password', async () => {
      const url = cluster().url('never_made').replace('postgres@', 'postgres:geheim@');
      const ended = await run(['log', 'init', '--log', url, '--role', 'nobody_here']);
      expect(ended.code).not.toBe(0);
      expect(ended.stdout + ended.stderr).not.toContain('geheim');
      expect((await run(['log', 'init', '--log', 'mysql://x/y'])).code).toBe(2);
      expect(await cluster().query("SELECT 1 FROM pg_namespace WHERE nspname = 'never_made'")).toEqual([]);
    });
  });

  test('daybook log verify --log recomputes the records of the database, and names what is wrong', async () => {
    const url = await cluster().newLog();
    const { log } = await openLog(url);
    await fill(log, 40);
    const well = JSON.parse((await run(['log', 'verify', '--log', url, '--json'])).stdout);
    expect(well).toMatchObject({ ok: true, source: 'database', position: 40, tree_hash: log.head().treeHash });
    await cluster().query(`ALTER TABLE ${schemaOf(url)}.events DISABLE TRIGGER ALL;
      ALTER TABLE ${schemaOf(url)}.events DROP CONSTRAINT record_fits;
      UPDATE ${schemaOf(url)}.events SET record = overlay(record PLACING 'x' FROM 30) WHERE position = 7`);
    const ill = await run(['log', 'verify', '--log', url, '--json']);
    expect(ill.code).toBe(1);
    expect(JSON.parse(ill.stdout).problems[0]).toMatchObject({ position: 7 });
  });

  test('says in one sentence that a database does not answer, or is not there, without its password', async () => {
    // It takes connections and never answers.
    const silent = createServer(() => {});
    const port = await listening(silent);
    onTestFinished(() => void silent.close());
    for (const [at, reason] of [
      [`127.0.0.1:${port}`, 'no answer in time'],
      ['127.0.0.1:1', 'ECONNREFUSED'],
    ]) {
      const url = `postgres://u:geheim@${at}/db?connect_timeout_ms=200`;
      const env = { DAYBOOK_LOG: url, DAYBOOK_HOME: memoryFolder('home') };
      const sentence = `daybook: The database of the log is out of reach (${reason}).\n`;
      for (const words of [
        ['log', 'verify', '--log', url],
        ['log', 'init', '--log', url],
      ]) {
        expect(await run(words, env)).toMatchObject({ code: 1, stdout: '', stderr: sentence });
      }
      const doctor = await run(['doctor', '--json'], env);
      expect(doctor).toMatchObject({ code: 1, stderr: '' });
      expect(doctor.stdout).not.toContain('geheim');
      const { findings } = JSON.parse(doctor.stdout) as { findings: { name: string }[] };
      expect(findings.find(({ name }) => name === 'database connection')).toMatchObject({
        detail: `${at}/db, schema daybook: The database of the log is out of reach (${reason}).`,
        mend: 'start the server, or correct DAYBOOK_LOG',
      });
    }
  });

  test('daybook storage migrate moves a home into a database and back', async () => {
    const home = temporaryFolder('home');
    const storage = await openStorage({ directory: join(home, 'data') });
    await fill(storage.log, 30);
    const { treeHash } = storage.log.head();
    await storage.close();
    const url = await cluster().newLog();
    const moved = await run(['storage', 'migrate', '--to', url, '--home', home, '--json']);
    expect(JSON.parse(moved.stdout)).toMatchObject({ position: 30, tree_hash: treeHash });

    await expect(testDaemon({ home })).rejects.toThrow('Set DAYBOOK_LOG');
    const daemon = await testDaemon({ home, env: { DAYBOOK_LOG: url } });
    expect(daemon.log.treeHash(30)).toBe(treeHash);
    const added = await daemon.request('/memory/add', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ content: 'kept' }),
    });
    expect(added.status).toBe(201);
    const head = daemon.log.head();
    await daemon.stop();
    const refused = await runProgramHere(['storage', 'append', '--home', home], {
      env: {},
      input: '{"stream":"a-1","type":"T","data":{}}\n',
    });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('copy of a log in a database')]);
    expect(JSON.parse((await run(['log', 'verify', '--home', home, '--json'])).stdout)).toMatchObject({ ok: true });

    const words = ['storage', 'migrate', '--to', 'cow', '--log', url, '--home', home, '--json'];
    const another = await openLog(url);
    expect(await run(words)).toMatchObject({ code: 2, stderr: expect.stringContaining('Daemons are connected') });
    expect([existsSync(join(home, 'copy')), another.log.head().position]).toEqual([true, head.position]);
    await another.close();
    const back = await run(words);
    expect(JSON.parse(back.stdout)).toMatchObject({ backend: 'cow' });
    expect(existsSync(join(home, 'copy'))).toBe(false);
    const own = await daemonHere({ home });
    expect(own.log.treeHash(head.position)).toBe(head.treeHash);
  });

  test('daybook storage migrate keeps a copy whose events the database has lost, and changes nothing', async () => {
    const [url, home] = [await cluster().newLog(), temporaryFolder('home')];
    const { log, close } = await openPostgresStorage({ url, directory: join(home, 'copy') });
    await fill(log, 9);
    await close();
    const lost = await cluster().newLog();
    await cluster().query(`UPDATE ${schemaOf(lost)}.meta SET log_id = (SELECT log_id FROM ${schemaOf(url)}.meta)`);
    const words = ['storage', 'migrate', '--to', 'cow', '--log', lost, '--home', home];
    const refused = await run(words);
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('events 1 to 9 were lost') });
    expect([existsSync(join(home, 'copy')), existsSync(join(home, 'data'))]).toEqual([true, false]);
    expect((await run([...words, '--log', url])).code).toBe(0);
  });
});
