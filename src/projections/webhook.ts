/**
 * Inbound deliveries, one row each: the delivery, its status, and the findings of a review. A review never ends before
 * its delivery, also when the clock is set back.
 */
import { z } from 'zod';
import { type DeliveryEvent, zForgeRequest } from '../events/webhook.ts';
import { handlers, idOf, type Projection, type Seen } from './projection.ts';
import { column, type NewRow, replaceRow, updateRows } from './rows.ts';
import type { Views } from './views.ts';

const DELIVERY_STATUSES = ['ignored', 'pending', 'reviewed', 'failed', 'triggered'] as const;

export const deliveries: Projection = {
  name: 'deliveries',
  version: 4,
  tables: ['deliveries'],
  create: `
CREATE TABLE deliveries (
  id TEXT NOT NULL PRIMARY KEY, delivery_id TEXT, kind TEXT NOT NULL, event TEXT, status TEXT NOT NULL,
  request TEXT, review TEXT, error TEXT, skill TEXT, session_id TEXT,
  body_length INTEGER NOT NULL, body_sha256 TEXT NOT NULL,
  received_at INTEGER NOT NULL, finished_at INTEGER, opened INTEGER NOT NULL
);
CREATE INDEX deliveries_newest ON deliveries (opened DESC);
CREATE INDEX deliveries_named ON deliveries (delivery_id);
CREATE INDEX deliveries_pending ON deliveries (opened) WHERE status = 'pending';`,
  on: handlers<DeliveryEvent>({
    DeliveryIgnored: (views, event) => {
      const { event: name, action, ...received } = event.data;
      open(views, event, { ...received, kind: 'forge', event: name, status: 'ignored' });
      if (action !== null) update(views, event, { request: JSON.stringify({ action }) });
    },
    ReviewRequested: (views, event) => {
      const { request, ...received } = event.data;
      open(views, event, { ...received, kind: 'forge', event: 'pull_request', status: 'pending' });
      update(views, event, { request: JSON.stringify(request) });
    },
    ReviewCompleted: (views, event) =>
      views.run(
        `UPDATE deliveries SET status = 'reviewed', review = ?, finished_at = max(?, received_at) WHERE id = ?`,
        event.erased === true ? null : JSON.stringify(event.data),
        event.at,
        idOf(event.stream),
      ),
    ReviewFailed: (views, event) =>
      views.run(
        `UPDATE deliveries SET status = 'failed', error = ?, finished_at = max(?, received_at) WHERE id = ?`,
        event.data.message,
        event.at,
        idOf(event.stream),
      ),
    SkillTriggered: (views, event) => {
      const { skill, webhook_trigger, session_id, ...received } = event.data;
      open(views, event, { ...received, kind: 'skill', event: webhook_trigger, status: 'triggered' });
      update(views, event, { skill, session_id });
    },
  }),
};

export const zDelivery = z.object({
  id: z.string().describe('Id of the delivery in this daemon.'),
  delivery_id: z.string().nullable().describe('As the sender named it; null when it named none.'),
  kind: z.enum(['forge', 'skill']).describe("A forge's event, or a call that starts a skill."),
  event: z.string().nullable().describe("Name of the forge's event; null for a skill."),
  status: z.enum(DELIVERY_STATUSES).describe('What came of it; `pending` while a review is made.'),
  request: z
    .union([zForgeRequest, zForgeRequest.pick({ action: true })])
    .nullable()
    .describe('The pull request; of an ignored delivery the action alone.'),
  findings: z.int().nullable().describe('Findings of the review; null without one, and when it is erased.'),
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

type Delivery = z.infer<typeof zDelivery>;
/** `request` and `review` are JSON. */
export type DeliveryRow = Readonly<
  Omit<Delivery, 'request' | 'findings' | 'summary'> & { request: string | null; review: string | null }
>;

/** Newest first. */
export function newestDeliveries(views: Views, limit: number): readonly DeliveryRow[] {
  return views.all<DeliveryRow>('SELECT * FROM deliveries ORDER BY opened DESC LIMIT ?', limit);
}

/** By the daemon's id, else the newest delivery with this id of its sender. */
export function deliveryRow(views: Views, id: string): DeliveryRow | undefined {
  const sql = 'SELECT * FROM deliveries WHERE id = ? OR delivery_id = ? ORDER BY id = ? DESC, opened DESC LIMIT 1';
  return views.get<DeliveryRow>(sql, id, id, id);
}

export function pendingDeliveryIds(views: Views): readonly string[] {
  return column(views, `SELECT id FROM deliveries WHERE status = 'pending' ORDER BY opened`);
}

function update(views: Views, event: Seen, set: NewRow): void {
  updateRows(views, 'deliveries', { where: { id: idOf(event.stream) }, set });
}

function open(
  views: Views,
  event: Seen,
  row: Pick<DeliveryRow, 'delivery_id' | 'kind' | 'event' | 'status' | 'body_length' | 'body_sha256'>,
): void {
  const { delivery_id, kind, event: name, status, body_length, body_sha256 } = row;
  replaceRow(views, 'deliveries', {
    id: idOf(event.stream),
    delivery_id,
    kind,
    event: name,
    status,
    body_length,
    body_sha256,
    received_at: event.at,
    finished_at: status === 'pending' ? null : event.at,
    opened: event.position,
  });
}
