/** The list of engagements with the readiness of each, and as of a moment. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { PhaseReadiness } from '../../src/commands/engagement/readiness.ts';
import type { Engagement } from '../../src/events/engagement/records.ts';
import { sharedDaemon } from '../support/daemon.ts';
import { client } from './support.ts';

const daemon = sharedDaemon();
const http = client(daemon);

interface Listed {
  readonly engagements: readonly Engagement[];
  readonly counts?: Readonly<Record<string, number>>;
  readonly readiness?: Readonly<Record<string, PhaseReadiness>>;
  readonly as_of?: { readonly asked: string; readonly position: number };
}

const list = async (query: string): Promise<Listed> => (await http.send<Listed>('GET', `/engagements?${query}`)).body;

async function ownReadiness(id: string): Promise<PhaseReadiness> {
  const { body } = await http.send<{ report: { engagement: Engagement; phases: readonly PhaseReadiness[] } }>(
    'GET',
    `/engagements/${id}`,
  );
  const { engagement, phases } = body.report;
  return phases.find(({ phase }) => phase === engagement.current_phase)!;
}

/** Engagements in three phases: untouched, half done, with nothing in scope, ready to be left. */
beforeAll(async () => {
  await http.open({ name: 'Untouched' });
  const half = await http.open({ name: 'Half done' });
  const [first, second] = await http.deliverables(half, '?phase=discover');
  const evidence = { kind: 'note', label: 'Seen', reference: 'yes' };
  await http.send('POST', `/engagements/${half}/deliverables/${first!.id}/evidence`, evidence);
  await http.send('PATCH', `/engagements/${half}/deliverables/${first!.id}`, { status: 'accepted' });
  await http.send('PATCH', `/engagements/${half}/deliverables/${second!.id}`, { status: 'ready' });
  const [gate] = await http.gates(half, '?phase=discover');
  await http.send('POST', `/engagements/${half}/gates/${gate!.id}/judge`, {
    verdict: 'fail',
    observed: 'It did not hold.',
  });
  const waived = await http.open({ name: 'Nothing in scope' });
  await http.send('PATCH', `/engagements/${waived}`, { phase: 'build' });
  for (const { id } of await http.deliverables(waived, '?phase=build')) {
    await http.send('PATCH', `/engagements/${waived}/deliverables/${id}`, { status: 'waived' });
  }
  for (const { id } of await http.gates(waived, '?phase=build')) {
    await http.send('POST', `/engagements/${waived}/gates/${id}/judge`, { verdict: 'waived' });
  }
  const late = await http.open({ name: 'Late' });
  await http.send('PATCH', `/engagements/${late}`, { phase: 'operate' });
});

describe('with readiness=true', () => {
  it.each(['limit_per_phase=24&readiness=true', 'readiness=true'])(
    '%s has what the own route of each has',
    async (query) => {
      const { engagements: found, readiness } = await list(query);
      expect(found).toHaveLength(4);
      const own = await Promise.all(found.map(async ({ id }) => [id, await ownReadiness(id)] as const));
      expect(readiness).toEqual(Object.fromEntries(own));
      const named = (name: string): PhaseReadiness => readiness![found.find((each) => each.name === name)!.id]!;
      expect(named('Half done').deliverables).toMatchObject({ accepted: 1, ready: 1, claimed_without_evidence: 1 });
      expect(named('Half done').gates.fail).toBe(1);
      expect(named('Nothing in scope')).toMatchObject({ phase: 'build', completion: null, can_exit: true });
    },
  );

  it('has that of the listed ones only', async () => {
    const { engagements: found, readiness, counts } = await list('limit_per_phase=1&readiness=true&q=nobody');
    expect(found.map(({ name }) => name)).toEqual([]);
    expect([readiness, counts!.all]).toEqual([{}, 4]);
    const first = await list('limit_per_phase=1&readiness=true');
    expect(Object.keys(first.readiness!).sort()).toEqual(first.engagements.map(({ id }) => id).sort());
    expect(first.engagements).toHaveLength(3);
  });

  it('the rest of the answer is byte for byte that without it', async () => {
    const bare = await http.text('/engagements?limit_per_phase=24');
    expect(await http.text('/engagements?limit_per_phase=24&readiness=false')).toBe(bare);
    expect(Object.keys(JSON.parse(bare) as object)).toEqual(['engagements', 'counts']);
    const full = await http.text('/engagements?limit_per_phase=24&readiness=true');
    expect(full.startsWith(`${bare.slice(0, -1)},"readiness":{`)).toBe(true);
    expect(Object.keys(await list(''))).toEqual(['engagements']);
  });
});

describe('the query', () => {
  it('has several statuses, words and a limit', async () => {
    const names = async (query: string): Promise<readonly string[]> =>
      (await list(query)).engagements.map(({ name }) => name);
    expect(await names('status=draft,paused')).toHaveLength(4);
    expect(await names('status=closed,paused')).toEqual([]);
    expect(await names('q=SCOPE%20nothing')).toEqual(['Nothing in scope']);
    expect(await names('limit=1')).toEqual(['Late']);
    const { counts } = await list('limit_per_phase=1&q=half');
    expect(counts).toEqual({ all: 4, discover: 1, prove: 0, build: 0, operate: 0 });
  });

  it.each(['readiness=yes', 'limit_per_phase=0', 'status=open', 'status=', 'limit=0', 'limit=ten'])(
    'with %s is refused',
    async (query) => {
      const { status, body } = await http.send('GET', `/engagements?${query}`);
      expect([status, Object.keys(body as object)]).toEqual([400, ['error']]);
    },
  );
});

describe('with at', () => {
  it('is the list as it was then, with its readiness, and says of which moment', async () => {
    const { body: head } = await http.send<{ position: number }>('GET', '/v1/log/head');
    const before = await list('limit_per_phase=24&readiness=true');
    const id = before.engagements.find(({ name }) => name === 'Untouched')!.id;
    await http.send('PATCH', `/engagements/${id}`, { phase: 'prove', status: 'active' });
    await http.open({ name: 'Later' });
    const then = await list(`limit_per_phase=24&readiness=true&at=${head.position}`);
    expect(then).toEqual({ ...before, as_of: expect.objectContaining({ asked: String(head.position) }) });
    const active = await list(`status=active&at=${head.position}`);
    expect(active).toEqual({ engagements: [], as_of: then.as_of });
    expect((await list('status=active')).engagements.map((each) => each.id)).toEqual([id]);
    expect((await list('at=1970-01-01T00:00:00Z')).as_of).toMatchObject({ position: 0 });
  });

  it.each(['0', '999999999', 'yesterday'])('%s is refused', async (at) => {
    const { status, body } = await http.send('GET', `/engagements?at=${at}`);
    expect([status, Object.keys(body as object)]).toEqual([400, ['error']]);
  });
});
