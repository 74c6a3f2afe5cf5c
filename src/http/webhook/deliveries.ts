/** Received deliveries and their outcomes: the findings of a review, or the started run. */
import { z } from 'zod';
import { zForgeRequest, zReview } from '../../events/webhook.ts';
import type { Views } from '../../projections/views.ts';
import { DELIVERY_STATUSES, type DeliveryRow, deliveryRow, newestDeliveries } from '../../projections/webhook.ts';
import { value } from '../server/answer.ts';
import { notFound, zError } from '../server/errors.ts';
import { queryNumber } from '../server/query-params.ts';
import { type RouteSpec, route } from '../server/route.ts';

export interface Dependencies {
  readonly views: Views;
}

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 500;

const zDelivery = z.object({
  id: z.string().describe('Id of the delivery in this daemon.'),
  delivery_id: z.string().nullable().describe('As the sender named it; null when it named none.'),
  kind: z.enum(['forge', 'skill']).describe("A forge's event, or a call that starts a skill."),
  event: z.string().nullable().describe("Name of the forge's event; null for a skill."),
  status: z.enum(DELIVERY_STATUSES).describe('What came of it; `pending` while a review is made.'),
  request: z
    .union([zForgeRequest, zForgeRequest.pick({ action: true })])
    .nullable()
    .describe('The pull request; of an ignored delivery the action alone.'),
  findings: z.int().nullable().describe('Findings of the review; null without one.'),
  summary: z.string().nullable().describe('The review in a sentence or two; null without one.'),
  error: z.string().nullable().describe('Why the review failed; null when it did not.'),
  skill: z.string().nullable().describe("Name of the started skill; null for a forge's event."),
  session_id: z.string().nullable(),
  body_length: z.int(),
  body_sha256: z.string(),
  received_at: z.int(),
  finished_at: z.int().nullable(),
});
z.globalRegistry.add(zDelivery, { id: 'Delivery' });

const zReviewed = zDelivery.extend({
  review: zReview.omit({ summary: true }).nullable().describe('The review; null without one.'),
});
z.globalRegistry.add(zReviewed, { id: 'ReviewedDelivery' });

export function deliveryRoutes({ views }: Dependencies): readonly RouteSpec[] {
  return [
    route({
      method: 'GET',
      path: '/webhook/deliveries',
      operation: 'listDeliveries',
      summary: 'The newest deliveries, newest first.',
      tag: 'webhooks',
      auth: 'bearer',
      query: z.object({ limit: queryNumber({ min: 1, max: LIMIT_MAX }).default(LIMIT_DEFAULT) }),
      responses: {
        200: {
          description: 'Deliveries.',
          schema: z.object({ deliveries: z.array(zDelivery).describe('Deliveries, the newest first.') }),
        },
      },
      handle: ({ query }) => value({ deliveries: newestDeliveries(views, query.limit).map(shown) }),
    }),
    route({
      method: 'GET',
      path: '/webhook/deliveries/{id}',
      operation: 'getDelivery',
      summary: 'One delivery, by its id here or at its sender, with every finding of its review.',
      tag: 'webhooks',
      auth: 'bearer',
      params: z.object({ id: z.string() }),
      responses: {
        200: { description: 'The delivery.', schema: zReviewed },
        404: { description: 'Unknown delivery.', schema: zError },
      },
      handle({ params: { id } }) {
        const row = deliveryRow(views, id);
        if (row === undefined) throw notFound('Delivery', id);
        return value({ ...shown(row), review: row.review === null ? null : JSON.parse(row.review) });
      },
    }),
  ];
}

function shown(row: DeliveryRow) {
  const review = row.review === null ? null : (JSON.parse(row.review) as { findings: unknown[]; summary: string });
  return {
    ...row,
    request: row.request === null ? null : JSON.parse(row.request),
    findings: review?.findings.length ?? null,
    summary: review?.summary ?? null,
  };
}
