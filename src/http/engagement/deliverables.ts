/** Deliverables of an engagement and the evidence for them. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { isBlank } from '../../commands/blank.ts';
import { engagement as decider } from '../../commands/engagement/decide.ts';
import { deliverableOf, type EngagementState } from '../../commands/engagement/state.ts';
import type { Config } from '../../config.ts';
import { type Fingerprint, zDeliverableStatus, zEvidenceKind, zPhase } from '../../events/engagement/events.ts';
import { type Evidence, zDeliverable, zEvidence } from '../../events/engagement/records.ts';
import type { EvidenceFiles } from '../../ports/evidence-files.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { belongs } from '../../projections/engagement.ts';
import type { Views } from '../../projections/views.ts';
import { documentThen, outlineThen } from '../../queries/engagement/as-of.ts';
import { changedSince, standingsOf } from '../../queries/engagement/evidence-standing.ts';
import type { EventLog } from '../../storage/event-log.ts';
import { type Answer, value } from '../server/answer.ts';
import { type Call, type RouteSpec, route } from '../server/route.ts';
import {
  badRequest,
  freshId,
  inPhase,
  known,
  nothing,
  unknownId,
  zAsOf,
  zAt,
  zFilled,
  zId,
  zName,
  zPhaseFilter,
  zReason,
  zReasonQuery,
  zText,
} from './schemas.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly ids: IdGenerator;
  readonly log: EventLog;
  readonly views: Views;
  readonly evidenceFiles: EvidenceFiles;
}

const zDid = zId.extend({ did: z.string() });
const zEid = zId.extend({ eid: z.string() });

/** `changed_since`: whether the file is no longer what was attached; null for what cannot be compared. */
const zShownEvidence = zEvidence.extend({ changed_since: z.boolean().nullable() });

/** Blank is nobody. */
const zBlankIsNull = zName.nullable().transform((text) => (text === null || isBlank(text) ? null : text.trim()));

const zNewDeliverable = z.object({
  phase: zPhase,
  key: zFilled,
  title: zFilled,
  description: zText.nullish(),
  tool_hint: zName.nullish(),
  reason: zReason,
});

const zNewEvidence = z.object({
  kind: zEvidenceKind.nullish().transform((kind) => kind ?? 'note'),
  label: zText.nullish().transform((label) => label ?? ''),
  reference: zText.nullish().transform((reference) => reference ?? ''),
  reason: zReason,
});

export function deliverableRoutes(deps: Dependencies): readonly RouteSpec[] {
  const common = { tag: 'engagements', auth: 'bearer' } as const;
  const one = '/engagements/{id}/deliverables/{did}';
  return [
    route({
      ...common,
      method: 'GET',
      path: '/engagements/{id}/deliverables',
      summary: 'Deliverables in the order they were added; `phase` filters, `at` answers as it was then.',
      params: zId,
      query: z.object({ phase: zPhaseFilter, at: zAt }),
      responses: {
        200: {
          description: 'Deliverables.',
          schema: z.object({ deliverables: z.array(zDeliverable), as_of: zAsOf.optional() }),
        },
        ...badRequest,
        ...unknownId,
      },
      handle({ params, query }) {
        const { document, asOf } = outlineThen(deps, params.id, query.at);
        const deliverables = inPhase(document.deliverables, query.phase);
        return value({ deliverables, ...(asOf && { as_of: asOf }) });
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/engagements/{id}/deliverables',
      summary: 'Adds a deliverable; one whose key exists is revised, its status, owner and evidence stay.',
      params: zId,
      body: zNewDeliverable,
      responses: {
        200: { description: 'The deliverable.', schema: z.object({ deliverable: zDeliverable }) },
        ...badRequest,
        ...unknownId,
      },
      handle: (call) => addDeliverable(deps, call),
    }),
    route({
      ...common,
      method: 'PATCH',
      path: one,
      summary: 'Sets status, owner or notes; what is left out stays, an owner of null is nobody.',
      params: zDid,
      body: z.object({
        status: zDeliverableStatus.optional(),
        owner: zBlankIsNull.optional(),
        notes: zText.nullable().optional(),
        reason: zReason,
      }),
      responses: {
        200: { description: 'The id of what was updated.', schema: z.object({ updated: z.string() }) },
        ...badRequest,
        ...unknownId,
      },
      async handle({ params: { id, did }, body: { status, owner, notes, reason }, dispatch }) {
        knownDeliverable(deps, id, did);
        const changes = { status, owner, notes: notes === null ? '' : notes };
        const answer = (): Answer => value({ updated: did });
        await dispatch(decider, id, { type: 'ChangeDeliverable', deliverable_id: did, ...changes, reason }, answer);
        return answer();
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${one}/evidence`,
      summary: 'Evidence by time of capture, each file with its standing today; `at` answers as it was then.',
      params: zDid,
      query: z.object({ at: zAt }),
      responses: {
        200: {
          description: 'Evidence.',
          schema: z.object({ evidence: z.array(zShownEvidence), as_of: zAsOf.optional() }),
        },
        ...badRequest,
        ...unknownId,
      },
      async handle({ params: { id, did }, query }) {
        const { document, asOf } = documentThen(deps, id, query.at);
        if (!document.deliverables.some((item) => item.id === did)) throw nothing('Deliverable', did);
        const items = document.evidence.filter((item) => item.deliverable_id === did);
        const standings = await standingsOf(deps, asOf === null ? items : []);
        const evidence = items.map((item) => ({ ...item, changed_since: changedSince(standings.get(item.id)) }));
        return value({ evidence, ...(asOf && { as_of: asOf }) });
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${one}/evidence`,
      summary: 'Attaches evidence; a local file is recorded with its size and SHA-256.',
      params: zDid,
      body: zNewEvidence,
      responses: {
        200: { description: 'The evidence.', schema: z.object({ evidence: zShownEvidence }) },
        ...badRequest,
        ...unknownId,
      },
      handle: (call) => attach(deps, call),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/engagements/{id}/evidence/{eid}',
      summary: 'Removes one evidence item.',
      params: zEid,
      query: zReasonQuery,
      responses: {
        200: { description: 'Removed.', schema: z.object({ deleted: z.boolean() }) },
        ...unknownId,
      },
      async handle({ params: { id, eid }, query: { reason }, dispatch }) {
        known(deps, id);
        if (!belongs(deps.views, 'evidence', { engagementId: id, id: eid })) throw nothing('Evidence', eid);
        await dispatch(decider, id, { type: 'RemoveEvidence', evidence_id: eid, reason });
        return value({ deleted: true });
      },
    }),
  ];
}

function knownDeliverable(deps: Dependencies, id: string, did: string): void {
  known(deps, id);
  if (!belongs(deps.views, 'deliverables', { engagementId: id, id: did })) throw nothing('Deliverable', did);
}

type NewDeliverable = Call<z.infer<typeof zId>, unknown, z.infer<typeof zNewDeliverable>>;

async function addDeliverable(deps: Dependencies, { params: { id }, body, dispatch }: NewDeliverable): Promise<Answer> {
  known(deps, id);
  const { phase, key, title, description, tool_hint, reason } = body;
  const answer = (state: EngagementState): Answer => {
    const entry = state.deliverables.find((one) => one.key === key.trim())!;
    return value({ deliverable: deliverableOf(id, entry) });
  };
  const facts = { phase, key, title, description: description ?? undefined, tool_hint };
  const command = { type: 'AddDeliverable', deliverable_id: freshId(deps), ...facts, reason } as const;
  const { state } = await dispatch(decider, id, command, answer);
  return answer(state);
}

type NewEvidence = Call<z.infer<typeof zDid>, unknown, z.infer<typeof zNewEvidence>>;

async function attach(deps: Dependencies, { params: { id, did }, body, dispatch }: NewEvidence): Promise<Answer> {
  const { workspace_path } = known(deps, id);
  knownDeliverable(deps, id, did);
  const { kind, label, reference, reason } = body;
  const evidence_id = freshId(deps);
  const file = kind === 'file' ? await fileNamed(deps, { workspace_path, reference }) : null;
  const answer = (state: EngagementState): Answer => {
    const evidence = state.deliverables
      .find(({ id }) => id === did)!
      .evidence.find((item: Evidence) => item.id === evidence_id)!;
    return value({ evidence: { ...evidence, changed_since: file === null || file.sha256 === null ? null : false } });
  };
  const facts = { deliverable_id: did, kind, label, reference, file };
  const { state } = await dispatch(decider, id, { type: 'AttachEvidence', evidence_id, ...facts, reason }, answer);
  return answer(state);
}

/** What a reference names on this machine; relative ones start from the engagement's workspace, else from ours. */
function fileNamed(
  deps: Dependencies,
  { workspace_path, reference }: { readonly workspace_path: string | null; readonly reference: string },
): Promise<Fingerprint | null> {
  if (reference.trim() === '') return Promise.resolve(null);
  return deps.evidenceFiles.fingerprint(resolve(workspace_path ?? deps.config.workspace, reference));
}
