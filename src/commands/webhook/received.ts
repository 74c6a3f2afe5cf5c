/** A received delivery, before its decider: its signature, its id, and the recorded fields. */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { Received } from '../../events/webhook.ts';

const DELIVERY_ID_CHARACTERS_MAX = 200;

/** HMAC-SHA256 over the raw bytes of the body, compared in constant time. `header` is `sha256=<hex>` or bare hex. */
export function signatureFits(secret: string, body: Buffer, header: string | undefined): boolean {
  const expected = createHmac('sha256', secret).update(body).digest();
  const hex = /^(?:sha256=)?([0-9a-f]{64})$/i.exec(header?.trim() ?? '')?.[1];
  return hex !== undefined && timingSafeEqual(Buffer.from(hex, 'hex'), expected);
}

/** The sender's id of a delivery, cut to the stored length; null without one. */
export function deliveryId(header: string | undefined): string | null {
  return header === undefined ? null : header.slice(0, DELIVERY_ID_CHARACTERS_MAX);
}

/**
 * The stream of all deliveries with one sender's id, or of a request and its repeats: a hash, because an id may hold any
 * character.
 */
export function deliveryStreamId(kind: 'forge' | 'repeat' | `skill:${string}`, id: string): string {
  return hash('sha256', `${kind}\n${id}`).slice(0, 32);
}

export function receivedOf(delivery_id: string | null, body: Buffer): Received {
  return { delivery_id, body_sha256: hash('sha256', body), body_length: body.length };
}
