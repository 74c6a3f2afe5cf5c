/**
 * The states of the converter as programs are installed and removed, and the override over HTTP, restarts and rebuilds.
 */
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOffice } from '../../src/integrations/office/office.ts';
import { daemonHere, type TestDaemon, testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { fakeConverter } from './converter.ts';

const program = (text: string): string => {
  const { path } = fakeConverter(`#!/bin/sh\n${text}\n`);
  return path;
};

describe('the state', () => {
  const home = temporaryFolder('office-home');

  function office(path: string, usualPlaces: readonly string[] = []) {
    return createOffice({ home, env: { PATH: path }, now: () => 1_000, usualPlaces });
  }

  it('is missing when nothing is on PATH or in the usual places', async () => {
    const status = await office('/nowhere').probe(null);
    expect(status).toMatchObject({ state: 'missing', path: null, version: null, configured_path: null });
    expect(status.install_hint).toContain('libreoffice');
  });

  it('is ready with the first program that answers, found on PATH or in the usual places', async () => {
    const { path } = fakeConverter();
    const broken = program('exit 1');
    const ready = { state: 'ready', path, version: '99.1.2.3', install_hint: null, checked_at: 1_000 };
    expect(await office(dirname(path)).probe(null)).toMatchObject(ready);
    // Without `unshare` on PATH there is nothing to isolate with, and the status says so.
    expect(await office('/nowhere', [path]).probe(null)).toMatchObject({ ...ready, isolation: 'settings_only' });
    expect(await office(dirname(broken), [path]).probe(null)).toMatchObject(ready);
  });

  it.each([
    ['fails', 'exit 1'],
    ['says nothing', 'exit 0'],
    ['is another program', 'echo "ls (GNU coreutils) 9.1"'],
    ['prints without end', 'yes LibreOffice'],
  ])('is broken when the program that was found %s', async (_, text) => {
    const path = program(text);
    const status = await office(dirname(path)).probe(null);
    expect(status).toMatchObject({ state: 'broken', path, version: null });
  });

  it('is configured_invalid when the override does not start, though another program would', async () => {
    const { path } = fakeConverter();
    const override = program('exit 1');
    const status = await office(dirname(path)).probe(override);
    expect(status).toMatchObject({ state: 'configured_invalid', path: null, configured_path: override });
  });

  it('is checking until the first probe has answered', async () => {
    const { path } = fakeConverter();
    const one = office(dirname(path));
    expect(one.known(null)).toMatchObject({ state: 'checking', checked_at: null });
    await one.probe(null);
    expect(one.known(null)).toMatchObject({ state: 'ready' });
    expect(one.known('/another')).toMatchObject({ state: 'checking', configured_path: '/another' });
    await one.close();
  });

  it('is looked for no more after the end, and a home that was removed stays away', async () => {
    const removed = temporaryFolder('office-home');
    const one = createOffice({ home: removed, env: { PATH: '/nowhere' }, now: () => 1_000, usualPlaces: [] });
    one.known(null);
    await one.close();
    rmSync(removed, { recursive: true });
    await nextTurn();
    await expect(one.probe(null)).rejects.toThrow('The daemon is stopping.');
    expect(existsSync(removed)).toBe(false);
  });

  it('is found elsewhere when the program that was found is gone', async () => {
    const [first, second] = [fakeConverter().path, fakeConverter().path];
    const one = office(dirname(first), [second]);
    expect(await one.probe(null)).toMatchObject({ state: 'ready', path: first });
    rmSync(first);
    const document = join(temporaryFolder('documents'), 'a.txt');
    writeFileSync(document, 'x');
    const request = { id: 'job', path: document, base: '/', timeoutSeconds: 60, configuredPath: null };
    const done = await one.convert({ ...request, target: 'pdf' }, new AbortController().signal);
    expect(existsSync(done.output)).toBe(true);
    expect(one.known(null)).toMatchObject({ state: 'ready', path: second });
    await one.close();
  });

  it('is looked for again when the clock was set back', async () => {
    const { path } = fakeConverter();
    const away = `${path}.away`;
    renameSync(path, away);
    let now = 2_000_000;
    const one = createOffice({ home, env: { PATH: '/nowhere' }, now: () => now, usualPlaces: [path] });
    await one.probe(null);
    expect(one.known(null)).toMatchObject({ state: 'missing' });
    renameSync(away, path);
    now = 1_000_000;
    await expect.poll(() => one.known(null)).toMatchObject({ state: 'ready', checked_at: now });
    await one.close();
  });

  it('of one path is not forgotten by a look at another', async () => {
    // A caller that disconnects must not bring back a probe of the earlier path: the answer is never `checking`.
    const [before, after] = [fakeConverter().path, fakeConverter().path];
    const one = office('/nowhere');
    await one.probe(after);
    await one.probe(before);
    expect(one.known(after)).toMatchObject({ state: 'ready', configured_path: after });
    await one.close();
  });
});

describe('the override', () => {
  let daemon: TestDaemon;
  const path = temporaryFolder('empty-path');
  beforeAll(async () => {
    daemon = await testDaemon({ env: { PATH: path } });
  });
  afterAll(() => daemon.stop());

  function put(body: unknown): Promise<Response> {
    return daemon.request('/office/soffice/path', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }
  const status = async () => (await daemon.request('/office/soffice')).json() as Promise<Record<string, unknown>>;

  it('is stored when it starts, told again, and cleared with null', async () => {
    const converter = fakeConverter();
    const answer = await put({ path: converter.path });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ state: 'ready', configured_path: converter.path, available: true });
    expect(await status()).toMatchObject({ state: 'ready', path: converter.path, version: '99.1.2.3' });
    const head = daemon.request('/v1/log/head').then((response) => response.json());
    const before = await head;
    expect((await put({ path: converter.path })).status).toBe(200);
    expect(await (await daemon.request('/v1/log/head')).json()).toEqual(before);
    expect(await (await put({ path: null })).json()).toMatchObject({ configured_path: null });
  });

  it('becomes configured_invalid when its program goes, and ready when it comes back', async () => {
    const converter = fakeConverter();
    await put({ path: converter.path });
    renameSync(converter.path, `${converter.path}.away`);
    expect(await status()).toMatchObject({ state: 'configured_invalid', configured_path: converter.path });
    renameSync(`${converter.path}.away`, converter.path);
    expect(await status()).toMatchObject({ state: 'ready', configured_path: converter.path });
  });

  describe('when one is set', () => {
    const converter = fakeConverter();
    beforeAll(() => put({ path: converter.path }));

    it.each([
      ['does not exist', '/nowhere/soffice'],
      ['is empty', ''],
      ['is relative', 'soffice'],
      ['is a folder', tmpdir()],
      ['is another program', '/bin/ls'],
      ['is a device', '/dev/null'],
      ['holds a NUL', 'a\0b'],
    ])('and another that %s is 422 and changes nothing', async (_, wrong) => {
      const answer = await put({ path: wrong });
      expect([answer.status, Object.keys((await answer.json()) as object)]).toEqual([422, ['error']]);
      expect(await status()).toMatchObject({ state: 'ready', configured_path: converter.path });
    });
  });

  it('that cannot be executed is 422', async () => {
    const { path: script } = fakeConverter();
    chmodSync(script, 0o644);
    expect((await put({ path: script })).status).toBe(422);
  });

  it('in a credential store is 403, whether it is there or not', async () => {
    mkdirSync(join(daemon.workspace, '.aws'));
    writeFileSync(join(daemon.workspace, '.aws', 'soffice'), '#!/bin/sh\n', { mode: 0o755 });
    expect((await put({ path: join(daemon.workspace, '.aws', 'soffice') })).status).toBe(403);
    expect((await put({ path: join(daemon.workspace, '.aws', 'none') })).status).toBe(403);
  });

  it.each([[{}], [{ path: 5 }], [{ path: ['a'] }], [null], ['text']])(
    'in the body %j is 400 and named',
    async (body) => {
      const answer = await put(body);
      expect(answer.status).toBe(400);
      expect(((await answer.json()) as { error: string }).error).toMatch(/path|body/);
    },
  );

  it('survives a restart and a rebuild of the views', async () => {
    const converter = fakeConverter();
    await put({ path: converter.path });
    await daemon.stop();
    rmSync(join(daemon.home, 'views.db'), { force: true });
    daemon = await testDaemon({ env: { PATH: path }, home: daemon.home, workspace: daemon.workspace });
    expect(await status()).toMatchObject({ state: 'ready', configured_path: converter.path });
  });
});

it('an ephemeral daemon keeps nothing of its conversions', async () => {
  const { path } = fakeConverter();
  const env = { PATH: `${dirname(path)}:/usr/bin:/bin` };
  const daemon = await testDaemon({ env, flags: { ephemeral: true } });
  writeFileSync(join(daemon.workspace, 'a.txt'), 'x');
  const answer = await daemon.request('/office/convert', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ path: 'a.txt', to: 'pdf' }),
  });
  const { output } = (await answer.json()) as { output: string };
  expect(existsSync(output)).toBe(true);
  await daemon.stop();
  expect(existsSync(output)).toBe(false);
});

describe('GET /office/soffice', () => {
  it('says what is read, sorted and without dots, and /health says the same state without a path', async () => {
    const converter = fakeConverter();
    const daemon = await daemonHere({ env: { PATH: `${dirname(converter.path)}:/usr/bin:/bin` } });
    const status = (await (await daemon.request('/office/soffice')).json()) as { import_extensions: string[] };
    expect(status.import_extensions).toEqual(expect.arrayContaining(['docx', 'odt', 'xlsx', 'csv', 'pptx', 'pdf']));
    const health = (await (await fetch(`${daemon.url}/health`)).json()) as { features: { soffice: object } };
    expect(health.features.soffice).toMatchObject({ available: true, state: 'ready', version: '99.1.2.3' });
    expect(JSON.stringify(health.features.soffice)).not.toContain(converter.path);
  });
});
