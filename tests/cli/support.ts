/** Runs the program on a home, and waits for its output. */
import { type Program, type ProgramEnd, runProgramHere, startProgram } from '../support/program.ts';

const WAIT_MS = 20_000;

export interface Cli extends Program {
  /** Waits until standard output holds the text. */
  says(text: string): Promise<void>;
}

export interface CliOptions {
  readonly home: string;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export function startCli(words: readonly string[], { home, cwd = home, env = {} }: CliOptions): Cli {
  const program = startProgram(words, { cwd, env: { HOME: home, ...env, DAYBOOK_HOME: home } });
  program.process.stdin.end();
  return {
    ...program,
    async says(text) {
      const deadline = Date.now() + WAIT_MS;
      while (!program.stdout().includes(text)) {
        if (Date.now() > deadline || program.process.exitCode !== null) {
          throw new Error(`It never said "${text}":\n${program.stdout()}\n${(await program.ended).stderr}`);
        }
        await new Promise((go) => setTimeout(go, 20));
      }
    },
  };
}

export function cli(words: readonly string[], options: CliOptions): Promise<ProgramEnd> {
  return startCli(words, options).ended;
}

/** `cli` without a process of its own; see `runProgramHere`. */
export function cliHere(
  words: readonly string[],
  { home, cwd = home, env = {}, input = '' }: CliOptions & { readonly input?: string | Uint8Array },
): Promise<ProgramEnd> {
  return runProgramHere(words, { cwd, env: { HOME: home, ...env, DAYBOOK_HOME: home }, input });
}

export function jsonLines<Value>(text: string): Value[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Value);
}
