/**
 * Runs the steps of one conversion in the job's folder and returns the checked output file.
 *
 * - A step has its own profile and output folder; the steps of a job share one deadline.
 * - Unusable output is `bad_output`; an input that the suite cannot load is `unsupported`.
 */
import { mkdir, open, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DocumentError } from '../../ports/documents.ts';
import type { OfficeIsolation, OfficeTarget } from '../../ports/office.ts';
import { scrubbedEnvironment } from '../tools/environment.ts';
import { type ProcessEnd, runProcess } from '../tools/process.ts';
import type { Step } from './formats.ts';
import { writeProfile } from './profile.ts';
import { FILE_BYTES_MAX, sandboxed } from './sandbox.ts';
import { faultOf } from './validate.ts';

export interface EngineJob {
  readonly program: string;
  readonly isolation: OfficeIsolation;
  /** Absolute real path; contains the input. */
  readonly folder: string;
  readonly input: string;
  readonly steps: readonly Step[];
  readonly target: OfficeTarget;
  readonly timeoutSeconds: number;
  readonly env: NodeJS.ProcessEnv;
  readonly marker: string;
}

const PRINTED_BYTES_MAX = 1024 * 1024;
const REMEMBERED_BYTES_MAX = 16 * 1024;

export async function runSteps(job: EngineJob, signal: AbortSignal): Promise<string> {
  const deadline = performance.now() + job.timeoutSeconds * 1_000;
  let input = job.input;
  for (const [index, step] of job.steps.entries()) {
    const timeoutSeconds = Math.max(0.001, (deadline - performance.now()) / 1_000);
    input = await runStep({ ...job, input, timeoutSeconds, index, step }, signal);
  }
  await requireUsable(job.target, input);
  return input;
}

interface StepJob extends EngineJob {
  readonly index: number;
  readonly step: Step;
}

async function runStep(job: StepJob, signal: AbortSignal): Promise<string> {
  const folder = join(job.folder, `step-${job.index + 1}`);
  const out = join(folder, 'out');
  await mkdir(out, { recursive: true, mode: 0o700 });
  await writeProfile(join(folder, 'profile'));
  const end = await runProcess(
    {
      command: sandboxed({ ...job, command: [job.program, ...args(job, folder, out)] }),
      cwd: job.folder,
      env: environment(job),
      marker: job.marker,
      timeoutSeconds: job.timeoutSeconds,
      outputBytesMax: REMEMBERED_BYTES_MAX,
      printedBytesMax: PRINTED_BYTES_MAX,
    },
    signal,
  );
  if (end.kind === 'timed_out') {
    throw new DocumentError('timed_out', 'The conversion did not finish in time and was ended; see timeout_secs.');
  }
  const produced = await onlyFile(out, job.step.extension);
  if (produced === undefined) throw noOutput(end);
  const next = join(job.folder, `result-${job.index + 1}.${job.step.extension}`);
  await rename(produced, next);
  return next;
}

function args({ step, input }: StepJob, folder: string, out: string): readonly string[] {
  return [
    '--headless',
    '--norestore',
    '--nolockcheck',
    '--nodefault',
    '--nologo',
    '--nofirststartwizard',
    `-env:UserInstallation=${pathToFileURL(join(folder, 'profile')).href}`,
    ...(step.infilter === undefined ? [] : [`--infilter=${step.infilter}`]),
    '--convert-to',
    step.to,
    '--outdir',
    out,
    input,
  ];
}

function environment({ env, folder }: EngineJob): Record<string, string> {
  const kept = Object.entries(scrubbedEnvironment(env)).filter(([name]) => !/_proxy$/i.test(name));
  const own = { HOME: folder, TMPDIR: folder, TMP: folder, TEMP: folder, LC_ALL: 'C.UTF-8', SAL_USE_VCLPLUGIN: 'svp' };
  return { ...Object.fromEntries(kept), ...own };
}

/** The file with this extension; a converter may write others beside it. */
async function onlyFile(folder: string, extension: string): Promise<string | undefined> {
  const names = await readdir(folder, { withFileTypes: true });
  const fitting = names.filter((entry) => entry.isFile() && entry.name.toLowerCase().endsWith(`.${extension}`));
  return fitting[0] === undefined ? undefined : join(folder, fitting[0].name);
}

/** The suite's message that the file is at fault. */
const CANNOT_LOAD = /source file could not be loaded/i;

function noOutput(end: ProcessEnd): DocumentError {
  const printed = `${end.stdout.head}\n${end.stderr.head}`;
  if (CANNOT_LOAD.test(printed)) {
    return new DocumentError('unsupported', 'The converter cannot read the input; it is damaged, locked or misnamed.');
  }
  const how = end.kind === 'exited' ? `ended with code ${end.code}` : 'was ended for printing too much';
  return new DocumentError('bad_output', `The converter ${how} and left no output.`);
}

async function requireUsable(target: OfficeTarget, path: string): Promise<void> {
  const { size: bytes } = await stat(path);
  if (bytes > FILE_BYTES_MAX) throw new DocumentError('bad_output', 'The output of the converter is too large.');
  await using file = await open(path, 'r');
  const fault = await faultOf(target, { file, bytes });
  if (fault !== null) throw new DocumentError('bad_output', `The output of the converter ${fault}.`);
}
