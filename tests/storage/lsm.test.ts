/**
 * The engine contract on `lsm`: with default settings, and with settings so small that every commit causes flushes and
 * compactions.
 */
import { openLsm } from '../../src/storage/lsm/engine.ts';
import { engineContract } from './engine-contract.ts';
import { TINY } from './lsm-helpers.ts';

engineContract('lsm', (directory) => openLsm({ directory }));
engineContract('lsm, tiny levels', (directory) => openLsm({ directory, config: TINY }));
