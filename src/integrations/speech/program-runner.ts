/**
 * Finds and runs the programs that speak or transcribe.
 *
 * - Each run has its own marker and folder; when it settles, none of its processes and files is left.
 * - Folders of a killed daemon are removed before the first run.
 */
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { isProgram, pathFolders } from '../../lib/programs.ts';
import { createScratchFolders } from '../../lib/scratch-folders.ts';
import { SpeechUnavailable } from '../../ports/speech.ts';
import { callMarker } from '../tools/marker.ts';
import { runProcess, scrubbedEnvironment } from '../tools/process.ts';

export interface ProgramRunner {
  /** Absolute path of the first of these programs on the PATH, or null. */
  find(...names: readonly string[]): string | null;
  /** Calls `work` with a new folder, which is removed afterwards. */
  inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result>;
  /** Resolves with the standard output of a program that ended with code 0. Throws `SpeechUnavailable`. */
  run(job: SpeechJob, signal: AbortSignal): Promise<Buffer>;
  /** Removes all folders. */
  clear(): Promise<void>;
}

export interface SpeechJob {
  readonly command: readonly string[];
  /** Its working directory, from `inFolder`; by default a new one. */
  readonly folder?: string;
  readonly input?: string | Readable;
  readonly timeoutSeconds: number;
  /** Limit of the printed bytes. */
  readonly outputBytesMax?: number;
  /** Called with output as it is printed. */
  readonly printed?: (chunk: Buffer) => void;
}

export interface ProgramRunnerParts {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly newId: () => string;
}

const OUTPUT_BYTES_MAX = 1024 * 1024;
const COMPLAINT_BYTES_MAX = 16 * 1024;
const COMPLAINT_CHARACTERS_MAX = 300;

/** A program that ran to its end and reported a failure. */
export class ProgramFailed extends SpeechUnavailable {
  override readonly name = 'ProgramFailed';
  /** Error of the program: empty, or a colon and a sentence without its full stop. */
  readonly complaint: string;

  constructor(program: string, code: number | null, complaint: string) {
    super(`${program} ended with code ${code}${complaint}.`);
    this.complaint = complaint;
  }
}

export function createProgramRunner({ home, env, newId }: ProgramRunnerParts): ProgramRunner {
  const folders = createScratchFolders(join(resolve(home), 'voice'));

  async function runIn(
    folder: string,
    { outputBytesMax = OUTPUT_BYTES_MAX, ...job }: Omit<SpeechJob, 'folder'>,
    signal: AbortSignal,
  ): Promise<Buffer> {
    const name = job.command[0]!.replace(/^.*[/\\]/, '');
    const stdout: Buffer[] = [];
    const end = await runProcess(
      {
        command: job.command,
        cwd: folder,
        env: { ...scrubbedEnvironment(env), HOME: folder, TMPDIR: folder, LC_ALL: 'C.UTF-8' },
        marker: callMarker(home, newId()),
        ...(job.input === undefined ? {} : { input: asStream(job.input) }),
        printed(stream, chunk) {
          if (stream === 'stdout') stdout.push(chunk);
          job.printed?.(chunk);
        },
        timeoutSeconds: job.timeoutSeconds,
        outputBytesMax: COMPLAINT_BYTES_MAX,
        printedBytesMax: outputBytesMax,
      },
      signal,
    );
    const failed = (how: string): SpeechUnavailable => new SpeechUnavailable(`${name} ${how}`);
    if (end.kind === 'not_started') throw failed(`could not be started: ${end.fault}.`);
    if (end.kind === 'timed_out') throw failed(`did not finish within ${job.timeoutSeconds} s.`);
    if (end.kind === 'printed_too_much') throw failed('was ended because it printed too much.');
    if (end.code !== 0) throw new ProgramFailed(name, end.code, complaint(end.stderr.head, folder));
    return Buffer.concat(stdout);
  }

  return {
    find(...names) {
      const searched = pathFolders(env.PATH);
      return names.flatMap((name) => searched.map((folder) => join(folder, name))).find(isProgram) ?? null;
    },
    inFolder: folders.use,
    run: ({ folder, ...job }, signal) =>
      folder === undefined ? folders.use((own) => runIn(own, job, signal)) : runIn(folder, job, signal),
    clear: folders.clear,
  };
}

function asStream(input: string | Readable): Readable {
  return typeof input === 'string' ? Readable.from([Buffer.from(input)]) : input;
}

/** The last line of standard error, where programs report errors, without the folder's name. */
function complaint(stderr: string, folder: string): string {
  const lines = stderr
    .replaceAll(folder, '')
    .replace(/[^\P{Cc}\n]/gu, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const last = lines.at(-1)?.slice(0, COMPLAINT_CHARACTERS_MAX).toWellFormed();
  return last === undefined ? '' : `: ${last.replace(/[.\s]+$/, '')}`;
}
