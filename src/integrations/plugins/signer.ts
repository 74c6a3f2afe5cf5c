/**
 * The key that signs the plugins of this home: P-256, created by the first installation, readable by its owner only.
 *
 * - A file at the path of the key that is not such a key is never overwritten. A key in memory signs then, and
 *   `persisted` is false.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { writeFileAtomically } from '../../lib/atomic-file.ts';
import { Mutex } from '../../lib/keyed-mutex.ts';

export interface Signer {
  /** The signature: the 64 bytes r ‖ s. */
  sign(bytes: Buffer): Buffer;
  /** SubjectPublicKeyInfo in DER. */
  readonly publicKey: Buffer;
  /** Whether the next daemon of this home has the same key. */
  readonly persisted: boolean;
}

/** `path` null keeps the key in memory. */
export function createSigner(path: string | null): () => Promise<Signer> {
  let persisted: KeyObject | null = null;
  let inMemory: KeyObject | null = null;
  const mutex = new Mutex();

  async function signer(): Promise<Signer> {
    persisted ??= path === null ? null : await readKey(path);
    if (persisted !== null) return signerOf(persisted, true);
    inMemory ??= generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    if (path === null || !(await persist(path, inMemory))) return signerOf(inMemory, false);
    persisted = inMemory;
    return signerOf(persisted, true);
  }

  // Two first installations at the same time must not create two keys.
  return () => mutex.run(signer);
}

export function fingerprint(bytes: Buffer): string {
  return hash('sha256', bytes);
}

function signerOf(key: KeyObject, persisted: boolean): Signer {
  return {
    sign: (bytes) => sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }),
    publicKey: createPublicKey(key).export({ type: 'spki', format: 'der' }),
    persisted,
  };
}

async function readKey(path: string): Promise<KeyObject | null> {
  try {
    const key = createPrivateKey(await readFile(path));
    return isP256(key) ? key : null;
  } catch {
    return null;
  }
}

export function isP256(key: KeyObject): boolean {
  return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
}

/** Writes a new file; false when there is one already, and when writing fails. */
async function persist(path: string, key: KeyObject): Promise<boolean> {
  try {
    if (await isThere(path)) return false;
    await writeFileAtomically(path, key.export({ type: 'pkcs8', format: 'pem' }));
    return true;
  } catch {
    return false;
  }
}

async function isThere(path: string): Promise<boolean> {
  return readFile(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
}
