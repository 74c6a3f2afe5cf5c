/** Queries of one engagement: the parts by id or key, and nothing of another or unknown engagement. */
import { describe, expect, it } from 'vitest';
import type { EngagementCommand } from '../../src/commands/engagement/commands.ts';
import {
  deliverableOfKey,
  engagement,
  engagementDocument,
  engagementOutline,
  evidenceItem,
  gate,
} from '../../src/projections/engagement/document.ts';
import { engagements } from '../../src/projections/engagement/engagement.ts';
import { givenProjection } from '../../src/testing/given-projection.ts';
import { advance, deliverableIds, gateIds, historyOf, OPEN, REASON, stateOf } from './support.ts';

const seeded = stateOf(historyOf(OPEN));
const [first, second] = deliverableIds(seeded, 'discover');
const [judged, removed] = gateIds(seeded, 'discover');
const attach = (evidence_id: string, deliverable_id: string): EngagementCommand => ({
  ...{ type: 'AttachEvidence', evidence_id, deliverable_id, kind: 'note', label: `label ${evidence_id}` },
  ...{ reference: '', file: null, ...REASON },
});

const streamed = (id: string, ...commands: readonly EngagementCommand[]) =>
  historyOf(OPEN, ...commands).map((event) => ({ stream: `engagement-${id}`, ...event }));
const { views } = givenProjection(engagements, [
  ...streamed(
    'one',
    attach('e1', second!),
    attach('e2', first!),
    attach('e3', second!),
    {
      ...{ type: 'JudgeGate', gate_id: judged!, verdict: 'fail', observed: '3', rationale: 'late', decided_by: 'Ann' },
      ...REASON,
    },
    { type: 'RemoveGate', gate_id: removed!, reason: 'not needed' },
    advance(true),
  ),
  ...streamed('two'),
]);

describe('an engagement', () => {
  it('has its parts in the order they were added, its evidence in the order of the deliverables', () => {
    const document = engagementDocument(views, 'one')!;
    expect(document).toMatchObject({
      engagement: { id: 'one', current_phase: 'prove' },
      moves: [{ kind: 'forced', from: 'discover', to: 'prove' }],
      removedGates: [{ id: removed, reason: 'not needed' }],
      evidence: [{ id: 'e2' }, { id: 'e1' }, { id: 'e3' }],
    });
    expect(document.deliverables.map(({ id }) => id)).toEqual(seeded.deliverables.map(({ id }) => id));
    const kept = seeded.gates.filter(({ id }) => id !== removed);
    expect(document.gates.map(({ id }) => id)).toEqual(kept.map(({ id }) => id));
  });

  it('that is not there is undefined, alone and with its parts', () => {
    for (const query of [engagement, engagementOutline, engagementDocument]) {
      expect(query(views, 'three')).toBeUndefined();
    }
  });
});

describe('a part of an engagement', () => {
  const { key } = seeded.deliverables.find(({ id }) => id === second)!;

  it('is found by its key or id', () => {
    expect(deliverableOfKey(views, 'one', key)).toMatchObject({
      ...{ id: second, engagement_id: 'one', key, evidence_count: 2 },
    });
    expect(evidenceItem(views, 'one', 'e3')).toEqual({
      ...{ id: 'e3', deliverable_id: second, kind: 'note', label: 'label e3', reference: '' },
      ...{ captured_at: expect.any(Number), file_path: null, size_bytes: null, sha256: null },
    });
    const found = gate(views, 'one', judged!)!;
    expect(found).toMatchObject({ verdict: 'fail', judgements: [{ verdict: 'fail', decided_by: 'Ann' }] });
    expect(engagementDocument(views, 'one')!.gates).toContainEqual(found);
    expect(found).not.toHaveProperty('ordinal');
  });

  it('is that of the named engagement, also when another one has a part with the same id', () => {
    expect(gate(views, 'two', judged!)).toMatchObject({
      engagement_id: 'two',
      verdict: 'not_measured',
      judgements: [],
    });
    expect(deliverableOfKey(views, 'two', key)).toMatchObject({ engagement_id: 'two', evidence_count: 0 });
    expect(evidenceItem(views, 'two', 'e3')).toBeUndefined();
    expect(gate(views, 'two', removed!)).toMatchObject({ id: removed });
  });

  it('that is not there is undefined', () => {
    expect(gate(views, 'one', removed!)).toBeUndefined();
    expect(evidenceItem(views, 'one', 'e4')).toBeUndefined();
    expect(deliverableOfKey(views, 'one', 'no_such_key')).toBeUndefined();
  });
});
