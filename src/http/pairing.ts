/** Pairing: `GET /pair` offers a token, `POST /pair` exchanges it for the bearer token. */
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { isLoopbackAddress } from '../host-names.ts';
import { createPairing, type PairingDependencies } from '../reactors/pairing.ts';
import { schemeOf } from './server/auth-guard.ts';
import { ok, type RouteSpec, routesOf, value } from './server/route.ts';

const { get, post } = routesOf({ tag: 'pairing', auth: 'public', withoutViews: true });

const zOffer = z.object({
  url: z.string().describe('Where the token can be exchanged.'),
  token: z.string().describe('The pairing token.'),
  instructions: z.string().describe('Instructions for a person.'),
});

export interface Dependencies extends PairingDependencies {
  port(): number;
}

export function pairingRoutes(deps: Dependencies): readonly RouteSpec[] {
  const pairing = createPairing(deps);
  return [
    get('/pair', {
      operation: 'offer',
      summary: 'Offers a pairing token, which can be exchanged once, within five minutes.',
      responses: ok('The offer.', zOffer),
      async handle({ request, peer, dispatch }) {
        const token = await pairing.offer(peer, dispatch);
        const host = request.headers.host || 'localhost';
        const address = /:\d+$/.test(host) ? host : `${host}:${deps.port()}`;
        return value({
          url: `${schemeOf(request.raw)}://${address}/pair?token=${token}`,
          token,
          instructions:
            'Within five minutes send POST /pair with {"token": "<this token>"}; the answer holds the bearer token. ' +
            'From another machine, and through a proxy, the daemon prints a code on its standard error, to be sent along as "code".',
        });
      },
    }),
    post('/pair', {
      operation: 'exchange',
      summary:
        'Exchanges a pairing token for the bearer token; from another machine and through a proxy with the code shown at the daemon.',
      secretAnswer: true,
      body: z.object({
        token: z.string().describe('The pairing token.'),
        code: z
          .string()
          .optional()
          .describe(
            'The code that the daemon prints on its terminal; required from another machine and through a proxy.',
          ),
      }),
      responses: ok(
        'The bearer token.',
        { token: z.string().describe('The bearer token.') },
        { 401: 'Unknown, used or expired.', 403: 'The code from the daemon’s terminal is missing or wrong.' },
      ),
      async handle({ request, body: { token, code }, peer, dispatch }) {
        const forwarded = isForwarded(request.raw);
        const client = forwarded ? `a client of the proxy at ${peer}` : peer;
        const local = isLoopbackAddress(peer) && !forwarded;
        return value({ token: await pairing.exchange({ token, code, peer, client, local }, dispatch) });
      },
    }),
  ];
}

const FORWARDED = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via'];

/**
 * Whether a proxy passed the request on: the client may be on another machine than the proxy. nginx adds no header by
 * default, but speaks HTTP/1.0.
 */
function isForwarded({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.0' || FORWARDED.some((name) => headers[name] !== undefined);
}
