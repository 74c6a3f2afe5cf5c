/**
 * Shows pictures of a changing state. On a terminal each picture replaces the one before, on the alternate screen, and
 * lines that are too long are cut by the terminal; the last picture stays below the command when the screen is closed.
 * Another size of the terminal shows more or less of the picture. Elsewhere pictures are printed one after the other.
 */
import { aroundStop } from './interrupt.ts';
import { canDraw, print } from './text.ts';

export interface Screen {
  show(picture: string): Promise<void>;
  /** Restores the terminal and prints the last picture in full. */
  close(): Promise<void>;
}

/** The alternate screen, without a cursor and without line wrapping. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const CLEAR_REST_OF_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';
const ROWS_DEFAULT = 24;

export function createScreen(): Screen {
  const { stdout } = process;
  const isInPlace = canDraw(stdout);
  let last: string | null = null;
  let stops: Disposable | null = null;
  const draw = (start: string, picture: string): Promise<void> => {
    const lines = picture
      .trimEnd()
      .split('\n')
      .slice(0, (stdout.rows || ROWS_DEFAULT) - 1);
    return print(`${start}${lines.map((line) => `${line}${CLEAR_REST_OF_LINE}\n`).join('')}${CLEAR_BELOW}`);
  };
  const enter = (picture: string): Promise<void> => draw(`${ENTER}${HOME}`, picture);
  const redraw = (): void => void draw(HOME, last ?? '');
  return {
    async show(picture) {
      if (!isInPlace) return print(picture);
      stops ??= aroundStop({
        release: () => void stdout.write(LEAVE),
        restore: () => void enter(last ?? picture),
      });
      const isFirst = last === null;
      last = picture;
      if (isFirst) stdout.on('resize', redraw);
      await (isFirst ? enter(picture) : draw(HOME, picture));
    },
    async close() {
      stops?.[Symbol.dispose]();
      stdout.off('resize', redraw);
      if (last !== null) await print(`${LEAVE}${last}`);
      last = null;
    },
  };
}
