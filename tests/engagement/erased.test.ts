/** An engagement some of whose events are erased: folds skip them, and the views count what the rules count. */
import { expect, it } from 'vitest';
import type { EngagementCommand } from '../../src/commands/engagement/commands.ts';
import { createEvidenceFiles } from '../../src/integrations/evidence/evidence-files.ts';
import { documentParts } from '../../src/queries/engagement/document-parts.ts';
import { handoverMarkdown } from '../../src/queries/engagement/handover.ts';
import { reportMarkdown } from '../../src/queries/engagement/report.ts';
import { documentOf, gateIds, historyOf, logOf, OPEN, REASON, stateOf } from './support.ts';

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

it('says in both documents that content is erased, so that no verdict comes back unnoticed', async () => {
  const [gate_id] = gateIds(stateOf(historyOf(OPEN)), 'discover');
  const judge = (verdict: 'pass' | 'fail'): EngagementCommand => ({
    ...{ type: 'JudgeGate', gate_id: gate_id!, verdict, observed: '40', rationale: '', decided_by: null, ...REASON },
  });
  const events = historyOf(OPEN, judge('pass'), judge('fail'));
  const sources = {
    ...(await logOf(events, (index) => index)),
    evidenceFiles: createEvidenceFiles({ home: '/nowhere' }),
  };
  const written = async (at: number): Promise<readonly string[]> => {
    const parts = await documentParts(sources, 'an-id', String(at));
    return [reportMarkdown(parts), handoverMarkdown(parts)];
  };
  const last = events.length;
  for (const text of await written(last)) expect(text).not.toContain('Erased content');
  await sources.log.erase([last]);
  for (const text of await written(last - 1)) expect(text).not.toContain('Erased content');
  const [report, handover] = await written(last + 1);
  expect(report).toContain('Observed: 40');
  for (const text of [report, handover]) {
    expect(text).toContain('## Erased content\n\nThe content of 1 event is erased for good.');
    expect(text).toContain(`| \`GateJudged\` | owner | ${last} |`);
  }
});

it('lists no event as erased whose content the document has', async () => {
  const events = historyOf(OPEN);
  const { log, ...sources } = await logOf(events, (index) => index);
  const files = createEvidenceFiles({ home: '/nowhere' });
  const compare = async (): Promise<[]> => {
    await log.erase([1]);
    return [];
  };
  const { document, erased } = await documentParts(
    { ...sources, log, evidenceFiles: { ...files, compare } },
    'an-id',
    String(events.length),
  );
  expect(document.engagement.name).toBe(documentOf(events).engagement.name);
  expect(erased).toEqual([]);
});
