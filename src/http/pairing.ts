/**
 * Pairing: `GET /pair` offers a token that is good for one exchange within five minutes; `POST /pair` exchanges it for
 * the bearer token. From another machine the person at the daemon must pass on a code that only its stderr shows.
 */
import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { PAIRING_MS, pairing } from '../commands/pairing.ts';
import { isLoopbackAddress } from '../host-names.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import { type Answer, value } from './server/answer.ts';
import { HttpError, zError } from './server/errors.ts';
import { type Call, type RouteSpec, route } from './server/route.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly token: string;
  port(): number;
  announce(line: string): void;
}

/** Offers open at once; beyond it the oldest is forgotten. */
const OFFERS_MAX = 1_000;

interface Offer {
  readonly id: string;
  readonly expiresAt: number;
  /** Made when another machine first asks for the exchange. */
  code: string | null;
}

const zExchange = z.object({ token: z.string(), code: z.string().optional() });

export function pairingRoutes(deps: Dependencies): readonly RouteSpec[] {
  const offers = new Map<string, Offer>();
  return [
    route({
      method: 'GET',
      path: '/pair',
      summary: 'Offers a pairing token: single use, five minutes, worth nothing until it is exchanged.',
      tag: 'pairing',
      auth: 'public',
      withoutViews: true,
      responses: {
        200: {
          description: 'The offer.',
          schema: z.object({ url: z.string(), token: z.string(), instructions: z.string() }),
        },
      },
      handle: (call) => offer(deps, offers, call),
    }),
    route({
      method: 'POST',
      path: '/pair',
      summary:
        'Exchanges a pairing token for the bearer token; from another machine with the code shown at the daemon.',
      tag: 'pairing',
      auth: 'public',
      withoutViews: true,
      secretAnswer: true,
      body: zExchange,
      responses: {
        200: { description: 'The bearer token.', schema: z.object({ token: z.string() }) },
        401: { description: 'Unknown, used or expired.', schema: zError },
        403: { description: 'The code from the daemon’s terminal is missing or wrong.', schema: zError },
      },
      handle: (call) => exchange(deps, offers, call),
    }),
  ];
}

async function offer(
  deps: Dependencies,
  offers: Map<string, Offer>,
  { request, peer, dispatch }: Call,
): Promise<Answer> {
  const token = deps.ids.hex(16);
  const id = deps.ids.hex(8);
  await dispatch(pairing, id, { type: 'OfferPairing', peer });
  forgetOld(offers, deps.clock.now());
  offers.set(fingerprint(token), { id, expiresAt: deps.clock.now() + PAIRING_MS, code: null });
  const host = request.headers.host || 'localhost';
  const address = /:\d+$/.test(host) ? host : `${host}:${deps.port()}`;
  return value({
    url: `http://${address}/pair?token=${token}`,
    token,
    instructions:
      'Within five minutes send POST /pair with {"token": "<this token>"}; the answer holds the bearer token. ' +
      'From another machine the daemon prints a code on its terminal, to be sent along as "code".',
  });
}

async function exchange(
  deps: Dependencies,
  offers: Map<string, Offer>,
  { body, peer, dispatch }: Call<unknown, unknown, z.infer<typeof zExchange>>,
): Promise<Answer> {
  const key = fingerprint(body.token);
  const found = offers.get(key);
  if (found === undefined) {
    throw new HttpError(401, 'The pairing token is unknown, used or expired. Ask GET /pair for a new one.');
  }
  const local = isLoopbackAddress(peer);
  const code = body.code === undefined ? null : codeMatches(found, body.code) ? 'right' : 'wrong';
  const { state } = await dispatch(pairing, found.id, { type: 'ExchangePairing', peer, local, code });
  if (state.status === 'exchanged') {
    offers.delete(key);
    return value({ token: deps.token });
  }
  if (found.code === null) {
    found.code = String(randomInt(0, 1_000_000)).padStart(6, '0');
    deps.announce(`pairing code ${found.code} for ${peer}: tell it only to the person who is pairing`);
  }
  const wrong = code === 'wrong' ? 'That code is wrong. ' : '';
  throw new HttpError(403, `${wrong}Send the code that the daemon shows on its terminal as "code".`);
}

function codeMatches(found: Offer, given: string): boolean {
  return found.code !== null && timingSafeEqual(sha256(found.code), sha256(given.trim()));
}

function forgetOld(offers: Map<string, Offer>, now: number): void {
  for (const [key, { expiresAt }] of offers) if (expiresAt <= now || offers.size >= OFFERS_MAX) offers.delete(key);
}

function fingerprint(token: string): string {
  return sha256(token).toString('hex');
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
