/** A bounded process: what happens at each bound, and that the environment does not change the bounds. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ProcessBounds, startBoundedProcess } from '../../src/lib/bounded-process.ts';
import { temporaryFolder } from '../support/folders.ts';

function start(job: string, bounds: ProcessBounds) {
  const started = startBoundedProcess(import.meta.url, './echo-worker', bounds);
  onTestFinished(() => started.end());
  started.send(job);
  return started;
}

describe('a bounded process', () => {
  it('ends when its heap is full, and its parent goes on', async () => {
    const { child } = start('fill', { heapMebibytesMax: 16 });
    expect(await once(child, 'exit')).toEqual([null, 'SIGABRT']);
  });

  it('is ended by the system when it takes too much processor time', async () => {
    const { child } = start('spin', { heapMebibytesMax: 16, cpuSecondsMax: 1 });
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  });

  it('ends when its parent is gone', async () => {
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

  it('ignores messages after its end, and can be ended again', async () => {
    const started = start('wait', { heapMebibytesMax: 16 });
    await started.end();
    started.send('again');
    await started.end();
    expect(started.child.signalCode).toBe('SIGKILL');
  });

  it('keeps its compiled code although it is killed', async () => {
    const folder = temporaryFolder('worker');
    const word = randomUUID();
    const source = (path: string): string => JSON.stringify(pathToFileURL(resolve(path)).href);
    writeFileSync(
      join(folder, 'worker.ts'),
      `import { tellStarter } from ${source('src/lib/bounded-process.ts')};
      import { keepCompiledCode } from ${source('src/lib/compiled-code.ts')};
      keepCompiledCode();
      tellStarter('${word}');
      setInterval(() => undefined, 1_000);`,
    );
    const before = Date.now();
    const base = pathToFileURL(join(folder, 'starter.ts')).href;
    const started = startBoundedProcess(base, './worker', { heapMebibytesMax: 32 });
    await once(started.child, 'message');
    await started.end();
    const written = readdirSync(getCompileCacheDir()!)
      .map((name) => join(getCompileCacheDir()!, name))
      .filter((path) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > before - 1_000);
    expect(written.some((path) => readFileSync(path, 'latin1').includes(word))).toBe(true);
  });
});
