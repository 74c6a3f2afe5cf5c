/**
 * Text ciphers: AES-256-GCM for texts, HMAC-SHA-256 for their hashes, scrypt for passphrases.
 *
 * - Each ciphertext has a nonce of its own and is bound to its record: it does not open for another record.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, scrypt } from 'node:crypto';
import { KEY_BYTES, type TextCipher, type TextCiphers } from '../../ports/text-cipher.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HASH_HEX_DIGITS = 32;
/** Each guess at a passphrase takes 32 MiB and about 100 ms. */
const SCRYPT = { N: 32_768, r: 8, p: 1, maxmem: 67_108_864 };

export const textCiphers: TextCiphers = { withKey: createTextCipher, keyFromPassphrase };

export function createTextCipher(key: Buffer): TextCipher {
  const sealingKey = Buffer.from(hkdfSync('sha256', key, '', 'daybook memory seal', KEY_BYTES));
  const hashKey = Buffer.from(hkdfSync('sha256', key, '', 'daybook memory fingerprint', KEY_BYTES));
  const sealBytes = (bytes: Uint8Array, record: string): Buffer => {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', sealingKey, nonce);
    cipher.setAAD(Buffer.from(record));
    const sealed = Buffer.concat([cipher.update(bytes), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  };
  const openBytes = (bytes: Uint8Array, record: string): Buffer => {
    const decipher = createDecipheriv('aes-256-gcm', sealingKey, bytes.subarray(0, NONCE_BYTES));
    decipher.setAAD(Buffer.from(record));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  };
  return {
    sealBytes,
    openBytes,
    seal: (value, record) => sealBytes(Buffer.from(JSON.stringify(value), 'utf8'), record).toString('base64'),
    open: (sealed, record) => JSON.parse(openBytes(Buffer.from(sealed, 'base64'), record).toString('utf8')) as unknown,
    sealedKey: (outer, record) => outer.sealBytes(key, record).toString('base64'),
    hash: (text) => createHmac('sha256', hashKey).update(text).digest('hex').slice(0, HASH_HEX_DIGITS),
  };
}

export function keyFromPassphrase(passphrase: string, salt: string): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const done = (error: Error | null, key: Buffer): void => (error === null ? resolve(key) : reject(error));
  scrypt(passphrase.normalize('NFKC'), Buffer.from(salt, 'hex'), KEY_BYTES, SCRYPT, done);
  return promise;
}
