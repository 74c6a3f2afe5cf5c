/** The changes of a run to files, as far as its own tool calls show them: removed and added lines. */
import type { Json } from '../api.ts';
import { objectOf } from '../lib/json.ts';
import type { Item } from './fold.ts';

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed' | 'gap';
  readonly text: string;
}

export interface FileChange {
  readonly path: string;
  /** Null if the run did not know the previous content. */
  readonly before: string | null;
  readonly after: string;
}

const CELLS_MAX = 4_000_000;
const CONTEXT_LINES = 3;

/** The change of each successful call of `write_file` and `edit_file`, by the position of the call. */
export function changesOf(items: readonly Item[]): ReadonlyMap<number, FileChange> {
  const contents = new Map<string, string>();
  const changes = new Map<number, FileChange>();
  for (const item of items) {
    if (item.kind !== 'tool' || item.state !== 'ok') continue;
    const change = changeOf(item.name, item.input, contents);
    if (change === undefined) continue;
    changes.set(item.position, change);
    if (item.name === 'write_file' || contents.has(change.path)) contents.set(change.path, change.after);
  }
  return changes;
}

/**
 * The change that one call makes. A file of known content, which the run wrote before, is compared with it; for an edit of
 * another file only the replaced text is known.
 */
export function changeOf(
  name: string,
  input: Json,
  contents: ReadonlyMap<string, string> = new Map(),
): FileChange | undefined {
  const { path, content, old_string, new_string, replace_all } = objectOf(input);
  if (typeof path !== 'string') return undefined;
  const known = contents.get(path);
  if (name === 'write_file' && typeof content === 'string') return { path, before: known ?? null, after: content };
  if (name !== 'edit_file' || typeof old_string !== 'string' || typeof new_string !== 'string') return undefined;
  if (known === undefined) return { path, before: old_string, after: new_string };
  const after =
    replace_all === true ? known.split(old_string).join(new_string) : replaceOnce(known, old_string, new_string);
  return { path, before: known, after };
}

/** A function, because `String.replace` interprets `$&` in a string. */
function replaceOnce(text: string, from: string, to: string): string {
  const at = text.indexOf(from);
  return at < 0 ? text : text.slice(0, at) + to + text.slice(at + from.length);
}

/** The lines of a change with a little context. */
export function diffLines({ before, after }: Pick<FileChange, 'before' | 'after'>): readonly DiffLine[] {
  const old = before === null ? [] : linesOf(before);
  return withContext(compare(old, linesOf(after)));
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function compare(old: readonly string[], young: readonly string[]): DiffLine[] {
  let head = 0;
  while (head < old.length && head < young.length && old[head] === young[head]) head += 1;
  let tail = 0;
  const limit = Math.min(old.length, young.length) - head;
  while (tail < limit && old[old.length - 1 - tail] === young[young.length - 1 - tail]) tail += 1;
  const same = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ kind: 'same', text }));
  const middle = middleOf(old.slice(head, old.length - tail), young.slice(head, young.length - tail));
  return [...same(old.slice(0, head)), ...middle, ...same(old.slice(old.length - tail))];
}

/** By the longest common subsequence; for two very long parts, all lines are removed and added. */
function middleOf(old: readonly string[], young: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: 'removed', text });
  const added = (text: string): DiffLine => ({ kind: 'added', text });
  if (old.length * young.length > CELLS_MAX) return [...old.map(removed), ...young.map(added)];
  const width = young.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = young.length - 1; j >= 0; j -= 1) {
      const down = lengths[(i + 1) * width + j]!;
      const right = lengths[i * width + j + 1]!;
      lengths[i * width + j] = old[i] === young[j] ? lengths[(i + 1) * width + j + 1]! + 1 : Math.max(down, right);
    }
  }
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < young.length) {
    if (i < old.length && j < young.length && old[i] === young[j]) {
      lines.push({ kind: 'same', text: old[i]! });
      i += 1;
      j += 1;
    } else if (j >= young.length || (i < old.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)) {
      lines.push(removed(old[i]!));
      i += 1;
    } else {
      lines.push(added(young[j]!));
      j += 1;
    }
  }
  return lines;
}

function withContext(lines: readonly DiffLine[]): DiffLine[] {
  const isNear = new Uint8Array(lines.length);
  for (const [index, { kind }] of lines.entries()) {
    if (kind === 'same') continue;
    isNear.fill(1, Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1);
  }
  const shown: DiffLine[] = [];
  for (const [index, line] of lines.entries()) {
    if (isNear[index] === 1) shown.push(line);
    else if (shown.at(-1)?.kind !== 'gap') shown.push({ kind: 'gap', text: '' });
  }
  return shown;
}
