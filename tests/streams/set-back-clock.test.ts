/** The clock is set back between the events of one piece of work: in no row does it end before it began. */
import { expect, test } from 'vitest';
import { BRIEFING_DEFAULTS } from '../../src/commands/briefing/settings.ts';
import { briefings } from '../../src/projections/briefing.ts';
import { indexBuilds } from '../../src/projections/code-index.ts';
import type { Projection } from '../../src/projections/projection.ts';
import { approvals } from '../../src/projections/run/approvals.ts';
import { jobs } from '../../src/projections/run/jobs.ts';
import { deliveries } from '../../src/projections/webhook.ts';
import { runRequest } from '../../src/testing/commands/run-inputs.ts';
import { givenProjection } from '../../src/testing/testing.ts';

const event = (type: string, data: object = {}) => ({ stream: 'any-a', type, data });
const build = { build: 'b', target: { workspace: '/w', provider: 'local', model: 'm', dimensions: null } };
const buildRequested = event('IndexBuildRequested', build);
const reviewRequested = event('ReviewRequested', { delivery_id: null, body_length: 1, body_sha256: '', request: {} });
const briefingRequested = event('BriefingRequested', { settings: BRIEFING_DEFAULTS });
const asked = event('ApprovalRequested', { approval_id: 'p', call: { name: 'bash', input: {} }, expires_at: 9_000 });
const answered = event('ApprovalAnswered', { approval_id: 'p', decision: 'deny', reason: null });
const runBegun = [event('RunRequested', runRequest()), event('RunBegun')];

type Events = readonly ReturnType<typeof event>[];

test.each<[what: string, Projection, columns: string, Events]>([
  ['a run', jobs, 'started_at, finished_at', [...runBegun, event('RunCompleted', { summary: '' })]],
  ['a briefing', briefings, 'requested_at, finished_at', [briefingRequested, event('BriefingFailed')]],
  ['a review', deliveries, 'received_at, finished_at', [reviewRequested, event('ReviewCompleted')]],
  ['a failed review', deliveries, 'received_at, finished_at', [reviewRequested, event('ReviewFailed')]],
  [
    'a build',
    indexBuilds,
    'requested_at, finished_at',
    [buildRequested, event('IndexBuilt', { outcome: { notes: [] } })],
  ],
  ['a failed build', indexBuilds, 'requested_at, finished_at', [buildRequested, event('IndexBuildFailed')]],
  ['an approval', approvals, 'requested_at, decided_at', [...runBegun, asked, answered]],
  ['an approval of a run that failed', approvals, 'requested_at, decided_at', [...runBegun, asked, event('RunFailed')]],
])('%s', (_, projection, columns, events) => {
  const { views } = givenProjection(
    projection,
    events.map((each, index) => ({ ...each, at: 1_000 - index })),
  );
  const [row] = views.all(`SELECT ${columns} FROM ${projection.tables[0]}`);
  const [begun, ended] = Object.values(row!);
  expect(begun).toBeGreaterThan(990);
  expect(ended).toBe(begun);
});
