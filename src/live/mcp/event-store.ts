/**
 * The newest messages that a session has sent, up to a number and a size, so that a client can resume a broken
 * connection. A client that resumes after a message that was dropped is refused and has to repeat its requests.
 */
import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

const MESSAGES_MAX = 1_024;
const BYTES_MAX = 1_048_576;

interface Stored {
  readonly id: string;
  readonly stream: string;
  readonly message: JSONRPCMessage;
  readonly bytes: number;
}

export function createEventStore({ messagesMax = MESSAGES_MAX, bytesMax = BYTES_MAX } = {}): EventStore {
  let stored: Stored[] = [];
  let sequence = 0;
  let bytesStored = 0;

  const indexOf = (id: string): number => stored.findIndex((each) => each.id === id);

  return {
    async storeEvent(stream, message) {
      sequence += 1;
      const bytes = Buffer.byteLength(JSON.stringify(message));
      stored.push({ id: String(sequence), stream, message, bytes });
      bytesStored += bytes;
      let gone = 0;
      // The newest message is kept, whatever its size.
      while (gone < stored.length - 1 && (stored.length - gone > messagesMax || bytesStored > bytesMax)) {
        bytesStored -= stored[gone]!.bytes;
        gone += 1;
      }
      if (gone > 0) stored = stored.slice(gone);
      return String(sequence);
    },
    getStreamIdForEventId: async (id) => stored[indexOf(id)]?.stream,
    async replayEventsAfter(id, { send }) {
      const index = indexOf(id);
      const last = stored[index];
      if (last === undefined) throw new Error('That event is not stored.');
      for (const { id: next, stream, message } of stored.slice(index + 1)) {
        if (stream === last.stream) await send(next, message);
      }
      return last.stream;
    },
  };
}
