/** Received deliveries and their outcomes: the findings of a review, or the started run. */
import { z } from 'zod';
import { ERASED_TEXT } from '../../events/define.ts';
import { zReview } from '../../events/webhook.ts';
import type { Views } from '../../projections/views.ts';
import { type DeliveryRow, deliveryRow, newestDeliveries, zDelivery } from '../../projections/webhook.ts';
import { ok } from '../responses.ts';
import { notFound } from '../server/errors.ts';
import { queryNumber } from '../server/query-params.ts';
import { type RouteSpec, routesOf, value } from '../server/route.ts';

const { get } = routesOf({ tag: 'webhooks' });

export interface Dependencies {
  readonly views: Views;
}

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 500;

const zReviewed = zDelivery.extend({
  review: zReview.omit({ summary: true }).nullable().describe('The review; null without one, and when it is erased.'),
});
z.globalRegistry.add(zReviewed, { id: 'ReviewedDelivery' });

export function deliveryRoutes({ views }: Dependencies): readonly RouteSpec[] {
  return [
    get('/webhook/deliveries', {
      operation: 'listDeliveries',
      summary: 'The newest deliveries, newest first.',
      query: z.object({ limit: queryNumber({ min: 1, max: LIMIT_MAX }).default(LIMIT_DEFAULT) }),
      responses: ok('Deliveries.', { deliveries: z.array(zDelivery).describe('Deliveries, the newest first.') }),
      handle: ({ query }) => value({ deliveries: newestDeliveries(views, query.limit).map(shown) }),
    }),
    get('/webhook/deliveries/{id}', {
      operation: 'getDelivery',
      summary: 'One delivery, by its id here or at its sender, with every finding of its review.',
      params: z.object({ id: z.string() }),
      responses: ok('The delivery.', zReviewed, { 404: 'Unknown delivery.' }),
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
    summary: review?.summary ?? (row.status === 'reviewed' ? ERASED_TEXT : null),
  };
}
