/** `daybook evidence` and its routes, on a daemon in this process. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cliHere } from '../cli/support.ts';
import { post as postTo } from '../support/asking.ts';
import { sharedDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { packed, unpacked } from './support.ts';

const daemon = sharedDaemon();

const evidence = (...words: readonly string[]) => cliHere(['evidence', ...words], { home: daemon.home });

const post = <Body = Record<string, { id: string }>>(path: string, body: object) => postTo<Body>(daemon, path, body);

async function engagementWithFile(): Promise<{ readonly id: string; readonly file: string }> {
  const { engagement } = await post('/engagements', { name: 'Shop', client: 'A client', workspace: daemon.workspace });
  const id = engagement!.id;
  const { deliverable } = await post(`/engagements/${id}/deliverables`, {
    phase: 'discover',
    key: 'talks',
    title: 'Talks',
  });
  const file = join(daemon.workspace, `notes of ${id}.txt`);
  writeFileSync(file, 'what they said\n');
  await post(`/engagements/${id}/deliverables/${deliverable!.id}/evidence`, { kind: 'file', reference: file });
  return { id, file };
}

const target = (): string => join(temporaryFolder('bundle'), 'bundle.zip');

describe('daybook evidence', () => {
  it('exports an engagement with its files, and verifies it', async () => {
    const { id } = await engagementWithFile();
    const to = target();
    expect(await evidence('export', id, '--to', to, '--with-files')).toMatchObject({ code: 0, stderr: '' });
    const vkey = (await cliHere(['log', 'key'], { home: daemon.home })).stdout.trim();
    const { code, stdout } = await evidence('verify', to, '--vkey', vkey);
    expect([stdout, code]).toEqual([expect.stringContaining('ok: everything fits the key that you gave'), 0]);
    expect(stdout).toContain(`about: engagement ${id}`);
    expect(stdout).toContain('attached files: 1 recorded, 1 in the bundle');
    const names = [...unpacked(readFileSync(to)).keys()].filter((name) => !name.startsWith('proofs/'));
    expect(names).toEqual([
      ...['VERIFY.md', 'checkpoint', 'events.jsonl', 'files.sha256', expect.stringMatching(/^files\/.{16}-notes_of_/)],
      ...['handover.md', 'log.vkey', 'manifest.json', 'manifest.note', 'report.md', 'verify.html'],
    ]);
  });

  // The owner handed over a bundle without the file, and nothing said so.
  it('names the files that it leaves out', async () => {
    const { id, file } = await engagementWithFile();
    expect((await evidence('export', id, '--to', target(), '--with-files')).stdout).not.toContain(file);
    writeFileSync(file, 'what they did not say\n');
    const { stdout } = await evidence('export', id, '--to', target(), '--with-files');
    expect(stdout).toMatch(/\nNot in the bundle, because the file changed, is gone, .*:\n- .*\n$/);
    expect(stdout).toContain(`- ${file}\n`);
    expect((await evidence('export', id, '--to', target())).stdout).not.toContain(file);
    const { deliverables } = (await (await daemon.request(`/engagements/${id}/deliverables`)).json()) as {
      readonly deliverables: readonly [{ readonly id: string }];
    };
    const absent = { kind: 'file', reference: join(daemon.workspace, 'never there.pdf') };
    await post(`/engagements/${id}/deliverables/${deliverables[0].id}/evidence`, absent);
    const all = (await evidence('export', id, '--to', target(), '--with-files')).stdout;
    expect(all).toContain(`- ${file}\n`);
    expect(all).toMatch(/\nNot in the bundle, because no hash was recorded .*:\n- .*never there\.pdf\n$/);
  });

  it('exports what is named by its name, or by the beginning of its id', async () => {
    const { engagement } = await post('/engagements', { name: 'Harbour timetable', client: 'A port' });
    for (const word of ['harbour', engagement!.id.slice(0, 8)]) {
      const to = target();
      const { stdout } = await evidence('export', word, '--to', to, '--json');
      expect(JSON.parse(stdout)).toEqual({ file: to, bytes: statSync(to).size });
      expect((await evidence('verify', to)).stdout).toContain(`about: engagement ${engagement!.id}`);
    }
  });

  it('verify names what is wrong, as text and as JSON, and needs no daemon', async () => {
    const { id } = await engagementWithFile();
    const to = target();
    await evidence('export', id, '--to', to);
    const files = unpacked(readFileSync(to));
    files.set('report.md', Buffer.from('# Another report\n'));
    writeFileSync(to, packed(files));
    const home = temporaryFolder('no-home');
    expect(await cliHere(['evidence', 'verify', to], { home })).toEqual({
      ...{ code: 1, stderr: '' },
      stdout: 'NOT ok: The file report.md is not the one that was signed: it was changed after the export.\n',
    });
    const { code, stdout } = await cliHere(['evidence', 'verify', to, '--json'], { home });
    expect([code, JSON.parse(stdout)]).toEqual([
      1,
      { ok: false, fault: { code: 'changed', where: 'report.md', what: expect.stringContaining('after the export') } },
    ]);
    const none = await cliHere(['evidence', 'verify', `${to}.none`], { home });
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('There is no file')]);
    const junk = await cliHere(['evidence', 'verify', to, '--vkey', 'junk'], { home });
    expect([junk.code, junk.stdout]).toEqual([1, expect.stringContaining('The key that you trust is no verifier key')]);
  });

  it('exports streams, positions, goals and runs; refuses what is not there, and a file that exists', async () => {
    const { id } = await engagementWithFile();
    const { id: goal } = await post<{ readonly id: string }>('/v1/goals', { title: 'A goal' });
    const task = { task: 'Say hello', workspace_root: daemon.workspace };
    const { session_id: run } = await post<{ readonly session_id: string }>('/agent', task);
    const subjects = [[run], ['--stream', `engagement-${id}`], ['--positions', '1-3'], [goal]];
    const said = [];
    for (const subject of subjects) {
      const to = target();
      expect(await evidence('export', ...subject, '--to', to)).toMatchObject({ code: 0, stderr: '' });
      const { stdout } = await evidence('verify', to, '--json');
      said.push((JSON.parse(stdout) as { subject: object }).subject);
    }
    expect(said).toEqual([
      { kind: 'run', id: run },
      { kind: 'stream', id: `engagement-${id}` },
      { kind: 'positions', id: '1-3' },
      { kind: 'goal', id: goal },
    ]);
    expect((await daemon.request(`/jobs/${run}/evidence.zip`)).status).toBe(200);
    const to = target();
    expect((await evidence('export', 'nothing', '--to', to)).stderr).toContain("no engagement, run or goal 'nothing'");
    expect(await evidence('export', '--to', to)).toMatchObject({ code: 2 });
    expect(await evidence('export', id, '--positions', '1-2', '--to', to)).toMatchObject({ code: 2 });
    expect((await evidence('export', '--positions', '9-x', '--to', to)).stderr).toContain('two positions');
    expect((await evidence('export', '--positions', '900-901', '--to', to)).stderr).toContain('no such events');
    writeFileSync(to, 'mine');
    expect((await evidence('export', id, '--to', to)).stderr).toContain('exists already and is not overwritten');
    expect(readFileSync(to, 'utf8')).toBe('mine');
  });

  it('the routes answer the same bytes each time, with documents as of the checkpoint', async () => {
    const { id, file } = await engagementWithFile();
    const bundle = async (path: string): Promise<Buffer> => {
      const reply = await daemon.request(path);
      expect([path, reply.status, reply.headers.get('content-type')]).toEqual([path, 200, 'application/zip']);
      return Buffer.from(await reply.arrayBuffer());
    };
    const path = `/engagements/${id}/evidence.zip?with_files=1`;
    const first = await bundle(path);
    expect((await bundle(path)).equals(first)).toBe(true);
    expect(unpacked(first).get('handover.md')!.toString()).toContain('computed from the log up to its event');
    writeFileSync(file, 'something else\n');
    const names = [...unpacked(await bundle(path)).keys()];
    expect(names.filter((name) => name.startsWith('files'))).toEqual(['files.sha256']);
    await daemon.request(`/engagements/${id}`, { method: 'DELETE' });
    const removed = unpacked(await bundle(path));
    expect([removed.has('report.md'), removed.get('events.jsonl')!.includes('EngagementRemoved')]).toEqual([
      false,
      true,
    ]);
    for (const unknown of ['/engagements/x/evidence.zip', '/jobs/x/evidence.zip', '/v1/goals/x/evidence.zip']) {
      expect([unknown, (await daemon.request(unknown)).status]).toEqual([unknown, 404]);
    }
    expect((await daemon.request('/v1/evidence.zip')).status).toBe(400);
    const reversed = await daemon.request('/v1/evidence.zip?positions=5-2');
    expect([reversed.status, await reversed.json()]).toEqual([
      400,
      { error: 'Invalid query: positions: must begin with the smaller position' },
    ]);
  });

  it('export --since and verify --checkpoint prove that the log continues what a reader got earlier', async () => {
    const { id } = await engagementWithFile();
    const note = join(temporaryFolder('held'), 'old.note');
    writeFileSync(note, await (await daemon.request('/v1/tlog/checkpoint')).text());
    const size = readFileSync(note, 'utf8').split('\n')[1]!;
    await engagementWithFile();
    const to = target();
    expect(await evidence('export', id, '--since', size, '--to', to)).toMatchObject({ code: 0, stderr: '' });
    expect(await evidence('verify', to, '--checkpoint', note)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`continues: the ${size} events of your checkpoint`),
    });
    const without = target();
    await evidence('export', '--positions', '1-2', '--to', without);
    expect(await evidence('verify', without, '--checkpoint', note)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`NOT ok: The bundle cannot be compared with your checkpoint of ${size} events`),
    });
    const stranger = await evidence('verify', to, '--witness', 'example.org/w+00000000+AAAA');
    expect([stranger.code, stranger.stdout]).toEqual([1, expect.stringContaining('no verifier key of a witness')]);
    expect((await evidence('export', id, '--since', '999999', '--to', target())).stderr).toContain('The log has');
  });

  it('a reader who knows the key from before a rotation verifies what was exported after it', async () => {
    const { id } = await engagementWithFile();
    const old = (await cliHere(['log', 'key'], { home: daemon.home })).stdout.trim();
    await cliHere(['log', 'key', 'rotate'], { home: daemon.home });
    const to = target();
    await evidence('export', id, '--to', to);
    const { code, stdout } = await evidence('verify', to, '--vkey', old);
    const changed = 'the key was changed since (1), each time signed by the key before';
    expect([stdout, code]).toEqual([expect.stringContaining(changed), 0]);
  });
});
