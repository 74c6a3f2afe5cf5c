/** The decider of engagements, one rule per row: given a history, when a command, then events or a refusal. */
import { describe, expect, it } from 'vitest';
import type { AttachEvidence, EngagementCommand } from '../../src/commands/engagement/commands.ts';
import {
  EVIDENCE_ITEMS_MAX,
  engagement,
  GATES_MAX,
  JUDGEMENTS_PER_GATE_MAX,
  PHASE_MOVES_MAX,
  REMOVED_GATES_MAX,
} from '../../src/commands/engagement/decide.ts';
import { isRefusal } from '../../src/commands/refusal.ts';
import { PHASES, type Phase } from '../../src/events/engagement/events.ts';
import { decider } from '../support/given.ts';
import { advance, deliverableIds, documentOf, gateIds, historyOf, IDS, OPEN, REASON, stateOf } from './support.ts';

const { given } = decider(engagement);
const opened = historyOf(OPEN);
const state = stateOf(opened);
const [item] = deliverableIds(state, 'discover');
const [gate] = gateIds(state, 'discover');

const judge = (fields: Partial<Extract<EngagementCommand, { type: 'JudgeGate' }>>): EngagementCommand => ({
  type: 'JudgeGate',
  gate_id: gate!,
  verdict: 'fail',
  observed: null,
  rationale: '',
  decided_by: null,
  ...REASON,
  ...fields,
});
const attach = (evidence_id = 'e'): AttachEvidence => ({
  type: 'AttachEvidence',
  evidence_id,
  deliverable_id: item!,
  kind: 'note',
  label: '',
  reference: '',
  file: null,
  ...REASON,
});

describe('opening', () => {
  it('seeds the whole template with the ids it was given', () => {
    expect(opened.map(({ type }) => type)).toEqual([
      'EngagementOpened',
      ...Array.from({ length: 30 }, () => 'DeliverableAdded'),
      ...Array.from({ length: 16 }, () => 'GateAdded'),
    ]);
    expect([...state.deliverables, ...state.gates].map(({ id }) => id)).toEqual(IDS);
    expect(state.deliverables.every(({ status }) => status === 'not_started')).toBe(true);
    expect(state.gates.every(({ verdict }) => verdict === 'not_measured')).toBe(true);
  });
  it('trims name, client and summary', () => {
    const [event] = historyOf({ ...OPEN, name: ' Ledger ', client: ' Acme ', summary: ' Move it. ' });
    expect(event!.data).toMatchObject({ name: 'Ledger', client: 'Acme', summary: 'Move it.' });
  });
  it('needs a name, and happens once', () => {
    given()
      .when({ ...OPEN, name: ' \n ' })
      .thenRefused('invalid');
    given(opened).when(OPEN).thenRefused('conflict');
  });
  it('comes before everything else, and removal ends it', () => {
    const commands: readonly EngagementCommand[] = [
      { type: 'SeedEngagement', ids: IDS, ...REASON },
      { type: 'ChangeEngagement', move_id: 'm', ...REASON },
      { type: 'RemoveEngagement', ...REASON },
      { type: 'ChangeDeliverable', deliverable_id: item!, ...REASON },
      { type: 'AttachFound', found: [], ...REASON },
      { type: 'RemoveEvidence', evidence_id: 'e', ...REASON },
      { type: 'RemoveGate', gate_id: gate!, ...REASON },
      attach(),
      judge({}),
      advance(true),
    ];
    const removed = historyOf(OPEN, { type: 'RemoveEngagement', ...REASON });
    for (const command of commands) {
      given().when(command).thenRefused('not_found');
      given(removed).when(command).thenRefused('not_found');
    }
    given(removed).when(OPEN).thenRefused('conflict');
  });
});

it('every event has a reason: the caller’s words, or ours', () => {
  const commands: readonly EngagementCommand[] = [
    { type: 'ChangeEngagement', status: 'active', phase: 'prove', move_id: 'm', ...REASON },
    { type: 'AddDeliverable', deliverable_id: 'd', phase: 'build', key: 'k', title: 'T', ...REASON },
    { type: 'AddDeliverable', deliverable_id: 'd', phase: 'build', key: 'k', title: 'U', ...REASON },
    { type: 'ChangeDeliverable', deliverable_id: item!, status: 'ready', owner: 'Ann', notes: 'n', ...REASON },
    attach(),
    { type: 'RemoveEvidence', evidence_id: 'e', ...REASON },
    { type: 'AddGate', gate_id: 'g', phase: 'build', title: 'T', criterion: '', measurement: 'M', ...REASON },
    judge({ gate_id: 'g' }),
    { type: 'RemoveGate', gate_id: 'g', ...REASON },
    { type: 'RemoveEngagement', ...REASON },
  ];
  const reasons = (words: string) =>
    historyOf(OPEN, ...commands.map((command) => ({ ...command, reason: words })))
      .slice(opened.length)
      .map(({ data }) => data.reason);
  expect(reasons('').every((reason) => reason.length > 5)).toBe(true);
  expect(new Set(reasons(' The board asked. '))).toEqual(new Set(['The board asked.']));
});

describe('seeding again', () => {
  const seed: EngagementCommand = { type: 'SeedEngagement', ids: IDS.map((id) => `new-${id}`), ...REASON };

  it('adds nothing to a complete engagement', () => {
    given(opened).when(seed).thenNothing();
  });
  it('adds what is missing, and disturbs nothing that is there', () => {
    const history = historyOf(
      OPEN,
      { type: 'ChangeDeliverable', deliverable_id: item!, status: 'accepted', owner: 'Ann', ...REASON },
      { type: 'RemoveGate', gate_id: gate!, ...REASON },
    );
    const seeded = given(history).when(seed);
    seeded.thenTypes('GateAdded');
    expect(seeded.after().deliverables.find(({ id }) => id === item!)).toMatchObject({
      status: 'accepted',
      owner: 'Ann',
    });
  });
  it('knows a gate by phase and title, whatever command added it', () => {
    const { title } = state.gates.find(({ id }) => id === gate!)!;
    const again = { type: 'AddGate', gate_id: 'by-hand', phase: 'discover', title, criterion: '' } as const;
    const history = historyOf(
      OPEN,
      { type: 'RemoveGate', gate_id: gate!, ...REASON },
      { ...again, measurement: 'By hand.', ...REASON },
    );
    given(history).when(seed).thenNothing();
  });
});

describe('status and phase', () => {
  it('change only when they differ', () => {
    const same = { type: 'ChangeEngagement', status: 'draft', phase: 'discover', move_id: 'm' } as const;
    given(opened)
      .when({ ...same, ...REASON })
      .thenNothing();
  });
  it('set forward by hand, keeps what stood in the way; set back, has nothing to override', () => {
    const set = (phase: Phase): EngagementCommand => ({
      type: 'ChangeEngagement',
      phase,
      move_id: phase,
      ...REASON,
    });
    const history = historyOf(OPEN, set('build'), set('prove'));
    const moves = documentOf(history).moves.map(({ kind, from, to, blockers }) => [kind, from, to, blockers.length]);
    expect(moves).toEqual([
      ['set', 'discover', 'build', 12],
      ['set', 'build', 'prove', 0],
    ]);
  });
});

describe('deliverables', () => {
  const add = {
    type: 'AddDeliverable',
    deliverable_id: 'd',
    phase: 'build',
    key: ' extra ',
    title: ' Extra ',
  } as const;

  it('need a key and a title, and are known by the key', () => {
    for (const blank of [{ key: ' ' }, { title: ' ' }, { key: '\u200b' }, { title: '\u200d' }]) {
      given(opened)
        .when({ ...add, ...blank, ...REASON })
        .thenRefused('invalid');
    }
    const added = given(opened).when({ ...add, ...REASON });
    expect(added.after().deliverables.find(({ id }) => id === 'd')).toMatchObject({
      key: 'extra',
      title: 'Extra',
      description: '',
    });
  });
  it('are revised when the key exists: phase, status, owner and evidence stay', () => {
    const history = historyOf(
      OPEN,
      { type: 'ChangeDeliverable', deliverable_id: item!, status: 'accepted', owner: 'Ann', ...REASON },
      attach(),
    );
    const { key, description, tool_hint } = state.deliverables.find(({ id }) => id === item!)!;
    const revise = { ...add, deliverable_id: 'other', key, title: 'New title', ...REASON };
    const revised = given(history).when(revise);
    revised.thenTypes('DeliverableRevised');
    const entry = revised.after().deliverables.find(({ id }) => id === item!)!;
    expect(entry).toMatchObject({ phase: 'discover', title: 'New title', description, tool_hint });
    expect([entry.status, entry.owner, entry.evidence.length]).toEqual(['accepted', 'Ann', 1]);
    given(history, revised.events()).when(revise).thenNothing();
  });
  it.each([{ description: 'Another.' }, { tool_hint: 'another' }])('are revised when only %j differs', (difference) => {
    const { key, title } = state.deliverables.find(({ id }) => id === item!)!;
    given(opened)
      .when({ ...add, deliverable_id: 'other', key, title, ...difference, ...REASON })
      .thenTypes('DeliverableRevised');
  });
  it('change only what is named and different', () => {
    const change = { type: 'ChangeDeliverable', deliverable_id: item!, ...REASON } as const;
    given(opened).when(change).thenNothing();
    given(opened)
      .when({ ...change, status: 'not_started', owner: null, notes: '' })
      .thenNothing();
    given(opened)
      .when({ ...change, status: 'in_progress', owner: 'Ann', notes: 'x' })
      .thenTypes('DeliverableStatusChanged', 'DeliverableAssigned', 'DeliverableNoted');
    given(opened)
      .when({ ...change, deliverable_id: 'unknown' })
      .thenRefused('not_found');
  });
});

describe('evidence', () => {
  it('belongs to a deliverable that exists, and is removed by its id', () => {
    given(opened)
      .when({ ...attach(), deliverable_id: 'unknown' })
      .thenRefused('not_found');
    const removal: EngagementCommand = { type: 'RemoveEvidence', evidence_id: 'e', ...REASON };
    given(opened).when(removal).thenRefused('not_found');
    const removed = given(historyOf(OPEN, attach())).when(removal);
    removed.thenTypes('EvidenceRemoved');
    expect(removed.after().deliverables.find(({ id }) => id === item!)!.evidence).toEqual([]);
  });
  it('that is removed leaves the other evidence of its deliverable', () => {
    const history = historyOf(OPEN, attach('e'), attach('f'), { type: 'RemoveEvidence', evidence_id: 'e', ...REASON });
    expect(stateOf(history).deliverables.find(({ id }) => id === item!)!.evidence).toMatchObject([{ id: 'f' }]);
  });
  it('that a scan found is attached beside evidence with another reference', () => {
    const { key } = state.deliverables.find(({ id }) => id === item!)!;
    const found = [{ evidence_id: '1', deliverable_key: key, label: 'x', reference: 'a.md', file: null }];
    given(historyOf(OPEN, attach()))
      .when({ type: 'AttachFound', found, ...REASON })
      .thenTypes('EvidenceAttached');
  });
  it('that a scan found is not attached beside the same file under another reference', () => {
    const { key } = state.deliverables.find(({ id }) => id === item!)!;
    const file = { path: '/ws/A.md', size_bytes: 1, sha256: null };
    const history = historyOf(OPEN, { ...attach(), reference: '/ws/A.md', file });
    const found = [{ evidence_id: '1', deliverable_key: key, label: 'x', reference: 'a.md', file }];
    given(history)
      .when({ type: 'AttachFound', found, ...REASON })
      .thenNothing();
    given(history)
      .when({ type: 'AttachFound', found: found.map((each) => ({ ...each, file: null })), ...REASON })
      .thenTypes('EvidenceAttached');
  });
  it('that a scan found is attached once per deliverable and reference, and changes no status', () => {
    const file = (evidence_id: string, deliverable_key: string, reference: string) => ({
      evidence_id,
      deliverable_key,
      label: 'detected: x',
      reference,
      file: null,
    });
    const found = [
      file('1', 'system-inventory', 'a.md'),
      file('2', 'system-inventory', 'a.md'),
      file('3', 'risk-register', 'a.md'),
      file('4', 'no-such-key', 'a.md'),
    ];
    const scan: EngagementCommand = { type: 'AttachFound', found, ...REASON };
    const once = given(opened).when(scan);
    expect(once.events().map(({ data }) => (data as { evidence_id: string }).evidence_id)).toEqual(['1', '3']);
    given(opened, once.events()).when(scan).thenNothing();
    expect(once.after().deliverables.every(({ status }) => status === 'not_started')).toBe(true);
  });
});

describe('gates', () => {
  const add = { type: 'AddGate', gate_id: 'g', phase: 'build', title: 'T', criterion: '', measurement: 'M' } as const;

  it.each([{ title: ' ' }, { measurement: ' \n' }, { title: '\u200b' }, { measurement: '\u00a0\ufeff' }])(
    'need a title and a measurement: %j',
    (blank) => {
      given(opened)
        .when({ ...add, ...blank, ...REASON })
        .thenRefused('invalid');
    },
  );
  it('trim their title and measurement', () => {
    const [event] = given(opened)
      .when({ ...add, title: ' T ', measurement: ' M ', ...REASON })
      .events();
    expect(event!.data).toMatchObject({ title: 'T', measurement: 'M' });
  });
  // A zero-width space fills a field and shows nothing: it once passed a gate.
  it.each([null, '', '  \n', '\u200b', '\u2060 \u00ad', '\0'])('do not pass with nothing observed: %j', (observed) => {
    given(opened)
      .when(judge({ verdict: 'pass', observed }))
      .thenRefused('invalid');
  });
  it.each(['not_measured', 'pending', 'fail', 'waived'] as const)('may be %s with nothing observed', (verdict) => {
    const judged = given(opened).when(judge({ verdict, rationale: 'r' }));
    expect(judged.after().gates.find(({ id }) => id === gate!)).toMatchObject({ verdict, observed: null });
  });
  it('keep every verdict, and take what the judgement carries and nothing else', () => {
    const history = historyOf(
      OPEN,
      judge({ verdict: 'fail', observed: '3 misses', rationale: 'too many', decided_by: 'Ann' }),
      judge({ verdict: 'pass', observed: 'none missing', decided_by: 'Bo' }),
      judge({ verdict: 'not_measured', decided_by: 'Cy' }),
    );
    const judged = documentOf(history).gates.find(({ id }) => id === gate!)!;
    expect(judged).toMatchObject({ verdict: 'not_measured', observed: null, rationale: '', decided_by: null });
    expect(judged.decided_at).toBeNull();
    expect(judged.judgements.map(({ verdict, decided_by }) => [verdict, decided_by])).toEqual([
      ['fail', 'Ann'],
      ['pass', 'Bo'],
      ['not_measured', null],
    ]);
  });
  it('judged the same again have been judged twice: the contract stamps every verdict but not_measured with its time', () => {
    const verdict = judge({ verdict: 'pass', observed: 'seen', rationale: 'r', decided_by: 'Ann' });
    const judged = documentOf(historyOf(OPEN, verdict, verdict)).gates.find(({ id }) => id === gate!)!;
    expect(judged.judgements.map(({ verdict: given }) => given)).toEqual(['pass', 'pass']);
    expect(judged.decided_at).toBe(judged.judgements[1]!.at);
    expect(judged.judgements[1]!.at).toBeGreaterThan(judged.judgements[0]!.at);
  });
  it('never judged and still not measured are as they were', () => {
    given(opened)
      .when(judge({ verdict: 'not_measured' }))
      .thenNothing();
  });
  it.each([{ observed: 'a first look' }, { rationale: 'no access yet' }])(
    'not measured, with %j, are judged',
    (fields) => {
      given(opened)
        .when(judge({ verdict: 'not_measured', ...fields }))
        .thenTypes('GateJudged');
    },
  );
  it('that are not there can be neither judged nor removed', () => {
    given(opened)
      .when(judge({ gate_id: 'unknown' }))
      .thenRefused('not_found');
    given(opened)
      .when({ type: 'RemoveGate', gate_id: 'unknown', ...REASON })
      .thenRefused('not_found');
  });
});

describe('limits', () => {
  const found = (count: number): EngagementCommand => {
    const { key: deliverable_key } = state.deliverables[0]!;
    const file = (n: number) => ({ evidence_id: `${n}`, deliverable_key, label: '', reference: `${n}.md`, file: null });
    return { type: 'AttachFound', found: Array.from({ length: count }, (_, n) => file(n)), ...REASON };
  };
  it.each<[string, EngagementCommand, object]>([
    [
      'one more removed gate',
      { type: 'RemoveGate', gate_id: gate!, ...REASON },
      { removedGates: REMOVED_GATES_MAX - 1 },
    ],
    ['one more move', advance(true), { moves: PHASE_MOVES_MAX - 1 }],
  ])('allow %s, then no other', (_, command, counts) => {
    const [[name, count]] = Object.entries(counts) as [[string, number]];
    const decide = (value: number) => engagement.decide(command, { ...state, [name]: value }, { id: 'an-id', now: 1 });
    expect(isRefusal(decide(count))).toBe(false);
    expect(decide(count + 1)).toMatchObject({ kind: 'invalid' });
  });
  it.each([
    ['one more piece of evidence', attach(), 1],
    ['two more that a scan found', found(2), 2],
  ])('allow %s, then no other', (_, command, more) => {
    const decide = (count: number) => {
      const items = Array.from({ length: count }, (_item, n) => ({ id: `i${n}`, reference: `i${n}`, file_path: null }));
      const [first, second, ...rest] = state.deliverables;
      const evidence = { evidence: items.slice(0, count >> 1) };
      const deliverables = [{ ...first!, ...evidence }, { ...second!, evidence: items.slice(count >> 1) }, ...rest];
      return engagement.decide(command, { ...state, deliverables }, { id: 'an-id', now: 1 });
    };
    expect(isRefusal(decide(EVIDENCE_ITEMS_MAX - more))).toBe(false);
    expect(decide(EVIDENCE_ITEMS_MAX - more + 1)).toMatchObject({ kind: 'invalid' });
  });
  const refused = (history: readonly EngagementCommand[], command: EngagementCommand): void => {
    given(historyOf(OPEN, ...history))
      .when(command)
      .thenRefused('invalid');
  };
  it('end the gates, the verdicts of a gate and the moves of an engagement', () => {
    const gateNumber = (n: number): EngagementCommand => ({
      type: 'AddGate',
      gate_id: `g${n}`,
      phase: 'build',
      title: 'T',
      criterion: '',
      measurement: 'M',
      ...REASON,
    });
    refused(
      Array.from({ length: GATES_MAX - 16 }, (_, n) => gateNumber(n)),
      gateNumber(GATES_MAX),
    );
    const verdict = (n: number): EngagementCommand => judge({ observed: `measure ${n}` });
    refused(
      Array.from({ length: JUDGEMENTS_PER_GATE_MAX }, (_, n) => verdict(n)),
      verdict(JUDGEMENTS_PER_GATE_MAX),
    );
    const move = (n: number): EngagementCommand => ({
      type: 'ChangeEngagement',
      phase: PHASES[(n + 1) % 2]!,
      move_id: `m${n}`,
      ...REASON,
    });
    refused(
      Array.from({ length: PHASE_MOVES_MAX }, (_, n) => move(n)),
      move(PHASE_MOVES_MAX),
    );
  });
});
