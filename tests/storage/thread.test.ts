/** Worker threads of this program share its compiled code, and nothing else of its environment. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { startThread } from '../../src/storage/thread.ts';
import { temporaryFolder } from '../support/folders.ts';

it('a thread keeps compiled code where this process does, and has no flags, keys or tokens', async () => {
  const folder = temporaryFolder('thread');
  writeFileSync(
    join(folder, 'worker.ts'),
    `import { getCompileCacheDir } from 'node:module';
    import { parentPort, workerData } from 'node:worker_threads';
    const names = Object.keys(process.env);
    parentPort!.postMessage({ folder: getCompileCacheDir(), names, flags: process.execArgv, workerData });`,
  );
  const thread = startThread(pathToFileURL(join(folder, 'starter.ts')).href, './worker', { workerData: 'a job' });
  expect(await once(thread, 'message')).toEqual([
    { folder: getCompileCacheDir(), names: ['NODE_COMPILE_CACHE'], flags: [], workerData: 'a job' },
  ]);
});
