/** The engagement routes over HTTP: the contract's table of requests, answers and errors, row by row. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EngagementsGetAnswer } from '../../src/client/generated/types.ts';
import type { Engagement, Gate } from '../../src/events/engagement/records.ts';
import { sharedDaemon } from '../support/daemon.ts';
import { client, type Outcome, type ShownEvidence } from './support.ts';

const daemon = sharedDaemon();
const http = client(daemon);

const UUID_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const get = async (id: string, query = ''): Promise<EngagementsGetAnswer> =>
  (await http.send<EngagementsGetAnswer>('GET', `/engagements/${id}${query}`)).body;
const head = async (): Promise<number> => (await http.send<{ position: number }>('GET', '/v1/log/head')).body.position;

describe('an engagement', () => {
  it('is opened with trimmed words, a draft in the first phase, seeded with the template', async () => {
    const { status, body } = await http.send<{ engagement: Engagement }>('POST', '/engagements', {
      name: ' Ledger ',
      client: ' Acme ',
      summary: ' Move it. ',
      workspace_path: 'sub/folder',
    });
    expect(status).toBe(200);
    const { id, created_at, updated_at, ...rest } = body.engagement;
    expect(id).toMatch(UUID_4);
    expect(updated_at).toBe(created_at);
    expect(rest).toEqual({
      name: 'Ledger',
      client: 'Acme',
      summary: 'Move it.',
      workspace_path: join(daemon.workspace, 'sub/folder'),
      status: 'draft',
      current_phase: 'discover',
    });
    expect(await http.deliverables(id)).toHaveLength(30);
    expect(await http.gates(id)).toHaveLength(16);
    const { report } = await get(id);
    expect(report.engagement).toEqual(body.engagement);
    expect(report.phases.map(({ phase, blockers }) => [phase, blockers.length])).toEqual([
      ['discover', 12],
      ['prove', 9],
      ['build', 14],
      ['operate', 11],
    ]);
  });

  it('needs only a name', async () => {
    const id = await http.open({ name: 'Only', client: null, summary: null, workspace_path: ' ' });
    expect((await get(id)).report.engagement).toMatchObject({ client: '', summary: '', workspace_path: null });
  });

  it('is listed with the last changed first', async () => {
    const first = await http.open();
    const second = await http.open();
    const ids = async (): Promise<readonly string[]> =>
      (await http.send<{ engagements: Engagement[] }>('GET', '/engagements')).body.engagements.map(({ id }) => id);
    expect((await ids()).slice(0, 2)).toEqual([second, first]);
    const [item] = await http.deliverables(first);
    await http.send('PATCH', `/engagements/${first}/deliverables/${item!.id}`, { notes: 'touched' });
    expect((await ids()).slice(0, 2)).toEqual([first, second]);
  });

  it('changes status and phase, and nothing that is left out', async () => {
    const id = await http.open();
    const patch = async (body: unknown): Promise<Engagement> =>
      (await http.send<{ engagement: Engagement }>('PATCH', `/engagements/${id}`, body)).body.engagement;
    expect(await patch({ status: 'active' })).toMatchObject({ status: 'active', current_phase: 'discover' });
    expect(await patch({ phase: 'build' })).toMatchObject({ status: 'active', current_phase: 'build' });
    expect(await patch({})).toMatchObject({ status: 'active', current_phase: 'build' });
  });

  it('is removed once; its history stays, and it can be read as it was', async () => {
    const id = await http.open();
    const before = await head();
    expect(await http.send('DELETE', `/engagements/${id}`)).toEqual({ status: 200, body: { deleted: true } });
    for (const path of ['', '/deliverables', '/gates', '/report.md', '/handover.md', `?at=${await head()}`]) {
      expect((await http.send('GET', `/engagements/${id}${path}`)).status).toBe(404);
    }
    expect((await http.send('DELETE', `/engagements/${id}`)).status).toBe(404);
    const { body } = await http.send<{ events: { type: string }[] }>('GET', `/engagements/${id}/history`);
    expect(body.events.at(-1)!.type).toBe('EngagementRemoved');
    expect((await get(id, `?at=${before}`)).report.engagement.id).toBe(id);
  });

  it('is seeded again with what is missing, and nothing else changes', async () => {
    const id = await http.open();
    const [gate] = await http.gates(id, '?phase=prove');
    const [item] = await http.deliverables(id);
    await http.send('PATCH', `/engagements/${id}/deliverables/${item!.id}`, { status: 'accepted', owner: 'Ann' });
    const seed = (body?: unknown) => http.send('POST', `/engagements/${id}/seed`, body);
    expect((await seed()).body).toEqual({ added: 0 });
    await http.send('DELETE', `/engagements/${id}/gates/${gate!.id}`);
    expect((await seed({ reason: 'Removed by mistake.' })).body).toEqual({ added: 1 });
    const { body } = await http.send<{ events: { reason: string }[] }>('GET', `/engagements/${id}/history`);
    expect(body.events.at(-1)!.reason).toBe('Removed by mistake.');
    expect((await http.gates(id, '?phase=prove')).map(({ title }) => title)).toContain(gate!.title);
    expect((await http.deliverables(id))[0]).toMatchObject({ status: 'accepted', owner: 'Ann' });
  });
});

describe('deliverables', () => {
  it('are filtered by phase; empty and all are no filter', async () => {
    const id = await http.open();
    const count = async (query: string): Promise<number> => (await http.deliverables(id, query)).length;
    const queries = ['', '?phase=', '?phase=all', '?phase=discover', '?phase=prove', '?phase=build', '?phase=operate'];
    expect(await Promise.all(queries.map(count))).toEqual([30, 30, 30, 9, 5, 9, 7]);
  });

  it('are added outside the template at the end, and revised by their key', async () => {
    const id = await http.open();
    const add = (body: unknown) =>
      http.send<{ deliverable: { id: string } }>('POST', `/engagements/${id}/deliverables`, body);
    const { body } = await add({ phase: 'build', key: 'extra', title: 'Extra' });
    expect(body.deliverable).toMatchObject({
      engagement_id: id,
      phase: 'build',
      key: 'extra',
      title: 'Extra',
      description: '',
      status: 'not_started',
      owner: null,
      tool_hint: null,
      notes: '',
      evidence_count: 0,
    });
    expect((await http.deliverables(id)).at(-1)!.id).toBe(body.deliverable.id);
    await http.send('PATCH', `/engagements/${id}/deliverables/${body.deliverable.id}`, { status: 'accepted' });
    const revised = await add({ phase: 'prove', key: 'extra', title: 'New', description: 'd', tool_hint: 'editor' });
    const expected = { id: body.deliverable.id, phase: 'build', title: 'New', status: 'accepted', tool_hint: 'editor' };
    expect(revised.body.deliverable).toMatchObject(expected);
    expect(await http.deliverables(id)).toHaveLength(31);
  });

  it('asked for at once with one key are one deliverable', async () => {
    const id = await http.open();
    const add = (n: number) =>
      http.send<{ deliverable: { id: string } }>('POST', `/engagements/${id}/deliverables`, {
        phase: 'build',
        key: 'raced',
        title: `Title ${n}`,
      });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => add(n)));
    expect(new Set(answers.map(({ body }) => body.deliverable.id)).size).toBe(1);
    expect((await http.deliverables(id)).filter(({ key }) => key === 'raced')).toHaveLength(1);
  });

  it('are patched field by field: left out stays, null clears', async () => {
    const id = await http.open();
    const did = (await http.deliverables(id))[0]!.id;
    const patch = (body: unknown) => http.send('PATCH', `/engagements/${id}/deliverables/${did}`, body);
    expect(await patch({ status: 'ready', owner: 'Ann', notes: 'n' })).toEqual({ status: 200, body: { updated: did } });
    await patch({ notes: 'm' });
    expect((await http.deliverables(id))[0]).toMatchObject({ status: 'ready', owner: 'Ann', notes: 'm' });
    await patch({ owner: null });
    expect((await http.deliverables(id))[0]).toMatchObject({ status: 'ready', owner: null, notes: 'm' });
  });
});

describe('evidence', () => {
  it('is a note unless it says what it is, listed by time, counted, and removed by its id', async () => {
    const id = await http.open();
    const did = (await http.deliverables(id))[0]!.id;
    const attach = async (body: unknown): Promise<ShownEvidence> =>
      (await http.send<{ evidence: ShownEvidence }>('POST', `/engagements/${id}/deliverables/${did}/evidence`, body))
        .body.evidence;
    const note = await attach({});
    expect(note).toMatchObject({ deliverable_id: did, kind: 'note', label: '', reference: '', sha256: null });
    for (const kind of ['url', 'run', 'metric', 'note']) {
      expect(await attach({ kind, label: 'l', reference: 'r' })).toMatchObject({ kind, label: 'l', reference: 'r' });
    }
    const listed = await http.evidence(id, did);
    expect(listed.map(({ kind }) => kind)).toEqual(['note', 'url', 'run', 'metric', 'note']);
    expect((await http.deliverables(id))[0]!.evidence_count).toBe(5);
    const path = `/engagements/${id}/evidence/${note.id}`;
    expect(await http.send('DELETE', path)).toEqual({ status: 200, body: { deleted: true } });
    expect((await http.send('DELETE', path)).status).toBe(404);
    expect((await http.deliverables(id))[0]!.evidence_count).toBe(4);
  });

  it('that is a local file has its size and SHA-256, and shows when it changed', async () => {
    const path = join(daemon.workspace, 'inventory.md');
    writeFileSync(path, 'abc');
    const id = await http.open({ workspace_path: daemon.workspace });
    const did = (await http.deliverables(id))[1]!.id;
    const attach = { kind: 'file', label: 'Inventory', reference: 'inventory.md' };
    await http.send('POST', `/engagements/${id}/deliverables/${did}/evidence`, attach);
    await http.send('POST', `/engagements/${id}/deliverables/${did}/evidence`, { ...attach, reference: 'gone.md' });
    const sha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    const [file, gone] = await http.evidence(id, did);
    expect(file).toMatchObject({ reference: 'inventory.md', size_bytes: 3, sha256, changed_since: false });
    expect(gone).toMatchObject({ reference: 'gone.md', size_bytes: null, sha256: null, changed_since: null });
    const report = (): Promise<string> => http.text(`/engagements/${id}/report.md`);
    expect(await report()).toContain(`\`${sha256}\` | unchanged |`);
    const position = await head();
    writeFileSync(path, 'abd');
    expect((await http.evidence(id, did))[0]).toMatchObject({ sha256, changed_since: true });
    expect(await report()).toContain(`\`${sha256}\` | **changed since** |`);
    const handover = { status: 'accepted' };
    await http.send('PATCH', `/engagements/${id}/deliverables/${did}`, handover);
    expect(await http.text(`/engagements/${id}/handover.md`)).toContain(`SHA-256 \`${sha256}\`, **changed since**)`);
    expect(await http.text(`/engagements/${id}/report.md?at=${position}`)).not.toContain('changed since');
  });
});

describe('gates', () => {
  it('are added unmeasured, judged, and removed', async () => {
    const id = await http.open();
    const added = await http.send<{ gate: Gate }>('POST', `/engagements/${id}/gates`, {
      phase: 'build',
      title: ' Load holds ',
      measurement: ' Run the load test. ',
    });
    expect(added.status).toBe(200);
    const { gate } = added.body;
    expect(gate).toMatchObject({
      engagement_id: id,
      phase: 'build',
      title: 'Load holds',
      criterion: '',
      measurement: 'Run the load test.',
      observed: null,
      verdict: 'not_measured',
      rationale: '',
      decided_by: null,
      decided_at: null,
      judgements: [],
    });
    const judge = (body: unknown) =>
      http.send<{ gate: Gate }>('POST', `/engagements/${id}/gates/${gate.id}/judge`, body);
    const failed = await judge({ verdict: 'fail', observed: '2 s', rationale: 'slow', decided_by: 'Ann' });
    expect(failed.body.gate).toMatchObject({ verdict: 'fail', observed: '2 s', rationale: 'slow', decided_by: 'Ann' });
    expect(failed.body.gate.decided_at).toEqual(expect.any(Number));
    const passed = (await judge({ verdict: 'pass', observed: '90 ms' })).body.gate;
    expect(passed).toMatchObject({ verdict: 'pass', observed: '90 ms', rationale: '', decided_by: null });
    expect(passed.judgements.map(({ verdict, decided_by }) => [verdict, decided_by])).toEqual([
      ['fail', 'Ann'],
      ['pass', null],
    ]);
    const cleared = (await judge({ verdict: 'not_measured', observed: null, rationale: '', decided_by: 'Ann' })).body
      .gate;
    expect(cleared).toMatchObject({ verdict: 'not_measured', observed: null, decided_by: null, decided_at: null });
    const path = `/engagements/${id}/gates/${gate.id}`;
    const removed = await http.send('DELETE', `${path}?reason=${encodeURIComponent('Not ours.')}`);
    expect(removed).toEqual({ status: 200, body: { deleted: true } });
    expect((await http.send('DELETE', path)).status).toBe(404);
    const what = { id: gate.id, phase: 'build', title: 'Load holds', verdict: 'not_measured', by: 'owner' };
    expect((await get(id)).report.removed_gates).toMatchObject([{ ...what, reason: 'Not ours.' }]);
  });

  it('that cannot pass are left as they were', async () => {
    const id = await http.open();
    const [gate] = await http.gates(id);
    for (const observed of [undefined, null, '', ' ']) {
      const judged = await http.send<{ error: string }>('POST', `/engagements/${id}/gates/${gate!.id}/judge`, {
        verdict: 'pass',
        observed,
      });
      expect(judged.status).toBe(400);
      expect(judged.body.error).toContain('observed');
    }
    expect((await http.gates(id))[0]).toEqual(gate);
  });
});

it('advancing is refused with the blockers, forced over them, and recorded for ever', async () => {
  const id = await http.open();
  const advance = (body: unknown) => http.send<Outcome>('POST', `/engagements/${id}/advance`, body);
  const refused = await advance({});
  expect(refused.status).toBe(200);
  expect(refused.body.outcome).toMatchObject({ advanced: false, from: 'discover', to: 'prove', forced: false });
  expect(refused.body.outcome.blockers).toHaveLength(12);
  expect((await get(id)).report.engagement.current_phase).toBe('discover');
  const forced = (await advance({ force: true, reason: 'The client cannot wait.' })).body.outcome;
  expect(forced).toMatchObject({ advanced: true, from: 'discover', to: 'prove', forced: true });
  expect(forced.blockers).toEqual(refused.body.outcome.blockers);
  for (const [to, next] of [
    ['build', 'prove'],
    ['operate', 'build'],
  ] as const) {
    expect((await advance({ force: true })).body.outcome).toMatchObject({ advanced: true, from: next, to });
  }
  const last = (await advance({ force: true })).body.outcome;
  expect(last).toMatchObject({ advanced: false, from: 'operate', to: null, forced: false });
  const { report } = await get(id);
  expect(report.engagement).toMatchObject({ current_phase: 'operate', status: 'draft' });
  expect(report.phase_changes.map(({ kind }) => kind)).toEqual(['forced', 'forced', 'forced']);
  for (const document of ['report.md', 'handover.md']) {
    expect(await http.text(`/engagements/${id}/${document}`)).toContain('The client cannot wait.');
  }
});

it('the documents are markdown', async () => {
  const id = await http.open({ name: 'Ledger | 2' });
  for (const [name, suffix] of [
    ['report.md', 'engagement status'],
    ['handover.md', 'handover pack'],
  ] as const) {
    const response = await daemon.request(`/engagements/${id}/${name}`);
    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect((await response.text()).split('\n')[0]).toBe(`# Ledger | 2 — ${suffix}`);
  }
});

describe('time travel', () => {
  it('answers as it was at every position and at the time of every change', async () => {
    const id = await http.open();
    const [item] = await http.deliverables(id);
    const [gate] = await http.gates(id);
    const seen: { position: number; report: EngagementsGetAnswer['report']; deliverables: unknown; gates: unknown }[] =
      [];
    const look = async (): Promise<void> => {
      const { report } = await get(id);
      const [deliverables, gates] = await Promise.all([http.deliverables(id), http.gates(id)]);
      seen.push({ position: await head(), report, deliverables, gates });
    };
    await look();
    const did = `/engagements/${id}/deliverables/${item!.id}`;
    await http.send('PATCH', did, { status: 'ready', owner: 'Ann', notes: 'n' });
    await look();
    await http.send('POST', `${did}/evidence`, { kind: 'url', reference: 'https://x' });
    await look();
    await http.send('POST', `/engagements/${id}/gates/${gate!.id}/judge`, { verdict: 'pass', observed: 'seen' });
    await look();
    await http.send('POST', `/engagements/${id}/advance`, { force: true });
    await look();
    for (const { position, report, deliverables, gates } of seen) {
      const then = await get(id, `?at=${position}`);
      expect({ ...then.report, generated_at: 0 }).toEqual({ ...report, generated_at: 0 });
      expect(then.as_of).toMatchObject({ position, leaf_hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
      expect(await http.deliverables(id, `?at=${position}`)).toEqual(deliverables);
      expect(await http.gates(id, `?at=${position}`)).toEqual(gates);
      const time = new Date(then.as_of!.at!).toISOString();
      const byTime = await get(id, `?at=${encodeURIComponent(time)}`);
      expect(byTime.report.engagement.updated_at).toBe(then.as_of!.at);
    }
    const text = await http.text(`/engagements/${id}/report.md?at=${seen[0]!.position}`);
    expect(text).toContain(`> **As of ${seen[0]!.position}:**`);
    expect(text).not.toContain('forced');
    const evidence = (position: number) =>
      http.send<{ evidence: unknown[]; as_of: unknown }>('GET', `${did}/evidence?at=${position}`);
    expect((await evidence(seen[1]!.position)).body).toMatchObject({ evidence: [], as_of: expect.anything() });
    expect((await evidence(seen[2]!.position)).body.evidence).toHaveLength(1);
  });

  it('gives the history in pages with positions and hashes that the log proves', async () => {
    const id = await http.open();
    type Page = {
      events: { position: number; type: string; leaf_hash: string; reason: string }[];
      next: number | null;
    };
    const whole = (await http.send<Page>('GET', `/engagements/${id}/history`)).body;
    expect(whole.events).toHaveLength(47);
    expect(whole.next).toBeNull();
    expect(whole.events.every(({ reason }) => reason !== '')).toBe(true);
    const paged: Page['events'] = [];
    for (let after: number | null = 0; after !== null; ) {
      const page: Page = (await http.send<Page>('GET', `/engagements/${id}/history?limit=10&after=${after}`)).body;
      paged.push(...page.events);
      after = page.next;
    }
    expect(paged).toEqual(whole.events);
    const { position, leaf_hash } = whole.events.at(-1)!;
    const { body } = await http.send<{ leaf_hash: string }>('GET', `/v1/log/proof?position=${position}`);
    expect(body.leaf_hash).toBe(leaf_hash);
  });
});
