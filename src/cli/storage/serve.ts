/**
 * `daybook storage serve`: holds a store open and serves its operations interface, without the daemon around it.
 *
 * - Whoever reads the discovery files in the data directory (its owner) can ask it for backups and the like, over a
 *   second loopback port with a bearer token.
 */

import { writeDiscovery } from '../../discovery.ts';
import { isLocalHost } from '../../http/door.ts';
import { systemAmbient } from '../../integrations/ambient/system.ts';
import { openStorage } from '../../storage/open.ts';
import { createStorageOps } from '../../storage/ops/ops.ts';
import { whole } from '../numbers.ts';
import { version } from '../version.ts';
import { serveControl } from './control-server.ts';
import { type PlaceOptions, placeOf } from './place.ts';

const PORT_DEFAULT = '8080';

export async function serve(options: PlaceOptions & { readonly port?: string }): Promise<void> {
  const given = options.port ?? (process.env.DAYBOOK_STORAGE_OPS_PORT || PORT_DEFAULT);
  const port = given === 'off' ? 0 : whole(given, '--port');
  const { directory, home, config, backend } = placeOf(options);
  const report = (line: string): void => void process.stderr.write(`${line}\n`);
  const storage = await openStorage({ directory, config: config.engines, ...(backend !== undefined && { backend }) });
  const ops = createStorageOps({
    storage,
    place: { directory, home },
    config,
    port,
    version: version(),
    admitsHost: isLocalHost,
    views: () => null,
    report,
  });
  await ops.start();
  const token = systemAmbient.hex(16);
  const control = await serveControl(ops.control, token);
  const discovery = writeDiscovery(directory);
  discovery.write({ token, host: '127.0.0.1', port: control.port, startedAt: systemAmbient.now() });
  report(`serving ${directory} (${storage.backend})`);
  if (ops.port() !== null) report(`listening http://127.0.0.1:${ops.port()}`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
  discovery.remove();
  await control.close();
  await ops.stop();
  await storage.close();
}
