/**
 * Decodes stored events for folds: the data is parsed with the schema of its version, then upcast step by step to the
 * newest version.
 *
 * - Data of the newest version is checked and returned as it is: the same object, with the keys in stored order.
 * - An unknown type is a result of its own, and so is an erased payload, unless the definition has data for that case.
 * - Data that fits no schema is an error.
 * - The stored event itself never changes: its bytes are served raw, exported and hashed.
 */
import { type core, ZodError } from 'zod';
import type { EventDefinition, EventIn, EventTable } from './define.ts';
import { faultOf } from './fault.ts';

/** The fields of a stored event that decoding needs. */
export interface StoredEvent {
  readonly position: number;
  readonly stream: string;
  readonly type: string;
  readonly schema: number;
  readonly data: unknown;
  readonly erased?: true | undefined;
}

export type Decoded<Stored> =
  /** `event` has data of the newest version. */
  | { readonly kind: 'event'; readonly event: Stored }
  /** The payload was erased; the envelope remains. */
  | { readonly kind: 'erased' }
  /** The table does not hold the type: another resource or another program wrote it. */
  | { readonly kind: 'unknown' };

/** A stored event whose data does not fit the schema of any known version. */
export class EventSchemaError extends Error {
  readonly position: number;
  readonly stream: string;
  readonly type: string;
  readonly schema: number;
  /** Path of the first field that does not fit, such as `steps.0.status`; empty for the data as a whole. */
  readonly field: string;
  /** The fault of that field. */
  readonly fault: string;

  constructor({ position, stream, type, schema }: StoredEvent, { field, fault }: { field: string; fault: string }) {
    const place = field === '' ? 'data' : `data.${field}`;
    super(`The event at position ${position} (stream ${stream}) is no ${type} of schema ${schema}: ${place}: ${fault}`);
    this.name = 'EventSchemaError';
    this.position = position;
    this.stream = stream;
    this.type = type;
    this.schema = schema;
    this.field = field;
    this.fault = fault;
  }
}

/** A newer program wrote the event, with a type or a schema version that this program does not know. */
export class NewerEventError extends EventSchemaError {
  constructor(stored: StoredEvent, fault: string) {
    super(stored, { field: '', fault });
    this.name = 'NewerEventError';
  }

  /** A sentence for clients, which does not name the stream. */
  get sentence(): string {
    const what = `a newer one wrote ${this.type}, schema ${this.schema}, at position ${this.position}`;
    return `This daemon is too old for a part of the log: ${what}. Upgrade it; other daemons may answer.`;
  }
}

/** Throws `EventSchemaError` for data that does not fit. */
export function decodeEvent<Stored extends StoredEvent>(table: EventTable, stored: Stored): Decoded<Stored> {
  const definition = Object.hasOwn(table, stored.type) ? table[stored.type] : undefined;
  if (definition === undefined) return UNKNOWN;
  if (stored.erased === true) return erased(definition, stored);
  if (stored.schema === definition.version) {
    check(stored, () => definition.data.parse(stored.data, { error: faultOf }));
    return { kind: 'event', event: stored };
  }
  const data = check(stored, () => upcast(definition, stored));
  return { kind: 'event', event: { ...stored, data, schema: definition.version } };
}

/** How readers treat events whose type is not in their table. */
export type UnknownTypes = 'skip' | 'refuse';

/**
 * Decodes the events of a stream. Skips erased payloads for which the definition has no data, and unknown types unless
 * these are refused with a `NewerEventError`.
 */
export function* decodeEvents<Table extends EventTable, Stored extends StoredEvent>(
  table: Table,
  events: Iterable<Stored>,
  unknown: UnknownTypes = 'skip',
): Generator<StoredOf<Table, Stored>> {
  for (const stored of events) {
    const decoded = decodeEvent(table, stored);
    if (decoded.kind === 'unknown' && unknown === 'refuse') throw new NewerEventError(stored, UNKNOWN_TYPE_FAULT);
    if (decoded.kind === 'event') yield decoded.event as unknown as StoredOf<Table, Stored>;
  }
}

/**
 * As `decodeEvents`, for followers of the log, which one event must not end: an event that fits no known schema is
 * passed to `onUnreadable` and skipped.
 */
export function* decodeReadable<Table extends EventTable, Stored extends StoredEvent>(
  table: Table,
  events: Iterable<Stored>,
  onUnreadable: (stored: Stored, error: EventSchemaError) => void,
): Generator<StoredOf<Table, Stored>> {
  for (const stored of events) {
    try {
      yield* decodeEvents(table, [stored]);
    } catch (error) {
      if (!(error instanceof EventSchemaError)) throw error;
      onUnreadable(stored, error);
    }
  }
}

/** A stored event of a table, with its type and data as the table's definitions have them. */
export type StoredOf<Table extends EventTable, Stored extends StoredEvent> = Omit<Stored, 'type' | 'data'> &
  EventIn<Table>;

/** The fault of an event of an unknown type. */
export const UNKNOWN_TYPE_FAULT = 'a newer program wrote it; this one does not know the type';

const UNKNOWN = { kind: 'unknown' } as const;
const ERASED = { kind: 'erased' } as const;

function erased<Stored extends StoredEvent>({ version, whenErased }: EventDefinition, stored: Stored): Decoded<Stored> {
  if (whenErased === undefined) return ERASED;
  return { kind: 'event', event: { ...stored, data: whenErased, schema: version } };
}

function upcast({ version, data, upcast: steps }: EventDefinition, stored: StoredEvent): unknown {
  if (stored.schema > version) {
    const fault = `a newer program wrote it; this one knows schemas up to ${version}`;
    throw new NewerEventError(stored, fault);
  }
  let value = stored.data;
  for (let at = stored.schema; at < version; at += 1) value = steps[at]!(value);
  return inStoredOrder(data.parse(value, { error: faultOf }));
}

/** Sorts keys as the log does, so that a fold that stores data as text stores the same text for every version. */
function inStoredOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inStoredOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, inStoredOrder(inner)]));
}

function check(stored: StoredEvent, work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    const issue = error.issues[0] as core.$ZodIssue;
    throw new EventSchemaError(stored, { field: issue.path.join('.'), fault: issue.message });
  }
}
