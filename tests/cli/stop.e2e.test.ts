/** How `daybook serve` hears the word to stop: at any moment after it said that it listens, once or many times. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { childDaemon } from '../support/daemon.ts';

// Found by a supervisor that stopped a daemon it had just started: the signals were listened for only when the views
// were folded, so they ended the process as they stood, the home still naming it.
describe('a signal right after `listening`', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('%s: exit 0, the home names no daemon', async (signal) => {
    const daemon = await childDaemon();
    expect(await daemon.kill(signal)).toBe(0);
    expect(existsSync(join(daemon.home, 'daemon.json'))).toBe(false);
    expect(existsSync(join(daemon.home, 'daemon.token'))).toBe(false);
  });
});

// Ctrl-C under `npm start` reaches the daemon twice: from the terminal and from npm.
describe('a signal that comes again', () => {
  it.each([
    ['SIGINT', 'SIGINT'],
    ['SIGINT', 'SIGTERM'],
    ['SIGTERM', 'SIGTERM'],
  ] as const)('%s and %s: the stop is not cut short', async (first, second) => {
    const daemon = await childDaemon();
    await daemon.request('/health');
    const ended = daemon.kill(first);
    const again = setInterval(() => daemon.process.kill(second), 2);
    expect(await ended).toBe(0);
    clearInterval(again);
    expect(existsSync(join(daemon.home, 'daemon.json'))).toBe(false);
  });
});
