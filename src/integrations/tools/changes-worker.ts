/** A process that reports which files of a workspace changed between two walks: one at its start, one on request. */
import { type BigIntStats, lstatSync } from 'node:fs';
import { receiveJob, tellStarter } from '../../lib/bounded-process.ts';
import { keepCompiledCode } from '../../lib/compiled-code.ts';
import { type WalkRequest, walkFiles } from './walk.ts';

export interface ChangesJob {
  readonly walk: WalkRequest;
  readonly filesMax: number;
}

/** `ready` after the first walk; the changed files after the second, null when the workspace has too many files. */
export type ChangesMessage = 'ready' | { readonly changed: readonly string[] | null };

const job = await receiveJob<ChangesJob>();
const before = fingerprints(job);
process.once('message', () => {
  const after = before === undefined ? undefined : fingerprints(job);
  post({ changed: before === undefined || after === undefined ? null : differences(before, after) });
});
post('ready');
keepCompiledCode();

function post(message: ChangesMessage): void {
  tellStarter(message);
}

/** Fingerprints by path; undefined for too many files. Every change sets the ctime of a file, which programs cannot. */
function fingerprints({ walk, filesMax }: ChangesJob): ReadonlyMap<string, string> | undefined {
  const byPath = new Map<string, string>();
  for (const file of walkFiles({ ...walk, withLinks: true })) {
    if (byPath.size === filesMax) return undefined;
    const stats = statsOf(file.at);
    if (stats !== undefined) byPath.set(file.path, `${stats.ino}:${stats.size}:${stats.ctimeNs}`);
  }
  return byPath;
}

/** Undefined for a file that is gone, or in a folder that may be listed but not entered. */
function statsOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}

function differences(old: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): readonly string[] {
  const deleted = [...old.keys()].filter((path) => !now.has(path));
  const written = [...now].filter(([path, fingerprint]) => old.get(path) !== fingerprint).map(([path]) => path);
  return [...deleted, ...written].sort();
}
