/**
 * `daybook log rebuild`: a running daemon rebuilds its views; without one they are deleted, and the next start does it.
 */
import { join } from 'node:path';
import { homeOf } from '../../config/load.ts';
import { readDiscovery } from '../../discovery.ts';
import { removeViews } from '../../projections/views.ts';
import { openStorage } from '../../storage/open.ts';
import { createClient } from '../client.ts';
import type { AnswerOptions } from '../options.ts';
import { locateStore } from '../storage/store-location.ts';
import { requireLog } from '../temporary-daemon.ts';
import { counted, duration, print, printJson } from '../text.ts';

export async function rebuild(options: AnswerOptions): Promise<void> {
  const home = homeOf(process.env, options);
  if (readDiscovery(home) === null) {
    await deleteViews(home);
    if (options.json === true) return printJson({ rebuilt: false });
    return print('The views are deleted; the daemon folds them again from the log when it starts.\n');
  }
  const { position, seconds } = await createClient(home).api.log.rebuildViews();
  if (options.json === true) return printJson({ rebuilt: true, position, seconds });
  await print(`The views are rebuilt from ${counted(position, 'event')} in ${duration(seconds * 1_000)}.\n`);
}

/** Holds the lock of the log, so that no daemon uses the views meanwhile. */
async function deleteViews(home: string): Promise<void> {
  requireLog(home);
  const { directory, config } = locateStore({ home });
  await using _locked = await openStorage({ directory, config: config.engines });
  removeViewFiles(home);
}

/** The caller must hold the lock of the log. */
export function removeViewFiles(home: string): void {
  removeViews(join(home, 'views.db'));
}
