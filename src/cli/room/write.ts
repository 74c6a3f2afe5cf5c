/** `daybook room write`: replaces a text by standard input. It ends when the change is in the log. */
import { buffer as readAll } from 'node:stream/consumers';
import type { Doc } from 'yjs';
import { z } from 'zod';
import { isPlainText } from '../../client/yjs.ts';
import { roomIdFault } from '../../live/room/names.ts';
import type { Client } from '../client.ts';
import { CommandError, UsageError } from '../errors.ts';
import { standardInput, utf8Text } from '../input.ts';
import type { AnswerOptions } from '../options.ts';
import { withDaemon } from '../temporary-daemon.ts';
import { print, printable, printJson } from '../text.ts';
import { visit } from './visit.ts';

interface WriteOptions extends AnswerOptions {
  readonly text?: string;
  readonly append?: boolean;
}

const TEXT_DEFAULT = 'text';
/** The daemon records a change within 200 ms, and tries again every second while the log takes no writes. */
const RECORD_MS_MAX = 10_000;

/** The data of `RoomTextChanged` and `RoomTextCompacted`. */
const zRecorded = z.looseObject({ update: z.string().optional(), state: z.string().optional() });

export async function write(id: string, options: WriteOptions): Promise<void> {
  const fault = roomIdFault(id);
  if (fault !== null) throw new UsageError(`The id of a room ${fault}.`);
  if (options.text === '') throw new UsageError('--text must not be empty; leave it out for the only text.');
  if (process.stdin.isTTY) throw new UsageError('Give the text on standard input: daybook room write <room> < file');
  const input = utf8Text(await readAll(standardInput()), 'Standard input');
  await withDaemon(options, async (client) => {
    const { position } = await client.api.log.head();
    const { answer, ...written } = await visit(client, id, ({ doc }) => replaceText(doc, input, options));
    await recorded(client, { id, after: position, ...written });
    if (options.json === true) return printJson({ room_id: id, ...answer });
    const { text, characters, added, removed } = answer;
    await print(printable(`${id}: ${text}: ${characters} characters, ${added} added, ${removed} removed\n`));
  });
}

interface Written {
  /** All texts of the room before the change, as one update. */
  readonly before: Uint8Array;
  /** Undefined when the text is the same. */
  readonly change: Uint8Array | undefined;
}

async function replaceText(doc: Doc, input: string, { text: named, append }: WriteOptions) {
  const Y = await import('yjs');
  const name = named ?? onlyName(doc);
  const text = doc.getText(name);
  if (!isPlainText(text)) throw new CommandError(`${name} has content of an editor besides text; it is not changed.`);
  const old = text.toString();
  const whole = append === true ? old + input : input;
  const { start, removed, added } = difference(old, whole);
  const before = Y.encodeStateAsUpdate(doc);
  const changes: Uint8Array[] = [];
  doc.once('update', (update: Uint8Array) => void changes.push(update));
  doc.transact(() => {
    text.delete(start, removed);
    text.insert(start, added);
  });
  const answer = { text: name, characters: whole.length, removed, added: added.length };
  return { answer, before, change: changes[0] };
}

interface Awaited extends Written {
  readonly id: string;
  /** A position of the log before the change. */
  readonly after: number;
}

/** Resolves when the change is in the log. Throws `CommandError` when it does not come in time. */
async function recorded(client: Client, { id, after, before, change }: Awaited): Promise<void> {
  if (change === undefined) return;
  const Y = await import('yjs');
  const known = new Y.Doc();
  Y.applyUpdate(known, before);
  const signal = AbortSignal.timeout(RECORD_MS_MAX);
  const events = client.api.log.events({ stream: `room_text-${id}`, after, signal });
  for await (const { data } of events) {
    const { update, state = update } = zRecorded.parse(data.data ?? {});
    if (state !== undefined) Y.applyUpdate(known, Buffer.from(state, 'base64'));
    if (Y.snapshotContainsUpdate(Y.snapshot(known), change)) return;
  }
  const seconds = RECORD_MS_MAX / 1_000;
  throw new CommandError(`The change is not in the log after ${seconds} s, and may be lost. See: daybook doctor`);
}

function onlyName(doc: Doc): string {
  const names = [...doc.share.keys()];
  if (names.length > 1)
    throw new UsageError(`The room has several texts; give --text with one of: ${names.join(', ')}.`);
  return names[0] ?? TEXT_DEFAULT;
}

/** The part to replace, between the common prefix and the common suffix. */
function difference(before: string, after: string): { start: number; removed: number; added: string } {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  // A surrogate pair is not split.
  if (isHighSurrogate(before, start - 1) || isHighSurrogate(after, start - 1)) start -= 1;
  if (end > 0 && isHighSurrogate(before, before.length - end - 1)) end -= 1;
  return { start, removed: before.length - end - start, added: after.slice(start, after.length - end) };
}

function isHighSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xd8_00 && code <= 0xdb_ff;
}
