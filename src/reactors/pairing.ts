/**
 * Pairing: an offer is a token for one exchange within PAIRING_MS; the exchange returns the daemon's bearer token.
 *
 * - Tokens are kept in memory only, by their SHA-256; the log holds the ids of the offers.
 * - The id of an offer is derived from the token, so that on a shared log every daemon finds the offers of the others.
 *   On a log that is not shared, an offer ends with the process.
 * - An exchange from another machine, or through a proxy, needs a code that only the daemon's terminal shows.
 */
import { hash, randomInt, timingSafeEqual } from 'node:crypto';
import { PAIRING_MS, pairing } from '../commands/pairing.ts';
import { refused } from '../commands/refusal.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { SendCommand } from './send-command.ts';

export interface PairingDependencies {
  readonly clock: Clock;
  readonly ids: IdGenerator;
  /** The bearer token. */
  readonly token: string;
  readonly nodes: { readonly isShared: boolean };
  announce(line: string): void;
}

/** Open offers; when there are more, the oldest is dropped. */
const OFFERS_MAX = 1_000;

interface Offer {
  readonly id: string;
  readonly expiresAt: number;
  /** Set when the exchange is first requested from another machine or through a proxy. */
  code: string | null;
}

export interface PairingExchange {
  readonly token: string;
  readonly code: string | undefined;
  /** The caller's address. */
  readonly peer: string;
  /** The caller, as the terminal shows it beside the code. */
  readonly client: string;
  /** The caller is on this machine, and no proxy passed the request on. */
  readonly local: boolean;
}

export interface Pairing {
  /** A new token, invalid until it is exchanged. */
  offer(peer: string, send: SendCommand): Promise<string>;
  /** The bearer token. Throws `Refused`: unauthenticated for an unknown token, forbidden without the right code. */
  exchange(exchange: PairingExchange, send: SendCommand): Promise<string>;
}

export function createPairing({ clock, ids, token: bearer, nodes, announce }: PairingDependencies): Pairing {
  /** By the SHA-256 of the token, oldest first. */
  const offers = new Map<string, Offer>();

  function forgetOld(now: number): void {
    for (const [key, { expiresAt }] of offers) if (expiresAt <= now || offers.size >= OFFERS_MAX) offers.delete(key);
  }

  function announceCode(offer: Offer, client: string): void {
    if (offer.code !== null) return;
    offer.code = String(randomInt(0, 1_000_000)).padStart(6, '0');
    announce(`pairing code ${offer.code} for ${client}: tell it only to the person who is pairing`);
  }

  return {
    async offer(peer, send) {
      const token = ids.hex(16);
      const id = offerId(token);
      await send(pairing, id, { type: 'OfferPairing', peer });
      forgetOld(clock.now());
      offers.set(fingerprint(token), { id, expiresAt: clock.now() + PAIRING_MS, code: null });
      return token;
    },
    async exchange({ token, code: given, peer, client, local }, send) {
      const key = fingerprint(token);
      const offer = offers.get(key) ?? (nodes.isShared ? offerOfAnother(token, clock.now()) : undefined);
      if (offer === undefined) {
        const message = 'The pairing token is unknown, used or expired. Ask GET /pair for a new one.';
        throw refused('unauthenticated', message);
      }
      const code = given === undefined ? null : codeMatches(offer, given) ? 'right' : 'wrong';
      const { state } = await send(pairing, offer.id, { type: 'ExchangePairing', peer, local, code });
      if (state.status === 'exchanged') {
        offers.delete(key);
        return bearer;
      }
      offers.set(key, offer);
      announceCode(offer, client);
      const wrong = code === 'wrong' ? 'That code is wrong. ' : '';
      throw refused(
        'forbidden',
        `${wrong}Enter the code that the daemon prints on its terminal or in its journal ("code").`,
      );
    },
  };
}

/** The offer of another daemon. The decider checks whether the log has it. */
function offerOfAnother(token: string, now: number): Offer {
  return { id: offerId(token), expiresAt: now + PAIRING_MS, code: null };
}

function offerId(token: string): string {
  return fingerprint(token).slice(0, 16);
}

function codeMatches({ code }: Offer, given: string): boolean {
  return code !== null && timingSafeEqual(sha256(code), sha256(given.trim()));
}

function fingerprint(token: string): string {
  return sha256(token).toString('hex');
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
