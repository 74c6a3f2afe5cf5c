/** The contract of the event log on PostgreSQL; each handle has its own copy, in memory. */
import { openPostgresStorage } from '../../../src/storage/postgres/open.ts';
import type { LogPlace } from '../../../src/testing/event-log-contract.ts';
import { cuttingProxy } from '../../support/cutting-proxy.ts';
import { type Cluster, withPostgres } from '../../support/postgres.ts';
import { testContract } from '../event-log-contract.ts';

withPostgres('a cluster', (cluster) => {
  testContract('the event log on PostgreSQL', () => placeIn(cluster()), {
    persistent: true,
    shared: true,
    crashes: true,
  });
});

async function placeIn(cluster: Cluster): Promise<LogPlace> {
  const url = await cluster.newLog();
  return {
    open: () => openPostgresStorage({ url, directory: '', ephemeral: true }),
    openCrashing: async (steps) => {
      const proxy = await cuttingProxy(cluster.port);
      proxy.cutAfter(steps);
      const proxied = `${url.replace(String(cluster.port), String(proxy.port))}&patience_ms=0&poll_ms=60000`;
      try {
        const { log, close } = await openPostgresStorage({ url: proxied, directory: '', ephemeral: true });
        return {
          log,
          get isCrashed() {
            return proxy.isCut;
          },
          close: async () => {
            await close();
            await proxy.close();
          },
        };
      } catch (error) {
        await proxy.close();
        throw error;
      }
    },
    // The cluster goes as a whole.
    remove: async () => {},
  };
}
