/** What a screen writes to a terminal. */
import { afterEach, expect, it, vi } from 'vitest';
import { createScreen, type Screen } from '../../src/cli/screen.ts';
import { asTerminal } from './as-terminal.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

async function writtenBy(work: (screen: Screen) => Promise<void>): Promise<string> {
  vi.stubEnv('TERM', 'xterm');
  asTerminal(process.stdout);
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const screen = createScreen();
  await work(screen);
  await screen.close();
  await screen.close();
  return write.mock.calls.map(([text]) => String(text)).join('');
}

it('a long line takes one row: wrapping is off before the first picture and on after the last one', async () => {
  const written = await writtenBy(async (screen) => screen.show(`heading\n${'x'.repeat(10_000)}\n`));
  const parts = ['\u001b[?7l', 'heading', 'xxx', '\u001b[?7h'].map((part) => written.indexOf(part));
  expect(parts).not.toContain(-1);
  expect(parts).toEqual(parts.toSorted((a, b) => a - b));
});

// `top --count 1` left nothing on the terminal.
it('the last picture stays when the screen is closed, once and in full', async () => {
  const last = Array.from({ length: 100 }, (_, at) => `line ${at}\n`).join('');
  const written = await writtenBy(async (screen) => {
    await screen.show('first\n');
    await screen.show(last);
  });
  expect(written.split('\u001b[?1049l').slice(1)).toEqual([last]);
});

// What a small terminal did not show stayed hidden until the next change.
it('another size of the terminal shows as much of the picture as fits', async () => {
  const listeners = process.stdout.listenerCount('resize');
  const written = await writtenBy(async (screen) => {
    asTerminal(process.stdout, { rows: 3 });
    await screen.show('one\ntwo\nthree\n');
    asTerminal(process.stdout, { rows: 4 });
    process.stdout.emit('resize');
  });
  const [small, large] = written.split('\u001b[?1049l')[0]!.split('\u001b[H').slice(1);
  expect([small, large].map((picture) => picture!.match(/one|two|three/g))).toEqual([
    ['one', 'two'],
    ['one', 'two', 'three'],
  ]);
  expect(process.stdout.listenerCount('resize')).toBe(listeners);
});

// Ctrl-Z left the shell on the alternate screen, without a cursor, and lines of its commands were cut.
it('a stopped process gives the terminal back, and takes it again when it goes on', async () => {
  const [enter, leave] = ['[?1049h', '[?1049l'];
  const written = await writtenBy(async (screen) => {
    await screen.show('first\n');
    const stopped = vi.spyOn(process, 'kill').mockImplementation(() => {
      process.stdout.write('(stopped)');
      return true;
    });
    process.emit('SIGTSTP');
    await new Promise(setImmediate);
    expect(stopped.mock.calls).toEqual([[process.pid, 'SIGTSTP']]);
  });
  const parts = written.match(/\[\?1049[hl]|\(stopped\)|first/g);
  expect(parts).toEqual([enter, 'first', leave, '(stopped)', enter, 'first', leave, 'first']);
  expect(process.listenerCount('SIGTSTP')).toBe(0);
});
