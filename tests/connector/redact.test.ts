/**
 * Secrets in a text, in every form in which a program may write them. The search must also work for long secrets, for
 * which one regular expression would be too large.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor, REDACTED } from '../../src/integrations/mcp/redact.ts';
import { codePoint } from '../support/text.ts';

const secret = fc.string({ unit: codePoint, minLength: 8, maxLength: 40 }).filter((text) => text.isWellFormed());
const around = fc.string({ unit: fc.constantFrom(...'ghijklm'), maxLength: 7 });

describe('redaction', () => {
  it('takes out a secret as it is, escaped, in base64 at any offset and in hexadecimal', () => {
    fc.assert(
      fc.property(secret, around, around, (key, before, after) => {
        const { redact } = createRedactor([key]);
        const whole = Buffer.from(before + key + after);
        const inside = Buffer.from(key);
        expect(redact(before + key + after)).toContain(REDACTED);
        expect(redact(encodeURIComponent(key))).toBe(REDACTED);
        expect(redact(JSON.stringify(key))).toBe(`"${REDACTED}"`);
        expect(redact(inside.toString('hex'))).toBe(REDACTED);
        for (const encoding of ['base64', 'base64url'] as const) {
          const [first] = redact(whole.toString(encoding)).split(REDACTED);
          // The remaining text decodes to no byte of the secret; at most it has the bits of a character that the secret
          // shares.
          expect(redact(whole.toString(encoding))).toContain(REDACTED);
          expect(Buffer.from(first!, encoding).length).toBeLessThanOrEqual(Buffer.byteLength(before) + 1);
        }
      }),
    );
  });
  it('takes out each line of a secret, and the password of a URL', () => {
    const pem = '-----BEGIN KEY-----\nMIIEvQIBADAN\nBgkqhkiG9w0B\n-----END KEY-----\n';
    const { redact } = createRedactor([pem, 'postgresql://shop:p%40ss-w0rd@db:5432/shop']);
    expect(redact('line MIIEvQIBADAN was cut off')).toBe(`line ${REDACTED} was cut off`);
    expect(redact('password p@ss-w0rd of shop')).toBe(`password ${REDACTED} of shop`);
    expect(redact('p%40ss-w0rd')).toBe(REDACTED);
  });
  it('takes out short and long secrets as a whole, and leaves everything else as it is', () => {
    expect(createRedactor(['a']).redact('banana')).toBe(`b${REDACTED}n${REDACTED}n${REDACTED}`);
    const long = Array.from({ length: 30_000 }, (_, index) => index).join(' ');
    expect(createRedactor([long]).redact(`<${long}>`)).toBe(`<${REDACTED}>`);
    expect(createRedactor(['$&', 'a.c']).redact('abc $& a.c')).toBe(`abc ${REDACTED} ${REDACTED}`);
    expect(createRedactor([]).redact('as it is')).toBe('as it is');
    expect(createRedactor(['']).redact('as it is')).toBe('as it is');
  });
  it('leaves nothing of a secret that began before the end of a text that is left', () => {
    const key = 'abcdefghijklmnop';
    const { redactEnd } = createRedactor([key, 'short-one']);
    const whole = key.repeat(40);
    for (let from = 0; from < key.length * 3; from += 1) {
      expect(redactEnd(whole.slice(from)).replaceAll(REDACTED, '')).toBe('');
    }
    expect(redactEnd(`${'.'.repeat(100)}end`)).toMatch(/^\.+end$/);
    expect(createRedactor([]).redactEnd('end')).toBe('end');
  });
  it('prefers the longer of two secrets of which one is in the other', () => {
    expect(createRedactor(['token', 'token-of-mine']).redact('token-of-mine, token')).toBe(`${REDACTED}, ${REDACTED}`);
  });
});
