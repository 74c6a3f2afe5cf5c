/**
 * Seals texts with AES-256-GCM, and takes fingerprints of them that only the holder of the key can take.
 *
 * - Each sealed text has a nonce of its own and is bound to the record it belongs to: moved to another record it does
 *   not open.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes, scrypt } from 'node:crypto';
import { essence } from '../../commands/memory/lines.ts';
import type { VectorCipher } from '../../ports/vector-files.ts';

export interface Vault extends VectorCipher {
  seal(value: unknown, record: string): string;
  /** Throws when the key is another one, or the text was tampered with. */
  open(sealed: string, record: string): unknown;
  /** The key of this vault as only the holder of another one can read it. */
  sealedKey(outer: VectorCipher, record: string): string;
  /** The same for texts that say the same to a reader. */
  fingerprint(text: string): string;
  /** The same for the very same text only. */
  exact(text: string): string;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
export const KEY_BYTES = 32;
/** 32 MiB and some 100 ms for each guess at a passphrase. */
const SCRYPT = { N: 32_768, r: 8, p: 1, maxmem: 67_108_864 };

export function createVault(key: Buffer): Vault {
  const sealing = Buffer.from(hkdfSync('sha256', key, '', 'daybook memory seal', KEY_BYTES));
  const marking = Buffer.from(hkdfSync('sha256', key, '', 'daybook memory fingerprint', KEY_BYTES));
  const mark = (text: string): string => createHmac('sha256', marking).update(text).digest('hex').slice(0, 32);
  const sealBytes = (bytes: Uint8Array, record: string): Buffer => {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', sealing, nonce);
    cipher.setAAD(Buffer.from(record));
    const sealed = Buffer.concat([cipher.update(bytes), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  };
  const openBytes = (bytes: Uint8Array, record: string): Buffer => {
    const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(0, NONCE_BYTES));
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
    fingerprint: (text) => mark(essence(text)),
    exact: (text) => mark(`exact ${text}`),
  };
}

/** The marks without a key: the same text has the same ones everywhere. */
export const PLAIN_MARKS: Pick<Vault, 'fingerprint' | 'exact'> = {
  fingerprint: (text) => plainMark(essence(text)),
  exact: (text) => plainMark(`exact ${text}`),
};

function plainMark(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

export function keyFromPassphrase(passphrase: string, salt: string): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const done = (error: Error | null, key: Buffer): void => (error === null ? resolve(key) : reject(error));
  scrypt(passphrase.normalize('NFKC'), Buffer.from(salt, 'hex'), KEY_BYTES, SCRYPT, done);
  return promise;
}
