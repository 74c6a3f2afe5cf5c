/** The source of identifiers and random bytes. It is passed as an argument, so that tests can set them. */
export interface IdGenerator {
  /** A UUIDv7 (RFC 9562 §5.7) in lower case. The ids of one process ascend. */
  uuid(): string;
  /** `bytes` cryptographically random bytes as lower-case hex: twice as many characters. */
  hex(bytes: number): string;
}
