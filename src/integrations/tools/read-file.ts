/** The tool `read_file`: lines of a text file from an offset, within limits of lines and bytes. */
import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import { openFile } from './confine.ts';
import { clipEnd, visibleControls } from './text.ts';
import { confined, defineTool, namingPath, succeeded, ToolFailure } from './tool.ts';

export const readFileTool = defineTool({
  name: 'read_file',
  description:
    'Reads a text file of the workspace. Give the path relative to the workspace. Long files come in parts: the ' +
    'end of the output says which offset to ask for next. With line_numbers every line begins with its number and ' +
    'a tab, which are not part of the file.',
  class: 'read',
  idempotent: true,
  input: z.strictObject({
    path: z.string().describe('File to read, relative to the workspace.'),
    offset: z.int().min(1).max(1_000_000_000).optional().describe('First line to show, from 1.'),
    limit: z.int().min(1).max(100_000).optional().describe('How many lines to show at most.'),
    line_numbers: z.boolean().optional().describe('Begin every line with its number.'),
  }),
  async run(input, context) {
    const target = await confined(context, input.path, 'read');
    return namingPath(input.path, async () => {
      await using handle = await openFile(target.absolute);
      const page = await readPage(handle, {
        offset: input.offset ?? 1,
        linesMax: Math.min(input.limit ?? context.settings.readLinesMax, context.settings.readLinesMax),
        bytesMax: context.settings.outputBytesMax - NOTE_BYTES_MAX,
        scanBytesMax: context.settings.scanBytesMax,
        numbered: input.line_numbers ?? false,
        signal: context.signal,
      });
      return succeeded(render(page));
    });
  },
});

interface PageRequest {
  readonly offset: number;
  readonly linesMax: number;
  readonly bytesMax: number;
  readonly scanBytesMax: number;
  readonly numbered: boolean;
  readonly signal: AbortSignal;
}

interface Page {
  readonly lines: string[];
  bytes: number;
  /** Lines read so far, shown or skipped. */
  seen: number;
  /** The first line that is not shown. */
  next: number | undefined;
  cutLine: boolean;
  /** How the shown lines end. */
  readonly endings: Set<string>;
  controls: boolean;
  replaced: boolean;
}

const NOTE_BYTES_MAX = 512;
const CHUNK_BYTES = 64 * 1024;
const BINARY_LOOK_BYTES = 8 * 1024;

async function readPage(handle: FileHandle, request: PageRequest): Promise<Page> {
  const page: Page = {
    lines: [],
    bytes: 0,
    seen: 0,
    next: undefined,
    cutLine: false,
    endings: new Set(),
    controls: false,
    replaced: false,
  };
  let position = 0;
  let begun = Buffer.alloc(0);
  while (page.next === undefined) {
    request.signal.throwIfAborted();
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    if (position === 0) refuseBinary(buffer.subarray(0, bytesRead));
    if (bytesRead === 0) break;
    position += bytesRead;
    begun = takeLines(page, Buffer.concat([begun, buffer.subarray(0, bytesRead)]), request);
    if (position < request.scanBytesMax || page.next !== undefined) continue;
    if (page.lines.length > 0) page.next = page.seen + 1;
    else if (page.seen + 1 >= request.offset && begun.length > request.bytesMax) break;
    else throw new ToolFailure(`Only the first ${request.scanBytesMax} bytes of a file can be shown; use a command.`);
  }
  if (begun.length > 0 && page.next === undefined) addLine(page, begun, request);
  return page;
}

/** Adds all whole lines. Returns the start of the last line, as far as it can be shown. */
function takeLines(page: Page, bytes: Buffer, request: PageRequest): Buffer<ArrayBuffer> {
  let from = 0;
  for (let end = bytes.indexOf(0x0a); end >= 0 && page.next === undefined; end = bytes.indexOf(0x0a, from)) {
    addLine(page, bytes.subarray(from, end + 1), request);
    from = end + 1;
  }
  // One byte over the limit shows that the line is too long.
  return Buffer.from(bytes.subarray(from, Math.min(bytes.length, from + request.bytesMax + 1)));
}

/** `bytes`: the line with its ending, which the last line of a file may lack. */
function addLine(page: Page, bytes: Buffer, request: PageRequest): void {
  const number = page.seen + 1;
  if (number < request.offset) {
    page.seen = number;
    return;
  }
  if (page.lines.length === request.linesMax) {
    page.next = number;
    return;
  }
  const ending = endingOf(bytes);
  const text = bytes.toString('utf8', 0, bytes.length - ending.length);
  const visible = visibleControls(text);
  const line = `${request.numbered ? `${number}\t` : ''}${visible}`;
  const remaining = request.bytesMax - page.bytes;
  const size = Buffer.byteLength(line) + 1;
  if (size > remaining && page.lines.length > 0) {
    page.next = number;
    return;
  }
  const cut = size > remaining;
  page.lines.push(cut ? clipEnd(line, remaining) : line);
  page.cutLine ||= cut;
  page.bytes += size;
  page.seen = number;
  page.endings.add(ending);
  page.controls ||= visible !== text;
  // A line that is too long is incomplete, so it is not checked.
  page.replaced ||= !cut && !isUtf8(bytes);
}

function endingOf(line: Buffer): string {
  if (line.at(-1) !== 0x0a) return '';
  return line.at(-2) === 0x0d ? '\r\n' : '\n';
}

function refuseBinary(start: Buffer): void {
  if (start.subarray(0, BINARY_LOOK_BYTES).includes(0)) throw new ToolFailure('The file is binary, not text.');
}

function render(page: Page): string {
  const notes: string[] = [];
  if (page.lines.length === 0)
    notes.push(
      page.seen === 0 ? 'the file is empty' : `the file has only ${page.seen} ${page.seen === 1 ? 'line' : 'lines'}`,
    );
  if (page.cutLine) notes.push('the line is too long and was cut');
  if (page.next !== undefined) notes.push(`more lines follow; continue with offset ${page.next}`);
  if (page.endings.has('\r\n'))
    notes.push(page.endings.has('\n') ? 'some lines end with CR LF, others with LF' : 'lines end with CR LF');
  if (page.controls) notes.push('control characters are shown as \\x1b');
  if (page.replaced) notes.push('bytes that are not UTF-8 are shown as \ufffd');
  const text = page.lines.join('\n');
  if (notes.length === 0) return text;
  return `${text}${text === '' ? '' : '\n'}[${notes.join('; ')}]`;
}
