/**
 * `daybook storage serve`: keeps a store open and serves its operations interface, without the daemon.
 *
 * - A second loopback port with a bearer token takes requests for operations such as backups. Port and token are in the
 *   discovery files in the data directory, which only their owner can read.
 */
import { writeDiscovery } from '../../discovery.ts';
import { isLocalHost } from '../../host-names.ts';
import { systemClock, systemIds } from '../../integrations/system.ts';
import { openStorage } from '../../storage/open.ts';
import { createStorageOps } from '../../storage/ops/ops.ts';
import { startStorageServer } from '../../storage-server.ts';
import { VERSION } from '../../version.ts';
import { UsageError } from '../errors.ts';
import { onStopRequest } from '../interrupt.ts';
import { locateStore, type StoreOptions } from './store-location.ts';

const PORT_DEFAULT = '8080';
const PORT_MAX = 65_535;

export async function serve(options: StoreOptions & { readonly port?: string }): Promise<void> {
  const port = portOf(options.port);
  const { directory, home, config, backend } = locateStore(options);
  const report = (line: string): void => void process.stderr.write(`${line}\n`);
  await using storage = await openStorage({
    directory,
    config: config.engines,
    reserveBytes: config.diskReserveBytes,
    ...(backend !== undefined && { backend }),
  });
  const ops = createStorageOps({
    storage,
    place: { directory, home },
    config,
    port,
    version: VERSION,
    admitsHost: isLocalHost,
    views: () => null,
    report,
  });
  await ops.start();
  if (port !== null && ops.port() === null) {
    await ops.stop();
    throw new UsageError(`There is nothing to serve without port ${port}; choose another --port, or off.`);
  }
  const token = systemIds.hex(16);
  const { log, control } = ops;
  const server = await startStorageServer({ log, control, token, clock: systemClock, ids: systemIds, report });
  const stopped = new Promise<void>(onStopRequest);
  const discovery = writeDiscovery(directory);
  discovery.write({ token, host: '127.0.0.1', port: server.port, startedAt: systemClock.now() });
  report(`serving ${directory} (${storage.backend})`);
  if (ops.port() !== null) report(`listening http://127.0.0.1:${ops.port()}`);
  await stopped;
  discovery.remove();
  await server.close();
  await ops.stop();
}

/** The port of the operations interface; null for off. */
function portOf(flag: string | undefined): number | null {
  const variable = process.env.DAYBOOK_STORAGE_OPS_PORT || undefined;
  const text = flag ?? variable ?? PORT_DEFAULT;
  if (text === 'off' || text === '0') return null;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= PORT_MAX) return port;
  const source = flag === undefined ? 'DAYBOOK_STORAGE_OPS_PORT' : '--port';
  throw new UsageError(`${source} must be off or a whole number from 0 to ${PORT_MAX}; it is '${text}'.`);
}
