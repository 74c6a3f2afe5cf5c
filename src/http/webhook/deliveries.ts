/** Received deliveries and their outcomes: the findings of a review, or the started run. */
import { z } from 'zod';
import { delivery } from '../../commands/webhook/decide.ts';
import { ERASED_TEXT } from '../../events/define.ts';
import { zReview } from '../../events/webhook.ts';
import type { Views } from '../../projections/views.ts';
import { type DeliveryRow, deliveries, deliveryRow, newestDeliveries, zDelivery } from '../../projections/webhook.ts';
import { type AsOfSources, answerAt, asOfField, invalidAt, zAt } from '../server/as-of.ts';
import { notFound } from '../server/errors.ts';
import { queryNumber } from '../server/query-params.ts';
import { ok, type RouteSpec, routesOf } from '../server/route.ts';

const { get } = routesOf({ tag: 'webhooks' });

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 500;

const zReviewed = zDelivery.extend({
  review: zReview.omit({ summary: true }).nullable().describe('The review; null without one, and when it is erased.'),
});
z.globalRegistry.add(zReviewed, { id: 'ReviewedDelivery' });

const allDeliveries = { projection: deliveries, categories: [delivery.category] };

export function deliveryRoutes(sources: AsOfSources): readonly RouteSpec[] {
  return [
    get('/webhook/deliveries', {
      operation: 'listDeliveries',
      summary: 'The newest deliveries, newest first; `at` answers as it was then.',
      query: z.object({ limit: queryNumber({ min: 1, max: LIMIT_MAX }).default(LIMIT_DEFAULT), at: zAt }),
      responses: ok(
        'Deliveries.',
        { deliveries: z.array(zDelivery).describe('Deliveries, the newest first.'), ...asOfField },
        invalidAt,
      ),
      handle({ query: { limit, at }, request }) {
        const read = (then: Views) => ({ deliveries: newestDeliveries(then, limit).map(shown) });
        return answerAt(sources, { at, request }, { ...allDeliveries, read });
      },
    }),
    get('/webhook/deliveries/{id}', {
      operation: 'getDelivery',
      summary:
        'One delivery, by its id here or at its sender, with every finding of its review; `at` answers as it was then.',
      params: z.object({ id: z.string() }),
      query: z.object({ at: zAt }),
      responses: ok('The delivery.', zReviewed.extend(asOfField), { ...invalidAt, 404: 'Unknown delivery.' }),
      handle({ params: { id }, query: { at }, request }) {
        const read = (then: Views): object => {
          const row = deliveryRow(then, id);
          if (row === undefined) throw notFound('Delivery', id);
          return { ...shown(row), review: row.review === null ? null : JSON.parse(row.review) };
        };
        return answerAt(sources, { at, request }, { ...allDeliveries, read });
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
