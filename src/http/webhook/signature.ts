/** The forge's signature: HMAC-SHA256 over the raw bytes of the body, compared in constant time. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** `header` is `sha256=<hex>` or the bare hex. */
export function signatureFits(secret: string, body: Buffer, header: string | undefined): boolean {
  const expected = createHmac('sha256', secret).update(body).digest();
  const given = /^(?:sha256=)?([0-9a-f]{64})$/i.exec(header?.trim() ?? '')?.[1];
  return given !== undefined && timingSafeEqual(Buffer.from(given, 'hex'), expected);
}
