/** `POST /office/convert` row by row, with a fake converter that its input controls. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenApi } from '../../src/http/openapi/document.ts';
import { childDaemon, daemonHere, type TestDaemon, testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { type FakeConverter, fakeConverter, processesOf } from './converter.ts';
import { docx, xlsx } from './documents.ts';

let daemon: TestDaemon;
let converter: FakeConverter;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown> & { readonly error?: string };
}

async function post(request: TestDaemon['request'], body: unknown, init: RequestInit = {}): Promise<Answer> {
  const headers = { 'content-type': 'application/json', ...(init.headers as Record<string, string>) };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await request('/office/convert', { ...init, method: 'POST', headers, body: text });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Answer['body'] };
}

const convert = (body: unknown, init?: RequestInit): Promise<Answer> => post(daemon.request, body, init);
const write = (name: string, data: string | Uint8Array): void => writeFileSync(join(daemon.workspace, name), data);

async function use(of: Pick<TestDaemon, 'request'>, path: string | null): Promise<void> {
  const answer = await of.request('/office/soffice/path', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ path }),
  });
  expect(answer.status).toBe(200);
}

beforeAll(async () => {
  daemon = await testDaemon();
  converter = fakeConverter();
  await use(daemon, converter.path);
  for (const word of ['HANG', 'EMPTY', 'WRONG', 'NOTHING', 'LOCKED', 'FINE']) write(`${word}.txt`, word);
  write('letter.docx', docx(['x']));
  write('table.xlsx', xlsx({ A: [['x']] }));
  write('junk.docx', 'no document');
  write('program.exe', 'MZ');
  write('config.json', '{}');
  write('large.txt', '');
  truncateSync(join(daemon.workspace, 'large.txt'), 100 * 1024 * 1024 + 1);
  for (const folder of ['.ssh', 'folder.docx']) mkdirSync(join(daemon.workspace, folder));
  write('.ssh/notes.txt', 'x');
  symlinkSync('.ssh/notes.txt', join(daemon.workspace, 'link.txt'));
});
afterAll(async () => {
  await daemon.stop();
  expect(processesOf(daemon.home)).toEqual([]);
});

describe('a conversion', () => {
  it('answers the six fields, and the file is there', async () => {
    const { status, body } = await convert({ path: 'FINE.txt', to: 'pdf' });
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['bytes', 'cached', 'elapsed_ms', 'engine_version', 'output', 'target']);
    expect(body).toMatchObject({ target: 'pdf', cached: false, engine_version: '99.1.2.3' });
    const file = readFileSync(String(body.output));
    expect([file.length, file.toString('latin1', 0, 5)]).toEqual([body.bytes, '%PDF-']);
    expect(Number.isInteger(body.elapsed_ms)).toBe(true);
  });

  it('of the same content is answered from the cache, under any name, and made again when the result is gone', async () => {
    write('first.txt', 'the same content');
    write('second.txt', 'the same content');
    const first = await convert({ path: 'first.txt', to: 'pdf' });
    const runs = converter.runs();
    const second = await convert({ path: join(daemon.workspace, 'second.txt'), to: 'pdf', timeout_secs: 0.001 });
    expect(second.body).toMatchObject({ cached: true, output: first.body.output, bytes: first.body.bytes });
    expect(converter.runs()).toBe(runs);
    writeFileSync(String(first.body.output), 'spoiled');
    const third = await convert({ path: 'first.txt', to: 'pdf' });
    expect(third.body).toMatchObject({ cached: false });
    expect(converter.runs()).toBe(runs + 1);
  });

  it('that is repeated with its Idempotency-Key names a file that is there', async () => {
    write('repeated.txt', 'repeated with a key');
    const again = () => convert({ path: 'repeated.txt', to: 'pdf' }, { headers: { 'idempotency-key': 'repeated' } });
    const first = await again();
    rmSync(String(first.body.output));
    const second = await again();
    expect([second.status, second.body.output]).toEqual([200, first.body.output]);
    expect(readFileSync(String(second.body.output))).toHaveLength(Number(second.body.bytes));
  });

  it('that several ask for at once is made once', async () => {
    write('shared.txt', 'SLOW, but only once');
    const runs = converter.runs();
    const answers = await Promise.all([1, 2, 3, 4].map(() => convert({ path: 'shared.txt', to: 'pdf' })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers.filter(({ body }) => body.cached === false)).toHaveLength(1);
    expect(converter.runs()).toBe(runs + 1);
  });

  it('can be made of a result', async () => {
    const { body } = await convert({ path: 'FINE.txt', to: 'pdf' });
    expect((await convert({ path: body.output, to: 'pdf' })).status).toBe(200);
  });

  it('leaves nothing in its folder', () => {
    expect(readdirSync(join(daemon.home, 'office', 'jobs'))).toEqual([]);
  });
});

describe('a refusal', () => {
  it.each<[body: unknown, status: number, error: RegExp]>([
    [{ path: 'FINE.txt', to: 'exe' }, 400, /to: .*pdf_sheets/],
    [{ path: 'FINE.txt', to: 'PDF' }, 400, /to: /],
    [{ path: 'FINE.txt' }, 400, /to: /],
    [{ to: 'pdf' }, 400, /path: /],
    [{ path: '', to: 'pdf' }, 400, /path/],
    [{ path: 7, to: 'pdf' }, 400, /path: /],
    [{ path: 'a\0b', to: 'pdf' }, 400, /path/],
    [{ path: 'FINE.txt', to: 'pdf', timeout_secs: 0 }, 400, /timeout_secs: /],
    [{ path: 'FINE.txt', to: 'pdf', timeout_secs: -1 }, 400, /timeout_secs: /],
    [{ path: 'FINE.txt', to: 'pdf', timeout_secs: 601 }, 400, /timeout_secs: /],
    [{ path: 'FINE.txt', to: 'pdf', timeout_secs: '60' }, 400, /timeout_secs: /],
    ['{"path":', 400, /JSON/],
    ['[]', 400, /body/],
    [{ path: '.ssh/notes.txt', to: 'pdf' }, 403, /\.ssh/],
    [{ path: '.ssh/none.txt', to: 'pdf' }, 403, /\.ssh/],
    [{ path: 'link.txt', to: 'pdf' }, 403, /\.ssh/],
    [{ path: 'config.json', to: 'pdf' }, 403, /config\.json/],
    [{ path: '/proc/self/environ', to: 'txt' }, 403, /system/],
    [{ path: '/etc/shadow', to: 'pdf' }, 403, /system/],
    [{ path: '/etc/passwd', to: 'pdf' }, 403, /system/],
    [{ path: 'none.docx', to: 'pdf' }, 404, /not found/],
    [{ path: 'large.txt', to: 'pdf' }, 413, /104857600/],
    [{ path: 'program.exe', to: 'pdf' }, 422, /extension/],
    [{ path: 'junk.docx', to: 'pdf' }, 422, /docx/],
    [{ path: 'folder.docx', to: 'pdf' }, 422, /directory/],
    [{ path: 'letter.docx', to: 'pdf_sheets' }, 422, /cannot become pdf_sheets; to: pdf,/],
    [{ path: 'letter.docx', to: 'xlsx' }, 422, /cannot become/],
    [{ path: 'table.xlsx', to: 'docx' }, 422, /cannot become/],
    [{ path: 'LOCKED.txt', to: 'pdf' }, 422, /cannot read/],
    [{ path: 'EMPTY.txt', to: 'pdf' }, 502, /empty/],
    [{ path: 'WRONG.txt', to: 'pdf' }, 502, /no pdf/],
    [{ path: 'NOTHING.txt', to: 'pdf' }, 502, /code 3/],
    [{ path: 'HANG.txt', to: 'pdf', timeout_secs: 0.3 }, 504, /timeout_secs/],
  ])('of %j is %i', async (body, status, error) => {
    const answer = await convert(body);
    expect([answer.status, Object.keys(answer.body)]).toEqual([status, ['error']]);
    expect(answer.body.error).toMatch(error);
    expect(answer.body.error).not.toContain(daemon.workspace);
    expect(processesOf(daemon.home)).toEqual([]);
  });

  it('keeps no result: the next try runs again', async () => {
    const runs = converter.runs();
    await convert({ path: 'WRONG.txt', to: 'pdf' });
    await convert({ path: 'WRONG.txt', to: 'pdf' });
    expect(converter.runs()).toBe(runs + 2);
  });
});

it('too many at once are 503 with Retry-After and the converter; those who wait are served', async () => {
  for (let index = 0; index < 19; index += 1) write(`many-${index}.txt`, `SLOW ${index}`);
  const all = await Promise.all(
    Array.from({ length: 19 }, (_, index) => convert({ path: `many-${index}.txt`, to: 'pdf', timeout_secs: 300 })),
  );
  const refused = all.filter(({ status }) => status === 503);
  expect(all.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(18);
  expect(refused).toHaveLength(1);
  expect(refused[0]!.headers.get('retry-after')).toBe('5');
  expect(refused[0]!.body).toMatchObject({ error: expect.any(String), soffice: { state: 'ready' } });
});

it('a client that closes its connection ends the conversion and its processes', async () => {
  const gone = new AbortController();
  const runs = converter.runs();
  const mine = convert({ path: 'HANG.txt', to: 'pdf' }, { signal: gone.signal }).catch((error: Error) => error.name);
  await expect.poll(() => converter.runs()).toBeGreaterThan(runs);
  expect(processesOf(daemon.home)).not.toEqual([]);
  gone.abort();
  expect(await mine).toBe('AbortError');
  await expect.poll(() => processesOf(daemon.home)).toEqual([]);
  expect(daemon.lines.filter((line) => line.startsWith('error'))).toEqual([]);
});

it('no converter is 503 with its state', async () => {
  const gone = fakeConverter();
  await use(daemon, gone.path);
  rmSync(gone.path);
  await daemon.request('/office/soffice');
  const { status, body } = await convert({ path: 'letter.docx', to: 'pdf' });
  expect(status).toBe(503);
  expect(body).toMatchObject({ error: expect.any(String), soffice: { state: 'configured_invalid' } });
  expect(Object.keys(body.soffice as object)).toContain('import_extensions');
  const { paths } = (await (await fetch(`${daemon.url}/openapi.json`)).json()) as OpenApi;
  const documented = paths['/office/convert']!.post!.responses[503]!.content!['application/json']!;
  expect(documented.schema).toMatchObject({
    properties: { error: {}, soffice: { type: 'object' } },
    required: ['error'],
  });
  expect((await convert({ path: 'none.docx', to: 'pdf' })).status).toBe(404);
  await use(daemon, converter.path);
});

describe('a configured converter whose file vanishes', () => {
  const invalid = { error: expect.stringContaining('configured path'), soffice: { state: 'configured_invalid' } };

  it.each([
    ['after it was ready', (gone: FakeConverter) => rmSync(gone.path)],
    ['and is no program any more', (gone: FakeConverter) => chmodSync(gone.path, 0o644)],
  ])('%s: 503 that names soffice, not 502; /health says so, too', async (_when, vanish) => {
    const gone = fakeConverter();
    await use(daemon, gone.path);
    vanish(gone);
    const { status, body } = await convert({ path: 'letter.docx', to: 'pdf' });
    expect([status, body]).toMatchObject([503, invalid]);
    const health = (await (await fetch(`${daemon.url}/health`)).json()) as { features: { soffice: unknown } };
    expect(health.features.soffice).toMatchObject({ available: false, state: 'configured_invalid' });
    await use(daemon, converter.path);
  });

  it('while it converts: 503', async () => {
    const version = 'if [ "$1" = "--version" ]; then echo "LibreOffice 99.1"; exit 0; fi';
    const gone = fakeConverter(`#!/bin/sh\n${version}\nrm "$0"\nexit 127\n`);
    await use(daemon, gone.path);
    const { status, body } = await convert({ path: 'letter.docx', to: 'pdf' });
    expect([status, body]).toMatchObject([503, invalid]);
    await use(daemon, converter.path);
  });

  it('and that merely fails with 127 stays 502', async () => {
    const version = 'if [ "$1" = "--version" ]; then echo "LibreOffice 99.1"; exit 0; fi';
    await use(daemon, fakeConverter(`#!/bin/sh\n${version}\nexit 127\n`).path);
    expect(await convert({ path: 'letter.docx', to: 'pdf' })).toMatchObject({ status: 502 });
    await use(daemon, converter.path);
  });
});

it('a daemon that is killed leaves no converter behind, and the next one clears its folders', async () => {
  const workspace = temporaryFolder('workspace');
  writeFileSync(join(workspace, 'HANG.txt'), 'HANG');
  const child = await childDaemon({ workspace });
  const other = fakeConverter();
  await use(child, other.path);
  const mine = post(child.request, { path: 'HANG.txt', to: 'pdf' }).catch(() => 'gone');
  await expect.poll(() => other.runs()).toBeGreaterThan(0);
  const jobs = join(child.home, 'office', 'jobs');
  expect(readdirSync(jobs)).toHaveLength(1);
  await child.kill('SIGKILL');
  expect(await mine).toBe('gone');
  await expect.poll(() => processesOf(child.home)).toEqual([]);
  const next = await daemonHere({ home: child.home, workspace });
  expect(await (await next.request('/office/soffice')).json()).toMatchObject({ configured_path: other.path });
  expect(existsSync(jobs) ? readdirSync(jobs) : []).toEqual([]);
});
