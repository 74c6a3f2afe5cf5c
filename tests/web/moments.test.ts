/** The history of an engagement in words: the events of one command are one line. */
import { expect, it } from 'vitest';
import type { Change } from '../../web/views/engagements/data.ts';
import { momentsOf, sentenceOfMoment, titlesOf } from '../../web/views/engagements/words.ts';

function change(position: number, causation: string, type: string, data: Change['data']): Change {
  return {
    ...{ position, stream: 'engagement-e', version: position, id: `e${position}`, type, schema: 1, data },
    ...{ at: 1_000, actor: 'owner', correlation: causation, causation, leaf_hash: '', reason: '' },
  };
}

const added = (position: number, causation: string): Change =>
  change(position, causation, 'DeliverableAdded', {
    ...{ deliverable_id: `d${position}`, origin: 'added', title: `Row ${position}` },
  });

function sentences(changes: readonly Change[]): readonly string[] {
  const titles = titlesOf({ deliverables: [], gates: [] }, changes);
  return momentsOf(changes).map((moment) => sentenceOfMoment(moment, titles));
}

it('two commands of the same millisecond are two lines', () => {
  expect(sentences([added(1, 'a'), added(2, 'b')])).toEqual([
    'added the deliverable “Row 1”',
    'added the deliverable “Row 2”',
  ]);
});

it('the rows that one command added from the template are one line', () => {
  expect(sentences([added(1, 'a'), added(2, 'b'), added(3, 'b'), added(4, 'b')])).toEqual([
    'added the deliverable “Row 1”',
    'added 3 rows of the template',
  ]);
});

it('a removed piece of evidence, the decider of a verdict and blockers that were passed over are named', () => {
  const evidence = { deliverable_id: 'd1', evidence_id: 'x', label: 'Minutes', reference: 'https://example.com' };
  const phases = { from: 'discover', to: 'prove' };
  const changes = [
    added(1, 'a'),
    change(2, 'b', 'EvidenceAttached', evidence),
    change(3, 'c', 'EvidenceRemoved', { deliverable_id: 'd1', evidence_id: 'x' }),
    change(4, 'd', 'GateAdded', { gate_id: 'g', title: 'Gate' }),
    change(5, 'e', 'GateJudged', { gate_id: 'g', verdict: 'fail', decided_by: 'Ada' }),
    change(6, 'f', 'PhaseSet', { ...phases, blockers: [{}, {}] }),
    change(7, 'g', 'PhaseSet', { ...phases, blockers: [] }),
  ];
  expect(sentences(changes)).toEqual([
    'added the deliverable “Row 1”',
    'attached “Minutes” to “Row 1”',
    'removed “Minutes” from “Row 1”',
    'added the gate “Gate”',
    'judged “Gate”: Fail, decided by Ada',
    'set the phase from Discover to Prove past 2 blockers',
    'set the phase from Discover to Prove',
  ]);
});
