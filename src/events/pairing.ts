/**
 * Pairing of a device, stream `pairing-<id>`, appended by the `/pair` routes. No event holds the token: the daemon
 * keeps it in memory until it is exchanged or five minutes old.
 */
import { z } from 'zod';
import { define, type EventIn } from './define.ts';

export const pairingEvents = {
  PairingOffered: define('PairingOffered', z.object({ peer: z.string(), expires_at: z.int() })),
  PairingExchanged: define('PairingExchanged', z.object({ peer: z.string(), confirmed_by_code: z.boolean() })),
  PairingRefused: define('PairingRefused', z.object({ peer: z.string(), reason: z.string() })),
} as const;

export type PairingEvent = EventIn<typeof pairingEvents>;
