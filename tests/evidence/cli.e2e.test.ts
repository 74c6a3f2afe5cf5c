/** `daybook evidence` and its routes, on a daemon in this process. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cliHere } from '../cli/support.ts';
import { sharedDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { unpacked } from './support.ts';

const daemon = sharedDaemon();

const evidence = (...words: readonly string[]) => cliHere(['evidence', ...words], { home: daemon.home });

async function post(path: string, body: object): Promise<Record<string, { id: string }>> {
  const reply = await daemon.request(path, { method: 'POST', body: JSON.stringify(body) });
  expect(reply.status).toBeLessThan(300);
  return (await reply.json()) as Record<string, { id: string }>;
}

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
});
