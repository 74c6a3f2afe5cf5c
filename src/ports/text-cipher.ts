/** Encryption of texts and bytes with one key, and hashes of texts that only the holder of the key can compute. */

/** Length of a key in bytes. */
export const KEY_BYTES = 32;

/** Authenticated encryption; `record` binds the bytes to their place. */
export interface ByteCipher {
  sealBytes(bytes: Uint8Array, record: string): Buffer;
  /** Throws when the key or the record differs, or the bytes were changed. */
  openBytes(sealed: Uint8Array, record: string): Buffer;
}

export interface TextCipher extends ByteCipher {
  /** A JSON value as ciphertext in Base64. It opens only for the same `record`. */
  seal(value: unknown, record: string): string;
  /** Throws when the ciphertext belongs to another key or another record, or was changed. */
  open(sealed: string, record: string): unknown;
  /** The key of this cipher, sealed with another cipher, in Base64. */
  sealedKey(outer: ByteCipher, record: string): string;
  /** A keyed hash of a text: 32 hexadecimal digits. */
  hash(text: string): string;
}

export interface TextCiphers {
  withKey(key: Buffer): TextCipher;
  /** Derives a key from a passphrase and a salt (hexadecimal). Takes about 100 ms on purpose. */
  keyFromPassphrase(passphrase: string, salt: string): Promise<Buffer>;
}
