/** Process that reports which files of a workspace changed between two walks: at its start and on request. */
import { lstatSync } from 'node:fs';
import { receiveJob, tellStarter } from '../../lib/bounded-process.ts';
import { type WalkRequest, walkFiles } from './walk.ts';

export interface ChangesJob {
  readonly walk: WalkRequest;
  readonly filesMax: number;
}

/** `ready` after the first walk. After the second the changed files, null when there are too many files to tell. */
export type ChangesMessage = 'ready' | { readonly changed: readonly string[] | null };

const job = await receiveJob<ChangesJob>();
const before = look(job);
process.once('message', () => {
  const after = before === undefined ? undefined : look(job);
  post({ changed: before === undefined || after === undefined ? null : differences(before, after) });
});
post('ready');

function post(message: ChangesMessage): void {
  tellStarter(message);
}

/** Fingerprints of files. Every change of a file changes its ctime, which programs cannot set. */
function look({ walk, filesMax }: ChangesJob): ReadonlyMap<string, string> | undefined {
  const marks = new Map<string, string>();
  for (const file of walkFiles(walk)) {
    if (marks.size === filesMax) return undefined;
    const stats = lstatSync(file.at, { bigint: true, throwIfNoEntry: false });
    if (stats?.isFile()) marks.set(file.path, `${stats.ino}:${stats.size}:${stats.ctimeNs}`);
  }
  return marks;
}

function differences(old: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): readonly string[] {
  const gone = [...old.keys()].filter((path) => !now.has(path));
  const written = [...now].filter(([path, mark]) => old.get(path) !== mark).map(([path]) => path);
  return [...gone, ...written].sort();
}
