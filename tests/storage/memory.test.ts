import { openMemoryEngine } from '../../src/storage/memory-engine.ts';
import { engineContract } from './engine-contract.ts';

engineContract('memory', async () => openMemoryEngine(), { isPersistent: false });
