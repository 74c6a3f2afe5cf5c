/**
 * Numbers of variable length as lib0 writes them: seven bits a byte, the least significant first, with the highest bit
 * set on all bytes but the last. Bytes and texts (UTF-8) are preceded by their length.
 */

const CONTINUES = 0x80;
const BITS = 0x7f;

/** Reads from the beginning on. Throws `RangeError` when the bytes end too soon or a number is no safe integer. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= CONTINUES) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new RangeError('The bytes end within a number.');
      this.#at += 1;
      value += (byte & BITS) * factor;
      if (value > Number.MAX_SAFE_INTEGER) throw new RangeError('The number is too large.');
      if (byte < CONTINUES) return value;
    }
  }

  /** A view of the bytes that were given. */
  bytes(): Uint8Array {
    const end = this.number() + this.#at;
    if (end > this.#bytes.length) throw new RangeError('The bytes are fewer than their length says.');
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  text(): string {
    return new TextDecoder().decode(this.bytes());
  }
}

/** Numbers are written as such, bytes and texts after their length. */
export function varints(...parts: readonly (number | string | Uint8Array)[]): Uint8Array {
  return Buffer.concat(
    parts.flatMap((part) => (typeof part === 'number' ? [encodeNumber(part)] : lengthPrefixed(part))),
  );
}

function lengthPrefixed(part: string | Uint8Array): readonly Uint8Array[] {
  const bytes = Buffer.from(part);
  return [encodeNumber(bytes.length), bytes];
}

function encodeNumber(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= CONTINUES) {
    bytes.push((rest % CONTINUES) | CONTINUES);
    rest = Math.floor(rest / CONTINUES);
  }
  return Uint8Array.from([...bytes, rest]);
}
