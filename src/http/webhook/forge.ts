/**
 * `POST /webhook/forge`: signed deliveries of a forge; a pull request is reviewed by the model.
 *
 * - Nothing of a delivery is looked at before its signature over the raw bytes is right.
 * - A delivery that comes again is answered with the first result; while that is being found, it waits for it.
 */
import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type DeliveryCommand, type DeliveryState, delivery } from '../../commands/webhook/decide.ts';
import type { Config } from '../../config.ts';
import type { Received } from '../../events/webhook.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import type { Views } from '../../projections/views.ts';
import { pendingDeliveryIds } from '../../projections/webhook.ts';
import { settledDelivery } from '../../reactors/webhook/outcome.ts';
import type { CommittedEvents } from '../../streams/committed-events.ts';
import type { Dispatcher } from '../../streams/dispatch.ts';
import { type Answer, value } from '../server/answer.ts';
import { HttpError, zError } from '../server/errors.ts';
import { type Call, type RouteSpec, route } from '../server/route.ts';
import { readPayload } from './payload.ts';
import { signatureFits } from './signature.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly ids: IdGenerator;
  readonly views: Views;
  readonly dispatcher: Dispatcher;
  readonly committed: CommittedEvents;
}

const PULL_REQUEST = 'pull_request';
const DELIVERY_ID_CHARACTERS_MAX = 200;
/** Reviews that may wait or go at once; more are refused until some have ended. */
export const REVIEWS_PENDING_MAX = 100;

type Delivery = Call<unknown, unknown, string | undefined>;

export function forgeRoute(deps: Dependencies): RouteSpec {
  return route({
    method: 'POST',
    path: '/webhook/forge',
    summary: 'A signed delivery of a forge; an opened, updated or reopened pull request is reviewed.',
    tag: 'webhooks',
    auth: 'signature',
    rawBody: true,
    body: z.string().optional(),
    responses: {
      200: {
        description: 'Reviewed, or ignored because nothing here handles it.',
        schema: z.union([
          z.object({ status: z.literal('reviewed'), findings: z.int(), summary: z.string() }),
          z.object({ status: z.literal('ignored') }),
        ]),
      },
      400: {
        description: 'No secret is set, a wrong signature, a payload that cannot be read, or no diff.',
        schema: zError,
      },
      500: { description: 'The model failed.', schema: zError },
      503: { description: 'Too many reviews wait already.', schema: zError },
      504: { description: 'The review is still going; its result is kept for a redelivery.', schema: zError },
    },
    admit: (call) => admit(deps, call),
    handle: (call) => receive(deps, call),
  });
}

function bytesOf(body: string | undefined): Buffer {
  return Buffer.from(body ?? '', 'latin1');
}

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const given = request.headers[name];
  return typeof given === 'string' && given.trim() !== '' ? given.trim() : undefined;
}

function admit({ config }: Dependencies, { body, request }: Pick<Delivery, 'body' | 'request'>): void {
  const secret = config.webhook_secret;
  if (secret === undefined) throw new HttpError(400, 'No webhook secret is set here; deliveries are refused.');
  const signature = headerOf(request, 'x-hub-signature-256');
  if (signatureFits(secret, bytesOf(body), signature)) return;
  const fault = signature === undefined ? 'has no X-Hub-Signature-256' : 'has an X-Hub-Signature-256 that does not fit';
  throw new HttpError(400, `The delivery ${fault}.`);
}

async function receive(deps: Dependencies, { body, request }: Delivery): Promise<Answer> {
  const raw = bytesOf(body);
  const header = (name: string): string | undefined => headerOf(request, name);
  const named = deliveryId(header('x-forge-delivery') ?? header('x-github-delivery'));
  const id = named === null ? deps.ids.hex(16) : deliveryStreamId('forge', named);
  const received = receivedOf(named, raw);
  const first = deps.dispatcher.load(delivery, id);
  if (first.status === 'none' || first.status === 'failed') {
    const event = header('x-forge-event') ?? header('x-github-event') ?? '';
    const command = commandFor({ event, raw, contentType: header('content-type') }, received);
    if (command.type === 'RequestReview') requireRoom(deps);
    const origin = { actor: 'webhook:forge', correlation: request.id };
    await deps.dispatcher.dispatch(delivery, id, command, { origin });
  }
  return answerOf(await settledDelivery(deps, id));
}

function requireRoom(deps: Dependencies): void {
  if (pendingDeliveryIds(deps.views).length < REVIEWS_PENDING_MAX) return;
  const message = `${REVIEWS_PENDING_MAX} reviews are waiting already; send the delivery again later.`;
  throw new HttpError(503, message, { 'retry-after': '60' });
}

function commandFor(
  { event, raw, contentType }: { event: string; raw: Buffer; contentType: string | undefined },
  received: Received,
): DeliveryCommand {
  const ignore = (action: string | null): DeliveryCommand => {
    return { type: 'IgnoreDelivery', received, event: event.slice(0, 100), action };
  };
  if (event !== PULL_REQUEST) return ignore(null);
  const payload = readPayload(raw, contentType);
  if (payload.kind === 'ignored') return ignore(payload.action);
  return { type: 'RequestReview', received, request: payload.request };
}

function answerOf(state: DeliveryState): Answer {
  switch (state.status) {
    case 'reviewed':
      return value({ status: 'reviewed', findings: state.findings, summary: state.summary });
    case 'failed':
      throw new HttpError(state.failure.kind === 'diff' ? 400 : 500, state.failure.message);
    case 'ignored':
    case 'triggered':
      return value({ status: 'ignored' });
    case 'none':
    case 'due':
    case 'reviewing':
      throw new HttpError(503, 'The delivery has no outcome yet; send it again.');
  }
}

/** The sender's name for a delivery, short enough to be kept; null when it gave none. */
export function deliveryId(header: string | undefined): string | null {
  return header === undefined ? null : header.slice(0, DELIVERY_ID_CHARACTERS_MAX);
}

/** One stream for all deliveries under one name; whatever the name holds. */
export function deliveryStreamId(kind: 'forge' | `skill:${string}`, named: string): string {
  return createHash('sha256').update(`${kind}\n${named}`).digest('hex').slice(0, 32);
}

export function receivedOf(delivery_id: string | null, raw: Buffer): Received {
  return { delivery_id, body_sha256: createHash('sha256').update(raw).digest('hex'), body_length: raw.length };
}
