/**
 * The commit graph of a history: the commits that a commit reaches, and the commits between two.
 *
 * - Walks visit children before their parents, whatever their times are.
 * - There is one graph per history. It caches its answers, up to a number of commits proportional to the history.
 */
import { type History, MERGE } from '../../ports/git.ts';

export interface Graph {
  /** Non-merge commits that HEAD reaches, in order of their committer times. */
  readonly headCommits: readonly number[];
  /** Merge commits that a commit reaches, in order of their committer times. */
  merges(from: number): readonly number[];
  /** What `git rev-list from..to --no-merges` lists; with null for `from`, every ancestor of `to`. */
  between(from: number | null, to: number): readonly number[];
  /** The same commits, parents before their children. */
  parentsFirst(commits: readonly number[]): readonly number[];
}

const CACHED_PER_COMMIT = 4;

const graphs = new WeakMap<History, Graph>();

export function graphOf(history: History): Graph {
  const existing = graphs.get(history);
  if (existing !== undefined) return existing;
  const graph = createGraph(history);
  graphs.set(history, graph);
  return graph;
}

function createGraph(history: History): Graph {
  const order = childrenFirst(history);
  const position = new Int32Array(history.count);
  for (const [at, commit] of order.entries()) position[commit] = at;
  const ordered: Ordered = { history, order, position };
  const isMerge = (commit: number): boolean => (history.traits[commit]! & MERGE) !== 0;
  const cached = createCache(CACHED_PER_COMMIT * history.count);
  const byTime = (left: number, right: number): number =>
    history.committed[left]! - history.committed[right]! || position[right]! - position[left]!;
  const reached = (from: number): readonly number[] => (from < 0 ? [] : onlyIn(ordered, { to: from, from: null }));
  return {
    headCommits: reached(history.head)
      .filter((commit) => !isMerge(commit))
      .sort(byTime),
    merges: (from) => cached(`merges ${from}`, () => reached(from).filter(isMerge).sort(byTime)),
    between: (from, to) =>
      cached(`${from} ${to}`, () => onlyIn(ordered, { to, from }).filter((commit) => !isMerge(commit))),
    parentsFirst: (commits) => [...commits].sort((left, right) => position[right]! - position[left]!),
  };
}

/** Caches answers until together they hold more commits than this; then the cache is emptied. */
function createCache(commitsMax: number) {
  const answers = new Map<string, readonly number[]>();
  let commits = 0;
  return (key: string, work: () => readonly number[]): readonly number[] => {
    const earlier = answers.get(key);
    if (earlier !== undefined) return earlier;
    const answer = work();
    commits += answer.length;
    if (commits > commitsMax) {
      answers.clear();
      commits = answer.length;
    }
    answers.set(key, answer);
    return answer;
  };
}

interface Ordered {
  readonly history: History;
  readonly order: Int32Array;
  /** The index of a commit in `order`. */
  readonly position: Int32Array;
}

interface Range {
  readonly from: number | null;
  readonly to: number;
}

const IN_TO = 1;
const IN_FROM = 2;

/**
 * Commits that are reachable from `to` but not from `from`. Stops when every unvisited commit is reachable from `from`.
 */
function onlyIn({ history, order, position }: Ordered, { from, to }: Range): readonly number[] {
  const { parentStart, parents } = history;
  const marks = new Uint8Array(history.count);
  const reached: number[] = [];
  marks[to] = IN_TO;
  if (from !== null) marks[from]! |= IN_FROM;
  let open = marks[to] === IN_TO ? 1 : 0;
  for (let at = Math.min(position[to]!, position[from ?? to]!); open > 0; at += 1) {
    const commit = order[at]!;
    const mark = marks[commit]!;
    if (mark === 0) continue;
    if (mark === IN_TO) {
      reached.push(commit);
      open -= 1;
    }
    for (let edge = parentStart[commit]!; edge < parentStart[commit + 1]!; edge += 1) {
      const parent = parents[edge]!;
      const before = marks[parent]!;
      const after = before | mark;
      if (after === before) continue;
      marks[parent] = after;
      if (after === IN_TO) open += 1;
      else if (before === IN_TO) open -= 1;
    }
  }
  return reached;
}

function childrenFirst({ count, parentStart, parents }: History): Int32Array {
  const children = new Int32Array(count);
  for (const parent of parents) children[parent]! += 1;
  const order = new Int32Array(count);
  let end = 0;
  for (let commit = 0; commit < count; commit += 1) if (children[commit] === 0) order[end++] = commit;
  for (let at = 0; at < end; at += 1) {
    const commit = order[at]!;
    for (let edge = parentStart[commit]!; edge < parentStart[commit + 1]!; edge += 1) {
      const parent = parents[edge]!;
      children[parent]! -= 1;
      if (children[parent] === 0) order[end++] = parent;
    }
  }
  return order;
}
