/** Runs the program on a pseudo-terminal. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { PROGRAM, type ProgramOptions } from './program.ts';

/** Whether this machine has the program `script`, which makes the terminal. */
export const hasTerminal = process.platform === 'linux' && spawnSync('script', ['--version']).error === undefined;

export interface OnTerminal {
  /** The output so far, including escape sequences. */
  shown(): string;
  /** Types text on the terminal. */
  type(text: string): void;
  /** The exit code. */
  readonly ended: Promise<number>;
}

export function startOnTerminal(words: readonly string[], { env, ...options }: ProgramOptions): OnTerminal {
  // `exec` replaces the shell, which Ctrl-C would otherwise end with its own exit code.
  const line = `exec ${[process.execPath, PROGRAM, ...words].map(quoted).join(' ')}`;
  const given = { PATH: process.env.PATH, TERM: 'xterm', ...env };
  const terminal = spawn('script', ['-qefc', line, '/dev/null'], { ...options, env: given });
  let shown = '';
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  return {
    shown: () => shown,
    type: (text) => void terminal.stdin.write(text),
    ended: once(terminal, 'close').then(([code]) => code as number),
  };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
