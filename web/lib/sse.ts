/** The messages of a body of server-sent events. */

export interface Message {
  readonly id: number;
  readonly data: string;
}

/** `received` is called for every chunk. A message that is cut off at the end is dropped. */
export async function* messagesOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  received: () => void = () => undefined,
): AsyncGenerator<Message> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      received();
      text += value;
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) {
        const message = messageIn(block);
        if (message !== null) yield message;
      }
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

function messageIn(block: string): Message | null {
  let id: number | null = null;
  const data: string[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('data: ')) data.push(line.slice(6));
    else if (line.startsWith('id: ')) id = Number(line.slice(4));
  }
  return id === null || data.length === 0 ? null : { id, data: data.join('\n') };
}
