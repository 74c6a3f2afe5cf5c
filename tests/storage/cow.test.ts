/** The engine contract on `cow`, with large nodes and with the smallest ones. */
import { openCow } from '../../src/storage/cow/engine.ts';
import { nodeDisk } from '../../src/storage/node-disk.ts';
import { engineContract } from './engine-contract.ts';

engineContract('cow', (directory) => openCow({ directory, disk: nodeDisk, config: {} }));

engineContract('cow, low memory', (directory) => {
  const config = { max_keys_per_node: 32, wal_buffer_size: 65_536, cache_bytes: 1_048_576 };
  return openCow({ directory, disk: nodeDisk, config });
});
