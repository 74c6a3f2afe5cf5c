/**
 * `daybook log verify`: verifies the log independently of the storage. With a running daemon, every envelope is downloaded
 * and the computed tree must equal the daemon's. Without one, the data directory is read, and the storage also checks its
 * files, records, indexes and stored tree.
 */
import { isUtf8 } from 'node:buffer';
import { createReadStream, readFileSync } from 'node:fs';
import { homeOf } from '../../config/load.ts';
import { readDiscovery } from '../../discovery.ts';
import type { Envelope } from '../../events/envelope.ts';
import { parseCheckpoint } from '../../lib/tlog/checkpoint.ts';
import { checkText, NoteError, parseNote, parseVerifierKey, verifyNote } from '../../lib/tlog/signed-note.ts';
import type { Fault } from '../../storage/engine.ts';
import { type Line, linesOf } from '../../storage/lines.ts';
import { isPostgresUrl } from '../../storage/postgres/url.ts';
import { createClient } from '../client.ts';
import { CommandError, UsageError } from '../errors.ts';
import { standardInput, unreadable } from '../input.ts';
import { createProgress, type Progress } from '../progress.ts';
import { counted, print, printable, printJson } from '../text.ts';
import { type Head, recompute, type TrustedHead } from './recompute.ts';
import { daemonSource, directorySource, type LogSource, openDataDirectory } from './source.ts';
import type { Problem } from './verifier.ts';
import { type ViewsResult, verifyViews } from './verify-views.ts';

interface VerifyOptions {
  readonly home?: string;
  readonly trusted?: string;
  readonly checkpoint?: string;
  readonly vkey?: string;
  readonly file?: string;
  readonly log?: string;
  readonly views?: boolean;
  readonly json?: boolean;
}

interface Result extends Head {
  readonly ok: boolean;
  readonly source: LogSource['kind'] | 'file';
  readonly problems: readonly Problem[];
  /** Parts of files that were repaired from a second copy when the directory was opened. No event was lost. */
  readonly repaired?: readonly string[];
  /** With `--views` only. */
  readonly views?: ViewsResult;
}

export async function verify(options: VerifyOptions): Promise<void> {
  const isWithoutViews = options.file !== undefined || options.log !== undefined;
  if (options.views === true && isWithoutViews) throw new UsageError('An exported file and a database have no views.');
  if (options.file !== undefined && options.log !== undefined) throw new UsageError('Give --file or --log, not both.');
  const trusted = trustedOf(options);
  const progress = createProgress('verifying');
  const result = await resultFor(options, { trusted, progress }).finally(() => progress.end());
  if (!result.ok) process.exitCode = 1;
  await (options.json === true ? printJson(result) : print(report(result, trusted)));
}

interface Task {
  readonly trusted: TrustedHead | null;
  readonly progress: Progress;
}

async function resultFor(options: VerifyOptions, task: Task): Promise<Result> {
  if (options.file !== undefined) {
    const { size, treeHash, problems } = await recompute(envelopesIn(options.file), { ...task, total: 0 });
    return resultOf('file', { position: size, tree_hash: treeHash }, problems);
  }
  if (options.log !== undefined) return verifyDatabase(options.log, task);
  const home = homeOf(process.env, options);
  if (readDiscovery(home) !== null) {
    const source = daemonSource(createClient(home));
    return withViews(await compare(source, task), { home, source, options });
  }
  const storage = await openDataDirectory(home);
  await using source = directorySource(storage);
  const external = await compare(source, task);
  const internal = [...(await storage.engine.verify()), ...(await storage.log.verify()).errors];
  const faults = internal.map((fault) => ({ position: null, what: faultText(fault) }));
  const repaired = (storage.engine.repaired ?? []).map(faultText);
  const result = resultOf('directory', external, [...external.problems, ...faults]);
  return await withViews({ ...result, repaired }, { home, source, options });
}

function faultText({ file, offset, what }: Fault): string {
  return `${file}${offset === null ? '' : ` at ${offset}`}: ${what}`;
}

/** Verifies the records of the database without a daemon. */
async function verifyDatabase(url: string, task: Task): Promise<Result> {
  if (!isPostgresUrl(url)) throw new UsageError('--log must be an address such as postgres://user@host/database.');
  const { databaseSource } = await import('./database-source.ts');
  await using source = await databaseSource(url);
  return await compare(source, task);
}

/** Also compares the read models, with `--views` and a log without problems. */
async function withViews(
  result: Result,
  { home, source, options }: { readonly home: string; readonly source: LogSource; readonly options: VerifyOptions },
): Promise<Result> {
  if (options.views !== true || !result.ok) return result;
  const views = await verifyViews(home, source);
  const problems = views.differences.map((what) => ({ position: null, what }));
  return { ...result, ok: problems.length === 0, problems, views };
}

/** Compares the head computed from the events with the head that the source reports. */
async function compare(source: LogSource, task: Task): Promise<Result> {
  const head = await source.head();
  const events = source.events({ after: 0, through: head.position });
  const { size, treeHash, problems } = await recompute(events, { ...task, total: head.position });
  const more: Problem[] = [];
  if (size !== head.position)
    more.push({ position: null, what: `the head is ${head.position} but the log holds ${counted(size, 'event')}` });
  else if (treeHash !== head.tree_hash) {
    more.push({ position: null, what: `the events give the tree hash ${treeHash}, the log says ${head.tree_hash}` });
  }
  return resultOf(source.kind, { position: size, tree_hash: treeHash }, [...problems, ...more]);
}

function resultOf(source: Result['source'], { position, tree_hash }: Head, problems: readonly Problem[]): Result {
  return { ok: problems.length === 0, source, position, tree_hash, problems };
}

/** Throws `UsageError`, and `CommandError` for a checkpoint that the key did not sign. */
function trustedOf({ trusted, checkpoint, vkey }: VerifyOptions): TrustedHead | null {
  if ((checkpoint === undefined) !== (vkey === undefined)) {
    throw new UsageError('--checkpoint and --vkey go together: give both or none.');
  }
  if (checkpoint === undefined || vkey === undefined) {
    return trusted === undefined ? null : { ...headOf(trusted), isSigned: false };
  }
  if (trusted !== undefined) throw new UsageError('Give --trusted or --checkpoint, not both.');
  return { ...signedHead(checkpoint, vkey), isSigned: true };
}

/** Reads the head of a signed checkpoint. Throws `CommandError` unless the key signed it. */
function signedHead(path: string, vkey: string): Head {
  try {
    const note = parseNote(readText(path));
    const key = parseVerifierKey(vkey);
    const { origin, size, root } = parseCheckpoint(note.text);
    if (verifyNote(note, [key], checkText).length === 0) throw new NoteError(`Nobody with the key ${vkey} signed it.`);
    if (origin !== key.name) throw new NoteError(`It is about another log, ${origin}.`);
    return { position: size, tree_hash: Buffer.from(root).toString('hex') };
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    throw new CommandError(`${path} is no checkpoint that this log signed with this key: ${error.message}`);
  }
}

function readText(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw unreadable(path, error as Error);
  }
  if (!isUtf8(bytes)) throw new NoteError('It is not valid UTF-8.');
  return bytes.toString('utf8');
}

function headOf(text: string): Head {
  const match = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text);
  if (match === null) throw new UsageError('--trusted must be <position>:<64 hex digits>, as verify prints it.');
  return { position: Number(match[1]), tree_hash: match[2]! };
}

async function* envelopesIn(path: string): AsyncGenerator<Envelope> {
  const input = path === '-' ? standardInput() : createReadStream(path);
  try {
    for await (const line of linesOf(input)) yield parsed(line);
  } catch (error) {
    throw error instanceof CommandError ? error : unreadable(path, error as Error);
  }
}

function parsed({ number, text }: Line): Envelope {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && typeof (value as Partial<Envelope>).leaf_hash === 'string') {
      return value as Envelope;
    }
  } catch {
    // Reported below with the number of the line.
  }
  throw new CommandError(`Line ${number} of the file is no envelope.`);
}

function report(result: Result, trusted: TrustedHead | null): string {
  const { ok, source, position, tree_hash, problems, repaired = [], views } = result;
  const repairs = repaired.map((what) => `repaired from its second copy: ${printable(what)}\n`).join('');
  const from = {
    daemon: 'downloaded from the daemon',
    database: 'read from the database',
    directory: 'read from the data directory',
    file: 'read from the file',
  };
  const head = `${position}:${tree_hash}`;
  if (ok) {
    const what = trusted?.isSigned === true ? 'of the signed checkpoint' : 'that were trusted';
    const begins = trusted === null ? '' : `It begins with the ${counted(trusted.position, 'event')} ${what}.\n`;
    return `ok: ${counted(position, 'event')} ${from[source]}, every hash recomputed\nhead ${head}\n${begins}${repairs}${viewsText(views)}`;
  }
  const lines = problems.map(
    ({ position: at, what }) => `  ${at === null ? 'log' : `position ${at}`}: ${printable(what)}\n`,
  );
  return `NOT ok: ${counted(problems.length, 'problem')}, ${counted(position, 'event')} ${from[source]}\n${lines.join('')}${repairs}`;
}

/** Lines about the read models; empty when they were not compared. */
export function viewsText(views: ViewsResult | undefined): string {
  if (views === undefined) return '';
  const { rows, tables, position, passed_over } = views;
  const passed = passed_over.map((what) => `not compared: ${what}\n`).join('');
  return `views: ${counted(rows, 'row')} of ${tables} tables equal a fresh fold of ${counted(position, 'event')}\n${passed}`;
}
