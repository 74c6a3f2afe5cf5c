/** Engagements and runs as PDF, over HTTP and from the command line, read with pdftotext. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cliHere } from '../cli/support.ts';
import { callsTool, says } from '../fakes/providers/server.ts';
import { HAS_PDFTOTEXT, pdfText } from '../office/converter.ts';
import { sharedBench } from '../run/support.ts';
import { temporaryFolder } from '../support/folders.ts';

const folder = temporaryFolder('pdf');
const on = sharedBench();

async function pdf(path: string): Promise<Buffer> {
  const answer = await on.daemon.request(path);
  expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 200, 'application/pdf']);
  return Buffer.from(await answer.arrayBuffer());
}

/** The words of its pages, in one line. */
function textOf(bytes: Buffer): string {
  const path = join(folder, 'read.pdf');
  writeFileSync(path, bytes);
  return pdfText(path).replace(/\s+/g, ' ');
}

const json = async <Body>(path: string, init: RequestInit = {}): Promise<Body> =>
  (await (await on.daemon.request(path, init)).json()) as Body;
const readAgain = it.skipIf(!HAS_PDFTOTEXT);

describe('an engagement', () => {
  let id: string;
  let before: number;
  beforeAll(async () => {
    const body = JSON.stringify({ name: 'Ledger / Q4', client: 'Acme', summary: 'Moves the ledger.' });
    ({
      engagement: { id },
    } = await json<{ engagement: { id: string } }>('/engagements', { method: 'POST', body }));
    before = (await json<{ position: number }>('/v1/log/head')).position;
    await json(`/engagements/${id}`, { method: 'PATCH', body: JSON.stringify({ status: 'active' }) });
  });

  readAgain.each(['report', 'handover'])('is a %s as its markdown says, in equal bytes each time', async (name) => {
    const [first, again] = [await pdf(`/engagements/${id}/${name}.pdf`), await pdf(`/engagements/${id}/${name}.pdf`)];
    expect(again.equals(first)).toBe(true);
    const text = textOf(first);
    for (const words of ['Ledger / Q4', 'Acme']) expect(text).toContain(words);
    if (name === 'report') expect(text).toContain('Status: active');
    expect(text).not.toMatch(/\*\*|## |\| ?-/);
  });

  readAgain('is a report of a moment', async () => {
    const text = textOf(await pdf(`/engagements/${id}/report.pdf?at=${before}`));
    expect(text).toContain('Status: draft');
    expect(text).toContain('This is not the present state.');
  });

  it.each([
    ['at=yesterday', 400],
    ['at=2020-01-01T00:00:00Z', 404],
  ])('with %s is refused with %i', async (query, status) => {
    const answer = await on.daemon.request(`/engagements/${id}/report.pdf?${query}`);
    expect([answer.status, Object.keys((await answer.json()) as object)]).toEqual([status, ['error']]);
  });

  it('is saved from the command line as a new file', async () => {
    const path = join(folder, 'handover.pdf');
    const words = ['engagement', 'handover', 'ledger', '--pdf', path];
    const { code, stdout } = await cliHere(words, { home: on.daemon.home });
    expect([code, stdout]).toEqual([0, expect.stringContaining(path)]);
    expect(readFileSync(path).equals(await pdf(`/engagements/${id}/handover.pdf`))).toBe(true);
    const again = await cliHere(words, { home: on.daemon.home });
    expect([again.code, again.stderr]).toEqual([2, `daybook: ${path} exists already and is not overwritten.\n`]);
  });
});

describe('a run', () => {
  readAgain('is its messages, and its tool calls with input and output', async () => {
    writeFileSync(join(on.daemon.workspace, 'seen.txt'), 'content of the file');
    on.provider.script(callsTool({ name: 'read_file', input: { path: 'seen.txt' } }), says('I **saw** it.'));
    const id = await on.start({ task: 'Look at seen.txt' });
    await on.events(id);
    const bytes = await pdf(`/jobs/${id}/export.pdf`);
    expect((await pdf(`/jobs/${id}/export.pdf`)).equals(bytes)).toBe(true);
    const text = textOf(bytes);
    for (const words of ['Look at seen.txt', id, 'path: seen.txt', 'content of the file', 'I saw it.']) {
      expect(text).toContain(words);
    }
    const path = join(folder, 'run.pdf');
    await cliHere(['jobs', 'show', id.slice(0, 12), '--pdf', path], { home: on.daemon.home });
    expect(existsSync(path) && readFileSync(path).equals(bytes)).toBe(true);
  });

  it('that does not exist is 404', async () => {
    expect((await on.daemon.request(`/jobs/${'0'.repeat(32)}/export.pdf`)).status).toBe(404);
    expect((await fetch(`${on.daemon.url}/jobs/x/export.pdf`)).status).toBe(401);
  });
});
