/**
 * The `fetch` of the provider packages.
 *
 * - It follows no redirect, so a key is only sent to its configured address.
 * - A stream ends with its last message, even if the server keeps the connection open: the packages wait for the end of
 *   the stream.
 * - Lines of a stream and bodies of error responses are limited in size.
 */

/** `data: [DONE]` of OpenAI's formats, `message_stop` of Anthropic's. JSON contains no literal line break. */
const LAST_MESSAGE = /(?:^|\n)(?:data: ?\[DONE\]|event: ?message_stop\r?\ndata:[^\n]*)\r?\n\r?\n/;
/** The last message is not longer. */
const TAIL_CHARACTERS = 256;
const LINE_FEED = 0x0a;
/** The longest line is a whole answer in one frame with every character escaped. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;
const ERROR_BYTES_MAX = 1024 * 1024;

export const providerFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'error' });
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  const body = response.body.pipeThrough(response.ok ? untilLastMessage() : firstBytes(ERROR_BYTES_MAX));
  return new Response(body, { status, statusText, headers });
};

type Bytes = Uint8Array<ArrayBuffer>;

function firstBytes(bytesMax: number): TransformStream<Bytes, Bytes> {
  let room = bytesMax;
  return new TransformStream({
    transform(bytes, controller) {
      controller.enqueue(bytes.subarray(0, room));
      room -= bytes.length;
      if (room <= 0) controller.terminate();
    },
  });
}

function untilLastMessage(): TransformStream<Bytes, Bytes> {
  let tail = '';
  let line = 0;
  return new TransformStream({
    transform(bytes, controller) {
      const lineEnd = bytes.lastIndexOf(LINE_FEED);
      line = lineEnd < 0 ? line + bytes.length : bytes.length - lineEnd - 1;
      if (line > LINE_BYTES_MAX) throw new Error('a line of its stream has no end');
      controller.enqueue(bytes);
      // latin1 has one character per byte; the pattern is ASCII.
      const text = tail + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
      if (LAST_MESSAGE.test(text)) controller.terminate();
      tail = text.slice(-TAIL_CHARACTERS);
    },
  });
}
