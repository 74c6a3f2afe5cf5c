/** Time, ids and chance, as arguments of everything that would otherwise be impure. */
export interface Ambient {
  /** Unix time in milliseconds. */
  now(): number;
  /** A fresh UUIDv7, lower case. */
  uuid(): string;
  /** Cryptographically random bytes as lower-case hex; `bytes` of them. */
  hex(bytes: number): string;
  /** 0 ≤ x < 1. */
  chance(): number;
}
