/**
 * The engine contract on `lsm`: with default settings, and with settings so small that every commit causes flushes and
 * compactions.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openLsm } from '../../src/storage/lsm/engine.ts';
import { memoryFolder } from '../support/folders.ts';
import { DURABLE, put } from './engine-contract/helpers.ts';
import { engineContract } from './engine-contract.ts';
import { TINY } from './lsm-helpers.ts';

engineContract('lsm', (directory) => openLsm({ directory }));
engineContract('lsm, tiny levels', (directory) => openLsm({ directory, config: TINY }));

it('does not call deleted bytes removed while a range that began meanwhile reads the old tables', async () => {
  const directory = join(memoryFolder('lsm'), 'store');
  mkdirSync(directory);
  const engine = await openLsm({ directory });
  await engine.commit([put('a', '1'), put('b', '2')], DURABLE);
  await engine.settle();
  const scrubbed = engine.scrub();
  const range = engine.range();
  range.next();
  await expect(scrubbed).rejects.toMatchObject({ code: 'STORAGE_BUSY' });
  range.return?.();
  await engine.scrub();
  await engine.close();
});
