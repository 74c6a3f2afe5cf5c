/** Engagements: open, read, change, seed, advance, remove, and their history; the rest is in the files beside. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { engagement as decider } from '../../commands/engagement/decide.ts';
import { advanceOutcome } from '../../commands/engagement/outcome.ts';
import { PHASE_FACTS, phaseFacts } from '../../commands/engagement/phases.ts';
import { readiness } from '../../commands/engagement/readiness.ts';
import { type EngagementState, engagementOf } from '../../commands/engagement/state.ts';
import { DELIVERABLE_TEMPLATES } from '../../commands/engagement/template-deliverables.ts';
import { GATE_TEMPLATES } from '../../commands/engagement/template-gates.ts';
import type { Config } from '../../config.ts';
import { zBlocker, zEngagementStatus, zPhase } from '../../events/engagement/events.ts';
import { zEngagement, zPhaseMove, zRemovedGate } from '../../events/engagement/records.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EvidenceFiles } from '../../ports/evidence-files.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { newestEngagements } from '../../projections/engagement.ts';
import type { Views } from '../../projections/views.ts';
import { outlineThen } from '../../queries/engagement/as-of.ts';
import type { EventLog } from '../../storage/event-log.ts';
import { type Answer, value } from '../server/answer.ts';
import { type Call, type RouteSpec, route } from '../server/route.ts';
import { deliverableRoutes } from './deliverables.ts';
import { documentRoutes } from './documents.ts';
import { gateRoutes } from './gates.ts';
import { historyRoute } from './history.ts';
import { scanRoute } from './scan.ts';
import {
  badRequest,
  freshId,
  known,
  unknownId,
  zAsOf,
  zAt,
  zFilled,
  zId,
  zName,
  zPath,
  zPhaseReadiness,
  zReason,
  zReasonQuery,
  zText,
} from './schemas.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly log: EventLog;
  readonly views: Views;
  readonly evidenceFiles: EvidenceFiles;
}

const common = { tag: 'engagements', auth: 'bearer' } as const;
const zOne = z.object({ engagement: zEngagement });

export function engagementRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [
    templateRoute(),
    ...collectionRoutes(deps),
    ...singleRoutes(deps),
    advanceRoute(deps),
    scanRoute(deps),
    historyRoute(deps),
    ...deliverableRoutes(deps),
    ...gateRoutes(deps),
    ...documentRoutes(deps),
  ];
}

function templateRoute(): RouteSpec {
  const zCadence = z.string().nullable();
  return route({
    ...common,
    method: 'GET',
    path: '/engagements/template',
    summary: 'Phases, deliverables and gates that every engagement is seeded with.',
    responses: {
      200: {
        description: 'The template, in seeding order.',
        schema: z.object({
          phases: z.array(
            z.object({ phase: zPhase, title: z.string(), cadence: zCadence, purpose: z.string(), index: z.int() }),
          ),
          deliverables: z.array(
            z.object({
              phase: zPhase,
              phase_title: z.string(),
              cadence: zCadence,
              key: z.string(),
              title: z.string(),
              description: z.string(),
              tool_hint: z.string(),
            }),
          ),
          gates: z.array(
            z.object({ phase: zPhase, title: z.string(), criterion: z.string(), measurement: z.string() }),
          ),
        }),
      },
    },
    handle: () =>
      value({
        phases: PHASE_FACTS,
        deliverables: DELIVERABLE_TEMPLATES.map((row) => {
          const { title, cadence } = phaseFacts(row.phase);
          return { ...row, phase_title: title, cadence };
        }),
        gates: GATE_TEMPLATES,
      }),
  });
}

const zNewEngagement = z.object({
  name: zFilled,
  client: zName.nullish(),
  workspace_path: zPath.nullish(),
  summary: zText.nullish(),
  reason: zReason,
});

function collectionRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/engagements',
      summary: 'Engagements, the last changed first; at most 10,000.',
      responses: {
        200: { description: 'Engagements.', schema: z.object({ engagements: z.array(zEngagement) }) },
      },
      handle: () => value({ engagements: newestEngagements(deps.views) }),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/engagements',
      summary: 'Opens an engagement, seeded with the whole template.',
      body: zNewEngagement,
      responses: { 200: { description: 'The engagement.', schema: zOne }, ...badRequest },
      handle: (call) => open(deps, call),
    }),
  ];
}

async function open(
  deps: Dependencies,
  { body, dispatch }: Call<unknown, unknown, z.infer<typeof zNewEngagement>>,
): Promise<Answer> {
  const id = freshId(deps);
  const { name, client, summary, workspace_path, reason } = body;
  const bound = workspace_path == null || workspace_path.trim() === '' ? null : workspace_path;
  const answer = (state: EngagementState): Answer => value({ engagement: engagementOf(id, state) });
  const command = {
    type: 'OpenEngagement',
    name,
    client: client ?? '',
    summary: summary ?? '',
    workspace_path: bound === null ? null : resolve(deps.config.workspace, bound),
    ids: templateIds(deps),
    reason,
  } as const;
  const { state } = await dispatch(decider, id, command, answer);
  return answer(state);
}

function templateIds(deps: Dependencies): readonly string[] {
  return Array.from({ length: DELIVERABLE_TEMPLATES.length + GATE_TEMPLATES.length }, () => freshId(deps));
}

const zChange = z.object({ status: zEngagementStatus.optional(), phase: zPhase.optional(), reason: zReason });

function singleRoutes(deps: Dependencies): readonly RouteSpec[] {
  const one = { ...common, path: '/engagements/{id}', params: zId } as const;
  return [
    route({
      ...one,
      method: 'GET',
      summary: 'An engagement and how ready each phase is to be left; `at` answers as it was then.',
      query: z.object({ at: zAt }),
      responses: {
        200: {
          description: 'The report.',
          schema: z.object({
            report: z.object({
              engagement: zEngagement,
              phases: z.array(zPhaseReadiness),
              phase_changes: z.array(zPhaseMove),
              removed_gates: z.array(zRemovedGate),
              generated_at: z.int(),
            }),
            as_of: zAsOf.optional(),
          }),
        },
        ...badRequest,
        ...unknownId,
      },
      handle({ params, query }) {
        const { document, asOf } = outlineThen(deps, params.id, query.at);
        const { engagement, moves: phase_changes, removedGates: removed_gates } = document;
        const changes = { phase_changes, removed_gates };
        const report = { engagement, phases: readiness(document), ...changes, generated_at: deps.clock.now() };
        return value({ report, ...(asOf && { as_of: asOf }) });
      },
    }),
    route({
      ...one,
      method: 'PATCH',
      summary: 'Sets status, phase or both; what is left out stays.',
      body: zChange,
      responses: { 200: { description: 'The engagement.', schema: zOne }, ...badRequest, ...unknownId },
      async handle({ params: { id }, body, dispatch }) {
        known(deps, id);
        const answer = (state: EngagementState): Answer => value({ engagement: engagementOf(id, state) });
        const command = { type: 'ChangeEngagement', ...body, move_id: freshId(deps) } as const;
        const { state } = await dispatch(decider, id, command, answer);
        return answer(state);
      },
    }),
    route({
      ...one,
      method: 'DELETE',
      summary: 'Removes an engagement with its deliverables, evidence and gates; its history stays.',
      query: zReasonQuery,
      responses: {
        200: { description: 'Removed.', schema: z.object({ deleted: z.boolean() }) },
        ...unknownId,
      },
      async handle({ params: { id }, query: { reason }, dispatch }) {
        known(deps, id);
        await dispatch(decider, id, { type: 'RemoveEngagement', reason });
        return value({ deleted: true });
      },
    }),
    route({
      ...one,
      method: 'POST',
      path: '/engagements/{id}/seed',
      summary: 'Adds what the template has and the engagement lacks; nothing that is there changes.',
      body: z.object({ reason: zReason }).nullish(),
      responses: {
        200: { description: 'How many were added.', schema: z.object({ added: z.int() }) },
        ...badRequest,
        ...unknownId,
      },
      async handle({ params: { id }, body, dispatch }) {
        known(deps, id);
        const { events } = await dispatch(decider, id, {
          type: 'SeedEngagement',
          ids: templateIds(deps),
          reason: body?.reason ?? '',
        });
        return value({ added: events.length });
      },
    }),
  ];
}

const zAdvance = z.object({
  force: z
    .boolean()
    .nullish()
    .transform((force) => force === true),
  reason: zReason,
});

const zOutcome = z.object({
  advanced: z.boolean(),
  from: zPhase,
  to: zPhase.nullable(),
  forced: z.boolean(),
  blockers: z.array(zBlocker),
  reason: z.string(),
});

function advanceRoute(deps: Dependencies): RouteSpec {
  return route({
    ...common,
    method: 'POST',
    path: '/engagements/{id}/advance',
    summary: 'Closes the current phase; with blockers only by `force`, which is recorded with them.',
    params: zId,
    body: zAdvance,
    responses: {
      200: { description: 'What came of it; a refusal is an answer too.', schema: z.object({ outcome: zOutcome }) },
      ...badRequest,
      ...unknownId,
    },
    async handle({ params: { id }, body, dispatch }) {
      known(deps, id);
      const move_id = freshId(deps);
      const answer = (state: EngagementState): Answer => value({ outcome: advanceOutcome(state, move_id) });
      const command = { type: 'AdvancePhase', ...body, move_id } as const;
      const { state } = await dispatch(decider, id, command, answer);
      return answer(state);
    },
  });
}
