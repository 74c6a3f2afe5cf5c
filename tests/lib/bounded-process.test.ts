/** A process with bounds: what happens at each, and that nothing outside changes them. */
import { once } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ProcessBounds, startBoundedProcess } from '../../src/lib/bounded-process.ts';

function start(job: string, bounds: ProcessBounds) {
  const started = startBoundedProcess(import.meta.url, './echo-worker', bounds);
  onTestFinished(() => started.end());
  started.send(job);
  return started;
}

describe('a bounded process', () => {
  it('whose heap is full ends, and the one that started it does not', async () => {
    const { child } = start('fill', { heapMebibytesMax: 16 });
    expect(await once(child, 'exit')).toEqual([null, 'SIGABRT']);
  });

  it('that takes too much processor time is ended by the system', async () => {
    const { child } = start('spin', { heapMebibytesMax: 16, cpuSecondsMax: 1 });
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  });

  it('ends when the one that started it is gone', async () => {
    const { child } = start('wait', { heapMebibytesMax: 16 });
    await once(child, 'message');
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('gets its bounds and nothing of the environment that could change them, and no key', async () => {
    vi.stubEnv('NODE_OPTIONS', '--max-semi-space-size=64 --max-old-space-size=4096');
    vi.stubEnv('OPENAI_API_KEY', 'x');
    const { child } = start('wait', { heapMebibytesMax: 32 });
    const [told] = await once(child, 'message');
    expect(told.execArgv).toEqual(['--max-old-space-size=32', '--max-semi-space-size=4']);
    expect(told.env).not.toContain('NODE_OPTIONS');
    expect(told.env).not.toContain('OPENAI_API_KEY');
    expect(told.heapMebibytes).toBeLessThan(80);
  });

  it('that has ended takes messages without an error, and can be ended again', async () => {
    const started = start('wait', { heapMebibytesMax: 16 });
    await started.end();
    started.send('again');
    await started.end();
    expect(started.child.signalCode).toBe('SIGKILL');
  });
});
