/** When the log signs, what it lists, what it refuses to sign; and the routes of checkpoints and tiles. */
import { mkdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { LOG_KEY_STREAM_ID, logKey } from '../../src/commands/tlog/log-key.ts';
import { openCheckpointStore } from '../../src/integrations/tlog/checkpoint-store.ts';
import { createLogKeyStore } from '../../src/integrations/tlog/log-keys.ts';
import { parseCheckpoint } from '../../src/lib/tlog/checkpoint.ts';
import { formatSignature, parseNote } from '../../src/lib/tlog/signed-note.ts';
import { CHECKPOINTS_MAX } from '../../src/ports/checkpoint-store.ts';
import { CHECKPOINT_MS_MIN, UNSAVED_RETRY_MS } from '../../src/reactors/tlog/checkpoints.ts';
import { fill } from '../storage/log-helpers.ts';
import { temporaryFolder } from '../support/folders.ts';
import { ask, type SignedLog, signedLog } from './support.ts';

async function listed({ checkpoints }: SignedLog): Promise<number[]> {
  return (await checkpoints.list({ after: -1, limit: 1_000 })).map(({ size }) => size);
}

/** The background work of a timer that ran. */
const settled = (): Promise<void> => new Promise((done) => setImmediate(done));

describe('a log that grows', () => {
  it('is signed at the start and then once a second, not with every commit', async () => {
    const signed = await signedLog();
    await signed.checkpoints.start();
    expect([await listed(signed), signed.timers.waiting]).toEqual([[0], 0]);
    await fill(signed.log, 5);
    expect([await listed(signed), signed.timers.waiting]).toEqual([[0], 1]);
    signed.time.advance(CHECKPOINT_MS_MIN - 1);
    signed.timers.advance(CHECKPOINT_MS_MIN - 1);
    await settled();
    expect(await listed(signed)).toEqual([0]);
    await fill(signed.log, 5, 6);
    signed.time.advance(1);
    signed.timers.advance(1);
    await settled();
    expect([await listed(signed), signed.timers.waiting]).toEqual([[0, 10], 0]);
  });

  it('is signed at once after a quiet time, whatever the clock does', async () => {
    const signed = await signedLog();
    await signed.checkpoints.start();
    signed.time.advance(60_000);
    await fill(signed.log, 1);
    signed.timers.advance(0);
    await settled();
    expect(await listed(signed)).toEqual([0, 1]);
    signed.time.advance(-3_600_000);
    await fill(signed.log, 1, 2);
    signed.timers.advance(CHECKPOINT_MS_MIN);
    await settled();
    expect(await listed(signed)).toEqual([0, 1, 2]);
  });

  it('is signed before a reply that names its newest checkpoint, once for each size', async () => {
    const signed = await signedLog();
    await fill(signed.log, 7);
    const [first, second] = [await ask(signed, '/v1/tlog/checkpoint'), await ask(signed, '/v1/tlog/checkpoint')];
    expect([first.status, first.type, second.text]).toEqual([200, 'text/plain; charset=utf-8', first.text]);
    const { size, root } = parseCheckpoint(parseNote(first.text).text);
    expect([size, Buffer.from(root).toString('hex')]).toEqual([7, signed.log.treeHash(7)]);
    expect(await listed(signed)).toEqual([7]);
  });

  it('lists its checkpoints by pages', async () => {
    const signed = await signedLog();
    for (let from = 1; from <= 5; from += 1) {
      await fill(signed.log, 1, from);
      await signed.checkpoints.newest();
    }
    const page = async (query: string) => JSON.parse((await ask(signed, `/v1/log/checkpoints?${query}`)).text);
    const first = await page('limit=2');
    expect([first.checkpoints.map(({ size }: { size: number }) => size), first.next]).toEqual([[1, 2], 2]);
    expect(first.checkpoints[0].note).toBe((await signed.checkpoints.ofSize(1)).note);
    const rest = await page('after=2&limit=5');
    expect([rest.checkpoints.map(({ size }: { size: number }) => size), rest.next]).toEqual([[3, 4, 5], null]);
  });
});

describe('what the log has signed', () => {
  it('is remembered up to a limit, and of earlier days one each: the last one that most witnesses cosigned', () => {
    const day = 86_400_000;
    const store = openCheckpointStore(null, () => undefined);
    const cosigned = [100, 101, 601, 1_001];
    for (let size = 1; size <= CHECKPOINTS_MAX + 1_000; size += 1) {
      store.add({ origin: 'o', size, at: size <= 300 ? size : size <= 600 ? day + size : 2 * day + size, note: 'n\n' });
      for (const witness of cosigned.includes(size) ? ['w', 'x'] : []) {
        store.addCosignature({ origin: 'o', size, witness, line: `${witness}\n` });
      }
      if (size === 102) store.addCosignature({ origin: 'o', size, witness: 'w', line: 'w\n' });
    }
    const kept = store.list('o', { after: 0, limit: 5 });
    expect(kept.map(({ size, note }) => [size, note])).toEqual([
      [101, 'n\nw\nx\n'],
      [600, 'n\n'],
      [601, 'n\nw\nx\n'],
      [1_001, 'n\nw\nx\n'],
      [1_002, 'n\n'],
    ]);
    expect([store.ofSize('o', 1_000), store.sizeCosignedBy('o', 'w')]).toEqual([undefined, 1_001]);
    store.addCosignature({ origin: 'o', size: 100, witness: 'w', line: 'w\n' });
    expect(store.ofSize('o', 100)).toBeUndefined();
    store.close();
  });

  it('begins anew when its file is damaged, and says so', () => {
    const path = join(temporaryFolder('checkpoints'), 'checkpoints.db');
    const lines: string[] = [];
    const first = openCheckpointStore(path, (line) => lines.push(line));
    first.add({ origin: 'o', size: 1, at: 1, note: 'n\n' });
    first.close();
    expect(openAndList(path, lines)).toEqual([1]);
    writeFileSync(path, 'this is no database, and was one');
    expect(openAndList(path, lines)).toEqual([]);
    expect(lines).toEqual([expect.stringContaining('was moved to')]);
    expect(readFileSync(`${path}.damaged`, 'utf8')).toContain('no database');
    expect(new Database(path, { readonly: true }).pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  });

  it.each(['newest', 'ofSize', 'list', 'add'] as const)('begins anew when %s meets a damaged page', (method) => {
    const path = join(temporaryFolder('checkpoints'), 'checkpoints.db');
    const lines: string[] = [];
    const first = openCheckpointStore(path, () => undefined);
    first.add({ origin: 'o', size: 1, at: 1, note: 'n\n' });
    first.close();
    const bytes = readFileSync(path);
    // The type of the page that has the rows of the table.
    bytes[4_096] = 0xff;
    writeFileSync(path, bytes);
    const store = openCheckpointStore(path, (line) => lines.push(line));
    const added = { origin: 'o', size: 2, at: 2, note: 'm\n' };
    const work = {
      newest: () => store.newest('o'),
      ofSize: () => store.ofSize('o', 1),
      list: () => store.list('o', { after: 0, limit: 9 }),
      add: () => store.add(added),
    };
    work[method]();
    store.add(added);
    expect(store.newest('o')).toMatchObject(added);
    store.close();
    expect(lines).toEqual([expect.stringContaining('The list of signed checkpoints is damaged')]);
    expect(readFileSync(`${path}.damaged`).equals(bytes)).toBe(true);
  });

  it('is remembered in memory when the file cannot be opened, and the file stays as it is', () => {
    const path = temporaryFolder('checkpoints');
    const lines: string[] = [];
    const store = openCheckpointStore(path, (line) => lines.push(line));
    store.add({ origin: 'o', size: 1, at: 1, note: 'n\n' });
    expect(store.newest('o')?.size).toBe(1);
    store.close();
    expect(lines).toEqual([expect.stringContaining('remembered in memory for now')]);
    expect(statSync(path).isDirectory()).toBe(true);
  });

  function openAndList(path: string, lines: string[]): number[] {
    const store = openCheckpointStore(path, (line) => lines.push(line));
    const sizes = store.list('o', { after: 0, limit: 9 }).map(({ size }) => size);
    store.close();
    return sizes;
  }
});

it('a checkpoint that cannot be written down is served all the same, and the trouble is told once', async () => {
  const signed = await signedLog();
  await fill(signed.log, 3);
  signed.store.add = () => {
    throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  };
  const answers = [await ask(signed, '/v1/tlog/checkpoint'), await ask(signed, '/v1/tlog/checkpoint')];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers[0]!.text).toBe(answers[1]!.text);
  expect(signed.checkpoints.trouble).toBe('signed checkpoints cannot be written down (SQLITE_FULL).');
  expect(signed.server.lines.filter((line) => line.includes('SQLITE_FULL'))).toHaveLength(1);
});

describe('checkpoints that cannot be written down', () => {
  const full = (): never => {
    throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  };
  const tick = async (signed: SignedLog): Promise<void> => {
    signed.timers.advance(UNSAVED_RETRY_MS);
    await settled();
  };

  it('are listed, and written down when there is room, without an append', async () => {
    const signed = await signedLog();
    const { store } = signed;
    const add = store.add.bind(store);
    await signed.checkpoints.newest();
    store.add = full;
    const { origin } = await signed.keys.open();
    for (const from of [1, 4]) {
      await fill(signed.log, 3, from);
      await signed.checkpoints.newest();
    }
    expect([await listed(signed), store.newest(origin)?.size]).toEqual([[0, 3, 6], 0]);
    await tick(signed);
    expect([store.newest(origin)?.size, signed.checkpoints.trouble]).toEqual([0, expect.stringContaining('FULL')]);
    store.add = add;
    await tick(signed);
    expect([await listed(signed), store.newest(origin)?.size]).toEqual([[0, 3, 6], 6]);
    expect([signed.checkpoints.trouble, signed.timers.waiting]).toEqual([null, 0]);
    expect(signed.server.lines).toHaveLength(1);
  });

  it('go into the file when it can be opened at last, with their cosignatures', async () => {
    const path = join(temporaryFolder('checkpoints'), 'checkpoints.db');
    mkdirSync(path);
    const signed = await signedLog({ checkpoints: path });
    await signed.checkpoints.start();
    await fill(signed.log, 2);
    const { origin, size } = await signed.checkpoints.newest();
    const signature = Buffer.alloc(72);
    signed.store.addCosignature({ origin, size, witness: 'w', line: formatSignature({ name: 'w', id: 1, signature }) });
    await tick(signed);
    expect([signed.store.isDisplaced, signed.checkpoints.trouble]).toEqual([true, expect.stringContaining('EISDIR')]);
    rmdirSync(path);
    await tick(signed);
    expect([signed.store.isDisplaced, signed.checkpoints.trouble]).toEqual([false, null]);
    const file = openCheckpointStore(path, () => undefined);
    expect(file.list(origin, { after: -1, limit: 9 }).map((one) => [one.size, one.witnesses])).toEqual([
      [0, []],
      [2, ['w']],
    ]);
    file.close();
  });

  it('and a file that knows more than the log: from then on nothing is signed', async () => {
    const keyStore = createLogKeyStore({ path: null, keyring: null });
    const folder = temporaryFolder('checkpoints');
    const first = await signedLog({ keyStore, checkpoints: join(folder, 'kept.db') });
    await fill(first.log, 9);
    await first.checkpoints.newest();
    first.checkpoints.stop();
    const path = join(folder, 'checkpoints.db');
    mkdirSync(path);
    const second = await signedLog({ keyStore, checkpoints: path });
    await second.checkpoints.start();
    await fill(second.log, 4);
    rmdirSync(path);
    writeFileSync(path, readFileSync(join(folder, 'kept.db')));
    await tick(second);
    expect(second.checkpoints.trouble).toContain(
      'it has fewer events than the 9 that it has signed: it was rolled back',
    );
    expect((await ask(second, '/v1/tlog/checkpoint')).status).toBe(503);
  });
});

describe('a log that does not continue what it signed', () => {
  /** A second log with the key and the checkpoints of a first one that had 9 events. */
  async function successor(events: number, from = 1): Promise<SignedLog> {
    const keyStore = createLogKeyStore({ path: null, keyring: null });
    const folder = temporaryFolder('checkpoints');
    const first = await signedLog({ keyStore, checkpoints: join(folder, 'checkpoints.db') });
    await fill(first.log, 9);
    await first.checkpoints.newest();
    first.checkpoints.stop();
    const second = await signedLog({ keyStore, checkpoints: join(folder, 'checkpoints.db') });
    await fill(second.log, events, from);
    return second;
  }

  it('signs on when it has the same events and more', async () => {
    const signed = await successor(12);
    expect((await ask(signed, '/v1/tlog/checkpoint')).status).toBe(200);
    expect(await listed(signed)).toEqual([9, 12]);
  });

  it.each([
    ['was rolled back', 6, 1, 'it has fewer events than the 9 that it has signed: it was rolled back'],
    ['has other events', 12, 100, 'does not continue the 9 events that it signed before'],
  ])('signs nothing when it %s', async (_, events, from, reason) => {
    const signed = await successor(events, from);
    const { status, text } = await ask(signed, '/v1/tlog/checkpoint');
    expect([status, text]).toEqual([503, expect.stringContaining(reason)]);
    await signed.checkpoints.start();
    expect(signed.checkpoints.trouble).toContain(reason);
    expect(signed.server.lines.filter((line) => line.includes(reason))).toHaveLength(1);
    expect((await ask(signed, '/v1/log/proof?position=1&format=tlog-proof')).status).toBe(503);
    expect((await ask(signed, '/v1/log/proof?position=1')).status).toBe(200);
  });

  it('says so once while it grows, and is compared again once a second', async () => {
    const signed = await successor(4);
    await signed.checkpoints.start();
    let compared = 0;
    const { store } = signed;
    const newest = store.newest.bind(store);
    store.newest = (origin) => {
      compared += 1;
      return newest(origin);
    };
    for (const from of [5, 6, 7]) {
      await fill(signed.log, 1, from);
      signed.timers.advance(1);
      await settled();
    }
    expect(compared).toBe(0);
    signed.timers.advance(CHECKPOINT_MS_MIN);
    await settled();
    expect([compared, signed.server.lines]).toEqual([1, [expect.stringContaining('it was rolled back')]]);
  });
});

it('a key that the log has replaced signs nothing, and is not given out', async () => {
  const signed = await signedLog();
  const rotation = { log_id: '', from: await signed.vkey(), to: 'log+1+other', statement: '' };
  const origin = { actor: 'owner', correlation: null } as const;
  const command = { type: 'RotateLogKey', ...rotation } as const;
  await signed.server.commandHandler.dispatch(logKey, LOG_KEY_STREAM_ID, command, { origin });
  for (const url of ['/v1/tlog/checkpoint', '/v1/log/key']) {
    const { status, text } = await ask(signed, url);
    expect([url, status, text]).toEqual([url, 503, expect.stringContaining('is one that the log has replaced')]);
  }
});

describe('tiles', () => {
  it('are served to the owner, may be kept, and none is served that the log does not have', async () => {
    const signed = await signedLog();
    await fill(signed.log, 300);
    const get = async (path: string, isStranger = false) => {
      const headers = isStranger ? {} : { authorization: `Bearer ${signed.server.token}` };
      return signed.server.app.inject({ url: `/v1/tlog/tile/${path}`, headers });
    };
    const full = await get('0/000');
    expect([full.statusCode, full.rawPayload.length, full.headers['content-type']]).toEqual([
      200,
      8_192,
      'application/octet-stream',
    ]);
    expect(full.headers['cache-control']).toBe('private, max-age=31536000, immutable');
    expect(full.rawPayload.subarray(32, 64).toString('hex')).toBe(signed.log.at(2)!.leafHash);
    const partial = await get('0/001.p/44');
    expect(partial.rawPayload.subarray(-32).toString('hex')).toBe(signed.log.at(300)!.leafHash);
    expect((await get('0/000.p/7')).rawPayload.equals(full.rawPayload.subarray(0, 7 * 32))).toBe(true);
    expect((await get('1/000.p/1')).rawPayload.toString('hex')).toBe(signed.log.treeHash(256));
    for (const path of ['0/001', '0/001.p/45', '1/000', '1/000.p/2', '2/000.p/1', 'entries/000', '0/0', 'x/000']) {
      expect([path, (await get(path)).statusCode]).toEqual([path, 404]);
    }
    expect((await get('0/000', true)).statusCode).toBe(401);
    const stranger = await ask(signed, '/v1/tlog/checkpoint', { isStranger: true });
    expect(stranger.status).toBe(401);
  });

  it('are public when the settings say so; events are not', async () => {
    const signed = await signedLog({ settings: { tlog_public: true } });
    await fill(signed.log, 3);
    expect((await ask(signed, '/v1/tlog/checkpoint', { isStranger: true })).status).toBe(200);
    const tile = await signed.server.app.inject({ url: '/v1/tlog/tile/0/000.p/3' });
    expect([tile.statusCode, tile.headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
    for (const path of ['/v1/log/proof?position=1', '/v1/log/checkpoints', '/v1/log/key', '/v1/log/witnesses']) {
      expect([path, (await ask(signed, path, { isStranger: true })).status]).toEqual([path, 401]);
    }
  });
});

it('GET /v1/log/proof answers text by format and by Accept, and JSON to everybody else', async () => {
  const signed = await signedLog();
  await fill(signed.log, 9);
  const proof = (query: string, accept?: string) =>
    ask(signed, `/v1/log/proof?position=4${query}`, { headers: accept === undefined ? {} : { accept } });
  const text = await proof('&format=tlog-proof');
  expect([text.status, text.type, text.text]).toEqual([
    200,
    'text/plain; charset=utf-8',
    expect.stringMatching(/^c2sp\.org\/tlog-proof@v1\nindex 3\n/),
  ]);
  expect((await proof('', 'text/plain')).text).toBe(text.text);
  for (const accept of ['application/json', '*/*', 'text/html,*/*', 'application/json, text/plain']) {
    expect([accept, (await proof('', accept)).text.startsWith('{')]).toEqual([accept, true]);
  }
  expect((await proof('&format=json', 'text/plain')).text).toMatch(/^\{/);
  expect((await proof('&format=tlog-proof&size=5')).text).toContain('\n5\n');
  for (const bad of ['&format=tlog-proof&size=10', '&format=tlog-proof&size=3', '&format=other']) {
    expect([bad, (await proof(bad)).status]).toEqual([bad, 400]);
  }
});
