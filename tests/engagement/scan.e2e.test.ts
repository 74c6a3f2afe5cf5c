/** Scanning and searching a workspace over HTTP: proposals, attached files, unchanged rows, and the limits. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EngagementsScanAnswer, EngagementsWorkspaceFilesAnswer } from '../../src/client/generated/types.ts';
import { sharedDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { client } from './support.ts';

const daemon = sharedDaemon();
const http = client(daemon);

function workspace(files: readonly string[]): string {
  const root = temporaryFolder('scanned');
  for (const name of files) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), name);
  }
  return root;
}

const scan = async (id: string, body: unknown): Promise<EngagementsScanAnswer> =>
  (await http.send<EngagementsScanAnswer>('POST', `/engagements/${id}/scan`, body)).body;

describe('a scan', () => {
  it('proposes by deliverable and path, lower-cased, and changes nothing', async () => {
    const root = workspace([
      'docs/ADR/0002-Queue.md',
      'docs/ADR/0001-Db.md',
      'docs/Roadmap.md',
      'node_modules/roadmap.md',
    ]);
    symlinkSync('/etc', join(root, 'architecture'));
    const id = await http.open({ workspace_path: root });
    const { scan: report, attached } = await scan(id, {});
    expect(attached).toBeNull();
    expect(report).toMatchObject({ root, files_scanned: 3, truncated: false });
    expect(report.candidates.map(({ deliverable_key, path, bytes }) => [deliverable_key, path, bytes])).toEqual([
      ['architecture-decision-records', 'docs/adr/0001-db.md', 19],
      ['architecture-decision-records', 'docs/adr/0002-queue.md', 22],
      ['prioritized-roadmap', 'docs/roadmap.md', 15],
    ]);
    expect(report.undetectable).toHaveLength(5);
    expect(report.notes).toHaveLength(2);
    expect((await http.deliverables(id)).every(({ evidence_count }) => evidence_count === 0)).toBe(true);
  });

  it('attaches only what is chosen, with the hash of the file whatever the case of its name', async () => {
    const root = workspace(['docs/ADR/0001-Db.md', 'docs/Roadmap.md']);
    const id = await http.open({ workspace_path: root });
    const only = [
      { deliverable_key: 'prioritized-roadmap', path: 'docs/roadmap.md' },
      { deliverable_key: 'prioritized-roadmap', path: 'docs/adr/0001-db.md' },
    ];
    expect((await scan(id, { attach: true, only: [] })).attached).toBe(0);
    expect((await scan(id, { attach: true, only })).attached).toBe(1);
    const attached = (await http.deliverables(id)).filter(({ evidence_count }) => evidence_count > 0);
    expect(attached.map(({ key }) => key)).toEqual(['prioritized-roadmap']);
    const [evidence] = await http.evidence(id, attached[0]!.id);
    expect(evidence).toMatchObject({ size_bytes: 15, file_path: join(root, 'docs/Roadmap.md') });
  });

  it('attaches once, with hashes, and never touches a status', async () => {
    const root = workspace(['docs/ADR/0001-Db.md', 'docs/Roadmap.md']);
    const id = await http.open();
    const unbound = await http.send<{ error: string }>('POST', `/engagements/${id}/scan`, { attach: true });
    expect(unbound.status).toBe(400);
    expect((await scan(id, { path: root, attach: true })).attached).toBe(2);
    expect((await scan(id, { path: root, attach: true })).attached).toBe(0);
    writeFileSync(join(root, 'runbook.md'), 'more');
    expect((await scan(id, { path: root, attach: true })).attached).toBe(1);
    const items = await http.deliverables(id);
    expect(items.every(({ status }) => status === 'not_started')).toBe(true);
    const roadmap = items.find(({ key }) => key === 'prioritized-roadmap')!;
    const [evidence] = await http.evidence(id, roadmap.id);
    expect(evidence).toMatchObject({
      kind: 'file',
      label: 'detected: roadmap or delivery plan',
      reference: 'docs/roadmap.md',
      file_path: join(root, 'docs/Roadmap.md'),
      size_bytes: 15,
      changed_since: false,
    });
    expect(evidence!.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('attaches no file that its deliverable has already, by an absolute path or in the spelling of the disk', async () => {
    const root = workspace(['docs/Roadmap.md', 'docs/Runbook.md']);
    const id = await http.open({ workspace_path: root });
    const items = await http.deliverables(id);
    const add = async (key: string, reference: string): Promise<void> => {
      const { id: did } = items.find((item) => item.key === key)!;
      await http.send('POST', `/engagements/${id}/deliverables/${did}/evidence`, { kind: 'file', reference });
    };
    await add('prioritized-roadmap', join(root, 'docs/Roadmap.md'));
    await add('runbooks', 'docs/Runbook.md');
    expect((await scan(id, { attach: true })).attached).toBe(0);
    expect((await scan(id, { path: 'docs', attach: true })).attached).toBe(0);
  });

  it('attaches once also when it is asked several times at once', async () => {
    const root = workspace(['docs/roadmap.md', 'docs/runbook.md']);
    const id = await http.open({ workspace_path: root });
    const scans = await Promise.all(Array.from({ length: 5 }, () => scan(id, { attach: true })));
    expect(scans.map(({ attached }) => attached).sort()).toEqual([0, 0, 0, 0, 2]);
  });

  it('says aloud that it was cut short', async () => {
    const many = Array.from({ length: 401 }, (_, n) => `adr/${String(n).padStart(4, '0')}.md`);
    const id = await http.open();
    const full = (await scan(id, { path: workspace(many.slice(1)) })).scan;
    expect([full.candidates.length, full.truncated, full.notes.length]).toEqual([400, false, 2]);
    const over = (await scan(id, { path: workspace(many) })).scan;
    expect([over.candidates.length, over.truncated]).toEqual([400, true]);
    expect(over.notes.join(' ')).toContain('incomplete');
    const twice = (await scan(id, { path: workspace([...many.slice(2), 'z/adr-threat-model.md']) })).scan;
    expect([twice.candidates.length, twice.truncated]).toEqual([400, true]);
    const deep = (await scan(id, { path: workspace(['1/2/3/4/5/6/7/roadmap.md', '1/2/3/4/5/6/7/8/roadmap.md']) })).scan;
    expect([deep.candidates.length, deep.truncated]).toEqual([1, true]);
  });

  it('needs a directory', async () => {
    const root = workspace(['file.md']);
    const id = await http.open({ workspace_path: join(root, 'gone') });
    for (const body of [{}, { path: join(root, 'file.md') }, { path: join(root, 'none') }]) {
      const refused = await http.send<{ error: string }>('POST', `/engagements/${id}/scan`, body);
      expect(refused.status).toBe(400);
      expect(refused.body.error).toContain('path');
    }
  });
});

describe('a search of the workspace', () => {
  const search = async (id: string, query = ''): Promise<EngagementsWorkspaceFilesAnswer> =>
    (await http.send<EngagementsWorkspaceFilesAnswer>('GET', `/engagements/${id}/workspace-files${query}`)).body;
  const paths = ({ files }: EngagementsWorkspaceFilesAnswer): readonly string[] => files.map(({ path }) => path);

  it('finds each file by the words in its path, names before folders, spelled as on disk', async () => {
    const root = workspace([
      'minutes/2026/Summary.md',
      'notes/Steering Minutes.md',
      'node_modules/minutes.md',
      '.ssh/minutes.md',
      'plan.md',
    ]);
    symlinkSync('/etc', join(root, 'minutes-link'));
    const id = await http.open({ workspace_path: root });
    expect(await search(id, '?q=MINUTES')).toEqual({
      files: [{ path: 'notes/Steering Minutes.md' }, { path: 'minutes/2026/Summary.md' }],
      found: 2,
      truncated: false,
      notes: [],
    });
    expect(paths(await search(id, '?q=2026%20sum'))).toEqual(['minutes/2026/Summary.md']);
    expect(paths(await search(id, '?q=2026%20steering'))).toEqual([]);
    expect(paths(await search(id))).toEqual(['minutes/2026/Summary.md', 'notes/Steering Minutes.md', 'plan.md']);
  });

  it('finds a file that is attached by the path found, with its hash', async () => {
    const id = await http.open({ workspace_path: workspace(['Notes/Résumé 1.md']) });
    const [path] = paths(await search(id, `?q=${encodeURIComponent('RE\u0301SUME\u0301')}`));
    const [first] = await http.deliverables(id);
    await http.send('POST', `/engagements/${id}/deliverables/${first!.id}/evidence`, { kind: 'file', reference: path });
    const [evidence] = await http.evidence(id, first!.id);
    expect(evidence).toMatchObject({ reference: 'Notes/Résumé 1.md', changed_since: false });
    expect(evidence!.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is limited, counts what it found, and says what it did not search', async () => {
    const files = Array.from({ length: 30 }, (_, n) => `part-${String(n).padStart(2, '0')}.md`);
    const id = await http.open({ workspace_path: workspace([...files, '1/2/3/4/5/6/7/8/part.md']) });
    const some = await search(id, '?q=part');
    expect([some.files.length, some.found, some.truncated, some.notes.length]).toEqual([20, 30, true, 1]);
    expect(paths(await search(id, '?q=part&limit=2'))).toEqual(['part-00.md', 'part-01.md']);
  });

  it('needs an engagement, a workspace that is there, and a limit in its range', async () => {
    const refusals = [
      ['nobody', '', 404, 'nobody'],
      [await http.open(), '', 400, 'workspace_path'],
      [await http.open({ workspace_path: join(workspace([]), 'gone') }), '', 400, 'workspace_path'],
      [await http.open({ workspace_path: workspace([]) }), '?limit=201', 400, 'limit'],
    ] as const;
    for (const [id, query, status, word] of refusals) {
      const refused = await http.send<{ error: string }>('GET', `/engagements/${id}/workspace-files${query}`);
      expect([refused.status, refused.body.error]).toEqual([status, expect.stringContaining(word)]);
    }
  });
});
