/** Reads a body of Server-Sent Events as the daemon writes them, wherever the network cut it. */

export interface SseEvent {
  readonly id: string | undefined;
  readonly data: string;
}

/**
 * Complete events only: what was cut off in the middle is dropped, so that a reader resumes before it. `heard` is
 * called for whatever comes, keep-alives too.
 */
export async function* readSse(
  body: ReadableStream<Uint8Array>,
  heard: () => void = () => {},
): AsyncGenerator<SseEvent> {
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    heard();
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event !== null) yield event;
    }
  }
}

/** Comments, such as keep-alives, are no events. */
function parseBlock(block: string): SseEvent | null {
  let id: string | undefined;
  const data: string[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('id: ')) id = line.slice(4);
    else if (line.startsWith('data: ')) data.push(line.slice(6));
  }
  return data.length === 0 ? null : { id, data: data.join('\n') };
}
