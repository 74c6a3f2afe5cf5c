/** `daybook room`: lists rooms, shows their texts, writes a text. Several people edit the texts of a room together. */
import { buffer as readAll } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import type { Doc } from 'yjs';
import { z } from 'zod';
import { connectRoom, isPlainText, type Room, type RoomPeer } from '../client/yjs.ts';
import { createSignal } from '../lib/signal.ts';
import { roomIdFault } from '../live/room/names.ts';
import { type Client, RequestRefused } from './client.ts';
import { CommandError, UsageError } from './errors.ts';
import { notes } from './help.ts';
import { pickId } from './ids.ts';
import { standardInput, utf8Text } from './input.ts';
import { untilInterrupted } from './interrupt.ts';
import { type AnswerOptions, answerOptions, subcommand, withoutSubcommand } from './options.ts';
import { createScreen } from './screen.ts';
import { withDaemon, withLog } from './temporary-daemon.ts';
import { outputJson, print, printable, printJson, styled, table } from './text.ts';

interface ShowOptions extends AnswerOptions {
  readonly follow?: boolean;
}

interface WriteOptions extends AnswerOptions {
  readonly text?: string;
  readonly append?: boolean;
}

const PEER_NAME = 'daybook room';
const TEXT_DEFAULT = 'text';
/** Changes within this time are shown at once. */
const SETTLE_MS = 100;
const ENTER_MS_MAX = 20_000;
/** The daemon records a change within 200 ms, and tries again every second while the log takes no writes. */
const RECORD_MS_MAX = 10_000;
/** After Ctrl-C the room has this long to answer. */
const LEAVE_MS_MAX = 1_000;
const UPGRADE_REQUIRED = 426;

/** The data of `RoomTextChanged` and `RoomTextCompacted`. */
const zRecorded = z.looseObject({ update: z.string().optional(), state: z.string().optional() });

const HELP = `
A room holds one or more texts, each with a name, such as the path of a file. Writing changes only the part that
differs, so that concurrent changes of others stay.

  daybook room list --all
  daybook room show standup --follow
  daybook room write standup < notes.md
  echo "- one more point" | daybook room write standup --append
`;

export function command(): Command {
  const room = new Command('room')
    .description('Texts that several people write together: read, follow, write.')
    .option('--all', 'also rooms that nobody is in')
    .allowExcessArguments()
    .action(withoutSubcommand(list));
  subcommand(room, 'list', 'list open rooms and their peers')
    .option('--all', 'also rooms that nobody is in')
    .action(list);
  subcommand(room, 'show', 'show the texts of a room')
    .argument('<room>', 'id, or a unique beginning of it')
    .option('--follow', 'show them again after every change, until Ctrl-C')
    .action(show);
  subcommand(room, 'write', 'replace a text by standard input; creates a missing room')
    .argument('<room>', 'id')
    .option('--text <name>', 'name of the text (default: the only one; in a new room "text")')
    .option('--append', 'append to the text instead')
    .action(write);
  return answerOptions(room).addHelpText('after', notes(HELP));
}

async function list(options: AnswerOptions & { readonly all?: boolean }): Promise<void> {
  await withLog(options, async (client) => {
    const open = new Set(await client.api.rooms.list());
    const ids = options.all === true ? await everyRoom(client) : [...open];
    const rooms = [];
    for (const room_id of ids.toSorted()) {
      const peers = open.has(room_id) ? await client.api.rooms.peers(room_id) : [];
      rooms.push({ room_id, open: open.has(room_id), peers });
    }
    if (options.json === true) return printJson({ rooms });
    if (rooms.length === 0) return print('No open rooms. See the others with: daybook room list --all\n');
    const rows = rooms.map((room) => [
      room.room_id,
      room.open ? ({ text: 'open', style: 'green' } as const) : 'closed',
      room.peers.map(({ name }) => name).join(', '),
    ]);
    await print(table([['ROOM', 'STATE', 'PEERS'], ...rows]));
  });
}

/** Ids of all rooms, also of closed ones. */
function everyRoom({ api }: Client): Promise<readonly string[]> {
  return api.rooms.list({ query: { all: 'true' } });
}

/** Throws for an unknown room. Entering it would create it. */
async function roomIdOf(client: Client, idOrPrefix: string): Promise<string> {
  const choices = (await everyRoom(client)).map((id) => ({ id, names: [id] }));
  return pickId(idOrPrefix, choices, { one: 'room', many: 'rooms', list: 'daybook room list --all' });
}

interface Visit {
  readonly doc: Doc;
  /** The peers beside this command. */
  peers(): readonly RoomPeer[];
}

interface VisitOptions {
  /** Called after every change of texts and peers. With it, the visit continues after a lost connection. */
  readonly changed?: () => void;
}

/**
 * Enters a room, runs `work`, and leaves the room when the daemon has taken all changes. Throws `CommandError` for a
 * change that it did not take.
 */
async function visit<Result>(
  client: Client,
  id: string,
  work: (visit: Visit) => Promise<Result>,
  { changed }: VisitOptions = {},
): Promise<Result> {
  const Y = await import('yjs');
  const doc = new Y.Doc();
  let peers: readonly RoomPeer[] = [];
  let hasEntered = false;
  let attempts = 0;
  const entering = new AbortController();
  const { promise: refused, resolve: noteRefusal } = Promise.withResolvers<void>();
  const { promise: left, resolve } = Promise.withResolvers<void>();
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const room: Room = connectRoom(client.api, id, {
    Y,
    doc,
    name: PEER_NAME,
    onPeers(now) {
      peers = now.filter(({ name }) => name !== PEER_NAME);
      changed?.();
    },
    onStatus(status) {
      if (status === 'closed') resolve();
      if (status === 'connecting') attempts += 1;
      if (attempts > 1) noteRefusal();
    },
    onError: (message) => void (!(hasEntered && changed) && reject(new CommandError(message))),
  });
  if (changed !== undefined) doc.on('update', changed);
  let result: Result;
  try {
    await Promise.race([room.synced, failed, notEntered(client, id, { refused, signal: entering.signal })]);
    hasEntered = true;
    entering.abort();
    result = await Promise.race([work({ doc, peers: () => peers }), failed]);
  } finally {
    entering.abort();
    room.close();
    // A visit that continues after a lost connection changes nothing, and may be on one that is lost.
    if (changed === undefined) await left;
    doc.destroy();
  }
  return Promise.race([failed, result]);
}

/**
 * Rejects when the room is not entered in time. A handshake that is refused has no reason; the same request without a
 * handshake has one, and waits for the rate limit.
 */
async function notEntered(
  { api }: Client,
  id: string,
  { refused, signal }: { readonly refused: Promise<void>; readonly signal: AbortSignal },
): Promise<never> {
  await Promise.race([refused, sleep(ENTER_MS_MAX, undefined, { signal })]);
  const { token } = await api.daemon();
  const options = { query: { token }, signal };
  await api.calls.text('GET /ws/collab/{}', [id], options).catch((error: unknown) => {
    if (!(error instanceof RequestRefused) || error.status !== UPGRADE_REQUIRED) throw error;
  });
  await sleep(ENTER_MS_MAX, undefined, { signal });
  throw new CommandError(`The room ${id} could not be entered within ${ENTER_MS_MAX / 1_000} s.`);
}

function textsOf(doc: Doc): Readonly<Record<string, string>> {
  const names = [...doc.share.keys()].toSorted();
  return Object.fromEntries(names.map((name) => [name, doc.getText(name).toString()]));
}

async function show(idOrPrefix: string, options: ShowOptions): Promise<void> {
  await withLog(options, async (client) => {
    const id = await roomIdOf(client, idOrPrefix);
    if (options.follow === true) return follow(client, id, options);
    await visit(client, id, async ({ doc }) => {
      const texts = textsOf(doc);
      await (options.json === true ? printJson({ room_id: id, texts }) : print(textsText(texts)));
      for (const name of Object.keys(texts).filter((each) => !isPlainText(doc.getText(each)))) {
        process.stderr.write(`daybook: ${printable(name)} has content of an editor that is not shown.\n`);
      }
    });
  });
  // Without a network the socket would keep the process for minutes.
  if (options.follow === true) setTimeout(() => process.exit(), LEAVE_MS_MAX).unref();
}

/** A single text without its name; several texts below their names. On a terminal without control characters. */
function textsText(texts: Readonly<Record<string, string>>): string {
  const all = Object.entries(texts);
  if (all.length === 0) return 'The room is empty.\n';
  return all
    .map(([name, text]) => {
      const heading = all.length === 1 ? '' : `${styled('bold', printable(name))}\n`;
      const shown = process.stdout.isTTY ? printable(text) : text;
      return `${heading}${shown}${text.endsWith('\n') ? '' : '\n'}`;
    })
    .join('\n');
}

async function follow(client: Client, id: string, { json }: AnswerOptions): Promise<void> {
  const changed = createSignal();
  const screen = createScreen();
  await untilInterrupted(async (signal) => {
    const work = async ({ doc, peers }: Visit): Promise<void> => {
      for (let last = ''; !signal.aborted; ) {
        const names = peers().map(({ name }) => name);
        const texts = textsOf(doc);
        const state = outputJson({ room_id: id, peers: names, texts });
        if (state !== last) {
          const heading = styled('dim', printable(`${id} · with ${names.join(', ') || 'nobody else'}`));
          await (json === true ? print(`${state}\n`) : screen.show(`${heading}\n\n${textsText(texts)}`));
          last = state;
        }
        await changed.wait(signal);
        await sleep(SETTLE_MS, undefined, { signal }).catch(() => undefined);
      }
    };
    await visit(client, id, work, { changed: () => changed.send() }).finally(() => screen.close());
  });
}

async function write(id: string, options: WriteOptions): Promise<void> {
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
