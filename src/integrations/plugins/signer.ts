/**
 * The key that signs this home's plugins: P-256, made with the first installation, readable by its owner only.
 *
 * - What lies in its place and is no such key is never overwritten; then a key in memory signs, told as not kept.
 */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface Signer {
  /** The 64 bytes r ‖ s over these bytes. */
  sign(bytes: Buffer): Buffer;
  /** SubjectPublicKeyInfo in DER. */
  readonly publicKey: Buffer;
  /** Whether the next daemon of this home has the same key. */
  readonly persisted: boolean;
}

/** `path` null keeps the key in memory. */
export function createSigner(path: string | null): () => Promise<Signer> {
  let kept: KeyObject | null = null;
  let unkept: KeyObject | null = null;
  let turn: Promise<unknown> = Promise.resolve();

  async function signer(): Promise<Signer> {
    kept ??= path === null ? null : await readKey(path);
    if (kept !== null) return signerOf(kept, true);
    unkept ??= generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    if (path === null || !(await keep(path, unkept))) return signerOf(unkept, false);
    kept = unkept;
    return signerOf(kept, true);
  }

  // Two first installations at once must not make two keys.
  return () => {
    const mine = turn.then(signer);
    turn = mine.catch(() => undefined);
    return mine;
  };
}

export function fingerprint(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
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

/** Whether it is on the disk now. */
async function keep(path: string, key: KeyObject): Promise<boolean> {
  const unfinished = `${path}.new`;
  try {
    if (await isThere(path)) return false;
    await rm(unfinished, { force: true });
    const file = await open(unfinished, 'wx', 0o600);
    try {
      await file.writeFile(key.export({ type: 'pkcs8', format: 'pem' }));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
    await syncFolder(dirname(path));
    return true;
  } catch {
    await rm(unfinished, { force: true }).catch(() => undefined);
    return false;
  }
}

async function isThere(path: string): Promise<boolean> {
  return readFile(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
}

/** Some systems cannot sync a folder; the file itself is safe already. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => null);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}
