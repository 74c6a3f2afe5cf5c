/**
 * Implements `ForgePort`: fetches the diff from the URL that the delivery names, else from a clone, from allowed hosts
 * only.
 */
import { join } from 'node:path';
import { createScratchFolders } from '../../lib/scratch-folders.ts';
import { ForgeError, type ForgePort, type PullRequestDiff } from '../../ports/forge.ts';
import { type CloneSettings, cloneDiff } from './git-diff.ts';
import { createForgeHosts } from './hosts.ts';
import { type FetchedDiff, fetchDiff } from './http-diff.ts';

export interface ForgeSettings extends CloneSettings {
  /** The setting `forge_hosts`. */
  readonly hosts: readonly string[];
}

export function createForge(settings: ForgeSettings): ForgePort {
  const hosts = createForgeHosts(settings.hosts);
  const folders = createScratchFolders(join(settings.home, 'forge'));

  return {
    async diff(request, signal): Promise<PullRequestDiff> {
      const fetched = await orFault(fetchDiff(hosts, request.diff_url, signal).then(requireDiff));
      if (!(fetched instanceof ForgeError)) return { ...fetched, source: 'diff_url' };
      const cloned = await orFault(cloneDiff(hosts, { request, settings, folders }, signal));
      if (!(cloned instanceof ForgeError)) return { ...cloned, source: 'git' };
      throw new ForgeError(`There is no diff. By its URL: ${fetched.message} By git: ${cloned.message}`);
    },
  };
}

/** Throws for a page that is not a diff. An empty answer is an empty diff. */
function requireDiff(fetched: FetchedDiff): FetchedDiff {
  if (fetched.text.trim() === '' || /^(?:diff --git |--- )/m.test(fetched.text)) return fetched;
  throw new ForgeError('What came from it is no diff.');
}

function orFault<Value>(work: Promise<Value>): Promise<Value | ForgeError> {
  return work.catch((error: unknown) => {
    if (error instanceof ForgeError) return error;
    throw error;
  });
}
