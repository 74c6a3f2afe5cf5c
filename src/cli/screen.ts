/**
 * What a followed run shows: text as it comes, whole lines between it, and on a terminal one status line below.
 *
 * - Without a terminal, or on a dumb one, nothing moves: text and lines only, no escape sequence.
 * - The status line is never left behind: it is wiped before anything else is written and at the end.
 */
import { type Style, styled } from './style.ts';
import { printable } from './text.ts';

export interface Screen {
  /** A piece of running text; lines may end anywhere. */
  text(piece: string): void;
  /** A line of its own. */
  line(text: string, style?: Style): void;
  /** What is going on, shown with a spinner and the seconds since it was said. */
  status(text: string): void;
  close(): void;
}

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const TICK_MS = 100;
/** Text that stopped in the middle of a line for so long is left alone, and the status is shown below it. */
const PAUSE_MS = 2_000;
const WIPE_LINE = '\r\u001b[2K';

export function createScreen(out: NodeJS.WriteStream = process.stdout): Screen {
  const animated = out.isTTY === true && process.env.TERM !== 'dumb';
  let atLineStart = true;
  let status = { text: '', since: Date.now() };
  let shown = false;
  let ticks = 0;
  let textAt = 0;

  function wipe(): void {
    if (shown) out.write(WIPE_LINE);
    shown = false;
  }

  /** Only at the start of a line: text that is still being written is not torn apart. */
  function draw(): void {
    if (!animated || status.text === '') return;
    if (!atLineStart && Date.now() - textAt > PAUSE_MS) endLine();
    if (!atLineStart) return;
    ticks += 1;
    const seconds = Math.floor((Date.now() - status.since) / 1_000);
    const line = `${SPINNER[ticks % SPINNER.length]} ${status.text} · ${seconds} s`.slice(0, (out.columns || 80) - 1);
    out.write(WIPE_LINE + styled('dim', line, out));
    shown = true;
  }

  function endLine(): void {
    wipe();
    if (!atLineStart) out.write('\n');
    atLineStart = true;
  }

  const ticking = animated ? setInterval(draw, TICK_MS) : undefined;
  return {
    text(piece) {
      const clean = printable(piece);
      if (clean === '') return;
      wipe();
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
