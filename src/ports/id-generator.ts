/** Fresh identifiers, as an argument of everything that would otherwise be impure. */
export interface IdGenerator {
  /** A UUIDv7 (RFC 9562 §5.7) in lower case. The ids of one process ascend. */
  uuid(): string;
  /** `bytes` cryptographically random bytes as lower-case hex: twice as many characters. */
  hex(bytes: number): string;
}
