/**
 * `daybook log anchor --git DIR` and `daybook log timestamp`: the newest checkpoint, committed to a git repository of
 * the user's, or stamped by an authority (RFC 3161).
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TlogTimestampAnswer } from '../../client/client.ts';
import { parseCheckpoint } from '../../lib/tlog/checkpoint.ts';
import { parseNote } from '../../lib/tlog/signed-note.ts';
import { RequestRefused } from '../client.ts';
import { CommandError, UsageError } from '../errors.ts';
import type { AnswerOptions } from '../options.ts';
import { refuseExisting, writeNewFile } from '../save-file.ts';
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
  const created = await commitFile(root, { path, text: note, message: `Checkpoint of ${origin}: ${size} events` });
  const last = await git(root, ['log', '-1', '--format=%H', '--', path]);
  return { size, file: path, commit: last.trim(), created };
}

interface NewFile {
  readonly path: string;
  readonly text: string;
  readonly message: string;
}

/** False when the repository has the file already. After a failure, file and index are as they were before. */
async function commitFile(root: string, { path, text, message }: NewFile): Promise<boolean> {
  const file = join(root, path);
  const earlier = existsSync(file) ? readFileSync(file) : null;
  writeFileSync(file, text);
  try {
    await git(root, ['add', '--', path]);
    if ((await git(root, ['status', '--porcelain', '--', path])) === '') return false;
    // Only this file: what else is staged stays staged.
    await git(root, ['commit', '--quiet', '-m', message, '--', path]);
    return true;
  } catch (error) {
    // A file that stays in the index would be in the next commit of the user.
    await git(root, ['reset', '--quiet', '--', path]).catch(() => undefined);
    if (earlier === null) rmSync(file);
    else writeFileSync(file, earlier);
    throw error;
  }
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

interface TimestampOptions extends AnswerOptions {
  readonly authority?: string;
  readonly out?: string;
}

const BAD_REQUEST = 400;
const NO_AUTHORITY =
  'Name the authority with --authority <url>, or set timestamp_authority (DAYBOOK_TIMESTAMP_AUTHORITY) for the daemon.';

/** Gets the time stamp of the newest checkpoint, and writes both to files. */
export async function stamp(options: TimestampOptions): Promise<void> {
  const { authority } = options;
  if (authority !== undefined && !/^https?:/.test(URL.parse(authority)?.protocol ?? '')) {
    throw new UsageError('--authority must be an http or https address.');
  }
  if (options.out !== undefined) filesOf(options.out).forEach(refuseExisting);
  await withLog(options, async ({ api }) => {
    const timestamp = await api.tlog.timestamp({ authority }).catch((error: Error) => {
      const isUnnamed = authority === undefined && error instanceof RequestRefused && error.status === BAD_REQUEST;
      throw isUnnamed ? new UsageError(NO_AUTHORITY) : error;
    });
    await save(timestamp, options);
  });
}

function filesOf(prefix: string) {
  return [`${prefix}.note`, `${prefix}.tsr`] as const;
}

async function save(timestamp: TlogTimestampAnswer, options: TimestampOptions): Promise<void> {
  const { size, at, authority } = timestamp;
  const [note, response] = filesOf(options.out ?? `checkpoint-${size}`);
  await writeNewFile(note, Buffer.from(timestamp.checkpoint));
  await writeNewFile(response, Buffer.from(timestamp.response, 'base64')).catch((error: unknown) => {
    // It would be in the way of the next attempt.
    rmSync(note);
    throw error;
  });
  if (options.json === true) return printJson({ size, at, authority, note, response });
  await print(
    `${counted(size, 'event')}, stamped ${new Date(at).toISOString()} by ${authority}\n` +
      `check it: openssl ts -verify -data ${note} -in ${response} -attime ${Math.floor(at / 1_000)} ` +
      '-CAfile <certificates of the authority>\n',
  );
}
