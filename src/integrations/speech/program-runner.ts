/**
 * Finds and runs the programs that speak or transcribe.
 *
 * - Each run has its own marker and folder; when it settles, none of its processes and files is left.
 * - Folders of a killed daemon are removed before the first run.
 */
import { realpathSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { isProgram, pathFolders } from '../../lib/programs.ts';
import { SpeechUnavailable } from '../../ports/speech.ts';
import { scrubbedEnvironment } from '../tools/environment.ts';
import { callMarker } from '../tools/marker.ts';
import { runProcess } from '../tools/process.ts';

export interface ProgramRunner {
  /** Absolute path of the first of these programs on the PATH, or null. */
  find(...names: readonly string[]): string | null;
  /** Calls `work` with a new folder, which is removed afterwards. */
  inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result>;
  run(job: SpeechJob, signal: AbortSignal): Promise<SpeechEnd>;
  /** Removes all folders. */
  clear(): Promise<void>;
}

export interface SpeechJob {
  readonly command: readonly string[];
  readonly folder: string;
  readonly input?: string | Readable;
  readonly timeoutSeconds: number;
  /** Limit of the printed bytes. */
  readonly outputBytesMax?: number;
  /** Called with output as it is printed. */
  readonly printed?: (chunk: Buffer) => void;
}

export interface SpeechEnd {
  readonly stdout: Buffer;
  /** The beginning of its standard error. */
  readonly stderr: string;
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
  /** Error of the program: empty, or a colon and a sentence without its full stop. */
  readonly complaint: string;

  constructor(program: string, code: number | null, complaint: string) {
    super(`${program} ended with code ${code}${complaint}.`);
    this.name = 'ProgramFailed';
    this.complaint = complaint;
  }
}

export function createProgramRunner({ home, env, newId }: ProgramRunnerParts): ProgramRunner {
  const place = join(resolve(home), 'voice');
  let emptied: Promise<void> | undefined;

  async function folders(): Promise<string> {
    emptied ??= rm(place, { recursive: true, force: true });
    await emptied;
    await mkdir(place, { recursive: true, mode: 0o700 });
    return realpathSync(place);
  }

  return {
    find(...names) {
      const folders = pathFolders(env.PATH);
      return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram) ?? null;
    },
    async inFolder(work) {
      const folder = await mkdtemp(join(await folders(), 'job-'));
      try {
        return await work(folder);
      } finally {
        await rm(folder, { recursive: true, force: true, maxRetries: 3 });
      }
    },
    async run({ outputBytesMax = OUTPUT_BYTES_MAX, ...job }, signal) {
      const name = job.command[0]!.replace(/^.*[/\\]/, '');
      const stdout: Buffer[] = [];
      const end = await runProcess(
        {
          command: job.command,
          cwd: job.folder,
          env: { ...scrubbedEnvironment(env), HOME: job.folder, TMPDIR: job.folder, LC_ALL: 'C.UTF-8' },
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
      if (end.kind === 'not_started') throw failed('could not be started.');
      if (end.kind === 'timed_out') throw failed(`did not finish within ${job.timeoutSeconds} s.`);
      if (end.kind === 'printed_too_much') throw failed('was ended because it printed too much.');
      if (end.code !== 0) throw new ProgramFailed(name, end.code, complaint(end.stderr.head, job.folder));
      return { stdout: Buffer.concat(stdout), stderr: end.stderr.head };
    },
    clear: () => rm(place, { recursive: true, force: true, maxRetries: 3 }),
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
  const last = lines.at(-1)?.replace(/[.\s]+$/, '');
  return last === undefined ? '' : `: ${last.slice(0, COMPLAINT_CHARACTERS_MAX).toWellFormed()}`;
}
