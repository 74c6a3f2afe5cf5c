/** An engagement some of whose events are erased: folds skip them, and the views count what the rules count. */
import { expect, it } from 'vitest';
import type { EngagementCommand } from '../../src/commands/engagement/commands.ts';
import { documentOf, historyOf, OPEN, REASON, stateOf } from './support.ts';

const attach = (evidence_id: string, deliverable_id: string): EngagementCommand => ({
  type: 'AttachEvidence',
  ...{ evidence_id, deliverable_id, kind: 'note', label: '', reference: evidence_id, file: null, ...REASON },
});
const remove = (evidence_id: string): EngagementCommand => ({ type: 'RemoveEvidence', evidence_id, ...REASON });

const history = historyOf(
  OPEN,
  ...[attach('e1', 'id-1'), attach('e2', 'id-1'), attach('e3', 'id-2'), remove('e1'), remove('e3')],
  { type: 'ChangeDeliverable', deliverable_id: 'id-1', status: 'accepted', ...REASON },
);
/** The events about the deliverables that have evidence. */
const later = history.filter(({ data }) => 'deliverable_id' in data && ['id-1', 'id-2'].includes(data.deliverable_id));

it('counts the evidence that is there, whichever two events are erased', () => {
  for (const first of later) {
    for (const second of later) {
      const left = history.filter((event) => event !== first && event !== second);
      const { deliverables, evidence } = documentOf(left);
      const counts = stateOf(left).deliverables.map((each) => each.evidence.length);
      expect(deliverables.map(({ evidence_count }) => evidence_count)).toEqual(counts);
      expect(evidence.length).toBe(counts.reduce((sum, count) => sum + count, 0));
    }
  }
});
