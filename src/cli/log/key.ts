/** `daybook log key`: prints the verifier key of the log, or replaces the key. */
import { homeOf, loadConfig } from '../../config/load.ts';
import { readDiscovery } from '../../discovery.ts';
import { logKeyPath, readPublicKeys } from '../../integrations/tlog/log-keys.ts';
import { originOf, vkeyOf } from '../../reactors/tlog/log-keys.ts';
import { createClient } from '../client.ts';
import { CommandError } from '../errors.ts';
import type { AnswerOptions } from '../options.ts';
import { withLog } from '../temporary-daemon.ts';
import { print, printJson } from '../text.ts';

/** Asks the running daemon; without one, reads the public part of the key file. */
export async function printKey(options: AnswerOptions): Promise<void> {
  const home = homeOf(process.env, options);
  if (readDiscovery(home) !== null) {
    const { vkey } = await createClient(home).api.tlog.key();
    return show(vkey, options);
  }
  const config = loadConfig(process.env, { home }, process.cwd());
  const keys = await readPublicKeys(logKeyPath(config));
  if (keys === null) throw new CommandError('The log has no key yet; the first start of the daemon makes it.');
  await show(vkeyOf(originOf(keys.logId, config.log_origin), { publicKey: keys.log }), options);
}

export async function rotateKey(options: AnswerOptions): Promise<void> {
  await withLog(options, async ({ api }) => {
    const { vkey } = await api.tlog.rotateKey();
    await show(vkey, options);
  });
}

function show(vkey: string, { json }: AnswerOptions): Promise<void> {
  return json === true ? printJson({ vkey }) : print(`${vkey}\n`);
}
