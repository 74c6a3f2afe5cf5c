/** Engagements by filter, by phase, and with the work of their phase. */
import { describe, expect, it } from 'vitest';
import type { EngagementCommand } from '../../src/commands/engagement/commands.ts';
import { engagements } from '../../src/projections/engagement/engagement.ts';
import {
  currentWork,
  type EngagementFilter,
  engagementsByPhase,
  newestEngagements,
} from '../../src/projections/engagement/list.ts';
import { givenProjection } from '../../src/testing/given-projection.ts';
import { advance, historyOf, OPEN, REASON } from './support.ts';

const history = (id: string, ...commands: readonly EngagementCommand[]) =>
  historyOf(...commands).map((event) => ({ stream: `engagement-${id}`, ...event }));

const views = givenProjection(engagements, [
  ...history('abcd-1', { ...OPEN, name: 'Ledger migration', client: 'Acme' }),
  ...history('abce-2', { ...OPEN, name: 'Nordwind rollout', client: 'ACME' }, advance(true)),
  ...history(
    'ffff-3',
    { ...OPEN, name: 'Hafen Köln'.normalize('NFD'), client: 'Port' },
    { type: 'ChangeEngagement', move_id: 'm', status: 'closed', ...REASON },
  ),
]).views;
const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

describe('the list', () => {
  it.each<[EngagementFilter, string[]]>([
    [{}, ['ffff-3', 'abce-2', 'abcd-1']],
    [{ limit: 1 }, ['ffff-3']],
    [{ status: ['closed'] }, ['ffff-3']],
    [{ status: [] }, []],
    [{ q: 'acme' }, ['abce-2', 'abcd-1']],
    [{ q: 'acme', limit: 1 }, ['abce-2']],
    [{ q: '' }, ['ffff-3', 'abce-2', 'abcd-1']],
    [{ q: '  LEDGER\t acme ' }, ['abcd-1']],
    [{ q: 'ledger rollout' }, []],
    [{ q: 'köln' }, ['ffff-3']],
    [{ q: 'ABCD' }, ['abcd-1']],
    [{ q: 'abc' }, []],
    [{ q: 'cd-1' }, []],
    [{ q: 'acme', status: ['closed'] }, []],
  ])('by %j', (filter, found) => {
    expect(ids(newestEngagements(views, filter))).toEqual(found);
  });

  it('by phase has some of each phase, and how many the filter finds', () => {
    const all = engagementsByPhase(views, { limitPerPhase: 1 });
    expect(ids(all.engagements)).toEqual(['ffff-3', 'abce-2']);
    expect(all.counts).toEqual({ all: 3, discover: 2, prove: 1, build: 0, operate: 0 });
    const some = engagementsByPhase(views, { limitPerPhase: 5, q: 'acme', limit: 1 });
    expect(ids(some.engagements)).toEqual(['abce-2']);
    expect(some.counts).toEqual({ all: 3, discover: 1, prove: 1, build: 0, operate: 0 });
  });
});

describe('the work of the current phase', () => {
  it('has deliverables and gates of that phase only, and nothing of an engagement that is not there', () => {
    const work = currentWork(views, ['abcd-1', 'abce-2', 'nobody']);
    expect([...work.keys()]).toEqual(['abcd-1', 'abce-2', 'nobody']);
    expect(work.get('nobody')).toEqual({ deliverables: [], gates: [] });
    for (const [id, phase] of [['abcd-1', 'discover'] as const, ['abce-2', 'prove'] as const]) {
      const { deliverables, gates } = work.get(id)!;
      expect([deliverables.length, gates.length].every((count) => count > 2)).toBe(true);
      for (const part of [...deliverables, ...gates]) expect(part).toMatchObject({ engagement_id: id, phase });
      expect(deliverables[0]).toMatchObject({ status: 'not_started', evidence_count: 0, key: expect.any(String) });
      expect(gates[0]).toMatchObject({ verdict: 'not_measured', id: expect.any(String) });
    }
  });
});
