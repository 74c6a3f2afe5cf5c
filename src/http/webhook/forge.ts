/**
 * `POST /webhook/forge`: signed deliveries of a forge; a pull request is reviewed by the model.
 *
 * - The signature over the raw bytes is verified before a delivery is parsed.
 * - A redelivery is answered with the result of the first delivery, and waits while that review is under way.
 */
import { z } from 'zod';
import { type DeliveryCommand, type DeliveryState, delivery } from '../../commands/webhook/decide.ts';
import { deliveryStreamId, receivedOf, signatureFits } from '../../commands/webhook/received.ts';
import type { Config } from '../../config.ts';
import type { Received } from '../../events/webhook.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import type { Views } from '../../projections/views.ts';
import { pendingDeliveryIds } from '../../projections/webhook.ts';
import { DaemonStopping, settledDelivery } from '../../reactors/webhook/outcome.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import type { CommittedEvents } from '../../streams/committed-events.ts';
import { HttpError, retryLater } from '../server/errors.ts';
import { zBytes } from '../server/request-body.ts';
import { type Answer, type Call, ok, type RouteSpec, routesOf, value } from '../server/route.ts';
import { headerOf, senderDeliveryId } from './headers.ts';
import { readPayload, zPayload } from './payload.ts';

const { post } = routesOf({ tag: 'webhooks', auth: 'signature' });

export interface Dependencies {
  readonly config: Pick<Config, 'webhook_secret'>;
  readonly ids: IdGenerator;
  readonly views: Views;
  readonly commandHandler: CommandHandler;
  readonly committed: CommittedEvents;
}

const PULL_REQUEST = 'pull_request';
/** Limit of waiting and active reviews together; further deliveries are refused. */
export const REVIEWS_PENDING_MAX = 100;
const CAPACITY_RETRY_SECONDS = 60;

type Delivery = Call<unknown, unknown, Buffer>;

const zHeaders = {
  'X-Forge-Event': z.string().describe('The type of the event; `pull_request` is handled.'),
  'X-Forge-Delivery': z.string().optional().describe('The sender’s id of the delivery.'),
};

export function forgeRoute(deps: Dependencies): RouteSpec {
  return post('/webhook/forge', {
    operation: 'receiveForge',
    summary: 'A signed delivery of a forge; an opened, updated or reopened pull request is reviewed.',
    rawBody: {
      json: z.union([
        zPayload.extend({ action: z.string().describe('The change of the pull request, as the forge names it.') }),
        z.looseObject({}).describe('Any other delivery; it is ignored.'),
      ]),
      types: [],
    },
    headers: zHeaders,
    body: zBytes,
    responses: ok(
      'Reviewed, or ignored because nothing here handles it.',
      z.union([
        z.object({
          status: z.literal('reviewed').describe('The pull request was reviewed.'),
          findings: z.int().describe('Findings of the review.'),
          summary: z.string().describe('The review in a sentence or two.'),
        }),
        z.object({ status: z.literal('ignored').describe('The event is of a kind that is not handled.') }),
      ]),
      {
        400: 'No secret is set, a wrong signature, a payload that cannot be read, or no diff.',
        500: 'The model failed.',
        503: 'Too many reviews wait already.',
        504: 'The review has not ended; a redelivery gets its result.',
      },
    ),
    admit: (call) => admit(deps, call),
    handle: (call) => receive(deps, call),
  });
}

function admit({ config }: Dependencies, { body, request }: Pick<Delivery, 'body' | 'request'>): void {
  const secret = config.webhook_secret;
  if (secret === undefined) throw new HttpError(400, 'No webhook secret is set here; deliveries are refused.');
  const signature = headerOf(request, 'x-hub-signature-256');
  if (signatureFits(secret, body, signature)) return;
  const fault = signature === undefined ? 'has no X-Hub-Signature-256' : 'has an X-Hub-Signature-256 that does not fit';
  throw new HttpError(400, `The delivery ${fault}.`);
}

async function receive(
  deps: Dependencies,
  { body: raw, request, repeatId, origin: { correlation, fence } }: Delivery,
): Promise<Answer> {
  const header = (name: string): string | undefined => headerOf(request, name);
  const senderId = senderDeliveryId(request);
  const id = deliveryStream(senderId, repeatId) ?? deps.ids.hex(16);
  const received = receivedOf(senderId, raw);
  const first = deps.commandHandler.load(delivery, id);
  if (first.status === 'none' || first.status === 'failed') {
    const event = header('x-forge-event') ?? header('x-github-event') ?? '';
    const command = commandFor({ event, raw, contentType: header('content-type') }, received);
    if (command.type === 'RequestReview') requireCapacity(deps.views);
    await deps.commandHandler.dispatch(delivery, id, command, {
      origin: { actor: 'webhook:forge', correlation, fence },
    });
  }
  return answerOf(await outcomeOf(deps, id));
}

/** The same for every redelivery, and for every repeat of a request; undefined when neither can be told. */
function deliveryStream(senderId: string | null, repeatId: string | undefined): string | undefined {
  if (senderId !== null) return deliveryStreamId('forge', senderId);
  return repeatId === undefined ? undefined : deliveryStreamId('repeat', repeatId);
}

async function outcomeOf(deps: Dependencies, id: string): Promise<DeliveryState> {
  try {
    return await settledDelivery(deps, id);
  } catch (error) {
    if (error instanceof DaemonStopping) throw retryLater(error.message);
    throw error;
  }
}

function requireCapacity(views: Views): void {
  if (pendingDeliveryIds(views).length < REVIEWS_PENDING_MAX) return;
  const message = `${REVIEWS_PENDING_MAX} reviews are waiting already; send the delivery again later.`;
  throw retryLater(message, CAPACITY_RETRY_SECONDS);
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
