/** Checks of the machine: the runtime and the programs that tools use. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { oneLine } from '../text.ts';
import { type Finding, finding } from './finding.ts';

const NODE_MAJOR_MIN = 24;
const PROGRAM_TIMEOUT_MS = 10_000;

interface Program {
  readonly name: string;
  readonly needed: boolean;
  readonly use: string;
}

const PROGRAMS: readonly Program[] = [
  { name: 'git', needed: true, use: 'the tool git_diff' },
  { name: 'bash', needed: true, use: 'the tool bash' },
  { name: 'soffice', needed: false, use: 'office documents (package libreoffice)' },
  { name: 'espeak-ng', needed: false, use: 'speaking with the voice of the system' },
];

export async function machineFindings(): Promise<readonly Finding[]> {
  return [nodeFinding(), ...(await Promise.all(PROGRAMS.map(programFinding)))];
}

function nodeFinding(): Finding {
  const { node } = process.versions;
  if (Number(node.split('.')[0]) >= NODE_MAJOR_MIN) return finding('node', 'ok', node);
  return finding(
    'node',
    'broken',
    `${node} is too old`,
    `install Node ${NODE_MAJOR_MIN}, or run npm ci and use npm start`,
  );
}

async function programFinding({ name, needed, use }: Program): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)(name, ['--version'], { timeout: PROGRAM_TIMEOUT_MS });
    return finding(name, 'ok', oneLine(stdout.split('\n')[0] ?? '', 80));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const detail = isMissing
      ? `not found; needed for ${use}`
      : `does not run: ${oneLine((error as Error).message, 120)}`;
    return finding(name, needed ? 'broken' : 'off', detail, `install ${name}`);
  }
}
