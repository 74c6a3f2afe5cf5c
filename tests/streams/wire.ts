/** SSE as bytes: reading up to any byte, and the whole events among the bytes. */
import { parseBlock, type SseEvent } from '../../src/testing/server-sent-events.ts';

type Ask = (path: string, init?: RequestInit) => Promise<Response>;

const LF = 10;

/** The whole body of a stream that ends, without keep-alives. */
export async function allBytes(ask: Ask, path: string, headers: Record<string, string> = {}): Promise<Buffer> {
  const response = await ask(path, { headers });
  // After the last event of an ended run there are no bytes.
  if (response.status === 204) return Buffer.alloc(0);
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return withoutKeepAlives(Buffer.from(await response.arrayBuffer()));
}

export function withoutKeepAlives(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replaceAll(': keep-alive\n\n', ''), 'latin1');
}

/** The whole events of a stream's bytes: up to and with the last blank line. A reader discards the rest. */
export function wholeEvents(bytes: Buffer): Buffer {
  for (let end = bytes.length; end >= 2; end -= 1) {
    if (bytes[end - 1] === LF && bytes[end - 2] === LF) return bytes.subarray(0, end);
  }
  return bytes.subarray(0, 0);
}

export function eventsOf(bytes: Buffer): SseEvent[] {
  return bytes
    .toString()
    .split('\n\n')
    .flatMap((block) => parseBlock(block) ?? []);
}

/** The id a reader resumes with: that of the last whole event, '0' before the first. */
export function lastId(bytes: Buffer): string {
  return eventsOf(wholeEvents(bytes)).findLast(({ id }) => id !== undefined)?.id ?? '0';
}

/** Reads until `enough` bytes came, then disconnects; fewer when the stream ended before. */
export async function someBytes(response: Response, enough: number): Promise<{ bytes: Buffer; ended: boolean }> {
  const reader = response.body!.getReader();
  const chunks: Uint8Array[] = [];
  for (let length = 0; length < enough; ) {
    const { done, value } = await reader.read();
    if (done) return { bytes: withoutKeepAlives(Buffer.concat(chunks)), ended: true };
    chunks.push(value);
    length += value.length;
  }
  await reader.cancel();
  return { bytes: withoutKeepAlives(Buffer.concat(chunks).subarray(0, enough)), ended: false };
}
