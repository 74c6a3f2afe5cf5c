/** Where a progress bar is shown. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createProgress } from '../../src/cli/progress.ts';

const isTerminal = Object.getOwnPropertyDescriptor(process.stderr, 'isTTY');

beforeEach(() => {
  vi.useFakeTimers();
  Object.defineProperty(process.stderr, 'isTTY', { value: true, configurable: true });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  if (isTerminal === undefined) Reflect.deleteProperty(process.stderr, 'isTTY');
  else Object.defineProperty(process.stderr, 'isTTY', isTerminal);
});

/** What a long operation writes to a terminal of this kind. */
function writtenOn(terminal: string): string {
  vi.stubEnv('TERM', terminal);
  let written = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written += String(text);
    return true;
  });
  const progress = createProgress('checking');
  vi.advanceTimersByTime(1_000);
  progress.at(1, 2);
  progress.end();
  return written;
}

it('a terminal gets a bar', () => {
  expect(writtenOn('xterm')).toContain('checking');
});

it('a dumb terminal gets none', () => {
  expect(writtenOn('dumb')).toBe('');
});
