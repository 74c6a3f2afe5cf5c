/** Bundles of runs and goals: their reports, and the streams to which they refer. */
import { describe, expect, it } from 'vitest';
import type { EventLog, NewEvent } from '../../src/storage/event-log.ts';
import { openStorage } from '../../src/storage/open.ts';
import { verifyBundle } from '../../web/evidence/verify.js';
import { callsTool, says } from '../fakes/providers/server.ts';
import { sharedBench } from '../run/support.ts';
import { event, to } from '../storage/log-helpers.ts';
import { post as postTo } from '../support/asking.ts';
import { bundleOf, logKeyOf, type Manifest, resigned, unpacked } from './support.ts';

const fixture = sharedBench('openai', { DAYBOOK_APPROVAL: 'full-auto' });

const post = <Body>(path: string, body: object) => postTo<Body>(fixture.daemon, path, body);

async function bundleAt(path: string) {
  const reply = await fixture.daemon.request(path);
  expect([path, reply.status]).toEqual([path, 200]);
  const zip = Buffer.from(await reply.arrayBuffer());
  const files = unpacked(zip);
  const manifest = JSON.parse(files.get('manifest.json')!.toString()) as Manifest;
  const text = (name: string): string => files.get(name)?.toString() ?? '';
  return { zip, files, manifest, text, report: await verifyBundle(zip) };
}

/** A run that writes a file, and a fork of it after its first step. */
async function runAndFork() {
  fixture.provider.script(
    callsTool({ name: 'write_file', input: { path: 'hello.txt', content: 'hello' } }),
    says('There is a file now.'),
    says('The fork has nothing to do.'),
  );
  const run = await fixture.start({ task: 'Write | a *file*.' });
  await fixture.events(run);
  const { session_id: fork } = await post<{ session_id: string }>(`/jobs/${run}/fork`, {
    step: 1,
    task: 'Look again.',
  });
  await fixture.events(fork);
  return { run, fork };
}

describe('the bundle of a run', () => {
  it('says in report.md what was asked, what happened, who, the outcome, tools and tokens, the same each time', async () => {
    const { run } = await runAndFork();
    const { zip, manifest, text, report } = await bundleAt(`/jobs/${run}/evidence.zip`);
    expect(report).toMatchObject({ ok: true, related: [] });
    expect(manifest.related).toEqual([]);
    const said = text('report.md');
    for (const part of [
      ...[`# Run \`${run}\` — report`, '**Status:** complete', '**Model:** openai / fake-model'],
      ...['Write | a \\*file\\*.', 'It completed on ', 'There is a file now.', 'the tool write_file succeeded'],
      ...['| 1 | write_file | succeeded |', '- hello.txt', '| openai / fake-model | 2 | 2 |', '| owner |'],
    ]) {
      expect(said).toContain(part);
    }
    expect(said).toMatch(/as of the checkpoint of \d+ events/);
    expect((await bundleAt(`/jobs/${run}/evidence.zip`)).zip.equals(zip)).toBe(true);
  });

  it('of a fork holds the run from which the fork started, with a report of its own', async () => {
    const { run, fork } = await runAndFork();
    const { manifest, files, text, report } = await bundleAt(`/jobs/${fork}/evidence.zip`);
    expect(report).toMatchObject({ ok: true });
    expect(manifest.related).toEqual([
      { stream: `run-${run}`, relation: 'origin', position: expect.any(Number), included: true },
    ]);
    const wholes = manifest.streams.filter(({ whole }) => whole).map(({ stream }) => stream);
    expect(wholes).toEqual([`run-${run}`, `run-${fork}`].sort());
    expect(text('report.md')).toContain(`**Forked from:** run \`${run}\``);
    expect(files.has(`reports/run-${run}.md`)).toBe(true);
  });
});

describe('the bundle of a goal', () => {
  it('holds its runs, their origins and the engagements that it names, each with a report', async () => {
    const { run, fork } = await runAndFork();
    const { engagement } = await post<{ engagement: { id: string } }>('/engagements', { name: 'Shop', client: 'C' });
    const statement = `Serve engagement ${engagement.id}, and not ${'0'.repeat(32)}.`;
    const { id } = await post<{ id: string }>('/v1/goals', {
      title: 'A shop',
      statement,
      success_criteria: ['It sells'],
    });
    for (const target_id of [fork, fork]) await post(`/v1/goals/${id}/link`, { kind: 'session', target_id });
    const { manifest, files, text, report } = await bundleAt(`/v1/goals/${id}/evidence.zip`);
    expect(report).toMatchObject({ ok: true, subject: { kind: 'goal', id } });
    expect(manifest.related.map(({ stream, relation, included }) => [stream, relation, included])).toEqual([
      [`engagement-${engagement.id}`, 'engagement', true],
      [`run-${fork}`, 'run', true],
      [`run-${run}`, 'origin', true],
    ]);
    const said = text('report.md');
    const parts = [
      '**Goal:** A shop',
      '- It sells',
      `### Run \`${fork}\``,
      'The fork has nothing to do.',
      engagement.id,
    ];
    for (const part of parts) expect(said).toContain(part);
    expect([...files.keys()].filter((name) => name.startsWith('reports/'))).toEqual(
      [`engagement-${engagement.id}`, `run-${fork}`, `run-${run}`].sort().map((name) => `reports/${name}.md`),
    );
    expect(text(`reports/engagement-${engagement.id}.md`)).toContain('Shop');
  });
});

const key = logKeyOf(1);
const GOAL = { kind: 'goal', id: '7' } as const;
const typed = (number: number, type: string, data: NewEvent['data']): NewEvent => ({ ...event(number, data), type });
const linked = (number: number, target_id: string, kind = 'job'): NewEvent =>
  typed(number, 'GoalLinked', { link_id: `l${number}`, kind, target_id, note: null });

/** A goal with one run that the log has, and one that it has not. */
async function goalLog(): Promise<EventLog> {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  await log.append([to('goal-7', [linked(1, 'a'), linked(2, 'gone')])]);
  await log.append([to('run-a', [typed(3, 'RunBegun', {}), typed(4, 'RunCompleted', { summary: 'Done.' })])]);
  return log;
}

describe('what a goal refers to', () => {
  it('is listed also when the log has no such stream', async () => {
    const bundle = await bundleOf(await goalLog(), { subject: GOAL });
    expect(await verifyBundle(bundle, key.vkey)).toMatchObject({
      ok: true,
      related: [
        { stream: 'run-a', relation: 'run', position: 1, included: true },
        { stream: 'run-gone', relation: 'run', position: 2, included: false },
      ],
    });
  });

  it('is each run, whatever the kind of its link, and the target of no note', async () => {
    const { log } = await openStorage({ directory: '', ephemeral: true });
    await log.append([to('goal-7', [linked(1, 'a', 'recap'), linked(2, 'b', 'session'), linked(3, 'c', 'note')])]);
    const report = await verifyBundle(await bundleOf(log, { subject: GOAL }), key.vkey);
    expect(report).toMatchObject({ ok: true, related: [{ stream: 'run-a' }, { stream: 'run-b' }] });
  });

  it('is only what it refers to at the checkpoint', async () => {
    const bundle = await bundleOf(await goalLog(), { subject: GOAL, size: 2 });
    expect(await verifyBundle(bundle, key.vkey)).toMatchObject({ ok: true, related: [{ included: false }, {}] });
  });

  const faultOf = async (change: (manifest: Manifest, files: Map<string, Buffer>) => void) => {
    const files = unpacked(await bundleOf(await goalLog(), { subject: GOAL }));
    const report = await verifyBundle(
      resigned(files, key, (manifest) => change(manifest, files)),
      key.vkey,
    );
    return report.ok ? 'ok' : report.fault;
  };

  it('cannot be left out of a bundle by the holder of the key, unseen', async () => {
    const fault = await faultOf((manifest) => {
      manifest.related = manifest.related.slice(1);
    });
    expect(fault).toMatchObject({ code: 'left-out', what: expect.stringContaining('Event 1 refers to run-a') });
  });

  it('cannot be claimed to be whole when it is not', async () => {
    const fault = await faultOf((manifest) => {
      manifest.streams.find(({ stream }) => stream === 'run-a')!.whole = false;
    });
    expect(fault).toMatchObject({ code: 'left-out', what: expect.stringContaining('claims to hold all of run-a') });
  });

  it('is not asked for in a bundle from before there was this list', async () => {
    expect(await faultOf((manifest) => Reflect.deleteProperty(manifest, 'related'))).toBe('ok');
  });
});
