/**
 * `daybook storage append`: events from standard input, one JSON object a line; each position is printed once its event
 * is durable.
 *
 * - Lines are appended as they come, many in flight, so that they share syncs; positions are printed in their order.
 * - The first line that is refused ends it, and the sentence names it. Lines before it are appended, and so are those
 *   behind it that were on their way: exactly those whose positions are printed.
 */
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { systemClock, systemIds } from '../../integrations/system.ts';
import type { AppendResult, EventLog, ExpectedVersion, Json, StreamAppend } from '../../storage/event-log.ts';
import { linesOf } from '../../storage/lines.ts';
import { CommandError, UsageError } from '../failures.ts';
import { print } from '../text.ts';
import { type PlaceOptions, placeOf, withStoreOrNew } from './place.ts';
import { plain } from './verb.ts';

const SHAPE = 'must be {"stream", "type", "data", "expected_version"?, "id"?}';
const VERSIONS = 'must be a whole number from 0, "any" or "none"';

const zLine = z.strictObject({
  stream: z.string({ error: 'must be text' }),
  type: z.string({ error: 'must be text' }),
  /** Whatever `JSON.parse` gave; the log checks it, and zod would drop a key named `__proto__`. */
  data: z.unknown().refine((data) => data !== undefined, { error: 'must be any JSON value' }),
  expected_version: z.custom<ExpectedVersion>(isExpectedVersion, { error: VERSIONS }).optional(),
  /** UUIDv7; the same one again is the same event. */
  id: z.string({ error: 'must be a UUIDv7' }).optional(),
});

/** Lines whose positions are not printed yet. */
const IN_FLIGHT_MAX = 1_024;
const IN_FLIGHT_CHARACTERS_MAX = 33_554_432;

export async function append(options: PlaceOptions): Promise<void> {
  await withStoreOrNew(placeOf(options), async ({ log }) => appendLines(log, process.stdin, options.json === true));
}

interface InFlight {
  readonly line: number;
  readonly result: Promise<AppendResult>;
}

async function appendLines(log: EventLog, input: Readable, isJson: boolean): Promise<void> {
  const flight = createFlight();
  const positions = createPrinter();
  let failure: unknown = null;
  let printed = Promise.resolve();
  const fail = (error: unknown): void => {
    failure ??= error;
    input.destroy();
  };
  try {
    for await (const { number: line, text } of linesOf(input)) {
      if (failure !== null) break;
      const result = log.append([appendOf(text, line)]);
      const position = settled({ line, result });
      position.catch(fail);
      printed = printed.then(async () => {
        const known = await position.catch(() => null);
        if (known !== null) await positions.add(isJson ? `${JSON.stringify({ position: known })}\n` : `${known}\n`);
        flight.landed(text.length);
      });
      await flight.started(text.length);
    }
  } catch (error) {
    fail(error);
  }
  await printed;
  await positions.flush();
  if (failure !== null) throw failure;
}

const PRINTED_TOGETHER_CHARACTERS_MAX = 65_536;

/** Prints what is added in one turn of the event loop together: positions become durable by the group. */
function createPrinter() {
  let text = '';
  let printing = Promise.resolve();
  let soon: NodeJS.Immediate | null = null;
  const flush = (): Promise<void> => {
    if (soon !== null) clearImmediate(soon);
    soon = null;
    const now = text;
    text = '';
    if (now !== '') printing = printing.then(() => print(now));
    return printing;
  };
  return {
    flush,
    add(line: string): Promise<void> | undefined {
      text += line;
      if (text.length >= PRINTED_TOGETHER_CHARACTERS_MAX) return flush();
      soon ??= setImmediate(() => void flush());
      return undefined;
    },
  };
}

/** Counts lines on their way and lets the reader wait while there are too many. */
function createFlight() {
  let count = 0;
  let characters = 0;
  let wake: (() => void) | null = null;
  return {
    async started(length: number): Promise<void> {
      count += 1;
      characters += length;
      while (count >= IN_FLIGHT_MAX || characters > IN_FLIGHT_CHARACTERS_MAX) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    landed(length: number): void {
      count -= 1;
      characters -= length;
      wake?.();
    },
  };
}

async function settled({ line, result }: InFlight): Promise<number> {
  let appended: AppendResult;
  try {
    appended = await result;
  } catch (error) {
    const told = plain(error);
    if (told instanceof Error) told.message = `Line ${line}: ${told.message}`;
    throw told;
  }
  if (appended.kind !== 'conflict') return appended.events[0]!.position;
  const { stream, expected, actual } = appended;
  throw new CommandError(
    `Line ${line}: the stream ${stream} is at version ${actual}, not ${expected}; nothing of it was appended.`,
  );
}

function appendOf(text: string, line: number): StreamAppend {
  const { stream, type, data, expected_version, id } = parse(text, line);
  const event = {
    id: id ?? systemIds.uuid(),
    type,
    schema: 1,
    at: systemClock.now(),
    actor: 'owner',
    correlation: null,
    causation: null,
    data: data as Json,
  };
  return { stream, expectedVersion: expected_version ?? 'any', events: [event] };
}

function parse(text: string, line: number): z.infer<typeof zLine> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError(`Line ${line} is no JSON: it ${SHAPE}.`);
  }
  const parsed = zLine.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue!.path.length === 0) throw new UsageError(`Line ${line} ${SHAPE}${unknownKeys(issue!)}.`);
  throw new UsageError(`Line ${line}: ${issue!.path.join('.')} ${issue!.message}.`);
}

function isExpectedVersion(value: unknown): boolean {
  return value === 'any' || value === 'none' || (Number.isSafeInteger(value) && Number(value) >= 0);
}

function unknownKeys(issue: z.core.$ZodIssue): string {
  return issue.code === 'unrecognized_keys'
    ? `; it has ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`
    : '';
}
