/**
 * The facts of a briefing, from given events only: each is counted once, has the position of its event, and can be
 * recomputed.
 */
import { describe, expect, it } from 'vitest';
import { BRIEFING_DEFAULTS } from '../../src/commands/briefing/settings.ts';
import type { BriefingSettings } from '../../src/events/briefing/events.ts';
import type { Json } from '../../src/events/envelope.ts';
import type { Place } from '../../src/events/memory/drawers.ts';
import { engagements } from '../../src/projections/engagement/engagement.ts';
import { ENGAGEMENTS_MAX } from '../../src/projections/engagement/list.ts';
import { goals } from '../../src/projections/goal.ts';
import { memory } from '../../src/projections/memory/memory.ts';
import { insertRow } from '../../src/projections/rows.ts';
import { approvals } from '../../src/projections/run/approvals.ts';
import { jobs } from '../../src/projections/run/jobs.ts';
import { openViews } from '../../src/projections/views.ts';
import { deliveries } from '../../src/projections/webhook.ts';
import { foldActivity, noActivity } from '../../src/queries/briefing/activity.ts';
import { factsOf } from '../../src/queries/briefing/facts.ts';
import { briefingText } from '../../src/queries/briefing/markdown.ts';
import type { Observations } from '../../src/queries/briefing/observations.ts';
import { eventTable } from '../../src/resources.ts';
import type { RecordedEvent } from '../../src/storage/event-log.ts';
import { runRequest as request } from '../../src/testing/commands/run-inputs.ts';
import { fields } from '../goal/support.ts';
import { placeBody } from '../memory/stream-events.ts';
import { FACTS } from './support.ts';

type Given = readonly [stream: string, type: string, data: unknown];
const PROJECTIONS = [jobs, approvals, deliveries, engagements, goals, memory];

const OBSERVED: Observations = {
  storage: {
    backend: 'cow',
    events: 9,
    disk_bytes: 1,
    failure: null,
    keeps_backups: true,
    begun_at: FACTS.period.from,
    backup: null,
    backup_failure: null,
    observed_at: FACTS.period.to,
  },
  repositories: [],
  index: { provider: null, model: null, chunks: null, files: null, built_at: null, error: null },
};

function recorded(stream: string, type: string, data: Json, position: number): RecordedEvent {
  return {
    ...{ stream, type, data, position, version: 1, at: 999 + position, actor: 'owner' },
    ...{ id: `event-${position}`, schema: eventTable[type]!.version, leafHash: '0'.repeat(64) },
    ...{ correlation: null, causation: null },
  };
}

/** Events 1 to `before` happened earlier: the views know them, the period does not hold them. */
function facts(
  given: readonly Given[],
  { before = 0, ...changes }: Partial<BriefingSettings> & { before?: number } = {},
) {
  const views = openViews(null);
  for (const projection of PROJECTIONS) views.exec(projection.create);
  const activity = noActivity();
  for (const [index, [stream, type, data]] of given.entries()) {
    const event = recorded(stream, type, JSON.parse(JSON.stringify(data)), index + 1);
    for (const projection of PROJECTIONS) projection.on[type]?.(views, event);
    if (index >= before) foldActivity(activity, event);
  }
  const { timezone, scheduled_for, late_minutes } = FACTS;
  const period = { ...FACTS.period, from_position: before + 1, to_position: given.length };
  const settings = { ...BRIEFING_DEFAULTS, ...changes };
  const frame = { period, timezone, scheduled_for, late_minutes };
  return factsOf({ activity, views, settings, observations: OBSERVED, frame });
}

const run = (id: string, ...more: readonly Given[]): readonly Given[] => [
  [`run-${id}`, 'RunRequested', request({ task: `task ${id}`, workspace: id.startsWith('x') ? '/other' : '/work' })],
  [`run-${id}`, 'RunBegun', {}],
  ...more,
];
const completed = (id: string): Given => [`run-${id}`, 'RunCompleted', { summary: `did ${id}` }];
const stopped = { reason: 'steps', summary: 'half', steps_completed: 1, steps_planned: 3, remaining_plan: ['a', 'b'] };
const asked = (id: string, approval_id: string): Given => {
  const call = { id: 'c', name: 'bash', input: {} };
  return [`run-${id}`, 'ApprovalRequested', { approval_id, step_num: 1, call, expires_at: 9_000 }];
};

describe('agent runs', () => {
  it('are counted by how they ended, newest first, each with the position of its end', () => {
    const { runs, attention } = facts([
      ...run('a', completed('a')),
      ...run('b', ['run-b', 'RunFailed', { message: 'no key' }]),
      ...run('c', ['run-c', 'RunStopped', stopped]),
      ...run('d', ['run-d', 'RunCancelled', { reason: 'by hand' }]),
      ...run('e'),
    ]);
    expect(runs).toMatchObject({
      requested: 5,
      complete: 1,
      failed: 1,
      partial: 1,
      cancelled: 1,
      running: 1,
      queued: 0,
    });
    expect(runs?.items.map(({ session_id, status, position }) => [session_id, status, position])).toEqual([
      ['d', 'cancelled', 12],
      ['c', 'partial', 9],
      ['b', 'failed', 6],
      ['a', 'complete', 3],
    ]);
    expect(attention.items.map(({ kind, ref, position }) => [kind, ref, position])).toEqual([
      ['run_failed', 'b', 6],
      ['run_partial', 'c', 9],
    ]);
  });
  it('that need a person are named by the beginning of their task, cut between characters', () => {
    const requested: Given = ['run-a', 'RunRequested', request({ task: `${'x'.repeat(98)}😀 and more` })];
    const { attention } = facts([requested, ['run-a', 'RunBegun', {}], ['run-a', 'RunFailed', { message: 'no key' }]]);
    expect(attention.items.map(({ text }) => text)).toEqual([`Failed: ${'x'.repeat(98)}😀…: no key`]);
  });
  it('say how many of their calls were rejected', () => {
    const rejected = { call_id: 'c', step_num: 1, tool_name: 'bash', content: 'Not run.' };
    const given = facts([...run('a', ['run-a', 'ToolRejected', rejected], completed('a'))]);
    expect(given.runs?.items.map(({ steps, calls_rejected }) => [steps, calls_rejected])).toEqual([[0, 1]]);
    expect(briefingText(given, 'medium').markdown).toContain('(`a`, 0 steps, 1 call rejected)');
  });
  it('that ended before the period, or were taken up again in it, have not ended in it', () => {
    const again: Given = ['run-b', 'RunResumed', { task: 'more', request: request() }];
    const { runs } = facts([...run('a', completed('a')), ...run('b', completed('b')), again], { before: 5 });
    expect(runs).toMatchObject({ requested: 1, complete: 0, running: 0, queued: 1, items: [] });
  });
  it('of another folder are left out when one is named', () => {
    const given = [...run('a', completed('a')), ...run('x1', completed('x1'))];
    expect(facts(given, { workspace: '/work' }).runs).toMatchObject({
      requested: 1,
      complete: 1,
      items: [{ session_id: 'a' }],
    });
    expect(facts(given, { workspace: '/wor' }).runs).toMatchObject({ requested: 0, items: [] });
  });
  it('are recorded up to 50, and the rest is counted', () => {
    const given = Array.from({ length: 60 }, (_, at) => run(`r${at}`, completed(`r${at}`))).flat();
    expect(facts(given).runs).toMatchObject({ complete: 60, more: 10 });
    const { markdown } = briefingText(facts(given), 'short');
    expect(markdown.match(/^- \*\*complete\*\*/gm)).toHaveLength(3);
    expect(markdown).toContain('- … and 57 more');
  });
});

describe('approvals', () => {
  it('that wait come first of what needs a person; those nobody answered are said', () => {
    const { approvals: found, attention } = facts([
      ...run('a', asked('a', 'p1'), ['run-a', 'ApprovalExpired', { approval_id: 'p1', tool_name: 'bash' }]),
      ...run('b', asked('b', 'p2')),
    ]);
    expect(found).toMatchObject({ asked: 2, expired: 1, allowed: 0, denied: 0, items: [{ id: 'p2', position: 7 }] });
    expect(attention.items.map(({ kind, ref }) => [kind, ref])).toEqual([
      ['approval_waiting', 'p2'],
      ['approval_expired', 'p1'],
    ]);
  });
  it('asked before the period still wait, without a position of it', () => {
    expect(facts([...run('a', asked('a', 'p1'))], { before: 3 }).approvals?.items).toMatchObject([
      { id: 'p1', position: null },
    ]);
  });
});

it('goals say what became of them, a deleted one has no title', () => {
  const link = { link_id: 'l', kind: 'note', target_id: 't', note: null };
  const { goals: found } = facts([
    ['goal-a', 'GoalCreated', fields()],
    ['goal-b', 'GoalCreated', fields()],
    ['goal-a', 'GoalLinked', link],
    ['goal-a', 'GoalLinked', { ...link, link_id: 'm' }],
    ['goal-b', 'GoalDeleted', {}],
  ]);
  expect(found).toEqual({
    active: 1,
    items: [
      { id: 'b', title: null, status: 'deleted', changes: ['created', 'deleted'], links: 0, position: 5 },
      { id: 'a', title: 'Ship it', status: 'active', changes: ['created', 'linked'], links: 2, position: 4 },
    ],
    more: 0,
  });
});

it('goals that were finished show their status, not that they were revised', () => {
  const revised = (changes: object) => ({ changes, plan_cleared: false });
  const found = facts([
    ['goal-a', 'GoalCreated', fields()],
    ['goal-a', 'GoalRevised', revised({ status: 'done' })],
    ['goal-b', 'GoalCreated', fields({ title: 'Sell it' })],
    ['goal-b', 'GoalRevised', revised({ title: 'Sell it all' })],
    ['goal-c', 'GoalCreated', fields({ title: 'Print it' })],
    ['goal-c', 'GoalRevised', revised({ status: 'done', tags: ['paper'] })],
  ]);
  const lines = briefingText(found, 'long')
    .markdown.split('\n')
    .filter((text) => /(?:Ship|Sell|Print) it/.test(text));
  expect(lines.map((text) => text.replace(/^[-*] /, '').replace(/ \[.*$/, ''))).toEqual([
    'Print it: created, revised, done (`c`)',
    'Sell it all: created, revised (`b`, active)',
    'Ship it: created, done (`a`)',
  ]);
});

it('engagements say phases, gates and evidence of the period, and how the phase stands', () => {
  const opened = { name: 'Atlas', client: 'Acme', summary: '', workspace_path: null, reason: '' };
  const gate = { gate_id: 'g', origin: 'added', phase: 'discover', title: 'Latency', criterion: 'c', measurement: 'm' };
  const judged = {
    gate_id: 'g',
    from: 'not_measured',
    verdict: 'fail',
    observed: '9 s',
    rationale: '',
    decided_by: null,
  };
  const evidence = { evidence_id: 'e', deliverable_id: 'd', kind: 'note', label: 'l', reference: 'r', file: null };
  const item = { deliverable_id: 'd', origin: 'added', phase: 'discover', key: 'k', title: 't', description: '' };
  const { engagements: found, attention } = facts([
    ['engagement-a', 'EngagementOpened', opened],
    ['engagement-a', 'DeliverableAdded', { ...item, tool_hint: null, reason: '' }],
    ['engagement-a', 'GateAdded', { ...gate, reason: '' }],
    ['engagement-a', 'EvidenceAttached', { ...evidence, reason: '' }],
    ['engagement-a', 'GateJudged', { ...judged, by: 'owner', reason: '' }],
  ]);
  expect(found?.items).toMatchObject([
    {
      ...{ id: 'a', name: 'Atlas', client: 'Acme', phase: 'discover', gates: [{ title: 'Latency', verdict: 'fail' }] },
      ...{
        evidence_added: 1,
        deliverables_accepted: 0,
        deliverables_total: 1,
        blockers: 2,
        gates_failed: 1,
        position: 5,
      },
    },
  ]);
  expect(attention.items).toMatchObject([
    { kind: 'gate_failed', ref: 'a', text: 'The gate “Latency” of Atlas failed.' },
  ]);
});

it('of facts in memory there are counts and ids, never a word', () => {
  const body = {
    subject: 'SECRET',
    predicate: 'SECRET',
    object: 'SECRET',
    sealed: null,
    object_key: 'k',
    line_key: 'l',
  };
  const asserted = (id: string) => ({ ...body, id, valid_from: 1, confidence: 1 });
  const made = facts([
    ['fact-k', 'FactAsserted', asserted('f1')],
    ['fact-k', 'FactAsserted', asserted('f2')],
    ['fact-k', 'FactClosed', { id: 'f1', valid_to: 2, closed_by: 'f2' }],
  ]);
  expect(made.memory).toMatchObject({
    facts_added: 2,
    facts_closed: 1,
    total_facts: 2,
    closed: { items: [{ id: 'f1', position: 3 }] },
  });
  expect(JSON.stringify(made)).not.toContain('SECRET');
});

it('of the pieces of a text only those are counted that are drawers', () => {
  const stored = (id: string, kind: Place['kind'], of: string | null = null): Given => {
    return ['drawer-s', 'DrawerStored', placeBody({ id, kind, of })];
  };
  const given = [
    ...[stored('a', 'new'), stored('b', 'new'), stored('c', 'exact', 'b'), stored('d', 'near', 'b')],
    stored('e', 'blank'),
  ];
  expect(facts(given, { before: 1 }).memory).toMatchObject({ drawers: 1 });
  expect(facts(given).memory).toMatchObject({ drawers: 2 });
});

it('only the sections that are wanted are there, and nothing that is not in them needs anybody', () => {
  const given = run('b', ['run-b', 'RunFailed', { message: 'no key' }]);
  const made = facts(given, { sections: ['goals', 'storage'] });
  expect(Object.keys(made).sort()).toEqual(
    ['attention', 'goals', 'late_minutes', 'period', 'scheduled_for', 'storage', 'timezone', 'workspace'].sort(),
  );
  expect(made.attention.items).toEqual([]);
});

const OUTCOME = {
  ...{ chunks: 1, files: 1, dimension: null, path: '/i', embedded: 1, reused: 0 },
  ...{ skipped: {}, notes: [] },
};

it('a failed build of the index is named until one succeeds', () => {
  const target = { workspace: '/work', provider: 'p', model: 'm', dimensions: null };
  const requested: Given = ['index-a', 'IndexBuildRequested', { build: 'b', target }];
  const failed: Given = ['index-a', 'IndexBuildFailed', { build: 'b', reason: 'failed', message: 'no key' }];
  const built: Given = ['index-a', 'IndexBuilt', { build: 'b', outcome: OUTCOME }];
  const made = facts([requested, failed]);
  expect(made.index).toMatchObject({ builds: 0, builds_failed: 1, failure: 'no key' });
  expect(made.attention.items).toMatchObject([
    { kind: 'index', text: 'The last build of the code index failed: no key' },
  ]);
  const mended = facts([requested, failed, requested, built]);
  expect(mended.index).toMatchObject({ builds: 1, builds_failed: 1, failure: null });
  expect(mended.attention.items).toEqual([]);
});

it('counts every active engagement, also beyond the number that a list holds', () => {
  const views = openViews(null);
  views.exec(engagements.create);
  const row = { name: 'n', client: '', summary: '', created_at: 1, updated_at: 1, touched: 1 };
  for (let number = 0; number <= ENGAGEMENTS_MAX; number += 1) {
    insertRow(views, 'engagements', { id: `e${number}`, status: 'active', ...row });
  }
  insertRow(views, 'engagements', { id: 'closed', status: 'closed', ...row });
  const settings = { ...BRIEFING_DEFAULTS, sections: ['engagements' as const] };
  const { period, timezone, scheduled_for, late_minutes } = FACTS;
  const frame = { period, timezone, scheduled_for, late_minutes };
  const made = factsOf({ activity: noActivity(), views, settings, observations: OBSERVED, frame });
  expect(made.engagements?.active).toBe(ENGAGEMENTS_MAX + 1);
});

it('an erased payload is counted and says nothing more', () => {
  const activity = noActivity();
  const erased: RecordedEvent = { ...recorded('run-a', 'RunCompleted', null, 1), erased: true };
  foldActivity(activity, erased);
  expect([activity.runs.size, activity.counts.get('RunCompleted')]).toEqual([0, 1]);
});

describe('the text of the facts', () => {
  it('makes the same of the same, and says nothing has happened when nothing has', () => {
    const empty = facts([]);
    expect(briefingText(empty, 'medium')).toEqual(briefingText(facts([]), 'medium'));
    expect(briefingText(empty, 'medium').headline).toBe('Nothing has happened; nothing needs you.');
  });
  it('lets nothing that was typed become structure', () => {
    const task = '# Fake heading\n\n- [x](http://evil) ![p](http://evil/p) <img src=x> **bold** `code`';
    const given: Given[] = [
      ['run-a', 'RunRequested', request({ task })],
      ['run-a', 'RunFailed', { message: '| a | b |\n\n# Another' }],
    ];
    const { markdown } = briefingText(facts(given), 'long');
    expect(markdown.match(/^# /gm)).toHaveLength(1);
    expect(markdown).not.toMatch(/(?<!\\)\]\(|(?<!\\)<img|(?<!\\)\*\*bold/);
  });
  it('says how late it is, and why', () => {
    const late = { ...facts([]), scheduled_for: FACTS.period.to - 7_800_000, late_minutes: 130 };
    expect(briefingText(late, 'medium').markdown).toContain('It was due at 2026-11-22 04:50 and is 2 h 10 min late');
  });
  it('warns of a store that takes no writes and of a backup that is too old', () => {
    const storage = { ...OBSERVED.storage, failure: 'disk full', begun_at: FACTS.period.to - 72 * 3_600_000 };
    const made = facts([], { sections: ['storage'] });
    expect(made.attention.items).toEqual([]);
    const { activity, views } = { activity: noActivity(), views: openViews(null) };
    const { period, timezone, scheduled_for, late_minutes } = FACTS;
    const frame = { period, timezone, scheduled_for, late_minutes };
    const settings: BriefingSettings = { ...BRIEFING_DEFAULTS, sections: ['storage'] };
    const warnings = (observed: typeof storage) =>
      factsOf({
        activity,
        views,
        settings,
        observations: { ...OBSERVED, storage: observed },
        frame,
      }).attention.items.map(({ kind, text }) => [kind, text]);
    expect(warnings(storage)).toEqual([
      ['storage', 'The log takes no writes: disk full'],
      ['backup', 'There is no backup.'],
    ]);
    const aged = (hours: number) => {
      const made_at = period.to - hours * 3_600_000;
      return warnings({ ...storage, backup: { made_at, verified_at: made_at, position: 1 } })[1];
    };
    expect(aged(49)).toEqual(['backup', 'The newest backup is 49 hours old.']);
    expect(aged(730 * 24)).toEqual(['backup', 'The newest backup is 730 days old.']);
  });
});
