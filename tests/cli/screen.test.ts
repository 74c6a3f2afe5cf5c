/** What a screen writes to a terminal. */
import { afterEach, expect, it, vi } from 'vitest';
import { createScreen } from '../../src/cli/screen.ts';

const isTerminal = Object.getOwnPropertyDescriptor(process.stdout, 'isTTY');

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  if (isTerminal === undefined) Reflect.deleteProperty(process.stdout, 'isTTY');
  else Object.defineProperty(process.stdout, 'isTTY', isTerminal);
});

it('a long line takes one row: wrapping is off before the first picture and on after the last one', async () => {
  vi.stubEnv('TERM', 'xterm');
  Object.defineProperty(process.stdout, 'isTTY', { value: true, configurable: true });
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const screen = createScreen();
  await screen.show(`heading\n${'x'.repeat(10_000)}\n`);
  await screen.close();
  const written = write.mock.calls.map(([text]) => String(text)).join('');
  const parts = ['\u001b[?7l', 'heading', 'xxx', '\u001b[?7h'].map((part) => written.indexOf(part));
  expect(parts).not.toContain(-1);
  expect(parts).toEqual(parts.toSorted((a, b) => a - b));
});
