/** Reads a body of Server-Sent Events piece by piece, wherever the pieces were cut. */

export interface SseEvent {
  readonly id: string | undefined;
  readonly data: string;
}

/** Complete events only: what was cut off in the middle is dropped, so that a reader resumes before it. */
export async function* readSse(body: ReadableStream<Uint8Array>): AsyncGenerator<SseEvent> {
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    // A CR at the end may be the first half of a line break: it waits for the next piece.
    const held = (rest + text).endsWith('\r') ? 1 : 0;
    const whole = rest + text;
    const blocks = whole.slice(0, whole.length - held).replace(/\r\n?/g, '\n').split('\n\n');
    rest = (blocks.pop() ?? '') + whole.slice(whole.length - held);
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event !== null) yield event;
    }
  }
}

function parseBlock(block: string): SseEvent | null {
  let id: string | undefined;
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'id') id = value;
    else if (field === 'data') data.push(value);
  }
  return data.length === 0 ? null : { id, data: data.join('\n') };
}
