/** Readiness, row by row: which status and verdict raises which blocker, and what counts as done. */
import { describe, expect, it } from 'vitest';
import { type Contents, phaseReadiness, readiness } from '../../src/commands/engagement/readiness.ts';
import type { DeliverableStatus, Verdict } from '../../src/events/engagement/events.ts';

const item = (key: string, status: DeliverableStatus, evidence_count = 1) =>
  ({ phase: 'build', key, title: key, status, evidence_count }) as const;
const gate = (id: string, verdict: Verdict) => ({ id, phase: 'build', title: id, verdict }) as const;

function build(contents: Partial<Contents>) {
  return phaseReadiness({ deliverables: [], gates: [], ...contents }, 'build');
}

function kinds(contents: Partial<Contents>): readonly string[] {
  return build(contents).blockers.map(({ kind, subject }) => `${subject} ${kind}`);
}

describe('blockers', () => {
  it.each([
    ['not_started', 0, ['d deliverable_outstanding']],
    ['not_started', 2, ['d deliverable_outstanding']],
    ['in_progress', 0, ['d deliverable_outstanding']],
    ['ready', 0, ['d deliverable_without_evidence', 'd deliverable_outstanding']],
    ['ready', 1, ['d deliverable_outstanding']],
    ['accepted', 0, ['d deliverable_without_evidence']],
    ['accepted', 1, []],
    ['waived', 0, []],
    ['waived', 1, []],
  ] as const)('a deliverable that is %s with %i evidence items', (status, count, expected) => {
    expect(kinds({ deliverables: [item('d', status, count)] })).toEqual(expected);
  });

  it.each([
    ['not_measured', ['g gate_not_measured']],
    ['pending', ['g gate_pending']],
    ['fail', ['g gate_failed']],
    ['pass', []],
    ['waived', []],
  ] as const)('a gate that is %s', (verdict, expected) => {
    expect(kinds({ gates: [gate('g', verdict)] })).toEqual(expected);
  });

  it('come in list order, deliverables before gates, and say what is the matter', () => {
    const contents = {
      deliverables: [item('b', 'ready', 0), item('a', 'not_started')],
      gates: [gate('z', 'fail'), gate('y', 'pending')],
    };
    expect(kinds(contents)).toEqual([
      'b deliverable_without_evidence',
      'b deliverable_outstanding',
      'a deliverable_outstanding',
      'z gate_failed',
      'y gate_pending',
    ]);
    for (const { detail } of build(contents).blockers) expect(detail).toMatch(/^.+ .+\.$/);
  });

  it('of other phases do not count', () => {
    expect(build({ deliverables: [{ ...item('d', 'not_started'), phase: 'prove' }] }).can_exit).toBe(true);
  });
});

describe('completion', () => {
  it.each([
    [['accepted', 'accepted', 'in_progress', 'not_started'], 0.5],
    [['accepted', 'waived'], 1],
    [['not_started', 'waived'], 0],
    [['ready'], 0],
    [['waived', 'waived'], null],
    [[], null],
  ] as const)('of %j is %s', (statuses, expected) => {
    const deliverables = statuses.map((status, n) => item(`d${n}`, status));
    expect(build({ deliverables }).completion).toBe(expected);
  });
  it('is null, not zero, for a phase that can be left because all of it was waived', () => {
    expect(build({ deliverables: [item('d', 'waived')] })).toMatchObject({ completion: null, can_exit: true });
  });
});

describe('counts', () => {
  it('put every status and verdict in one place of its own', () => {
    const statuses = ['not_started', 'in_progress', 'ready', 'accepted', 'waived'] as const;
    const verdicts = ['not_measured', 'pending', 'pass', 'fail', 'waived'] as const;
    const { deliverables, gates } = build({
      deliverables: statuses.map((status) => item(status, status, 0)),
      gates: verdicts.map((verdict) => gate(verdict, verdict)),
    });
    expect(deliverables).toEqual({
      total: 5,
      not_started: 1,
      in_progress: 1,
      ready: 1,
      accepted: 1,
      waived: 1,
      claimed_without_evidence: 2,
    });
    expect(gates).toEqual({ total: 5, not_measured: 1, pending: 1, pass: 1, fail: 1, waived: 1 });
  });
  it('are made for all four phases in order', () => {
    const phases = readiness({ deliverables: [], gates: [] }).map(({ phase }) => phase);
    expect(phases).toEqual(['discover', 'prove', 'build', 'operate']);
  });
});
