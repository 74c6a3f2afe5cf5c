/** `log verify --views` and `storage verify --views`: the read models against a fresh fold of the log. */
import { once } from 'node:events';
import { readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { directorySource } from '../../src/cli/log/source.ts';
import { compareViews, type ViewsResult } from '../../src/cli/log/verify-views.ts';
import { openViews } from '../../src/projections/views.ts';
import { eventTable, resources } from '../../src/resources.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { createCommandHandler } from '../../src/streams/command-handler.ts';
import { createCommittedEvents } from '../../src/streams/committed-events.ts';
import { Projector } from '../../src/streams/projector.ts';
import { moves } from '../../src/testing/moves.ts';
import { testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { play } from '../support/play.ts';
import { steadySystem } from '../support/steady-system.ts';
import { cliHere, startCli } from './support.ts';

const program = { projections: resources.flatMap(({ projections }) => projections), events: eventTable };

describe('against a log of every kind of stream', () => {
  let storage: Storage;
  let path: string;

  beforeAll(async () => {
    storage = await openStorage({ directory: '', ephemeral: true });
    path = join(temporaryFolder('views'), 'views.db');
    const store = openViews(path);
    const projector = new Projector({ ...program, log: storage.log, store, report: expect.fail });
    await projector.catchUp();
    createCommittedEvents(storage.log, projector);
    const commandHandler = createCommandHandler({ log: storage.log, ...steadySystem() });
    const history = fc.sample(moves(600), { numRuns: 1, seed: 17 })[0]!;
    await play(commandHandler, history);
    projector.close();
    store.close();
  });

  const compared = (): Promise<ViewsResult> => compareViews(path, directorySource(storage), program);

  /** What is found while the change is in force. */
  async function foundAfter(change: string, back: string): Promise<readonly string[]> {
    const views = new Sqlite(path);
    views.exec(change);
    const { differences } = await compared();
    views.exec(back);
    views.close();
    return differences;
  }

  it('every row of every table is equal', async () => {
    const { differences, passed_over, position, tables, rows } = await compared();
    expect([differences, passed_over, position]).toEqual([[], [], storage.log.head().position]);
    expect(tables).toBe(program.projections.flatMap((each) => each.tables).length);
    expect(rows).toBeGreaterThan(50);
  });

  it('a changed value, a row too many and a row too few are named by table and key', async () => {
    const views = new Sqlite(path, { readonly: true });
    const { id, title } = views.prepare('SELECT id, title FROM tasks ORDER BY id').get() as Record<string, string>;
    views.close();
    const quoted = title!.replaceAll("'", "''");
    expect(
      await foundAfter(
        `UPDATE tasks SET title = 'other' WHERE id = '${id}'`,
        `UPDATE tasks SET title = '${quoted}' WHERE id = '${id}'`,
      ),
    ).toEqual([`table tasks: the row id="${id}" differs in title`]);
    expect(
      await foundAfter(
        'CREATE TEMP TABLE kept AS SELECT * FROM tasks; DELETE FROM tasks',
        'INSERT INTO tasks SELECT * FROM kept',
      ),
    ).toEqual([`table tasks: the row id="${id}" is missing`]);
    expect(
      await foundAfter(
        `CREATE TEMP TABLE more AS SELECT * FROM tasks LIMIT 1; UPDATE more SET id = 'zzz'; INSERT INTO tasks SELECT * FROM more`,
        "DELETE FROM tasks WHERE id = 'zzz'",
      ),
    ).toEqual(['table tasks: the row id="zzz" is in no fold of the log']);
    expect((await compared()).differences).toEqual([]);
  });

  it('views of another version or another log are what the next start folds anew, and no difference', async () => {
    const versions = new Sqlite(path);
    versions.exec("UPDATE checkpoints SET version = version + 1 WHERE name = 'tasks'");
    expect(await compared()).toMatchObject({
      differences: [],
      passed_over: ['tasks is not of this version: the next start folds it anew'],
    });
    versions.exec("UPDATE checkpoints SET version = version - 1, tree_hash = 'x' WHERE name = 'tasks'");
    expect((await compared()).passed_over).toEqual(['tasks is not of this log: the next start folds it anew']);
    versions.close();
  });

  it('no views at all are no difference', async () => {
    const none = await compareViews(join(temporaryFolder('none'), 'views.db'), directorySource(storage), program);
    expect(none).toMatchObject({ differences: [], tables: 0 });
  });
});

it('the commands say it with and without a daemon, also after memories were forgotten for good', async () => {
  const home = temporaryFolder('home');
  const daemon = await testDaemon({ home });
  const post = (path: string, body: object) => daemon.request(path, { method: 'POST', body: JSON.stringify(body) });
  for (let at = 0; at < 4; at += 1) await post('/v1/goals', { title: `goal ${at}`, statement: 'x' });
  const ids: string[] = [];
  for (const content of ['Ada likes tea', 'The build takes long', 'The build takes longer on Monday']) {
    const added = await (await post('/memory/add', { content })).json();
    ids.push((added as { id: string }).id);
  }
  await post('/memory/query', { query: 'tea' });
  await post('/memory/add', { content: 'Ada likes tea' });
  await post('/memory/chunk', { content: 'The attic holds a xylophone. '.repeat(40), source: 'attic.md' });
  expect(await (await post('/memory/delete', { id: ids[0] })).json()).toEqual({ ok: true });
  const running = await cliHere(['log', 'verify', '--views'], { home });
  expect(running.stdout).toMatch(/views: \d+ rows of \d+ tables equal a fresh fold of \d+ events\n/);
  expect(running.stdout).toContain('not compared: the search index: it was made before texts were erased\n');
  expect(running.code).toBe(0);
  // It was the message of the system alone.
  const TMPDIR = join(home, 'none');
  expect((await cliHere(['log', 'verify', '--views'], { home, env: { TMPDIR } })).stderr).toMatch(
    /^daybook: Temporary files cannot be made: ENOENT.*\. Set TMPDIR to another folder\.\n$/,
  );
  await daemon.stop();

  expect(await cliHere(['storage', 'verify', '--views'], { home })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('equal a fresh fold'),
  });
  const views = new Sqlite(join(home, 'views.db'));
  views.exec("UPDATE goals SET title = 'another'");
  views.close();
  const bad = await cliHere(['storage', 'verify', '--views', '--json'], { home });
  const { ok, errors } = JSON.parse(bad.stdout) as { ok: boolean; errors: { file: string; what: string }[] };
  expect([bad.code, ok, errors.length, errors[0]?.file]).toEqual([1, false, 1, 'views.db']);
  expect(errors[0]?.what).toMatch(/^table goals: the row id="[0-9a-f]{32}" differs in title/);
  const log = await cliHere(['log', 'verify', '--views'], { home });
  expect([log.code, log.stdout]).toEqual([1, expect.stringContaining('table goals: the row id=')]);
});

// Ctrl-C left the fold in the folder for temporary files: every text of the log, for as long as nobody looks there.
it.each([
  ['log', 'SIGINT'],
  ['storage', 'SIGTERM'],
] as const)('`%s verify --views` that %s ends leaves nothing behind', async (group, signal) => {
  const home = temporaryFolder('home');
  const daemon = await testDaemon({ home });
  await daemon.request('/v1/goals', { method: 'POST', body: JSON.stringify({ title: 'One', statement: 'x' }) });
  await daemon.stop();
  const temporary = temporaryFolder('interrupted');
  const watching = watch(temporary);
  onTestFinished(() => watching.close());
  const made = once(watching, 'change');
  const { process: child, ended } = startCli([group, 'verify', '--views'], { home, env: { TMPDIR: temporary } });
  await made;
  child.kill(signal);
  await ended;
  expect(readdirSync(temporary)).toEqual([]);
});
