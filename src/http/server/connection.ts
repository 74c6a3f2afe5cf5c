/** What node keeps on a connection, which its types do not show. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

export interface Connection extends Duplex {
  /** The reply whose turn it is. */
  readonly _httpMessage?: ServerResponse | null;
  /** Its request is the one that was read last. */
  readonly parser?: { readonly incoming: IncomingMessage | null } | null;
}

/** A reply that is not sent yet: bytes that go past it would be taken for it. */
export function replyUnderWay(socket: Connection): ServerResponse | null {
  return socket._httpMessage ?? null;
}
