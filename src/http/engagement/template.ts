/** The template of engagements: what it holds, and adding its deliverables and gates to an engagement. */
import { z } from 'zod';
import { engagementId } from '../../commands/engagement/commands.ts';
import { engagement as decider } from '../../commands/engagement/decide.ts';
import { PHASE_FACTS, phaseFacts, zPhaseFacts } from '../../commands/engagement/phases.ts';
import { DELIVERABLE_TEMPLATES } from '../../commands/engagement/template-deliverables.ts';
import { GATE_TEMPLATES } from '../../commands/engagement/template-gates.ts';
import { zPhase } from '../../events/engagement/events.ts';
import { zGate } from '../../events/engagement/records.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { ok, type RouteSpec, routesOf, value } from '../server/route.ts';
import { ofEngagement, zId, zReason } from './schemas.ts';

const { get } = routesOf({ tag: 'engagements' });

export function templateRoute(): RouteSpec {
  const zCadence = z.string().nullable();
  return get('/engagements/template', {
    operation: 'template',
    summary: 'Phases, deliverables and gates that every engagement is seeded with.',
    responses: ok('The template, in seeding order.', {
      phases: z.array(zPhaseFacts).describe('The four phases in order.'),
      deliverables: z
        .array(
          z.object({
            phase: zPhase,
            phase_title: z.string().describe('One line that names the phase.'),
            cadence: zCadence,
            key: z.string().describe('Names the deliverable within an engagement.'),
            title: z.string(),
            description: z.string().describe('Description of its content.'),
            tool_hint: z.string(),
          }),
        )
        .describe('Those that every engagement begins with.'),
      gates: z
        .array(zGate.pick({ phase: true, title: true, criterion: true, measurement: true }))
        .describe('Those that every engagement begins with.'),
    }),
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

export function seedRoute({ ids }: { readonly ids: IdGenerator }): RouteSpec {
  return ofEngagement.post('/seed', {
    params: zId,
    operation: 'seed',
    dispatchOnly: true,
    summary: 'Adds the deliverables and gates of the template that the engagement lacks; the others stay as they are.',
    body: z.object({ reason: zReason }).nullish(),
    responses: ok('How many were added.', {
      added: z.int().describe('Deliverables and gates of the template that were added.'),
    }),
    async handle({ params: { id }, body, answerAfter }) {
      const command = { type: 'SeedEngagement', ids: templateIds(ids), reason: body?.reason ?? '' } as const;
      return answerAfter(decider, id, command, (_, { length: added }) => value({ added }));
    },
  });
}

/** One id for each row of the template. */
export function templateIds(ids: IdGenerator): readonly string[] {
  const rows = DELIVERABLE_TEMPLATES.length + GATE_TEMPLATES.length;
  return Array.from({ length: rows }, () => engagementId(ids.hex(16)));
}
