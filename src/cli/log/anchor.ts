/** `daybook log anchor --git DIR`: commits the newest checkpoint to a git repository of the user's. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseCheckpoint } from '../../lib/tlog/checkpoint.ts';
import { parseNote } from '../../lib/tlog/signed-note.ts';
import { CommandError } from '../errors.ts';
import type { AnswerOptions } from '../options.ts';
import { withLog } from '../temporary-daemon.ts';
import { counted, print, printJson } from '../text.ts';

interface AnchorOptions extends AnswerOptions {
  readonly git: string;
}

const FOLDER = 'checkpoints';
/** Names sort by size. */
const SIZE_DIGITS = 12;
const GIT_MS_MAX = 60_000;

export async function anchor(options: AnchorOptions): Promise<void> {
  const root = (await git(options.git, ['rev-parse', '--show-toplevel'])).trim();
  await withLog(options, async ({ api }) => {
    const anchored = await commit(await api.tlog.checkpoint(), root);
    await (options.json === true ? printJson(anchored) : print(textOf(anchored, root)));
  });
}

interface Anchored {
  /** Number of events that the checkpoint covers. */
  readonly size: number;
  /** In the repository. */
  readonly file: string;
  readonly commit: string;
  /** False when an earlier call committed this checkpoint. */
  readonly created: boolean;
}

/** `root`: the folder of the repository. */
async function commit(note: string, root: string): Promise<Anchored> {
  const { origin, size } = parseCheckpoint(parseNote(note).text);
  const folder = join(FOLDER, origin.replace(/[^A-Za-z0-9._-]/g, '_'));
  const path = join(folder, `${String(size).padStart(SIZE_DIGITS, '0')}.note`);
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, path), note);
  await git(root, ['add', '--', path]);
  const created = (await git(root, ['status', '--porcelain', '--', path])) !== '';
  // Only this file: what else is staged stays staged.
  if (created) await git(root, ['commit', '--quiet', '-m', `Checkpoint of ${origin}: ${size} events`, '--', path]);
  const last = await git(root, ['log', '-1', '--format=%H', '--', path]);
  return { size, file: path, commit: last.trim(), created };
}

function textOf({ size, commit: id, created }: Anchored, root: string): string {
  const checkpoint = `The checkpoint of ${counted(size, 'event')}`;
  return created ? `${checkpoint} is commit ${id}.\n` : `${checkpoint} is in ${root} already.\n`;
}

async function git(folder: string, words: readonly string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('git', ['-C', folder, ...words], { timeout: GIT_MS_MAX });
    return stdout;
  } catch (error) {
    const { code, stderr = '', message } = error as Error & { readonly code?: unknown; readonly stderr?: string };
    if (code === 'ENOENT') throw new CommandError('git is not installed, or not on the PATH.');
    throw new CommandError(`git ${words[0]} failed in ${folder}: ${stderr.trim().split('\n')[0] || message}`);
  }
}
