/** Reads server-sent events in a test: all of them, or up to a certain one. */

/** One event as it was sent. */
export interface SseEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string;
}

/** Reads the events of a body to its end, or until `until` is true for one; then closes the connection. */
export async function readSse(
  response: Response,
  until: (event: SseEvent) => boolean = () => false,
): Promise<SseEvent[]> {
  return (await readSseText(response, until)).events;
}

/** Like `readSse`, with the text from which the events were read. */
export async function readSseText(
  response: Response,
  until: (event: SseEvent) => boolean,
): Promise<{ readonly events: SseEvent[]; readonly text: string }> {
  const events: SseEvent[] = [];
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  // Only the unread rest is searched: searching the whole text would copy it for each chunk.
  let [text, rest] = ['', ''];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { events, text: text + rest };
    rest += value;
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const event = parseBlock(rest.slice(0, end));
      text += rest.slice(0, end + 2);
      rest = rest.slice(end + 2);
      if (event === null) continue;
      events.push(event);
      if (!until(event)) continue;
      await reader.cancel();
      return { events, text };
    }
  }
}

/** The complete events of a text, which may end anywhere. */
export function parseSse(text: string): SseEvent[] {
  const blocks = text.split('\n\n').slice(0, -1);
  return blocks.map(parseBlock).filter((event) => event !== null);
}

/** The event of one block of lines; null for a comment. */
export function parseBlock(block: string): SseEvent | null {
  const lines = block.split('\n').filter((line) => line !== '' && !line.startsWith(':'));
  if (lines.length === 0) return null;
  const field = (name: string): string[] =>
    lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).replace(/^ /, ''));
  return { id: field('id')[0], event: field('event')[0], data: field('data').join('\n') };
}
