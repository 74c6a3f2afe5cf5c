/** The operations interface over HTTP: probes, metrics, refusals; and a port that is in use. */
import { renameSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { isLocalHost } from '../../src/host-names.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { checkStorageConfig } from '../../src/storage/ops/config.ts';
import { createStorageOps, type OpsOptions, type StorageOps } from '../../src/storage/ops/ops.ts';
import { sendBytes, statuses } from '../http/wire.ts';
import { event, to } from '../storage/log-helpers.ts';
import { temporaryFolder } from '../support/folders.ts';
import { freePort, listening } from '../support/ports.ts';
import { readExposition } from './exposition-reader.ts';

const OUTSIDE = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.internal === false && one.family === 'IPv4')?.address;

let home: string;
let storage: Storage;
let ops: StorageOps | null;
let lines: string[];
let views: string | null;

beforeEach(async () => {
  home = temporaryFolder('ops');
  storage = await openStorage({ directory: join(home, 'data'), backend: 'embedded_kv' });
  ops = null;
  lines = [];
  views = null;
});
afterEach(async () => {
  await ops?.stop();
  await storage.close();
});

async function serve(changes: Partial<OpsOptions> = {}): Promise<string> {
  ops = createStorageOps({
    storage,
    place: { directory: join(home, 'data'), home },
    config: checkStorageConfig({ disk_reserve_bytes: 0 }, join(home, 'storage.json')),
    port: await freePort(),
    version: '1.2.3',
    admitsHost: isLocalHost,
    views: () => views,
    report: (line) => lines.push(line),
    ...changes,
  });
  await ops.start();
  return `http://127.0.0.1:${ops.port()}`;
}

/** Like fetch, which does not let a test choose its Host. */
function ask(url: string, options: { method?: string; headers?: Record<string, string> } = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
    httpRequest(url, { agent: false, ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
    })
      .on('error', reject)
      .end();
  });
}

describe('bytes', () => {
  const CLOSE = 'Connection: close\r\n\r\n';
  it.each([
    ['that are not HTTP', 'GARBAGE\r\n\r\n', 400, 'The request cannot be read as HTTP.'],
    [
      'with a length that is no number',
      `GET /ready HTTP/1.1\r\nHost: localhost\r\nContent-Length: a\r\n${CLOSE}`,
      400,
      'The request cannot be read as HTTP.',
    ],
    [
      'with headers over the limit',
      `GET /ready HTTP/1.1\r\nHost: localhost\r\nA: ${'x'.repeat(20_000)}\r\n${CLOSE}`,
      431,
      'The request headers are too large.',
    ],
    ['without a Host', `GET /ready HTTP/1.1\r\n${CLOSE}`, 400, 'A request has one Host header, with a name.'],
    [
      'of a QUERY without a length',
      `QUERY /ready HTTP/1.1\r\nHost: localhost\r\n${CLOSE}`,
      405,
      'Only GET and HEAD are allowed here.',
    ],
  ])('%s are refused with a sentence', async (_, bytes, status, error) => {
    const raw = await sendBytes(await serve(), bytes);
    expect([statuses(raw), JSON.parse(raw.split('\r\n\r\n')[1]!)]).toEqual([[status], { error }]);
  });
});

describe('probes', () => {
  it.each(['/health', '/ready', '/readyz', '/livez'])('%s answers 200 while no check fails', async (path) => {
    const { status, text } = await ask((await serve()) + path);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ status: 'ok', backend: 'embedded_kv', position: 0, version: '1.2.3' });
  });

  it('views that cannot be served make it unready, not unhealthy', async () => {
    const url = await serve();
    views = 'The views are being rebuilt.';
    for (const path of ['/ready', '/readyz']) {
      const { status, text } = await ask(url + path);
      expect([status, JSON.parse(text)]).toEqual([503, { error: 'The views are being rebuilt.' }]);
    }
    for (const path of ['/health', '/livez']) expect((await ask(url + path)).status).toBe(200);
  });

  it('a data directory that is moved away makes it unready until it is back, and never unhealthy', async () => {
    const url = await serve();
    renameSync(join(home, 'data'), join(home, 'elsewhere'));
    const { status, text } = await ask(`${url}/ready`);
    expect([status, (JSON.parse(text) as { error: string }).error]).toEqual([
      503,
      expect.stringMatching(/^The data directory was changed while it is open: It was moved, removed or replaced\./),
    ]);
    expect((await ask(`${url}/health`)).status).toBe(200);
    renameSync(join(home, 'elsewhere'), join(home, 'data'));
    expect((await ask(`${url}/ready`)).status).toBe(200);
  });

  it('?verbose lists each check, also when one fails', async () => {
    const url = await serve();
    expect((await ask(`${url}/readyz?verbose`)).text).toBe(
      '[+]engine ok\n[+]views ok\n[+]place ok\n[+]disk ok\n[+]backup ok\ncheck passed\n',
    );
    views = 'being rebuilt';
    const { status, text } = await ask(`${url}/ready?verbose`);
    expect(status).toBe(503);
    expect(text).toContain('[-]views failed: being rebuilt\n');
    expect(text).toMatch(/check failed\n$/);
  });

  it('HEAD answers like GET, without a body', async () => {
    const url = await serve();
    const head = await ask(`${url}/health`, { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(Number(head.headers['content-length'])).toBeGreaterThan(10);
  });
});

describe('metrics', () => {
  it.each([
    ['text/plain', 'prometheus'],
    ['application/openmetrics-text; version=1.0.0', 'openmetrics'],
  ] as const)('%s', async (accept, format) => {
    const url = await serve();
    await ops!.log.append([to('s', [event(1)])]);
    const { status, headers, text } = await ask(`${url}/metrics`, { headers: { accept } });
    expect(status).toBe(200);
    expect(headers['content-type']).toContain(accept.split(';')[0]);
    const series = readExposition(text, format).flatMap((family) => family.series);
    const value = (name: string) => series.find((one) => one.name === name)?.value;
    expect(value('daybook_storage_write_duration_seconds_count')).toBe(1);
    expect(value('daybook_storage_fsync_duration_seconds_count')).toBe(1);
    expect(value('daybook_storage_log_position')).toBe(1);
    expect(value('daybook_storage_ready')).toBe(1);
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
  });

  it('say when the service is not ready, and which check failed', async () => {
    const url = await serve();
    views = 'being rebuilt';
    const { text } = await ask(`${url}/metrics`);
    expect(text).toContain('daybook_storage_ready 0\n');
    expect(text).toContain('daybook_storage_check_passed{check="views"} 0\n');
  });
});

describe('refusals', () => {
  it.each([
    ['an unknown path', 'GET', '/nope', 404],
    ['a path below', 'GET', '/health/x', 404],
    ['another method', 'POST', '/health', 405],
    ['a method on metrics', 'DELETE', '/metrics', 405],
  ])('%s', async (_what, method, path, status) => {
    const answer = await ask((await serve()) + path, { method });
    expect(answer.status).toBe(status);
    expect(Object.keys(JSON.parse(answer.text))).toEqual(['error']);
    if (status === 405) expect(answer.headers.allow).toBe('GET, HEAD');
  });

  it.each(['evil.example', 'localhost.evil.example:8080', '127.0.0.1.evil.example'])('the Host %s', async (host) => {
    const { status, text } = await ask(`${await serve()}/metrics`, { headers: { host } });
    expect(status).toBe(403);
    expect(text).not.toContain('daybook_storage');
  });

  it.each([
    'Host: localhost\r\nHost: evil.example',
    'Host: evil.example\r\nHost: localhost',
    'Host: localhost\r\nHost: localhost',
    'Host:',
    'X-Host: localhost',
  ])('two Host headers, or one without a name, are 400 (%#)', async (lines) => {
    const raw = await sendBytes(await serve(), `GET /metrics HTTP/1.1\r\n${lines}\r\nConnection: close\r\n\r\n`);
    expect(statuses(raw)).toEqual([400]);
    expect(raw).toContain('{"error":"A request has one Host header, with a name."}');
  });

  it('an older client has no Host and is answered', async () => {
    expect(statuses(await sendBytes(await serve(), 'GET /livez HTTP/1.0\r\n\r\n'))).toEqual([200]);
  });

  it.each(['localhost', 'localhost:8080', '127.0.0.1', '[::1]:8080'])('but not the Host %s', async (host) => {
    expect((await ask(`${await serve()}/livez`, { headers: { host } })).status).toBe(200);
  });
});

describe('the port', () => {
  it('that is taken is a warning, and the rest of the daemon works', async () => {
    const other = createServer();
    const port = await listening(other);
    onTestFinished(() => void other.close());
    await serve({ port });
    expect(ops!.port()).toBeNull();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/EADDRINUSE.*\. Set DAYBOOK_STORAGE_OPS_PORT to another port, or to off\.$/);
    expect((await ops!.log.append([to('s', [event(1)])])).kind).toBe('appended');
  });

  it.each([null, 0])('%s means none', async (port) => {
    await serve({ port });
    expect(ops!.port()).toBeNull();
    expect(lines).toEqual([]);
  });

  it.skipIf(OUTSIDE === undefined)('is not open on the machine’s other addresses', async () => {
    const url = new URL(await serve());
    expect((await ask(`${url.origin}/livez`)).status).toBe(200);
    await expect(ask(`http://${OUTSIDE}:${url.port}/livez`)).rejects.toThrow('ECONNREFUSED');
  });
});
