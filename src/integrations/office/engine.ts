/**
 * Runs the steps of one conversion in the job's folder and returns the checked output file.
 *
 * - A step has its own profile and output folder; the steps of a job share one deadline.
 * - Unusable output is `bad_output`; an input that the suite cannot load is `unsupported`.
 */
import { type FileHandle, mkdir, open, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { OfficeIsolation, OfficeTarget } from '../../ports/office.ts';
import { PortError } from '../../ports/port-error.ts';
import { readAt } from '../documents/guard.ts';
import { type ProcessEnd, runProcess, scrubbedEnvironment } from '../tools/process.ts';
import { type Step, targetExtension } from './formats.ts';
import { FILE_BYTES_MAX, sandboxed } from './sandbox.ts';
import { type ZipDirectory, zipDirectory } from './zip-directory.ts';

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
    throw new PortError('timed_out', 'The conversion did not finish in time and was ended; see timeout_secs.');
  }
  if (end.kind === 'not_started') {
    throw new PortError('unavailable', `The converter could not be started: ${end.fault}.`);
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

function noOutput(end: ProcessEnd): PortError {
  const printed = `${end.stdout.head}\n${end.stderr.head}`;
  if (CANNOT_LOAD.test(printed)) {
    return new PortError('unsupported', 'The converter cannot read the input; it is damaged, locked or misnamed.');
  }
  const how = end.kind === 'exited' ? `ended with code ${end.code}` : 'was ended for printing too much';
  return new PortError('bad_output', `The converter ${how} and left no output.`);
}

async function requireUsable(target: OfficeTarget, path: string): Promise<void> {
  const { size: bytes } = await stat(path);
  if (bytes > FILE_BYTES_MAX) throw new PortError('bad_output', 'The output of the converter is too large.');
  await using file = await open(path, 'r');
  const fault = await faultOf(target, { file, bytes });
  if (fault !== null) throw new PortError('bad_output', `The output of the converter ${fault}.`);
}

const COMMON = '/org.openoffice.Office.Common';
const SCRIPTING = `${COMMON}/Security/Scripting`;
const NETWORK = '/org.openoffice.Inet/Settings';

const SETTINGS: readonly (readonly [path: string, name: string, value: string])[] = [
  [SCRIPTING, 'MacroSecurityLevel', '3'],
  [SCRIPTING, 'DisableMacrosExecution', 'true'],
  [SCRIPTING, 'BlockUntrustedRefererLinks', 'true'],
  // No folder is trusted, whatever the program's defaults are.
  [SCRIPTING, 'SecureURL', ''],
  ['/org.openoffice.Office.Writer/Content/Update', 'Link', '0'],
  ['/org.openoffice.Office.Calc/Content/Update', 'Link', '2'],
  [`${COMMON}/Java/ApplicationEnvironment`, 'Enabled', 'false'],
  ['/org.openoffice.Office.Java/VirtualMachine', 'Enable', 'false'],
  [NETWORK, 'ooInetProxyType', '2'],
  [NETWORK, 'ooInetHTTPProxyName', '127.0.0.1'],
  [NETWORK, 'ooInetHTTPProxyPort', '9'],
  [NETWORK, 'ooInetHTTPSProxyName', '127.0.0.1'],
  [NETWORK, 'ooInetHTTPSProxyPort', '9'],
  [NETWORK, 'ooInetNoProxy', ''],
];

/** Writes a new profile into a folder that does not exist yet. */
async function writeProfile(folder: string): Promise<void> {
  const user = join(folder, 'user');
  await mkdir(user, { recursive: true, mode: 0o700 });
  const items = SETTINGS.map(
    ([path, name, value]) =>
      `<item oor:path="${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`,
  );
  await writeFile(join(user, 'registrymodifications.xcu'), `${HEAD}\n${items.join('\n')}\n</oor:items>\n`);
}

const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">`;

interface Produced {
  readonly file: FileHandle;
  readonly bytes: number;
}

/** Why the output is unusable, or null. */
async function faultOf(target: OfficeTarget, { file, bytes }: Produced): Promise<string | null> {
  if (bytes === 0) return 'is empty';
  const fits = await CHECKS[target]({ file, bytes });
  return fits ? null : `is no ${targetExtension(target)}`;
}

type Check = (produced: Produced) => Promise<boolean>;

const EDGE_BYTES = 8 * 1024;

async function edges({ file, bytes }: Produced): Promise<{ readonly head: string; readonly tail: string }> {
  const head = await readAt(file, 0, EDGE_BYTES);
  const tail = await readAt(file, Math.max(0, bytes - EDGE_BYTES), EDGE_BYTES);
  return { head: head.toString('latin1'), tail: tail.toString('latin1') };
}

const pdf: Check = async (produced) => {
  const { head, tail } = await edges(produced);
  return head.startsWith('%PDF-') && tail.includes('%%EOF');
};

const png: Check = async (produced) => {
  const { head, tail } = await edges(produced);
  return head.startsWith('\x89PNG\r\n\x1a\n') && tail.endsWith('IEND\xae\x42\x60\x82');
};

const svg: Check = async (produced) => {
  const { head, tail } = await edges(produced);
  return /<svg[\s>]/.test(head) && tail.trimEnd().endsWith('</svg>');
};

const html: Check = async (produced) => /<html[\s>]/i.test((await edges(produced)).head);

const text: Check = async (produced) => !(await edges(produced)).head.includes('\0');

function packaged(fits: (zip: ZipDirectory) => boolean): Check {
  return async ({ file, bytes }) => {
    const zip = await zipDirectory(file, bytes);
    return zip !== null && fits(zip);
  };
}

const ooxml = (part: string): Check => packaged(({ names }) => names.includes(part));
const odf = (kind: string): Check =>
  packaged(({ mimetype }) => mimetype === `application/vnd.oasis.opendocument.${kind}`);

const CHECKS: Readonly<Record<OfficeTarget, Check>> = {
  pdf,
  pdf_sheets: pdf,
  png,
  svg,
  docx: ooxml('word/document.xml'),
  xlsx: ooxml('xl/workbook.xml'),
  pptx: ooxml('ppt/presentation.xml'),
  odt: odf('text'),
  ods: odf('spreadsheet'),
  odp: odf('presentation'),
  odg: odf('graphics'),
  html,
  txt: text,
  csv: text,
};
