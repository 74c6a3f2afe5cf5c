/**
 * Parses `text/event-stream` as the HTML standard defines it: lines end with LF, CR or CRLF, an event ends with an
 * empty line. An event without its empty line is discarded: a reader that resumes receives it again.
 */

export interface SseMessage {
  /** The last id in the stream, of this message or an earlier one; empty if there was none. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

const MESSAGE_CHARACTERS_MAX = 64 * 1_024 * 1_024;

/**
 * The parser takes the text of a stream in pieces of any length, and returns the messages that each piece completes.
 */
export function createSseParser(): (piece: string) => SseMessage[] {
  let rest = '';
  let id = '';
  let event = '';
  let data: string[] = [];
  let length = 0;
  let isFirst = true;
  let endedWithCr = false;

  function take(line: string, found: SseMessage[]): void {
    if (line === '') {
      if (data.length > 0) found.push({ id, event: event === '' ? 'message' : event, data: data.join('\n') });
      event = '';
      data = [];
      length = 0;
      return;
    }
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') {
      data.push(value);
      length += value.length;
    } else if (name === 'event') event = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
  }

  return (piece) => {
    const found: SseMessage[] = [];
    let text = piece;
    if (text === '') return found;
    if (isFirst && text.startsWith('\uFEFF')) text = text.slice(1);
    isFirst = false;
    if (endedWithCr && text.startsWith('\n')) text = text.slice(1);
    endedWithCr = text === '' ? false : text.endsWith('\r');
    const lines = text.split(/\r\n|\n|\r/);
    lines[0] = rest + lines[0]!;
    rest = lines.pop()!;
    for (const line of lines) take(line, found);
    if (rest.length + length > MESSAGE_CHARACTERS_MAX) throw new RangeError('An event of the stream is too long.');
    return found;
  };
}
