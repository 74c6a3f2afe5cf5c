import { openMemory } from '../../src/storage/memory.ts';
import { engineContract } from './engine-contract.ts';

engineContract('memory', async () => openMemory(), { isPersistent: false });
