/** Every `daybook storage` command on each engine: on one of them as processes, on the others in this process. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { copyDirectory, copyFolder, writeSource } from '../../src/storage/copy-folder.ts';
import { openStorage } from '../../src/storage/open.ts';
import { type TestDaemon, testDaemon } from '../support/daemon.ts';
import { ENGINES } from '../support/depth.ts';
import { temporaryFolder } from '../support/folders.ts';
import { daybookHere, lines, startDaybook, storageHereOn, storageOn } from './support.ts';

let home: string;
let data: string;
beforeEach(() => {
  home = temporaryFolder('storage');
  data = join(home, 'data');
});

let runOn = storageHereOn;

/** Runs a command that must succeed, and answers its standard output. */
async function good(directory: string, words: readonly string[], input = ''): Promise<string> {
  const { code, stdout, stderr } = await runOn(directory)(words, { input });
  expect([words.join(' '), code, stderr]).toEqual([words.join(' '), 0, expect.not.stringContaining('daybook:')]);
  return stdout;
}

const json = async (directory: string, words: readonly string[]) =>
  JSON.parse(await good(directory, [...words, '--json'])) as Record<string, unknown>;

describe.each(ENGINES)('%s', (backend) => {
  beforeAll(() => {
    if (backend === 'embedded_kv') runOn = storageOn;
  });
  afterAll(() => {
    runOn = storageHereOn;
  });

  // What it left was refused as a target that is not empty.
  it('a backup that is interrupted leaves nothing, so that the next attempt succeeds', async () => {
    await good(data, ['append', '--backend', backend], lines(3));
    const interrupt = (name: string | symbol): void => {
      if (name === 'SIGTERM') queueMicrotask(() => process.off('newListener', interrupt).emit('SIGTERM', 'SIGTERM'));
    };
    process.on('newListener', interrupt);
    const words = ['backup', '--to', join(home, 'copy')];
    expect(await storageHereOn(data)(words)).toEqual({ code: 143, stdout: '', stderr: '' });
    expect(readdirSync(home)).toEqual(['data']);
    await good(data, words);
  });

  it('append, read, verify, detect, stats, inspect, replay-wal, compact, erase', { timeout: 120_000 }, async () => {
    const positions = await good(data, ['append', '--backend', backend], lines(50));
    expect(positions).toBe(Array.from({ length: 50 }, (_, index) => `${index + 1}\n`).join(''));

    const read = await good(data, ['read', '--from', '49', '--json']);
    const events = read
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map(({ position, data }) => [position, data.number])).toEqual([
      [49, 49],
      [50, 50],
    ]);

    const verified = await json(data, ['verify']);
    expect(Object.keys(verified)).toEqual(['ok', 'head', 'tree_hash', 'backend', 'errors']);
    expect(verified).toMatchObject({ ok: true, head: 50, backend, errors: [] });
    expect(await good(data, ['detect'])).toBe(`${backend}\n`);
    expect(await json(data, ['stats'])).toMatchObject({ backend, events: 50, tree_hash: verified.tree_hash });

    const subject = backend === 'lsm' ? 'tables' : 'pages';
    await good(data, ['inspect', subject]);
    const wal = (await good(data, ['inspect', 'wal', '--json'])).trim();
    for (const line of wal === '' ? [] : wal.split('\n')) expect(JSON.parse(line)).toMatchObject({ fault: null });
    expect((await good(data, ['inspect', 'events', '--json', '--limit', '3'])).trim().split('\n')).toHaveLength(3);

    expect(await json(data, ['replay-wal'])).toMatchObject({ position: 50, tree_hash: verified.tree_hash });
    const none = { wal_records: 0, wal_bytes: 0, position: 50, tree_hash: verified.tree_hash };
    expect(await json(data, ['replay-wal'])).toMatchObject(none);
    expect(await json(data, ['salvage', '--to', join(home, 'saved')])).toEqual({
      to: join(home, 'saved'),
      backend,
      events: 50,
      tree_hash: verified.tree_hash,
      lost: [],
      behind: 0,
      cuts: [],
      errors: [],
    });
    await good(data, ['compact']);
    writeFileSync(join(home, 'views.db'), 'folded from what will be erased');
    expect(await json(data, ['erase', '--position', '7', '9'])).toMatchObject({ erased: [7, 9], position: 51 });
    expect(existsSync(join(home, 'views.db'))).toBe(false);
    const gone = JSON.parse((await good(data, ['read', '--from', '7', '--limit', '1', '--json'])).trim());
    expect(gone).toMatchObject({
      position: 7,
      data: null,
      erased: true,
      leaf_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await json(data, ['validate'])).toMatchObject({ ok: true, head: 51 });
  });

  it('erase refuses an event that ends something while its beginning stays, and erases both together', async () => {
    const line = (type: string) =>
      `${JSON.stringify({ stream: 'connector-a-x', type, data: { workspace: '/a', id: 'x' } })}\n`;
    await good(data, ['append', '--backend', backend], line('ConnectorAdded') + line('ConnectorDisabled'));
    const alone = await runOn(data)(['erase', '--position', '2']);
    expect([alone.code, alone.stderr]).toEqual([
      2,
      'daybook: Without the ConnectorDisabled at position 2, what it ends or replaces would count again ' +
        '(position 1). Erase them together: --position 1 2.\n',
    ]);
    expect(await json(data, ['verify'])).toMatchObject({ ok: true, head: 2 });
    expect(await json(data, ['erase', '--position', '1', '2'])).toMatchObject({ erased: [1, 2] });
  });

  it('erase refuses the claim of a title until its release', async () => {
    const line = (type: string) => `${JSON.stringify({ stream: 'goal_title-x', type, data: { goal_id: 'a' } })}\n`;
    await good(data, ['append', '--backend', backend], line('GoalTitleClaimed'));
    const held = await runOn(data)(['erase', '--position', '1']);
    expect([held.code, held.stderr]).toEqual([
      2,
      'daybook: The GoalTitleClaimed at position 1 holds until a later event ends it, and names ids only. ' +
        'Erase the events that have the text instead.\n',
    ]);
    await good(data, ['append'], line('GoalTitleReleased'));
    expect(await json(data, ['erase', '--position', '1'])).toMatchObject({ erased: [1] });
  });

  it('backup, snapshot, restore, export, import and migrate keep the log as it is', { timeout: 120_000 }, async () => {
    await good(data, ['append', '--backend', backend], lines(30));
    const { tree_hash } = await json(data, ['verify']);

    await good(data, ['backup', '--to', join(home, 'copy')]);
    const restored = join(home, 'restored', 'data');
    expect(await json(restored, ['restore', '--from', join(home, 'copy')])).toMatchObject({ position: 30, tree_hash });
    expect(await json(restored, ['verify'])).toMatchObject({ ok: true, backend, tree_hash });

    expect(await json(data, ['snapshot', '--name', 'before'])).toMatchObject({ to: join(home, 'snapshots', 'before') });
    const kept = await json(data, ['backup', '--verified']);
    expect(kept).toMatchObject({ position: 30, tree_hash });
    expect(existsSync(join(String(kept.path), 'verified.json'))).toBe(true);

    const file = join(home, 'log.jsonl');
    await good(data, ['export', '--out', file]);
    expect(await good(data, ['export'])).toBe(readFileSync(file, 'utf8'));
    const imported = join(home, 'imported', 'data');
    expect(await json(imported, ['import', '--from', file, '--backend', backend])).toMatchObject({ tree_hash });

    const next = backend === 'cow' ? 'lsm' : 'cow';
    expect(await json(data, ['migrate', '--to', next])).toMatchObject({ backend: next, position: 30, tree_hash });
    expect(await json(data, ['verify'])).toMatchObject({ ok: true, backend: next, tree_hash });
  });
});

it('import says how many events the log holds when a line does not fit', async () => {
  await good(data, ['append'], lines(20));
  const exported = await good(data, ['export']);
  const cut = join(home, 'cut.jsonl');
  writeFileSync(cut, exported.slice(0, -10));
  const imported = join(home, 'imported', 'data');
  const { code, stderr } = await storageHereOn(imported)(['import', '--from', cut]);
  expect([code, stderr]).toEqual([1, expect.stringContaining('The log holds 0 events.')]);
  expect(await json(imported, ['stats'])).toMatchObject({ events: 0 });
});

describe('append', () => {
  it('prints a position as soon as its event is durable, while more may come: a kill then loses nothing', async () => {
    const child = startDaybook(['storage', 'append', '--data-dir', data, '--backend', 'embedded_kv']);
    try {
      child.stdin.write(lines(3));
      let printed = '';
      await new Promise<void>((seen) => {
        child.stdout.on('data', (bytes: Buffer) => {
          printed += bytes.toString();
          if (printed === '1\n2\n3\n') seen();
        });
      });
    } finally {
      child.kill('SIGKILL');
      await new Promise((ended) => child.once('close', ended));
    }
    const storage = await openStorage({ directory: data });
    expect(storage.log.head().position).toBe(3);
    await storage.close();
  });

  it('keeps expected versions in one pipeline, and the same id is the same event', async () => {
    const id = '01900000-0000-7000-8000-000000000001';
    const input = [
      { stream: 'a', type: 'T', data: 1, expected_version: 'none', id },
      { stream: 'a', type: 'T', data: 2, expected_version: 1 },
      { stream: 'b', type: 'T', data: null, expected_version: 0 },
      { stream: 'a', type: 'T', data: 1, expected_version: 'none', id },
    ];
    const text = input.map((line) => `${JSON.stringify(line)}\n`).join('');
    expect(await good(data, ['append'], text)).toBe('1\n2\n3\n1\n');
  });

  /** U+2028 ended a line, a key named __proto__ was lost, and bad bytes became U+FFFD. */
  it('takes every JSON line as it is, and refuses bytes that are not UTF-8', async () => {
    const data = join(home, 'data');
    const line = (json: string): string => `{"stream":"s","type":"T","data":${json}}`;
    const given = ['"a\u2028b\u2029c"', '{"__proto__":{"x":1}}', '"é😀"'];
    const input = `\ufeff${line(given[0]!)}\r\n\n${line(given[1]!)}\n${line(`\r ${given[2]!}`)}`;
    expect(await storageHereOn(data)(['append'], { input })).toMatchObject({ code: 0, stdout: '1\n2\n3\n' });
    const read = (await good(data, ['read', '--json'])).trimEnd().split('\n');
    expect(read.map((text) => JSON.stringify(JSON.parse(text).data))).toEqual(given);
    const bad = Buffer.concat([Buffer.from(`${line('1')}\n`), Buffer.from([0x22, 0xff, 0x22, 0x0a])]);
    expect(await storageHereOn(data)(['append'], { input: bad })).toMatchObject({
      code: 2,
      stdout: '4\n',
      stderr: 'daybook: Line 2 holds bytes that are not UTF-8.\n',
    });
  });

  it('a conflict names its line and stream; what stood before it is there', async () => {
    const first = lines(2);
    const wrong = `${JSON.stringify({ stream: 's', type: 'T', data: {}, expected_version: 7 })}\n`;
    const { code, stdout, stderr } = await storageHereOn(data)(['append'], { input: first + wrong });
    expect([code, stdout]).toEqual([1, '1\n2\n']);
    expect(stderr).toContain('Line 3: the stream s is at version 2, not 7');
    expect(await json(data, ['verify'])).toMatchObject({ ok: true, head: 2 });
  });

  it('by another engine than the directory’s is refused with the command that migrates it', async () => {
    await good(data, ['append', '--backend', 'embedded_kv'], lines(1));
    for (const [words, env] of [
      [['append', '--backend', 'lsm'], {}],
      [['append'], { DAYBOOK_PERSISTENCE_BACKEND: 'lsm' }],
    ] as const) {
      const { code, stderr } = await storageHereOn(data)(words, { input: lines(1), env });
      expect(code).toBe(2);
      expect(stderr).toContain(`daybook storage migrate --to lsm --data-dir ${data}`);
    }
  });

  // With the database in config.json, it changed the engine of the copy and said that the log was migrated.
  it('migrates a home whose log is in a database only with the address of the database', async () => {
    const copy = copyFolder(home);
    await good(copyDirectory(copy), ['append', '--backend', 'cow'], lines(1));
    writeSource(copy, 'a1');
    writeFileSync(join(home, 'config.json'), '{"log": "postgres://me@db.example/team"}');
    const migrated = await daybookHere(['storage', 'migrate', '--to', 'lsm', '--home', home]);
    expect(migrated).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^daybook: \S+\/copy\/data holds a copy of a log in a database; name .* --log\.\n$/,
      ),
    });
    expect(await good(copyDirectory(copy), ['detect'])).toBe('cow\n');
  });

  it('chooses the engine of a new directory by flag, environment and file, in that order', async () => {
    const config = join(home, 'storage.json');
    writeFileSync(config, '{"backend": "LsmTree"}');
    const env = { DAYBOOK_PERSISTENCE_BACKEND: 'cow' };
    const detected = async (words: readonly string[], options: object): Promise<string> => {
      const place = mkdtempSync(join(home, 'new-'));
      await storageHereOn(place)(['append', ...words, '--config', config], { input: lines(1), ...options });
      return good(place, ['detect']);
    };
    expect(await detected(['--backend', 'embedded_kv'], { env })).toBe('embedded_kv\n');
    expect(await detected([], { env })).toBe('cow\n');
    expect(await detected([], {})).toBe('lsm\n');
  });
});

/** Commands opened the store with their own settings: compact left a small one seven times as large as it was. */
describe('a store that the daemon wrote', () => {
  const written = async (): Promise<TestDaemon> => {
    const daemon = await testDaemon({ home });
    await daemon.request('/api/tasks', { method: 'POST', body: '{"title":"t"}' });
    await daemon.stop();
    return daemon;
  };

  it('is not larger after compact, and keeps the segments of its log', { timeout: 60_000 }, async () => {
    await written();
    const store = join(data, 'store-1');
    const segments = () => readdirSync(store).flatMap((name) => (name.startsWith('wal-') ? [join(store, name)] : []));
    const sizes = segments().map((path) => statSync(path).size);
    const { disk_bytes, disk_bytes_before } = await json(data, ['compact']);
    expect(disk_bytes).toBeLessThanOrEqual(Number(disk_bytes_before));
    expect(segments().map((path) => statSync(path).size)).toEqual(sizes);
  });

  it('is opened by storage, log and doctor with what its config.json names', { timeout: 60_000 }, async () => {
    const { workspace } = await written();
    const path = join(home, 'my-storage.json');
    writeFileSync(path, '{"cow_config":{"wal_buffer_size":1}}');
    writeFileSync(join(home, 'config.json'), JSON.stringify({ storage_config: path, workspace }));
    const sentence = `${path}: cow_config.wal_buffer_size must be a whole number from 65536 to 67108864`;
    for (const [words, ends] of [
      ['storage compact', 2],
      ['log verify', 2],
      ['doctor', 1],
    ] as const) {
      const { code, stdout, stderr } = await daybookHere([...words.split(' '), '--home', home]);
      expect([words, code, stdout + stderr]).toEqual([words, ends, expect.stringContaining(sentence)]);
    }
  });
});

describe('a long export', () => {
  /** Each wait for the disk left a listener behind, and Node warned of a leak on stderr. */
  it('into a file says one line on stderr', { timeout: 60_000 }, async () => {
    await storageHereOn(data)(['append'], { input: lines(8_000) });
    const { code, stderr } = await storageOn(data)(['export', '--out', join(home, 'all.jsonl')]);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^8000 events exported; tree hash [0-9a-f]{64}\n$/)]);
    expect(readFileSync(join(home, 'all.jsonl'), 'utf8').trimEnd().split('\n')).toHaveLength(8_000);
  });
});

it('a reader that leaves ends export and read quietly', { timeout: 60_000 }, async () => {
  await good(data, ['append'], lines(5_000));
  for (const verb of ['export', 'read']) {
    const child = startDaybook(['storage', verb, '--data-dir', data]);
    let stderr = '';
    child.stderr.on('data', (bytes: Buffer) => {
      stderr += bytes.toString();
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const code = await new Promise((ended) => child.once('exit', ended));
    expect([code, stderr]).toEqual([0, '']);
  }
  expect(await json(data, ['verify'])).toMatchObject({ ok: true, head: 5_000 });
});
