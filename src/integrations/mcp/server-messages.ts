/**
 * The messages that an MCP server writes to its stdout: one JSON text a line.
 *
 * - A batch counts as its messages, as in revision 2025-03-26 of the protocol.
 * - A line that is no message is skipped, because many servers print greetings there.
 * - An answer that is not valid becomes an error response to its request, because the request would wait for ever.
 */
import { type JSONRPCMessage, parseJSONRPCMessage, type RequestId } from '@modelcontextprotocol/client';
import { parsedJson, withoutByteOrderMark } from '../../lib/json-text.ts';

const LINE_BYTES_MAX = 10 * 1024 * 1024;
const NEWLINE = 0x0a;
/** The JSON-RPC code of an internal error, which stands for what is wrong with an answer. */
const INVALID_ANSWER = -32_603;

export interface ServerMessages {
  /** Notes a message to the server: its requests are those that wait for an answer. */
  sent(message: JSONRPCMessage): void;
  /** The messages that a chunk completes. Throws when a line is too long. */
  received(chunk: Buffer): readonly JSONRPCMessage[];
}

/** The method of each request that waits for its answer. */
type Waiting = Map<RequestId, string>;

export function createServerMessages(): ServerMessages {
  const waiting: Waiting = new Map();
  const lines = createLines();
  return {
    sent(message) {
      if (!('method' in message)) return;
      if ('id' in message) waiting.set(message.id, message.method);
      else if (message.method === 'notifications/cancelled') waiting.delete(message.params?.requestId as RequestId);
    },
    received(chunk) {
      const messages = lines(chunk).flatMap((line) =>
        [parsedJson(withoutByteOrderMark(line))].flat().map((of) => messageOf(of, waiting)),
      );
      return messages.filter((message) => message !== null);
    },
  };
}

/** Cuts chunks into lines without their ends. */
function createLines(): (chunk: Buffer) => string[] {
  let chunks: Buffer[] = [];
  let bytes = 0;
  return (chunk) => {
    const end = chunk.lastIndexOf(NEWLINE);
    bytes = end === -1 ? bytes + chunk.length : chunk.length - end - 1;
    if (bytes > LINE_BYTES_MAX) throw new Error(`A line has more than ${LINE_BYTES_MAX} bytes.`);
    chunks.push(end === -1 ? chunk : chunk.subarray(0, end));
    if (end === -1) return [];
    const whole = Buffer.concat(chunks).toString('utf8');
    chunks = [chunk.subarray(end + 1)];
    return whole.split('\n');
  };
}

function messageOf(value: unknown, waiting: Waiting): JSONRPCMessage | null {
  if (!isObject(value)) return null;
  const message = parsed(value);
  if (message !== null && 'method' in message) return message;
  if (!('result' in value || 'error' in value)) return null;
  const id = requestOf(value, waiting);
  if (id === undefined) return message;
  const method = waiting.get(id);
  waiting.delete(id);
  if (message?.id !== undefined) return message;
  const error = {
    code: INVALID_ANSWER,
    message: `its answer to ${method} is not a valid response${saying(value.error)}`,
  };
  return { jsonrpc: '2.0', id, error };
}

function parsed(value: object): JSONRPCMessage | null {
  try {
    return parseJSONRPCMessage(value);
  } catch {
    return null;
  }
}

/** An error without an id is about a request that the server cannot read: the only one that waits. */
function requestOf({ jsonrpc, id, error }: Fields, waiting: Waiting): RequestId | undefined {
  const ids = [...waiting.keys()];
  if (id != null) return ids.find((each) => String(each) === String(id));
  return jsonrpc === '2.0' && error !== undefined && ids.length === 1 ? ids[0] : undefined;
}

function saying(error: unknown): string {
  const words = isObject(error) ? error.message : error;
  return typeof words === 'string' && words !== '' ? `: ${words}` : '.';
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
