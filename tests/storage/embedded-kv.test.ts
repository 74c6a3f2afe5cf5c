import { mkdirSync } from 'node:fs';
import { openEmbeddedKv } from '../../src/storage/embedded-kv/engine.ts';
import { engineContract } from './engine-contract.ts';

engineContract('embedded_kv', async (directory) => {
  mkdirSync(directory, { recursive: true });
  return openEmbeddedKv({ directory });
});
