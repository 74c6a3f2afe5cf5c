/**
 * The data of a person is erased: its text is in no file of the home, in any encoding, and in nothing that is made
 * afterwards. Every earlier proof and bundle still verifies.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Envelope, Erasures } from '../../src/client/generated/types.ts';
import { verifyBundle } from '../../web/evidence/verify.js';
import { cliHere } from '../cli/support.ts';
import { post as postTo } from '../support/asking.ts';
import { childDaemon, type KillableDaemon, killableDaemon, type TestDaemonOptions } from '../support/daemon.ts';
import { ENGINES } from '../support/depth.ts';
import { temporaryFolder } from '../support/folders.ts';
import { until } from '../support/until.ts';
import { unpacked } from './support.ts';
import { tracesIn } from './traces.ts';

/** Words of no language, so that no page and no program has them. */
const WORDS = ['Quendolinxa', 'Ðorvölkyß'];
const SAID = `${WORDS.join(' ')} lives at the harbour`;

async function start(
  home: string,
  backend: string,
  make: (options: TestDaemonOptions) => Promise<KillableDaemon> = killableDaemon,
): Promise<KillableDaemon> {
  const daemon = await make({ home, env: { DAYBOOK_PERSISTENCE_BACKEND: backend } });
  onTestFinished(async () => void (await daemon.kill('SIGKILL')));
  return daemon;
}

type Body = { readonly id: string; readonly session_id: string; readonly engagement: { readonly id: string } };

const post = (daemon: KillableDaemon, path: string, body: object, headers?: Record<string, string>) =>
  postTo<Body>(daemon, path, body, headers);

async function bytesOf(daemon: KillableDaemon, path: string): Promise<Buffer> {
  const reply = await daemon.request(path);
  expect([path, reply.status]).toEqual([path, 200]);
  return Buffer.from(await reply.arrayBuffer());
}

/** The words go into every part of the daemon that keeps texts. */
async function spread(daemon: KillableDaemon) {
  const { engagement } = await post(daemon, '/engagements', { name: SAID, client: SAID, summary: SAID });
  await post(daemon, `/engagements/${engagement.id}/deliverables`, { phase: 'discover', key: 'talks', title: SAID });
  const goal = await post(daemon, '/v1/goals', { title: SAID, statement: SAID, tags: [WORDS[0]] });
  const run = await post(daemon, '/agent', { task: SAID }, { 'idempotency-key': 'a run' });
  await (await daemon.request(`/stream/${run.session_id}`)).text();
  await post(daemon, '/memory/add', { content: SAID, tags: [WORDS[0]] }, { 'idempotency-key': 'a memory' });
  await post(daemon, '/memory/fact', { subject: WORDS[0], predicate: 'lives at', object: SAID });
  await post(daemon, '/memory/chunk', { content: `${SAID}. `.repeat(60), source: WORDS[0] });
  await post(daemon, '/memory/query', { query: WORDS[0] });
  await post(daemon, '/memory/context', { query: SAID });
  await post(daemon, '/api/tasks', { title: SAID });
  return { engagement: engagement.id, goal: goal.id, run: run.session_id };
}

async function eventsWith(daemon: KillableDaemon): Promise<readonly Envelope[]> {
  const { events } = (await (await daemon.request('/v1/events?limit=5000')).json()) as { events: Envelope[] };
  return events.filter((event) => WORDS.some((word) => JSON.stringify(event).includes(word)));
}

async function operate(daemon: KillableDaemon, kind: string, to?: string): Promise<string> {
  const { id } = await post(daemon, '/v1/storage/operations', { kind, ...(to !== undefined && { to }) });
  for (;;) {
    const reply = await daemon.request(`/v1/storage/operations/${id}?wait=1000`);
    const { state } = (await reply.json()) as { state: string };
    if (state !== 'running') return state;
  }
}

async function erasures(daemon: KillableDaemon): Promise<Erasures> {
  return JSON.parse((await bytesOf(daemon, '/v1/log/erasures')).toString()) as Erasures;
}

/** What the daemon says once it has taken everything that was erased off the disk. */
function finished(daemon: KillableDaemon): Promise<Erasures> {
  return until(async () => {
    const found = await erasures(daemon);
    return found.state === 'done' && found;
  });
}

describe.each(ENGINES)('on %s', (backend) => {
  it('storage erase takes the text out of the home, backups, tiles and bundles', async () => {
    const home = temporaryFolder('erasure');
    let daemon = await start(home, backend);
    const ids = await spread(daemon);
    const bundlePath = `/engagements/${ids.engagement}/evidence.zip`;
    const old = await bytesOf(daemon, bundlePath);
    const texts = await eventsWith(daemon);
    const oldProof = (
      await bytesOf(daemon, `/v1/log/proof?position=${texts[0]!.position}&format=tlog-proof`)
    ).toString();
    expect(texts.length).toBeGreaterThan(8);
    expect(tracesIn(home, WORDS)).not.toEqual([]);
    await daemon.kill('SIGTERM');

    const words = texts.flatMap(({ position }) => ['--position', String(position)]);
    const erased = await cliHere(['storage', 'erase', ...words], { home });
    expect(erased).toMatchObject({ code: 0, stderr: '' });
    expect(tracesIn(home, WORDS)).toEqual([]);

    daemon = await start(home, backend);
    const outside = temporaryFolder('erasure-made');
    expect(await operate(daemon, 'backup', join(outside, 'backup'))).toBe('done');
    expect(await operate(daemon, 'verify')).toBe('done');
    const fresh = await bytesOf(daemon, bundlePath);
    writeFileSync(join(outside, 'bundle.zip'), fresh);
    writeFileSync(join(outside, 'events.json'), await bytesOf(daemon, '/v1/events?limit=5000'));
    writeFileSync(join(outside, 'tile'), await bytesOf(daemon, '/v1/tlog/tile/0/000.p/1'));
    expect(await eventsWith(daemon)).toEqual([]);
    expect(tracesIn(outside, WORDS)).toEqual([]);
    expect(tracesIn(home, WORDS)).toEqual([]);

    const vkey = unpacked(old).get('log.vkey')!.toString().trim();
    expect([await verifyBundle(old, vkey), await verifyBundle(fresh, vkey)]).toMatchObject([
      { ok: true },
      { ok: true },
    ]);
    const size = Number(oldProof.split('\n\n')[1]!.split('\n')[1]);
    const again = await bytesOf(daemon, `/v1/log/proof?position=${texts[0]!.position}&size=${size}&format=tlog-proof`);
    expect(again.toString()).toBe(oldProof);
    await daemon.kill('SIGTERM');
    expect(tracesIn(home, WORDS)).toEqual([]);
  });

  it('deleted memories, facts and drawers leave the home of a running daemon, also after it was killed', async () => {
    const home = temporaryFolder('forgotten');
    let daemon = await start(home, backend, childDaemon);
    expect(await erasures(daemon)).toMatchObject({ state: 'done', recorded: 0, done_at: null });
    const memory = await post(daemon, '/memory/add', { content: SAID, tags: [WORDS[0]] }, { 'idempotency-key': 'a' });
    const fact = await post(daemon, '/memory/fact', { subject: WORDS[0], predicate: 'lives at', object: SAID });
    await post(daemon, '/memory/chunk', { content: SAID.repeat(40), source: 'notes' });
    await post(daemon, '/memory/context', { query: SAID });
    const listed = (await bytesOf(daemon, '/memory/drawers?source=notes')).toString();
    const { drawers } = JSON.parse(listed) as { drawers: readonly { readonly id: string }[] };
    expect(drawers.length).toBeGreaterThan(1);
    const bundle = await bytesOf(daemon, `/v1/evidence.zip?stream=memory-${memory.id}`);
    for (const { id } of [memory, fact, ...drawers]) await post(daemon, '/memory/delete', { id });
    const left = await eventsWith(daemon);
    expect(left).toEqual([]);
    await daemon.kill('SIGKILL');
    // It had not begun: it waits for further erasures. So a search that finds nothing would be a search that cannot.
    expect(tracesIn(home, WORDS)).not.toEqual([]);
    daemon = await start(home, backend, childDaemon);
    const done = await finished(daemon);
    expect(done).toMatchObject({ done_through: done.recorded, failure: null, older_backups: 0 });
    expect([done.recorded > 0, done.done_at !== null]).toEqual([true, true]);
    expect(tracesIn(home, WORDS)).toEqual([]);
    const made = temporaryFolder('forgotten-made');
    writeFileSync(join(made, 'b.zip'), await bytesOf(daemon, `/v1/evidence.zip?stream=memory-${memory.id}`));
    expect(await operate(daemon, 'backup', join(made, 'backup'))).toBe('done');
    expect(tracesIn(made, WORDS)).toEqual([]);
    expect(await verifyBundle(bundle)).toMatchObject({ ok: true, erased: 0 });
    await daemon.kill('SIGTERM');
    expect(tracesIn(home, WORDS)).toEqual([]);
  });
});

it.each(ENGINES)('a backup that is made at once has nothing of what was erased, on %s', async (backend) => {
  const home = temporaryFolder('erased-backup');
  const daemon = await start(home, backend);
  expect(await operate(daemon, 'verified_backup')).toBe('done');
  const { id } = await post(daemon, '/memory/add', { content: SAID });
  await post(daemon, '/memory/delete', { id });
  const made = temporaryFolder('erased-backup-made');
  expect(await operate(daemon, 'backup', join(made, 'backup'))).toBe('done');
  expect(tracesIn(made, WORDS)).toEqual([]);
  expect(await finished(daemon)).toMatchObject({ state: 'done', older_backups: 1 });
  expect(tracesIn(home, WORDS)).toEqual([]);
});

it('storage erase says that backups and snapshots from before keep the text', async () => {
  const home = temporaryFolder('backed-up');
  const daemon = await start(home, 'cow');
  await spread(daemon);
  expect(await operate(daemon, 'verified_backup')).toBe('done');
  const [first] = await eventsWith(daemon);
  await daemon.kill('SIGTERM');
  await cliHere(['storage', 'snapshot'], { home });
  const { code, stderr } = await cliHere(['storage', 'erase', '--position', String(first!.position)], { home });
  expect([code, stderr]).toEqual([
    0,
    ['backups', 'snapshots']
      .map(
        (copies) =>
          `daybook: ${join(home, copies)} has ${copies} from before, which keep what was erased; delete them.\n`,
      )
      .join(''),
  ]);
});
