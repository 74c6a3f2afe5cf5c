/**
 * `daybook log rebuild`: a running daemon rebuilds its views; without one they are deleted, and the next start does it.
 */
import { join } from 'node:path';
import { homeOf } from '../../config/load.ts';
import { readDiscovery } from '../../discovery.ts';
import { removeViews } from '../../projections/views.ts';
import { createClient } from '../client.ts';
import { counted, duration } from '../text.ts';
import { openDataDirectory } from './source.ts';

export async function rebuild(options: { readonly home?: string; readonly json?: boolean }): Promise<void> {
  const home = homeOf(process.env, options);
  const show = (result: object, text: string): void => {
    process.stdout.write(options.json === true ? `${JSON.stringify(result)}\n` : `${text}\n`);
  };
  if (readDiscovery(home) === null) {
    await deleteViews(home);
    show({ rebuilt: false }, 'The views are deleted; the daemon folds them again from the log when it starts.');
    return;
  }
  const { position, seconds } = await createClient(home).api.log.rebuildViews();
  const text = `The views are rebuilt from ${counted(position, 'event')} in ${duration(seconds * 1_000)}.`;
  show({ rebuilt: true, position, seconds }, text);
}

/** Holds the lock of the log, so that no daemon uses the views meanwhile. */
async function deleteViews(home: string): Promise<void> {
  await using _locked = await openDataDirectory(home);
  removeViewFiles(home);
}

/** The caller must hold the lock of the log. */
export function removeViewFiles(home: string): void {
  removeViews(join(home, 'views.db'));
}
