/**
 * Reads the exports of other memory systems as entries to store. A faulty entry is reported by its index and does not
 * stop the others.
 *
 * - `auto` detects the format of each entry; `native` is another name for `openmemory`, Daybook's own export.
 */
import type { MemoryBody, Sector } from '../../events/memory/events.ts';
import { parsedExactly, withoutByteOrderMark } from '../../lib/json-text.ts';
import { isBlank } from '../blank.ts';
import { sectorNamed } from './classify.ts';

export type ImportFormat = 'mem0' | 'zep' | 'openmemory' | 'facts';

type Texts = 'content' | 'tags' | 'meta';
type Computed = 'sealed' | 'content_key' | 'line_key' | 'from' | 'waypoints';
type Recorded = Omit<MemoryBody, Texts | Computed> & { readonly id: string };

/** One entry to store. An absent field gets the value that an added memory would get. Times in Unix seconds. */
export type ImportEntry = Readonly<Pick<MemoryBody, Texts>> & { readonly index: number } & {
  readonly [Field in keyof Recorded]?: Recorded[Field] | undefined;
};

export interface EntryFault {
  readonly index: number;
  readonly error: string;
}

export interface OpenImport {
  /** The requested format, or with `auto` the format of the first recognised entry. */
  readonly format: ImportFormat;
  /** Reads the entries one by one, so that other requests can be served in between. */
  readonly entries: Iterable<ReadEntry>;
}

export type ReadEntry =
  | { readonly kind: 'entry'; readonly entry: ImportEntry }
  /** Without text, or with too little confidence. */
  | { readonly kind: 'skipped'; readonly fault: EntryFault }
  | { readonly kind: 'error'; readonly fault: EntryFault };

/** A text or one of its entries cannot be read. */
export class ImportError extends Error {}

type Fields = Readonly<Record<string, unknown>>;
type Outcome = Omit<ImportEntry, 'index'> | { readonly skip: string };

const CONFIDENCE_MIN = 0.5;
const CONFIDENCE_DEFAULT = 0.7;
const OPENMEMORY_SALIENCE_DEFAULT = 0.7;
/** Year 11 476. A greater number is of milliseconds, in which OpenMemory writes times. */
const SECONDS_MAX = 3e11;
const MS_MAX = 8.64e15;
const ID = /^[\w.:-]{1,128}$/;

/** Throws `ImportError` for a text that is not an import. */
export function openImport(text: string, format: string): OpenImport {
  const parsed = parse(text);
  const formatName = format.trim().toLowerCase();
  const list = listIn(parsed, formatName);
  const known = FORMAT_NAMES.get(formatName);
  const main = known ?? list.map(formatOf).find((each) => each !== undefined) ?? 'mem0';
  const formatFor = (item: unknown): ImportFormat => known ?? formatOf(item) ?? main;
  return { format: main, entries: readEntries(list, formatFor) };
}

function* readEntries(list: readonly unknown[], formatFor: (item: unknown) => ImportFormat): Generator<ReadEntry> {
  for (const [index, item] of list.entries()) yield readEntry(item, index, formatFor(item));
}

function readEntry(item: unknown, index: number, format: ImportFormat): ReadEntry {
  try {
    const outcome = READERS[format](fieldsOf(item));
    if ('skip' in outcome) return { kind: 'skipped', fault: { index, error: outcome.skip } };
    if (isBlank(outcome.content)) return { kind: 'skipped', fault: { index, error: 'it has no text' } };
    return { kind: 'entry', entry: { index, ...outcome } };
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    return { kind: 'error', fault: { index, error: error.message } };
  }
}

const FORMAT_NAMES: ReadonlyMap<string, ImportFormat> = new Map([
  ['mem0', 'mem0'],
  ['zep', 'zep'],
  ['openmemory', 'openmemory'],
  ['native', 'openmemory'],
]);

function parse(text: string): unknown {
  try {
    return parsedExactly(withoutByteOrderMark(text));
  } catch {
    // The message of JSON.parse would quote the text.
    throw new ImportError('content is not JSON');
  }
}

/** The entries: a flat array, or the list inside an object that some systems export. */
function listIn(parsed: unknown, format: string): readonly unknown[] {
  if (Array.isArray(parsed)) return parsed;
  const { memories, results } = (typeof parsed === 'object' && parsed !== null ? parsed : {}) as Fields;
  const inside = memories ?? results;
  if (Array.isArray(inside) && format !== 'zep' && format !== 'openmemory' && format !== 'native') return inside;
  throw new ImportError(
    format === 'zep' || format === 'openmemory' || format === 'native'
      ? `content must be a JSON array of entries for the format ${format}`
      : 'content must be a JSON array of entries, or an object with a memories or results array',
  );
}

/** A format, and the fields that only its entries have. The first match counts. */
const FORMAT_FIELDS: readonly (readonly [ImportFormat, readonly string[]])[] = [
  ['facts', ['fact']],
  ['mem0', ['memory']],
  ['openmemory', ['primary_sector', 'sector', 'salience', 'tags', 'meta', 'pinned']],
  ['zep', ['role', 'role_type']],
];

function formatOf(item: unknown): ImportFormat | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  return FORMAT_FIELDS.find(([, names]) => names.some((name) => name in item))?.[0];
}

const READERS: Readonly<Record<ImportFormat, (entry: Fields) => Outcome>> = {
  mem0: (entry) => {
    const metadata = record(entry, 'metadata');
    return {
      content: firstText(entry, ['memory', 'content', 'text']),
      tags: tagsOf(metadata),
      meta: texts(metadata, ['tags']),
    };
  },
  zep: (entry) => ({
    content: firstText(entry, ['content', 'text']),
    tags: ['zep-import'],
    meta: { source: 'zep', role: text(entry, 'role') ?? 'unknown' },
  }),
  openmemory: (entry) => ({
    content: text(entry, 'content') ?? '',
    tags: tagsOf(entry),
    meta: texts(record(entry, entry.meta == null ? 'metadata' : 'meta'), []),
    sector: sectorNamed(text(entry, 'primary_sector') ?? text(entry, 'sector') ?? '') ?? 'semantic',
    secondary: pairs(entry, 'secondary_sectors'),
    salience: number(entry, 'salience', { min: 0, max: 1 }) ?? OPENMEMORY_SALIENCE_DEFAULT,
    decay_lambda: number(entry, 'decay_lambda', { min: 0, max: 1_000 }),
    pinned: pinnedOf(entry),
    id: idOf(entry),
    created_at: moment(entry, 'created_at'),
    updated_at: moment(entry, 'updated_at'),
    last_seen_at: moment(entry, 'last_seen_at'),
    version: number(entry, 'version', { min: 1, max: 1e9, whole: true }),
    user_id: text(entry, 'user_id'),
    project_id: text(entry, 'project_id') ?? (entry.project_id === null ? null : undefined),
    session_id: text(entry, 'session_id') ?? null,
  }),
  facts: (entry) => {
    const confidence = number(entry, 'confidence', { min: 0, max: 1 }) ?? CONFIDENCE_DEFAULT;
    if (confidence < CONFIDENCE_MIN) return { skip: `its confidence is below ${CONFIDENCE_MIN}` };
    const content = text(entry, 'fact') ?? '';
    return { content, tags: tagsOf(entry), meta: {}, salience: confidence, pinned: pinnedOf(entry) };
  },
};

function fieldsOf(item: unknown): Fields {
  if (typeof item === 'object' && item !== null && !Array.isArray(item)) return item as Fields;
  throw new ImportError('it must be an object');
}

function text(entry: Fields, name: string): string | undefined {
  const value = entry[name] ?? undefined;
  if (value === undefined || typeof value === 'string') {
    if (value?.isWellFormed() === false) throw new ImportError(`${name} has half of a character`);
    return value;
  }
  throw new ImportError(`${name} must be a string`);
}

/** The first of these fields that is not blank. */
function firstText(entry: Fields, names: readonly string[]): string {
  return names.map((name) => text(entry, name) ?? '').find((each) => !isBlank(each)) ?? '';
}

function record(entry: Fields, name: string): Fields {
  const value = entry[name] ?? {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Fields;
  throw new ImportError(`${name} must be an object`);
}

function tagsOf({ tags }: Fields): string[] {
  const value = tags ?? [];
  if (Array.isArray(value) && value.every((each) => typeof each === 'string' && each.isWellFormed())) return value;
  throw new ImportError('tags must be a list of strings');
}

function pinnedOf({ pinned }: Fields): boolean | undefined {
  const value = pinned ?? undefined;
  if (value === undefined || typeof value === 'boolean') return value;
  throw new ImportError('pinned must be true or false');
}

function number(
  entry: Fields,
  name: string,
  { min, max, whole = false }: { min: number; max: number; whole?: boolean },
): number | undefined {
  const value = entry[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value === 'number' && value >= min && value <= max && (!whole || Number.isInteger(value))) return value;
  throw new ImportError(`${name} must be a number from ${min} to ${max}`);
}

function moment(entry: Fields, name: string): number | undefined {
  const value = number(entry, name, { min: 0, max: MS_MAX });
  return value !== undefined && value > SECONDS_MAX ? value / 1_000 : value;
}

/** Metadata values as text; values other than strings are stored as JSON. */
function texts(metadata: Fields, without: readonly string[]): Readonly<Record<string, string>> {
  const fields = Object.entries(metadata).filter(([name, value]) => !without.includes(name) && value !== null);
  const written = fields.map(([name, value]) => [name, typeof value === 'string' ? value : asJson(value)]);
  if (written.flat().every((each) => each?.isWellFormed())) return Object.fromEntries(written);
  throw new ImportError('metadata has half of a character');
}

function asJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    throw new ImportError('metadata is nested too deep');
  }
}

function pairs(entry: Fields, name: string): MemoryBody['secondary'] | undefined {
  const value = entry[name] ?? undefined;
  if (value === undefined) return undefined;
  const fault = new ImportError(`${name} must be a list of [sector, confidence from 0 to 1]`);
  if (!Array.isArray(value)) throw fault;
  return value.map((pair: unknown): [Sector, number] => {
    const [sector, confidence] = Array.isArray(pair) ? (pair as unknown[]) : [];
    const known = typeof sector === 'string' ? sectorNamed(sector) : undefined;
    if (known === undefined || typeof confidence !== 'number' || confidence < 0 || confidence > 1) throw fault;
    return [known, confidence];
  });
}

/** The id, if it is valid in the name of a stream: then a second import recognises the entry. */
function idOf(entry: Fields): string | undefined {
  const id = text(entry, 'id');
  return id !== undefined && ID.test(id) ? id : undefined;
}
