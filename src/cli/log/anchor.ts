/** `daybook log anchor --git DIR`: commits the newest checkpoint to a git repository of the user's. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseCheckpoint } from '../../lib/tlog/checkpoint.ts';
import { parseNote } from '../../lib/tlog/signed-note.ts';
import { CommandError } from '../errors.ts';
import { withLog } from '../temporary-daemon.ts';
import { print } from '../text.ts';

interface AnchorOptions {
  readonly home?: string;
  readonly git: string;
}

const FOLDER = 'checkpoints';
/** Names sort by size. */
const SIZE_DIGITS = 12;
const GIT_MS_MAX = 60_000;

export async function anchor(options: AnchorOptions): Promise<void> {
  const root = (await git(options.git, ['rev-parse', '--show-toplevel'])).trim();
  await withLog(options, async ({ api }) => commit(await api.tlog.checkpoint(), root));
}

/** `root`: the folder of the repository. */
async function commit(note: string, root: string): Promise<void> {
  const { origin, size } = parseCheckpoint(parseNote(note).text);
  const folder = join(FOLDER, origin.replace(/[^A-Za-z0-9._-]/g, '_'));
  const path = join(folder, `${String(size).padStart(SIZE_DIGITS, '0')}.note`);
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, path), note);
  await git(root, ['add', '--', path]);
  const changed = await git(root, ['status', '--porcelain', '--', path]);
  if (changed === '') return print(`The checkpoint of ${size} events is in ${root} already.\n`);
  // Only this file: what else is staged stays staged.
  await git(root, ['commit', '--quiet', '-m', `Checkpoint of ${origin}: ${size} events`, '--', path]);
  await print(`The checkpoint of ${size} events is commit ${(await git(root, ['rev-parse', 'HEAD'])).trim()}.\n`);
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
