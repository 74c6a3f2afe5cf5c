/** Storage commands while a process has the store open: the daemon while it writes, and `storage serve`. */
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { startDaemon } from '../../src/daemon.ts';
import { openStorage } from '../../src/storage/open.ts';
import { type TestDaemon, testDaemon } from '../support/daemon.ts';
import { ENGINES } from '../support/depth.ts';
import { temporaryFolder } from '../support/folders.ts';
import { freePort, listening } from '../support/ports.ts';
import { daybook, lines, startDaybook, storageHereOn } from './support.ts';

let daemon: TestDaemon | null = null;
afterEach(async () => {
  await daemon?.stop();
  daemon = null;
});

async function run(flags: Parameters<typeof testDaemon>[0] = {}): Promise<{ data: string; daemon: TestDaemon }> {
  daemon = await testDaemon(flags);
  return { data: join(daemon.home, 'data'), daemon };
}

/** Appends events through the daemon until it is stopped; answers how many were acknowledged. */
function writing(to: TestDaemon): { stop(): Promise<number> } {
  let isOn = true;
  let count = 0;
  const writer = async (name: string): Promise<void> => {
    while (isOn) {
      const body = JSON.stringify({ title: `${name} ${count}` });
      const { status } = await to.request('/api/tasks', { method: 'POST', body });
      if (status < 300) count += 1;
    }
  };
  const writers = Promise.all(['a', 'b', 'c'].map(writer));
  return {
    async stop() {
      isOn = false;
      await writers;
      return count;
    },
  };
}

const json = (text: string) => JSON.parse(text) as Record<string, unknown>;

describe.each(ENGINES)('beside a daemon on %s', (backend) => {
  it('backup copies while it writes, and the copy is the log of one moment', { timeout: 60_000 }, async () => {
    const { data, daemon: own } = await run({ flags: { backend } });
    const { home } = own;
    const writers = writing(own);
    const copied = await storageHereOn(data)(['backup', '--to', join(home, 'copy'), '--json']);
    const verified = await storageHereOn(data)(['verify', '--json']);
    const acknowledged = await writers.stop();
    expect([copied.code, copied.stderr]).toEqual([0, '']);
    expect([verified.code, json(verified.stdout).ok, json(verified.stdout).backend]).toEqual([0, true, backend]);
    expect(acknowledged).toBeGreaterThan(0);
    const copy = await openStorage({ directory: join(home, 'copy') });
    const { position, treeHash } = copy.log.head();
    expect((await copy.log.verify()).ok).toBe(true);
    await copy.close();
    const head = json(await (await own.request('/v1/log/head')).text()) as { position: number };
    expect(position).toBeLessThanOrEqual(head.position);
    const proof = await own.request(`/v1/log/consistency?from=${position}&to=${head.position}`);
    expect(json(await proof.text()).from_hash).toBe(treeHash);
  });
});

describe('beside a daemon', () => {
  it('stats, compact, snapshot and a verified backup are its work', { timeout: 60_000 }, async () => {
    const { data, daemon: own } = await run({ flags: { backend: 'embedded_kv' } });
    await own.request('/api/tasks', { method: 'POST', body: '{"title":"t"}' });
    const asked = async (...words: string[]) => {
      const { code, stdout, stderr } = await storageHereOn(data)([...words, '--json']);
      expect([words, code, stderr]).toEqual([words, 0, '']);
      return json(stdout);
    };
    expect(await asked('stats')).toMatchObject({ backend: 'embedded_kv', events: 1, failure: null });
    expect(await asked('compact')).toHaveProperty('disk_bytes');
    await asked('snapshot', '--name', 'now');
    expect(readdirSync(join(own.home, 'snapshots'))).toEqual(['now']);
    // Milliseconds and `null` are for programs.
    expect((await storageHereOn(data)(['stats'])).stdout).toMatch(/^failure +none$/m);
    const { stdout } = await storageHereOn(data)(['backup', '--verified']);
    expect(stdout).toMatch(/^position +1\n.*\nverified_at +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ms);
    expect(readdirSync(join(own.home, 'backups'))).toHaveLength(1);
  });

  it('reduce-cache gives the block cache of lsm its size at once', async () => {
    const { data } = await run({ flags: { backend: 'lsm' } });
    const { code, stdout } = await storageHereOn(data)(['reduce-cache', '--block-cache-mb', '128']);
    expect([code, stdout]).toEqual([0, 'The block cache is 128 MB now.\n']);
  });

  it('a refusal is printed as one sentence, with exit code 2 where the caller can correct the cause', async () => {
    const { data, daemon: own } = await run();
    await storageHereOn(data)(['backup', '--to', join(own.home, 'copy')]);
    const again = await storageHereOn(data)(['backup', '--to', join(own.home, 'copy')]);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('not empty');
    const live = await storageHereOn(data)(['restore', '--from', join(own.home, 'copy')]);
    expect([live.code, live.stderr]).toEqual([2, expect.stringContaining(data)]);
    for (const command of ['read', 'export']) {
      const { code, stderr } = await storageHereOn(data)([command]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`While the daemon runs: daybook log ${command}`)]);
    }
  });

  it('an operation with a relative folder, no folder, an unknown kind or more than is asked for is refused', async () => {
    const { daemon: own } = await run();
    for (const body of [
      { kind: 'backup', to: 'copy' },
      { kind: 'backup' },
      { kind: 'format' },
      { kind: 'compact', to: '/x' },
    ]) {
      const answer = await own.request('/v1/storage/operations', { method: 'POST', body: JSON.stringify(body) });
      expect([body, answer.status, Object.keys(json(await answer.text()))]).toEqual([body, 400, ['error']]);
    }
    expect((await own.request('/v1/storage/operations/77')).status).toBe(404);
  });
});

describe('the daemon’s configuration', () => {
  it('storage.json in its home chooses the engine of a new home', async () => {
    const folder = temporaryFolder('home');
    writeFileSync(join(folder, 'storage.json'), '{"backend": "LsmTree", "preset": "low-memory"}');
    const { daemon: own } = await run({ home: folder });
    expect(json(await (await own.request('/v1/storage/stats')).text()).backend).toBe('lsm');
  });

  it('a faulty one stops the start with its sentence and exit code 2', async () => {
    const folder = temporaryFolder('home');
    writeFileSync(join(folder, 'storage.json'), '{"cow_config": {"max_keys_per_node": 2}}');
    const { code, stderr } = await daybook(['serve', '--home', folder, '--port', '0']);
    expect(code).toBe(2);
    expect(stderr).toContain('cow_config.max_keys_per_node must be a whole number from 32 to 1024');
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });
});

/** Resolves when the process has printed this text to standard error. */
function said(child: ReturnType<typeof startDaybook>, text: string): Promise<void> {
  let printed = '';
  return new Promise((resolve) => {
    child.stderr.on('data', (bytes: Buffer) => {
      printed += bytes.toString();
      if (printed.includes(text)) resolve();
    });
  });
}

it('serve says that it listens when its operations interface answers too', async () => {
  const port = await freePort();
  let connected: Promise<string> | undefined;
  const announce = (line: string): void => {
    if (line.startsWith('listening ')) connected = connect(port);
  };
  const flags = { home: temporaryFolder('home'), port: 0, storage_ops_port: port };
  const started = await startDaemon({
    config: loadConfig({}, flags, temporaryFolder('workspace')),
    env: {},
    announce,
  });
  await started.stop();
  expect(await connected).toBe('connected');
});

/** Connects at once, in this turn of the event loop. */
function connect(port: number): Promise<string> {
  const socket = createConnection({ port, host: '127.0.0.1' });
  return new Promise((resolve) => {
    socket.once('error', (error) => resolve(error.message));
    socket.once('connect', () => {
      socket.destroy();
      resolve('connected');
    });
  });
}

describe('storage serve', () => {
  it('serves the probes, makes backups when asked, and gives the store back on SIGTERM', {
    timeout: 60_000,
  }, async () => {
    const folder = temporaryFolder('serve');
    const data = join(folder, 'data');
    await storageHereOn(data)(['append', '--backend', 'cow'], { input: lines(5) });
    const port = await freePort();
    const child = startDaybook(['storage', 'serve', '--data-dir', data, '--port', String(port)]);
    try {
      await said(child, 'listening ');
      // Under nohup this is the end of the terminal.
      child.kill('SIGHUP');
      const health = await fetch(`http://127.0.0.1:${port}/ready`);
      expect([health.status, json(await health.text()).position]).toEqual([200, 5]);
      const stats = await storageHereOn(data)(['stats', '--json']);
      expect(Object.keys(json(stats.stdout)).slice(0, 3)).toEqual(['backend', 'events', 'tree_hash']);
      const compacted = await storageHereOn(data)(['compact', '--json']);
      expect(Object.keys(json(compacted.stdout))).toEqual(['disk_bytes_before', 'disk_bytes']);
      const copied = await storageHereOn(data)(['backup', '--to', join(folder, 'copy')]);
      expect([copied.code, copied.stderr]).toEqual([0, '']);
      const locked = await storageHereOn(data)(['read']);
      expect([locked.code, locked.stderr]).toEqual([2, expect.stringContaining(`process ${child.pid}`)]);
    } finally {
      child.kill('SIGTERM');
      const code = await new Promise((ended) => child.once('close', ended));
      expect(code).toBe(0);
    }
    expect(readdirSync(data).filter((name) => name.startsWith('daemon'))).toEqual([]);
    expect(Object.keys(json((await storageHereOn(data)(['stats', '--json'])).stdout)).slice(0, 3)).toEqual([
      'backend',
      'events',
      'tree_hash',
    ]);
    rmSync(join(folder, 'copy', 'store-1'), { recursive: true });
    expect((await storageHereOn(join(folder, 'copy'))(['verify'])).code).toBe(1);
    expect((await storageHereOn(data)(['verify'])).code).toBe(0);
  });
  // The second signal ended the process in the middle of closing the store.
  it('a second signal while it closes the store changes nothing', async () => {
    const folder = temporaryFolder('signals');
    const data = join(folder, 'data');
    await storageHereOn(data)(['append', '--backend', 'cow'], { input: lines(1) });
    const again = "process.once('SIGTERM',()=>setImmediate(()=>process.kill(process.pid,'SIGTERM')))";
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${again}` };
    const child = startDaybook(['storage', 'serve', '--data-dir', data, '--port', 'off'], { env });
    await said(child, 'serving ');
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    expect(await closed).toEqual([0, null]);
  });
  /** It held the store and served nothing, with a hint at a flag it does not have. */
  it('ends with exit code 2 where its port is taken, and gives the store back', async () => {
    const folder = temporaryFolder('taken');
    const data = join(folder, 'data');
    const other = createServer();
    const port = await listening(other);
    onTestFinished(() => void other.close());
    const { code, stderr } = await storageHereOn(data)(['serve', '--port', String(port)]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`without port ${port}; choose another --port`)]);
    expect(readdirSync(data)).not.toContain('daybook.lock');
  });
});
