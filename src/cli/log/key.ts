/** `daybook log key`: prints the verifier key of the log, or replaces the key. */
import { homeOf, loadConfig } from '../../config/load.ts';
import { readDiscovery } from '../../discovery.ts';
import { logKeyPath, readPublicKeys } from '../../integrations/tlog/log-keys.ts';
import { originOf, vkeyOf } from '../../reactors/tlog/log-keys.ts';
import { createClient } from '../client.ts';
import { CommandError } from '../errors.ts';
import { withLog } from '../temporary-daemon.ts';
import { print } from '../text.ts';

interface KeyOptions {
  readonly home?: string;
}

/** Asks the running daemon; without one, reads the public part of the key file. */
export async function printKey(options: KeyOptions): Promise<void> {
  const home = homeOf(process.env, options);
  if (readDiscovery(home) !== null) {
    const { vkey } = await createClient(home).api.tlog.key();
    return print(`${vkey}\n`);
  }
  const config = loadConfig(process.env, { home }, process.cwd());
  const keys = await readPublicKeys(logKeyPath(config));
  if (keys === null) throw new CommandError('The log has no key yet; the first start of the daemon makes it.');
  await print(`${vkeyOf(originOf(keys.logId, config.log_origin), { publicKey: keys.log })}\n`);
}

export async function rotateKey(options: KeyOptions): Promise<void> {
  await withLog(options, async ({ api }) => {
    const { vkey } = await api.tlog.rotateKey();
    await print(`${vkey}\n`);
  });
}
