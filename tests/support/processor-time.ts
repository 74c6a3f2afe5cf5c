/** The processor time of this process and of its children, ended ones too. Linux only: read from `/proc` (proc(5)). */
import { readdirSync, readFileSync } from 'node:fs';

/** Seconds of processor time in user and kernel mode since this process began. */
export function processorSeconds(): number {
  const parents = new Map<number, number>();
  const ticks = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(name) : null;
    if (stat === null) continue;
    parents.set(Number(name), stat.parent);
    ticks.set(Number(name), stat.ticks);
  }
  const descends = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === process.pid || descends(parents.get(pid)));
  return [...ticks].reduce((sum, [pid, own]) => sum + (descends(pid) ? own : 0), 0) / TICKS_PER_SECOND;
}

/** USER_HZ, which is 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** Null when the process has ended. */
function statOf(pid: string): { parent: number; ticks: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program is in parentheses and may hold spaces. After it: state, parent, …; fields 14 to 17 are the times.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return { parent: fields[1]!, ticks: fields.slice(11, 15).reduce((sum, each) => sum + each, 0) };
  } catch {
    return null;
  }
}
