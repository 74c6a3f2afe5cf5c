/** Engagements: open, read, change, advance and remove; the other routes are those of the neighbouring files. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { engagementId } from '../../commands/engagement/commands.ts';
import { engagement as decider } from '../../commands/engagement/decide.ts';
import { readiness, zPhaseReadiness } from '../../commands/engagement/readiness.ts';
import type { Config } from '../../config.ts';
import { zEngagementStatus, zPhase } from '../../events/engagement/events.ts';
import { zEngagement, zPhaseMove, zRemovedGate } from '../../events/engagement/records.ts';
import { zEnvelope } from '../../events/envelope.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EvidenceFiles } from '../../ports/evidence-files.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { type EngagementSources, outlineAsOf } from '../../queries/engagement/as-of.ts';
import { historyPage, reasonOf } from '../../queries/engagement/history.ts';
import { requireEngagement, requireOutline } from '../../queries/engagement/lookup.ts';
import { advanceOutcome, zAdvanceOutcome } from '../../queries/engagement/outcome.ts';
import { workspaceFiles, zWorkspaceFiles } from '../../queries/engagement/workspace-files.ts';
import { envelopeOf } from '../../streams/envelope.ts';
import { asOfField, zAt } from '../server/as-of.ts';
import { queryNumber, zCursor } from '../server/query-params.ts';
import { type Answer, type Call, ok, type RouteSpec, routesOf, value } from '../server/route.ts';
import { deliverableRoutes } from './deliverables.ts';
import { documentRoutes } from './documents.ts';
import { evidenceRoutes } from './evidence.ts';
import { gateRoutes } from './gates.ts';
import { listRoute } from './list.ts';
import { scanRoute } from './scan.ts';
import {
  badRequest,
  deleted,
  ofEngagement,
  valueAsOf,
  zFilled,
  zId,
  zName,
  zPath,
  zReason,
  zReasonQuery,
  zText,
} from './schemas.ts';
import { seedRoute, templateIds, templateRoute } from './template.ts';

const { post } = routesOf({ tag: 'engagements' });

export interface Dependencies extends EngagementSources {
  readonly clock: Clock;
  readonly config: Pick<Config, 'workspace'>;
  readonly ids: IdGenerator;
  readonly evidenceFiles: EvidenceFiles;
}

/** The modules with the routes of engagements. */
export const engagementRoutes = [
  templateRoute,
  listRoute,
  outlineRoutes,
  seedRoute,
  scanRoute,
  deliverableRoutes,
  evidenceRoutes,
  gateRoutes,
  documentRoutes,
] as const;

const zOne = z.object({ engagement: zEngagement.describe('The engagement as it is now.') });

function outlineRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [
    createRoute(deps),
    readRoute(deps),
    changeRoute(deps),
    removeRoute(),
    advanceRoute(deps),
    workspaceFilesRoute(deps),
    historyRoute(deps),
  ];
}

const zNewEngagement = z.object({
  name: zFilled.describe('Name of the engagement.'),
  client: zName.nullish().describe('The client; absent: empty.'),
  workspace_path: zPath.nullish().describe('Folder of its files; absent: none.'),
  summary: zText.nullish().describe('Short description; absent: empty.'),
  reason: zReason,
});
z.globalRegistry.add(zNewEngagement, {
  examples: [{ name: 'Search for the archive', client: 'Analytical Engines Ltd', workspace_path: '/home/ada/archive' }],
});

function createRoute(deps: Dependencies): RouteSpec {
  return post('/engagements', {
    operation: 'create',
    dispatchOnly: true,
    summary: 'Opens an engagement, seeded with the whole template.',
    body: zNewEngagement,
    responses: ok('The engagement.', zOne, badRequest),
    handle: (call) => open(deps, call),
  });
}

async function open(
  deps: Dependencies,
  { body, answerAfter }: Call<unknown, unknown, z.infer<typeof zNewEngagement>>,
): Promise<Answer> {
  const id = engagementId(deps.ids.hex(16));
  const { name, client, summary, workspace_path, reason } = body;
  const bound = workspace_path == null || workspace_path.trim() === '' ? null : workspace_path;
  const command = {
    type: 'OpenEngagement',
    name,
    client: client ?? '',
    summary: summary ?? '',
    workspace_path: bound === null ? null : resolve(deps.config.workspace, bound),
    ids: templateIds(deps.ids),
    reason,
  } as const;
  return answerAfter(decider, id, command, () => value({ engagement: requireEngagement(deps.views, id) }));
}

function readRoute(deps: Dependencies): RouteSpec {
  return ofEngagement.get('', {
    params: zId,
    operation: 'get',
    summary: 'An engagement and how ready each phase is to be left; `at` answers as it was then.',
    query: z.object({ at: zAt }),
    responses: ok('The report.', {
      report: z
        .object({
          engagement: zEngagement.describe('The engagement itself.'),
          phases: z.array(zPhaseReadiness).describe('The four phases, with what each lacks.'),
          phase_changes: z.array(zPhaseMove).describe('Changes of the current phase, oldest first.'),
          removed_gates: z.array(zRemovedGate).describe('Deleted gates with their last verdict, oldest first.'),
          generated_at: z.int(),
        })
        .describe('Everything that a reader needs to judge how far it is.'),
      ...asOfField,
    }),
    async handle({ params, query }) {
      const { document, asOf } = await outlineAsOf(deps, params.id, query.at);
      const { engagement, moves: phase_changes, removedGates: removed_gates } = document;
      const phases = readiness(document);
      const report = { engagement, phases, phase_changes, removed_gates, generated_at: deps.clock.now() };
      return valueAsOf({ report }, asOf);
    },
  });
}

function changeRoute({ ids, views }: Dependencies): RouteSpec {
  return ofEngagement.patch('', {
    params: zId,
    operation: 'update',
    dispatchOnly: true,
    summary: 'Sets status, phase or both; omitted fields stay.',
    body: z.object({
      status: zEngagementStatus.optional().describe('`draft` until work begins, `closed` after it.'),
      phase: zPhase.optional(),
      reason: zReason,
    }),
    responses: ok('The engagement.', zOne),
    async handle({ params: { id }, body, answerAfter }) {
      const command = { type: 'ChangeEngagement', ...body, move_id: engagementId(ids.hex(16)) } as const;
      return answerAfter(decider, id, command, () => value({ engagement: requireEngagement(views, id) }));
    },
  });
}

function removeRoute(): RouteSpec {
  return ofEngagement.del('', {
    params: zId,
    operation: 'delete',
    dispatchOnly: true,
    summary: 'Removes an engagement with its deliverables, evidence and gates; its history stays.',
    query: zReasonQuery,
    responses: deleted,
    handle: async ({ params: { id }, query: { reason }, answerAfter }) =>
      answerAfter(decider, id, { type: 'RemoveEngagement', reason }, () => value({ deleted: true })),
  });
}

const zAdvance = z.object({
  force: z
    .boolean()
    .nullish()
    .transform((force) => force === true),
  reason: zReason,
});
z.globalRegistry.add(zAdvance, { examples: [{ force: true, reason: 'The customer accepts the open gate.' }] });

function advanceRoute(deps: Dependencies): RouteSpec {
  return ofEngagement.post('/advance', {
    params: zId,
    operation: 'advance',
    dispatchOnly: true,
    summary: 'Leaves the current phase; despite blockers only with `force`, which is recorded with them.',
    body: zAdvance,
    responses: ok('The outcome: the next phase, or the blockers of the current one.', {
      outcome: zAdvanceOutcome.describe('Whether the phase advanced, and if not, why.'),
    }),
    async handle({ params: { id }, body, answerAfter }) {
      const move_id = engagementId(deps.ids.hex(16));
      return answerAfter(decider, id, { type: 'AdvancePhase', ...body, move_id }, () =>
        value({ outcome: advanceOutcome(requireOutline(deps.views, id), move_id) }),
      );
    },
  });
}

const HISTORY_LIMIT_DEFAULT = 500;
const HISTORY_LIMIT_MAX = 5_000;

/** Every event of an engagement, oldest first, with its position and leaf hash; also of a removed engagement. */
function historyRoute({ log }: Dependencies): RouteSpec {
  return ofEngagement.get('/history', {
    operation: 'history',
    summary: 'Every event of an engagement, newest last; `next` is where to go on, null at the end.',
    params: zId,
    query: z.object({
      after: zCursor.default(0).describe('A position of the log.'),
      limit: queryNumber({ min: 1, max: HISTORY_LIMIT_MAX }).default(HISTORY_LIMIT_DEFAULT),
    }),
    responses: ok('A page.', {
      events: z
        .array(zEnvelope.extend({ reason: z.string().describe("Why, in the caller's words or in a default text.") }))
        .describe('Events of the engagement, oldest first.'),
      next: z.int().nullable(),
    }),
    handle({ params, query }) {
      const { events, next } = historyPage(log, params.id, query);
      return value({ events: events.map((event) => ({ ...envelopeOf(event), reason: reasonOf(event) })), next });
    },
  });
}

const FILES_DEFAULT = 20;
const FILES_MAX = 200;

/** The files of an engagement's workspace, searched by a part of their path. */
function workspaceFilesRoute({ views, evidenceFiles }: Dependencies): RouteSpec {
  return ofEngagement.get('/workspace-files', {
    operation: 'workspaceFiles',
    summary: 'Files of the workspace by a part of their path, to choose evidence from; credentials are left out.',
    params: zId,
    query: z.object({
      q: zName.default('').describe('Each of its words is in the path, in any case; absent: every file.'),
      limit: queryNumber({ min: 1, max: FILES_MAX }).default(FILES_DEFAULT).describe('At most so many files.'),
    }),
    responses: ok('The files, and how many there are in all.', zWorkspaceFiles),
    handle: async ({ params, query }) =>
      value(await workspaceFiles(evidenceFiles, requireEngagement(views, params.id), query)),
  });
}
