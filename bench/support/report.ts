/** The result table, for the terminal and for the results file. */
import { execFileSync } from 'node:child_process';
import { cpus, release, totalmem } from 'node:os';

export interface Row {
  readonly name: string;
  readonly ours: string;
  readonly peer: string;
  readonly ratio: string;
  readonly goal: string;
  /** null: printed, not judged. */
  readonly met: boolean | null;
}

export function thousands(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

export function table(rows: readonly Row[]): string {
  const cells = [
    ['measure', 'Daybook', 'bare', 'ratio', 'goal', 'met'],
    ['---', '---', '---', '---', '---', '---'],
    ...rows.map(({ name, ours, peer, ratio, goal, met }) => [
      name,
      ours,
      peer,
      ratio,
      goal,
      met === null ? '' : met ? 'yes' : '**no**',
    ]),
  ];
  return cells.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** Machine, date and commit, one line each. */
export function circumstances(): string {
  const processor = cpus()[0]?.model ?? 'unknown processor';
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain', '--', 'src') === '' ? '' : ', with uncommitted changes';
  return [
    `- machine: ${cpus().length} × ${processor}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}`,
    `- node ${process.version}, ${new Date().toISOString().slice(0, 10)}, commit ${git('rev-parse', '--short', 'HEAD')}${changed}`,
  ].join('\n');
}
