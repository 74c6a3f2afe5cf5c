/** Engagements by filter, by phase, and with the work of their phase. */
import { describe, expect, it } from 'vitest';
import type { EngagementCommand } from '../../src/commands/engagement/commands.ts';
import type { Engagement } from '../../src/events/engagement/records.ts';
import { engagements } from '../../src/projections/engagement/engagement.ts';
import {
  currentWork,
  type EngagementFilter,
  engagementsByPhase,
  newestEngagements,
} from '../../src/projections/engagement/list.ts';
import { openViews, type Views } from '../../src/projections/views.ts';
import { currentReadiness, READINESS_PER_PHASE_MAX } from '../../src/queries/engagement/lookup.ts';
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

describe('the readiness of a list', () => {
  const rows = (count: number): readonly Engagement[] =>
    Array.from({ length: count }, (_, n) => ({
      id: `e-${n}`,
      name: 'Any',
      client: '',
      summary: '',
      workspace_path: null,
      status: 'draft',
      current_phase: n % 2 === 0 ? 'discover' : 'build',
      created_at: 1,
      updated_at: 1,
    }));

  it('takes two statements however long the list is, and ends after so many of a phase', () => {
    const views = openViews(null);
    views.exec(engagements.create);
    let statements = 0;
    const counting: Views = {
      transaction: views.transaction,
      run: (...given) => views.run(...given),
      get: (...given) => views.get(...given),
      all: (...given) => {
        statements += 1;
        return views.all(...given);
      },
    };
    expect(Object.keys(currentReadiness(counting, rows(10)))).toHaveLength(10);
    expect(statements).toBe(2);
    const long = currentReadiness(counting, rows(READINESS_PER_PHASE_MAX * 2 + 2));
    expect(Object.keys(long)).toHaveLength(READINESS_PER_PHASE_MAX * 2);
    expect(long[`e-${READINESS_PER_PHASE_MAX * 2}`]).toBeUndefined();
    expect(statements).toBe(4);
    views.close();
  });
});
