/** Runs `daybook storage …` as a script would, and other helpers of the operations tests. */
import { type ProgramEnd, runProgram, runProgramHere, startProgram } from '../support/program.ts';

export interface RunOptions {
  readonly input?: string | Uint8Array;
  readonly env?: NodeJS.ProcessEnv;
}

/** A home that does not exist, so that no command finds the home of the person that runs the tests. */
const ENV = { HOME: '/nonexistent', DAYBOOK_HOME: '/nonexistent/daybook' };

export function startDaybook(words: readonly string[], { env }: Pick<RunOptions, 'env'> = {}) {
  return startProgram(words, { env: { ...ENV, ...env } }).process;
}

export function daybook(words: readonly string[], { env, ...options }: RunOptions = {}): Promise<ProgramEnd> {
  return runProgram(words, { ...options, env: { ...ENV, ...env } });
}

export function daybookHere(words: readonly string[], { env, ...options }: RunOptions = {}): Promise<ProgramEnd> {
  return runProgramHere(words, { ...options, env: { ...ENV, ...env } });
}

/** `daybook storage <words> --data-dir <directory>` in this process. */
export function storageHereOn(directory: string) {
  return (words: readonly string[], options?: RunOptions): Promise<ProgramEnd> =>
    daybookHere(['storage', ...words, '--data-dir', directory], options);
}

/** `daybook storage <words> --data-dir <directory>`. */
export function storageOn(directory: string) {
  return (words: readonly string[], options?: RunOptions): Promise<ProgramEnd> =>
    daybook(['storage', ...words, '--data-dir', directory], options);
}

export function lines(count: number, stream = 's'): string {
  return Array.from(
    { length: count },
    (_, index) => `${JSON.stringify({ stream, type: 'ThingHappened', data: { number: index + 1 } })}\n`,
  ).join('');
}
