/** Where a progress bar is shown. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createProgress } from '../../src/cli/progress.ts';
import { exportEvents, importEvents } from '../../src/cli/storage/events.ts';
import { temporaryFolder } from '../support/folders.ts';
import { writeRuns } from '../web/many-runs.ts';
import { asTerminal } from './as-terminal.ts';

beforeEach(() => {
  vi.useFakeTimers();
  asTerminal(process.stderr);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** What an operation of two seconds, which reports once after so many milliseconds, writes to a terminal of this kind. */
function writtenOn(terminal: string, reportsAfterMs: number, meanwhile = (): void => undefined): string {
  vi.stubEnv('TERM', terminal);
  let written = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written += String(text);
    return true;
  });
  const progress = createProgress('checking');
  vi.advanceTimersByTime(reportsAfterMs);
  progress.at(1, 2);
  meanwhile();
  vi.advanceTimersByTime(2_000 - reportsAfterMs);
  progress.end();
  return written;
}

it('a terminal gets a bar', () => {
  expect(writtenOn('xterm', 1_000)).toContain('checking');
});

it('shows the only report of an operation that waits from then on', () => {
  expect(writtenOn('xterm', 10)).toContain('1 of 2');
});

// A terminal of no known kind showed the control sequences.
it.each(['dumb', ''])('a terminal of the kind %j gets none', (kind) => {
  expect(writtenOn(kind, 1_000)).toBe('');
});

it('a stopped process gives the terminal back, and shows the bar again when it goes on', () => {
  const stopped = vi.spyOn(process, 'kill').mockImplementation(() => {
    process.stderr.write('(stopped)');
    return true;
  });
  const written = writtenOn('xterm', 1_000, () => {
    process.emit('SIGTSTP');
    vi.runOnlyPendingTimers();
  });
  expect(stopped.mock.calls).toEqual([[process.pid, 'SIGTSTP']]);
  const parts = written.match(/\[\?25[hl]|\(stopped\)/g);
  const [hide, show] = ['[?25l', '[?25h'];
  expect(parts).toEqual([hide, show, '(stopped)', hide, show]);
  expect(process.listenerCount('SIGTSTP')).toBe(0);
});

it('the bars of an export and an import end when all events are written', async () => {
  const [home, other] = [temporaryFolder('home'), temporaryFolder('home')];
  const file = join(other, 'events.jsonl');
  vi.useRealTimers();
  vi.stubEnv('TERM', 'xterm');
  await writeRuns(home, 500);
  let at = 0;
  // Each look at the clock is a second after the one before, so that the bar is shown from the first report on.
  vi.spyOn(Date, 'now').mockImplementation(() => (at += 1_000));
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const shares = (): string[] => written.mock.calls.flatMap(([text]) => /\d+ % · \d+ of \d+/.exec(String(text)) ?? []);
  await exportEvents({ dataDir: join(home, 'data'), out: file });
  await importEvents({ dataDir: join(other, 'data'), from: file });
  const bytes = statSync(file).size;
  expect(shares().at(0)).toMatch(/^\d\d % · \d+ of 1500$/);
  expect(shares().slice(-2)).toEqual(['100 % · 1500 of 1500', `100 % · ${bytes} of ${bytes}`]);
});
