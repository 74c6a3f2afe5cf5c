/**
 * Worker thread that tells which files of a workspace changed between two looks at it: the first when it starts, the
 * second when it is asked.
 */
import { lstatSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { type WalkRequest, walkFiles } from './walk.ts';

export interface ChangesJob {
  readonly walk: WalkRequest;
  readonly filesMax: number;
}

/** After the first look `ready`; after the second what changed, `null` when there are too many files to say. */
export type ChangesMessage = 'ready' | { readonly changed: readonly string[] | null };

const job = workerData as ChangesJob;
const before = look(job);
parentPort?.once('message', () => {
  const after = before === undefined ? undefined : look(job);
  post({ changed: before === undefined || after === undefined ? null : differences(before, after) });
});
post('ready');

function post(message: ChangesMessage): void {
  parentPort?.postMessage(message);
}

/** A mark for each file that is different after every way of changing it: Linux sets the change time by itself. */
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
