/**
 * The engine contract on `lsm`: as it is set by default, and so small that every commit meets flushes and
 * compactions.
 */
import { openLsm } from '../../src/storage/lsm/engine.ts';
import { engineContract } from './engine-contract.ts';
import { TINY } from './lsm-helpers.ts';

engineContract('lsm', (directory) => openLsm({ directory }));
engineContract('lsm, tiny levels', (directory) => openLsm({ directory, config: TINY }));
