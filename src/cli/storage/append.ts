/**
 * `daybook storage append`: appends events from standard input, one JSON object a line; prints each position when its
 * event is durable.
 *
 * - Lines are appended concurrently, so that they share syncs; positions are printed in the order of the lines.
 * - The first refused line ends the command, and the error names it. Exactly the lines whose positions are printed are
 *   appended: the lines before it, and lines after it that were in flight.
 */
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { faultOf } from '../../events/fault.ts';
import { systemClock, systemIds } from '../../integrations/system.ts';
import { roundedInteger } from '../../lib/json-text.ts';
import type { AppendResult, EventLog, ExpectedVersion, Json, StreamAppend } from '../../storage/event-log.ts';
import { linesOf } from '../../storage/lines.ts';
import { CommandError, UsageError } from '../errors.ts';
import { standardInput } from '../input.ts';
import { print } from '../text.ts';
import { asCommandError } from './reporting.ts';
import { locateStore, requireOwnLog, type StoreOptions, withStoreOrNew } from './store-location.ts';

const SHAPE = 'must be {"stream", "type", "data", "expected_version"?, "id"?}';
const VERSIONS = 'must be a whole number from 0, "any" or "none"';

const zLine = z.strictObject({
  stream: z.string({ error: 'must be text' }),
  type: z.string({ error: 'must be text' }),
  /** Any result of `JSON.parse`. The log checks it; zod would drop a key named `__proto__`. */
  data: z.unknown().refine((data) => data !== undefined, { error: 'must be any JSON value' }),
  expected_version: z.custom<ExpectedVersion>(isExpectedVersion, { error: VERSIONS }).optional(),
  /** UUIDv7; an event with a known id is not appended again. */
  id: z.string({ error: 'must be a UUIDv7' }).optional(),
});

/** Limits for the lines whose positions are not printed yet. */
const IN_FLIGHT_MAX = 1_024;
const IN_FLIGHT_CHARACTERS_MAX = 33_554_432;

export async function append(options: StoreOptions): Promise<void> {
  const place = locateStore(options);
  requireOwnLog(place);
  const input = standardInput();
  await withStoreOrNew(place, async ({ log }) => appendLines(log, input, options.json === true));
}

interface InFlight {
  readonly line: number;
  readonly result: Promise<AppendResult>;
}

async function appendLines(log: EventLog, input: Readable, isJson: boolean): Promise<void> {
  const inFlight = createInFlightLimit();
  const positions = createBatchedPrinter();
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
      const position = positionOf({ line, result });
      position.catch(fail);
      printed = printed.then(async () => {
        const appended = await position.catch(() => null);
        if (appended !== null)
          await positions.add(isJson ? `${JSON.stringify({ position: appended })}\n` : `${appended}\n`);
        inFlight.release(text.length);
      });
      await inFlight.acquire(text.length);
    }
  } catch (error) {
    fail(error);
  }
  await printed;
  await positions.flush();
  if (failure !== null) throw failure;
}

const PRINT_BATCH_CHARACTERS_MAX = 65_536;

/** Prints the lines of one event loop turn at once: a group commit makes many positions durable together. */
function createBatchedPrinter() {
  let text = '';
  let printing = Promise.resolve();
  let scheduled: NodeJS.Immediate | null = null;
  const flush = (): Promise<void> => {
    if (scheduled !== null) clearImmediate(scheduled);
    scheduled = null;
    const batch = text;
    text = '';
    if (batch !== '') printing = printing.then(() => print(batch));
    return printing;
  };
  return {
    flush,
    add(line: string): Promise<void> | undefined {
      text += line;
      if (text.length >= PRINT_BATCH_CHARACTERS_MAX) return flush();
      scheduled ??= setImmediate(() => void flush());
      return undefined;
    },
  };
}

/** Counts lines in flight; `acquire` waits while there are too many. */
function createInFlightLimit() {
  let count = 0;
  let characters = 0;
  let wake: (() => void) | null = null;
  return {
    async acquire(length: number): Promise<void> {
      count += 1;
      characters += length;
      while (count >= IN_FLIGHT_MAX || characters > IN_FLIGHT_CHARACTERS_MAX) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    release(length: number): void {
      count -= 1;
      characters -= length;
      wake?.();
    },
  };
}

async function positionOf({ line, result }: InFlight): Promise<number> {
  let appended: AppendResult;
  try {
    appended = await result;
  } catch (error) {
    const reported = asCommandError(error);
    if (reported instanceof Error) reported.message = `Line ${line}: ${reported.message}`;
    throw reported;
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
  const rounded = roundedInteger(text);
  if (rounded) throw new UsageError(`Line ${line}: ${rounded} would be stored as ${Number(rounded)}; send it as text.`);
  const parsed = zLine.safeParse(value, { error: faultOf });
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
