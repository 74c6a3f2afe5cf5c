/** GitHub's example payloads, unchanged: which of them are reviewed, and the fields that are read. */
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { zForgeRequest } from '../../src/events/webhook.ts';
import { readPayload } from '../../src/http/webhook/payload.ts';

interface Example {
  readonly action?: string;
  readonly pull_request: { readonly number: number; readonly title: string; readonly diff_url: string };
  readonly repository: { readonly full_name: string; readonly clone_url: string };
}

const require = createRequire(import.meta.url);
const FOLDERS = ['api.github.com', 'ghes-31', 'ghes-32', 'ghes-33', 'ghes-34', 'ghes-35'];

describe.each(FOLDERS)('the examples of %s', (folder) => {
  const all = require(`@octokit/webhooks-examples/${folder}/index.json`) as { name: string; examples: Example[] }[];
  const examples = all.find((event) => event.name === 'pull_request')?.examples ?? [];

  it('are there, with actions that are reviewed', () => {
    const actions = new Set(examples.map((example) => example.action));
    const reviewed = folder === 'api.github.com' ? ['opened', 'synchronize', 'reopened'] : ['opened'];
    expect([...actions]).toEqual(expect.arrayContaining(reviewed));
  });
  it('of pull requests are read, and only new content is reviewed', () => {
    for (const example of examples) {
      const read = readPayload(Buffer.from(JSON.stringify(example)), 'application/json');
      const wanted = ['opened', 'synchronize', 'reopened'].includes(example.action ?? '');
      expect(read.kind).toBe(wanted ? 'review' : 'ignored');
      if (read.kind !== 'review') continue;
      expect(zForgeRequest.parse(read.request)).toMatchObject({
        number: example.pull_request.number,
        title: example.pull_request.title,
        diff_url: example.pull_request.diff_url,
        repository: example.repository.full_name,
        clone_url: example.repository.clone_url,
      });
    }
  });
});

describe('a repository', () => {
  const commit = { sha: 'a'.repeat(40), ref: 'main' };
  const pull_request = { number: 1, title: 't', head: commit, base: commit, diff_url: 'http://127.0.0.1/1.diff' };
  const read = (full_name: string) =>
    readPayload(Buffer.from(JSON.stringify({ action: 'opened', pull_request, repository: { full_name } })), undefined);

  it('is read behind a byte order mark, also in a form', () => {
    const body = JSON.stringify({ action: 'opened', pull_request, repository: { full_name: 'o/r' } });
    const form = new URLSearchParams({ payload: `\ufeff${body}` });
    const bodies = [readPayload(Buffer.from(`\ufeff${body}`), 'application/json')];
    bodies.push(readPayload(Buffer.from(form.toString()), 'application/x-www-form-urlencoded'));
    expect(bodies).toMatchObject(Array.from({ length: 2 }, () => ({ request: { repository: 'o/r' } })));
  });
  it.each(['opened', 'synchronize', 'synchronized', 'reopened'])('with new content (%s) is reviewed', (action) => {
    const body = JSON.stringify({ action, pull_request, repository: { full_name: 'o/r' } });
    expect(readPayload(Buffer.from(body), undefined)).toMatchObject({ kind: 'review', request: { action } });
  });
  it.each(['o/r', '.github/.github', 'o/...', 'o/r.js'])('%s is read', (name) => {
    expect(read(name)).toMatchObject({ kind: 'review', request: { repository: name } });
  });
  it.each(['../..', './r', '../r', 'o/.', 'o/..'])('%s leads elsewhere and is refused', (name) => {
    expect(() => read(name)).toThrow('owner/name');
  });
});
