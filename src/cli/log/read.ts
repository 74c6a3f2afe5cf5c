/** `daybook log read`, `tail` and `export`: a range of the log, its newest events, and all of them. */
import type { LogListAnswer } from '../../client/client.ts';
import { homeOf } from '../../config/load.ts';
import { readDiscovery } from '../../discovery.ts';
import type { Envelope } from '../../events/envelope.ts';
import { type Client, clientOf, createClient } from '../client.ts';
import { UsageError } from '../errors.ts';
import { sayInterrupted, untilInterrupted } from '../interrupt.ts';
import { wholeNumber } from '../options.ts';
import { createProgress } from '../progress.ts';
import { exportTarget } from '../save-file.ts';
import { counted, oneLine, outputJson, print, terminalColumns } from '../text.ts';
import { openLogSource } from './source.ts';

interface ReadOptions extends Selection {
  readonly home?: string;
  readonly after: string;
  readonly limit: string;
  readonly json?: boolean;
}

const PAGE_EVENTS = 5_000;

export async function read(options: ReadOptions): Promise<void> {
  requireNames(options);
  const selection = {
    ...options,
    after: wholeNumber(options.after, '--after'),
    limit: wholeNumber(options.limit, '--limit'),
  };
  const home = homeOf(process.env, options);
  const events =
    readDiscovery(home) === null ? fromDirectory(home, selection) : eventsOf(createClient(home), selection);
  for await (const envelope of events) await print(envelopeLine(envelope, options.json === true));
}

interface Range extends Selection {
  readonly after: number;
  readonly limit: number;
}

/** The daemon selects the events; pages are read until there are enough or no more. */
export async function* eventsOf(client: Client, { after, limit, stream, type }: Range): AsyncGenerator<Envelope> {
  let from: number | null = after;
  let remaining = limit;
  while (from !== null && remaining > 0) {
    const query = { after: from, limit: Math.min(remaining, PAGE_EVENTS), stream, type };
    const page: LogListAnswer = await client.api.log.list({ query });
    yield* page.events;
    remaining -= page.events.length;
    from = page.next;
  }
}

async function* fromDirectory(home: string, { after, limit, ...selection }: Range): AsyncGenerator<Envelope> {
  await using source = await openLogSource(home);
  let remaining = limit;
  if (remaining === 0) return;
  for await (const envelope of source.events({ after, through: (await source.head()).position })) {
    if (!isSelected(envelope, selection)) continue;
    yield envelope;
    remaining -= 1;
    if (remaining === 0) return;
  }
}

interface TailOptions extends Selection {
  readonly home?: string;
  readonly lines: string;
  readonly json?: boolean;
}

/** The newest events, then every new one, across restarts of the daemon, until Ctrl-C. */
export async function tail(options: TailOptions): Promise<void> {
  requireNames(options);
  const lines = wholeNumber(options.lines, '--lines');
  const client = clientOf(options);
  await untilInterrupted(async (signal) => {
    const head = await client.api.log.head();
    const events = client.follow((api, options) => api.log.events(options), {
      after: String(Math.max(0, head.position - lines)),
      signal,
      interrupted: sayInterrupted,
    });
    for await (const { data: envelope } of events) {
      if (isSelected(envelope, options)) await print(envelopeLine(envelope, options.json === true));
    }
  });
}

interface Selection {
  readonly stream?: string;
  readonly type?: string;
}

/** An empty name, as of an unset variable, selects everything or nothing, depending on who reads the log. */
export function requireNames({ stream, type }: Selection): void {
  for (const [option, name] of Object.entries({ stream, type })) {
    if (name === '') throw new UsageError(`--${option} must not be empty; leave it out for all events.`);
  }
}

function isSelected(envelope: Envelope, { stream, type }: Selection): boolean {
  return (stream === undefined || envelope.stream === stream) && (type === undefined || envelope.type === type);
}

/** All times are UTC. Narrower terminals show them without milliseconds, and then without the year. */
const MILLISECONDS_COLUMNS = 110;
const YEAR_COLUMNS = 80;
const TYPE_COLUMNS_MIN = 19;
const TYPE_COLUMNS_MAX = 40;
/** With less room, the data is left out. */
const DATA_COLUMNS_MIN = 8;

export function envelopeLine(envelope: Envelope, json: boolean): string {
  if (json) return `${outputJson(envelope)}\n`;
  const { position, at, stream, version, type } = envelope;
  const columns = terminalColumns();
  const utc = new Date(at).toISOString().replace('T', ' ');
  const time = columns >= MILLISECONDS_COLUMNS ? utc : `${utc.slice(columns >= YEAR_COLUMNS ? 0 : 5, 19)}Z`;
  const source = `${oneLine(stream, 20)} @${version}`.padEnd(24);
  const head = `${String(position).padStart(6)}  ${time}  ${source}  `;
  const typeColumns = Math.min(TYPE_COLUMNS_MAX, Math.max(TYPE_COLUMNS_MIN, columns - head.length));
  const named = `${head}${oneLine(type, typeColumns).padEnd(20)}`;
  const room = columns - named.length - 2;
  const data = envelope.erased === true ? '(erased)' : JSON.stringify(envelope.data);
  return `${room < DATA_COLUMNS_MIN ? named.trimEnd() : `${named}  ${oneLine(data, room)}`}\n`;
}

interface ExportOptions {
  readonly home?: string;
  readonly out?: string;
  readonly after: string;
}

/** `daybook log export`: every envelope up to the head at the start, as JSON Lines. */
export async function exportLog(options: ExportOptions): Promise<void> {
  const after = wholeNumber(options.after, '--after');
  await using source = await openLogSource(homeOf(process.env, options));
  await using target = exportTarget(options.out);
  using progress = createProgress('exporting');
  const { position, tree_hash } = await source.head();
  let count = 0;
  for await (const envelope of source.events({ after, through: position })) {
    await target.write(envelopeLine(envelope, true));
    count += 1;
    progress.at(count, position - after);
  }
  await target.end();
  progress.end();
  process.stderr.write(`${counted(count, 'event')} exported; the head is ${position}:${tree_hash}\n`);
}
