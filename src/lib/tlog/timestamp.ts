/**
 * Requests to a time stamping authority and its responses (RFC 3161), in DER. A response is parsed only to match it
 * with its request; tools that know the authority, such as `openssl ts`, verify its signature.
 */

export const QUERY_TYPE = 'application/timestamp-query';
/** AlgorithmIdentifier of SHA-256. */
const SHA256 = Buffer.from('300d06096086480165030402010500', 'hex');
const SIGNED_DATA = '2a864886f70d010702';
const TST_INFO = '2a864886f70d0109100104';
const [INTEGER, BOOLEAN, OCTETS, OID, SEQUENCE, TIME, EXPLICIT_0] = [0x02, 0x01, 0x04, 0x06, 0x30, 0x18, 0xa0];

export class TimestampError extends Error {
  override readonly name = 'TimestampError';
}

export interface TimestampQuery {
  /** SHA-256 of what is to be stamped. */
  readonly hash: Uint8Array;
  /** Random; the authority repeats it. */
  readonly nonce: Uint8Array;
}

export function formatTimestampQuery({ hash, nonce }: TimestampQuery): Buffer {
  const imprint = der(SEQUENCE, SHA256, der(OCTETS, hash));
  const certificates = der(BOOLEAN, Buffer.of(0xff));
  return der(SEQUENCE, der(INTEGER, Buffer.of(1)), imprint, der(INTEGER, integerOf(nonce)), certificates);
}

/** The time in a response that grants the query, Unix milliseconds. Throws `TimestampError`. */
export function timestampIn(response: Uint8Array, { hash, nonce }: TimestampQuery): number {
  const [status, token] = childrenOf(elementAt(Buffer.from(response), 0), SEQUENCE);
  const granted = contentOf(childrenOf(status, SEQUENCE)[0], INTEGER);
  if (granted.length !== 1 || granted[0]! > 1) throw new TimestampError('The authority refused to stamp it.');
  const fields = childrenOf(elementAt(tstInfoIn(token), 0), SEQUENCE);
  const imprint = childrenOf(fields[2], SEQUENCE);
  if (!contentOf(imprint[1], OCTETS).equals(hash)) throw new TimestampError('The time stamp is for something else.');
  const answered = fields.slice(5).find(({ tag }) => tag === INTEGER);
  if (answered === undefined || !answered.content.equals(integerOf(nonce))) {
    throw new TimestampError('The time stamp answers another request.');
  }
  return timeOf(contentOf(fields[4], TIME).toString('latin1'));
}

/** The bytes that the authority signed. */
function tstInfoIn(token: Element | undefined): Buffer {
  const [type, wrapped] = childrenOf(token, SEQUENCE);
  const [signed] = childrenOf(wrapped, EXPLICIT_0);
  const [, , content] = childrenOf(signed, SEQUENCE);
  const [contentType, inner] = childrenOf(content, SEQUENCE);
  const [octets] = childrenOf(inner, EXPLICIT_0);
  const types = [type, contentType].map((each) => contentOf(each, OID).toString('hex'));
  if (types[0] !== SIGNED_DATA || types[1] !== TST_INFO) throw malformed();
  return contentOf(octets, OCTETS);
}

/** `YYYYMMDDhhmmss[.f…]Z` */
function timeOf(text: string): number {
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d(?:\.\d+)?)Z$/.exec(text);
  if (match === null) throw malformed();
  const [, year, month, day, hour, minute, second] = match;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(time)) throw malformed();
  return time;
}

interface Element {
  readonly tag: number;
  readonly content: Buffer;
  /** Where the next element begins. */
  readonly end: number;
}

function elementAt(bytes: Buffer, at: number): Element {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined) throw malformed();
  const lengthBytes = first < 0x80 ? 0 : first - 0x80;
  const start = at + 2 + lengthBytes;
  if (lengthBytes > 4 || (first >= 0x80 && lengthBytes === 0) || start > bytes.length) throw malformed();
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes);
  if (start + length > bytes.length) throw malformed();
  return { tag, content: bytes.subarray(start, start + length), end: start + length };
}

function childrenOf(element: Element | undefined, tag: number): Element[] {
  const bytes = contentOf(element, tag);
  const children: Element[] = [];
  for (let at = 0; at < bytes.length; at = children.at(-1)!.end) children.push(elementAt(bytes, at));
  return children;
}

function contentOf(element: Element | undefined, tag: number): Buffer {
  if (element?.tag !== tag) throw malformed();
  return element.content;
}

function malformed(): TimestampError {
  return new TimestampError('The answer is no time stamp response (RFC 3161).');
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  if (content.length >= 0x80) throw new RangeError('A query is shorter than 128 bytes.');
  return Buffer.concat([Buffer.of(tag, content.length), content]);
}

/** A positive integer without needless zeros in front. */
function integerOf(bytes: Uint8Array): Buffer {
  const digits = Buffer.from(bytes);
  const first = digits.findIndex((byte) => byte !== 0);
  const short = first < 0 ? Buffer.of(0) : digits.subarray(first);
  return short[0]! >= 0x80 ? Buffer.concat([Buffer.of(0), short]) : short;
}
