/** Deliverables of an engagement. */
import { z } from 'zod';
import { isBlank } from '../../commands/blank.ts';
import { engagementId } from '../../commands/engagement/commands.ts';
import { engagement as decider } from '../../commands/engagement/decide.ts';
import { zDeliverableStatus, zPhase } from '../../events/engagement/events.ts';
import { zDeliverable } from '../../events/engagement/records.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { deliverableOfKey } from '../../projections/engagement/document.ts';
import { type EngagementSources, outlineAsOf } from '../../queries/engagement/as-of.ts';
import { asOfField, zAt } from '../server/as-of.ts';
import { ok, type RouteSpec, value } from '../server/route.ts';
import {
  inPhase,
  ofEngagement,
  valueAsOf,
  zDid,
  zFilled,
  zId,
  zName,
  zPhaseFilter,
  zReason,
  zText,
} from './schemas.ts';

export interface Dependencies extends EngagementSources {
  readonly ids: IdGenerator;
}

const zNewDeliverable = z.object({
  phase: zPhase,
  key: zFilled.describe('Names it within the engagement; no other one may have it.'),
  title: zFilled,
  description: zText.nullish().describe('Description of its content; absent: empty.'),
  tool_hint: zName.nullish(),
  reason: zReason,
});
z.globalRegistry.add(zNewDeliverable, {
  examples: [{ phase: 'discover', key: 'problem-statement', title: 'Problem statement' }],
});

/** A blank owner is null: the deliverable has no owner. */
const zOwner = zName.nullable().transform((text) => (text === null || isBlank(text) ? null : text.trim()));

export function deliverableRoutes(deps: Dependencies): readonly RouteSpec[] {
  const { ids, views } = deps;
  return [
    ofEngagement.get('/deliverables', {
      operation: 'listDeliverables',
      summary: 'Deliverables in the order they were added; `phase` filters, `at` answers as it was then.',
      params: zId,
      query: z.object({ phase: zPhaseFilter, at: zAt }),
      responses: ok('Deliverables.', {
        deliverables: z.array(zDeliverable).describe('Those of the phase, or all.'),
        ...asOfField,
      }),
      async handle({ params, query }) {
        const { document, asOf } = await outlineAsOf(deps, params.id, query.at);
        return valueAsOf({ deliverables: inPhase(document.deliverables, query.phase) }, asOf);
      },
    }),
    ofEngagement.post('/deliverables', {
      operation: 'addDeliverable',
      dispatchOnly: true,
      summary:
        'Adds a deliverable, or revises the one with this key: omitted fields, its phase, status, owner and evidence stay.',
      params: zId,
      body: zNewDeliverable,
      responses: ok('The deliverable.', { deliverable: zDeliverable.describe('The new deliverable.') }),
      async handle({ params: { id }, body: { description, ...fields }, answerAfter }) {
        const deliverable_id = engagementId(ids.hex(16));
        const command = {
          type: 'AddDeliverable',
          deliverable_id,
          ...fields,
          description: description ?? undefined,
        } as const;
        return answerAfter(decider, id, command, () =>
          value({ deliverable: deliverableOfKey(views, id, fields.key.trim()) }),
        );
      },
    }),
    ofEngagement.patch('/deliverables/{did}', {
      operation: 'updateDeliverable',
      dispatchOnly: true,
      summary: 'Sets status, owner or notes; omitted fields stay, and null removes the owner.',
      params: zDid,
      body: z.object({
        status: zDeliverableStatus.optional().describe('`waived`: not needed, out of scope.'),
        owner: zOwner.optional().describe('The person who makes it; null or blank: none.'),
        notes: zText.nullable().optional().describe('Free text; null: empty.'),
        reason: zReason,
      }),
      responses: ok('The id of what was updated.', { updated: z.string().describe('Id of the deliverable.') }),
      async handle({ params: { id, did }, body: { notes, ...fields }, answerAfter }) {
        const changes = { ...fields, notes: notes === null ? '' : notes };
        return answerAfter(decider, id, { type: 'ChangeDeliverable', deliverable_id: did, ...changes }, () =>
          value({ updated: did }),
        );
      },
    }),
  ];
}
