/** Logs on PostgreSQL for tests: each closes when the test ends. */
import { onTestFinished } from 'vitest';
import type { Storage } from '../../../src/storage/open.ts';
import { openPostgresStorage, type PostgresStorageOptions } from '../../../src/storage/postgres/open.ts';
import { type CuttingProxy, cuttingProxy } from '../../support/cutting-proxy.ts';
import type { Cluster } from '../../support/postgres.ts';

/** A log whose copy is in memory, unless a folder is given. */
export async function openLog(url: string, options: Partial<PostgresStorageOptions> = {}): Promise<Storage> {
  const ephemeral = options.directory === undefined;
  const storage = await openPostgresStorage({ directory: '', ephemeral, ...options, url });
  onTestFinished(() => storage.close());
  return storage;
}

/** A proxy before the cluster, and the address of a log by way of it. */
export async function behindProxy(cluster: Cluster, url: string): Promise<{ proxy: CuttingProxy; proxied: string }> {
  const proxy = await cuttingProxy(cluster.port);
  onTestFinished(() => proxy.close());
  return { proxy, proxied: url.replace(`:${cluster.port}/`, `:${proxy.port}/`) };
}

/** The schema in an address. */
export function schemaOf(url: string): string {
  return new URL(url).searchParams.get('schema')!;
}

/** Removes the events after a position from the database, as the restore of an older backup does. */
export async function rollBackTo(
  position: number,
  { cluster, schema }: { readonly cluster: Cluster; readonly schema: string },
): Promise<void> {
  await cluster.query(`ALTER TABLE ${schema}.events DISABLE TRIGGER ALL`);
  await cluster.query(`UPDATE ${schema}.head SET position = $1, tree = (SELECT leaf FROM ${schema}.events LIMIT 1)`, [
    position,
  ]);
  await cluster.query(`DELETE FROM ${schema}.events WHERE position > $1`, [position]);
  await cluster.query(`ALTER TABLE ${schema}.events ENABLE TRIGGER ALL`);
}
