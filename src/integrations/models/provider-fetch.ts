/**
 * `fetch` as the provider packages get it.
 *
 * - A key goes to the address it was configured for and is not carried on to where that points.
 * - A stream that says that it is over is over, even when the server keeps the connection open behind it. The packages
 *   wait for the end of the connection, which may never come.
 */

/** `data: [DONE]` of OpenAI's formats, `message_stop` of Anthropic's; inside JSON no line break is written as one. */
const LAST_MESSAGE = /(?:^|\n)(?:data: ?\[DONE\]|event: ?message_stop\r?\ndata:[^\n]*)\r?\n\r?\n/;
/** Characters in which the last message surely fits. */
const TAIL = 256;

export const providerFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'error' });
  if (!response.ok || response.body === null) return response;
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(untilLastMessage()), { status, statusText, headers });
};

function untilLastMessage(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let tail = '';
  return new TransformStream({
    transform(bytes, controller) {
      controller.enqueue(bytes);
      // One character a byte: the marks are ASCII, and what is cut elsewhere does not matter.
      const text = tail + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
      if (LAST_MESSAGE.test(text)) controller.terminate();
      tail = text.slice(-TAIL);
    },
  });
}
