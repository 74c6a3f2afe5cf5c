/**
 * The output of a followed run: text as it arrives, whole lines between it and, on a terminal, a status line below.
 *
 * - Without a terminal, or on a dumb one, the output is text and lines only, without escape sequences.
 * - The status line is cleared before any other output and at the end.
 */
import { canDraw, printable, type Style, styled } from './text.ts';

export interface TerminalOutput {
  /** A fragment of text; it may end within a line. */
  text(piece: string): void;
  /** A line of its own. */
  line(text: string, style?: Style): void;
  /** The current activity, shown with a spinner and the seconds since the call. */
  status(text: string): void;
  close(): void;
}

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const TICK_MS = 100;
/** When text pauses within a line for so long, the line is ended and the status is shown below it. */
const PAUSE_MS = 2_000;
const CLEAR_LINE = '\r\u001b[2K';

/** A stream that may be a terminal. */
interface OutputStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number;
}

export function createTerminalOutput(out: OutputStream = process.stdout): TerminalOutput {
  const animated = canDraw(out);
  let atLineStart = true;
  let status = { text: '', since: Date.now() };
  let isShown = false;
  let ticks = 0;
  let textAt = 0;

  function clearStatus(): void {
    if (isShown) out.write(CLEAR_LINE);
    isShown = false;
  }

  /** Draws only at the start of a line, so that text within a line stays whole. */
  function draw(): void {
    if (!animated || status.text === '') return;
    if (!atLineStart && Date.now() - textAt > PAUSE_MS) endLine();
    if (!atLineStart) return;
    ticks += 1;
    const seconds = Math.floor((Date.now() - status.since) / 1_000);
    const line = `${SPINNER[ticks % SPINNER.length]} ${status.text} · ${seconds} s`.slice(0, (out.columns || 80) - 1);
    out.write(CLEAR_LINE + styled('dim', line, out));
    isShown = true;
  }

  function endLine(): void {
    clearStatus();
    if (!atLineStart) out.write('\n');
    atLineStart = true;
  }

  const ticking = animated ? setInterval(draw, TICK_MS) : undefined;
  return {
    text(piece) {
      const clean = printable(piece);
      if (clean === '') return;
      clearStatus();
      out.write(clean);
      atLineStart = clean.endsWith('\n');
      textAt = Date.now();
    },
    line(text, style) {
      endLine();
      const clean = printable(text);
      out.write(`${style === undefined ? clean : styled(style, clean, out)}\n`);
    },
    status(text) {
      if (text === status.text) return;
      status = { text: printable(text).replaceAll('\n', ' '), since: Date.now() };
      draw();
    },
    close() {
      clearInterval(ticking);
      endLine();
    },
  };
}
