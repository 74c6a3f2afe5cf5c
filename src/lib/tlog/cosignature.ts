/** Cosignatures (c2sp.org/tlog-cosignature), type Ed25519: a witness states at which time it saw a checkpoint. */
import {
  COSIGNATURE,
  ED25519_SIGNATURE_BYTES,
  type NoteSignature,
  type SigningKey,
  type VerifierKey,
  verifierKey,
  verifies,
} from './signed-note.ts';

const TIME_BYTES = 8;

/** `seconds`: Unix time. */
export function cosign(key: SigningKey, witness: { readonly name: string; readonly seconds: number }, text: string) {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeBigUInt64BE(BigInt(witness.seconds));
  const signature = Buffer.concat([time, key.sign(message(witness.seconds, text))]);
  const { id } = verifierKey(witness.name, COSIGNATURE, key.publicKey);
  return { name: witness.name, id, signature } satisfies NoteSignature;
}

/** The check of `verifyNote` for keys of this type. */
export function checkCosignature({ publicKey }: VerifierKey, text: string, signature: Uint8Array): boolean {
  if (signature.length !== TIME_BYTES + ED25519_SIGNATURE_BYTES) return false;
  const seconds = cosignedAt(signature);
  if (!Number.isSafeInteger(seconds) || seconds === 0) return false;
  return verifies(publicKey, message(seconds, text), signature.subarray(TIME_BYTES));
}

/** Unix time in seconds. */
function cosignedAt(signature: Uint8Array): number {
  return Number(Buffer.from(signature).readBigUInt64BE(0));
}

function message(seconds: number, text: string): Buffer {
  return Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`);
}
