/**
 * Compares a text with the drawers: cuts it into chunks and decides for each one whether it makes a new drawer or
 * repeats a drawer. Runs in slices of a few milliseconds.
 */
import { type Chunk, chunksOf } from '../../commands/memory/chunk.ts';
import { classify } from '../../commands/memory/classify.ts';
import { drawer } from '../../commands/memory/drawer.ts';
import { quoted, VERBATIM_CHARACTERS } from '../../commands/memory/lines.ts';
import type { Loop } from '../../commands/memory/recalled.ts';
import type { Place } from '../../events/memory/drawers.ts';
import { type Slicing, TimeSlices } from '../../lib/slices.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { drawerWith, isTextId, placesOf, textOf } from '../../projections/memory/drawers.ts';
import { analyseText } from '../../projections/recall/text-analysis.ts';
import { cosine } from '../../projections/recall/vector.ts';
import type { Views } from '../../projections/views.ts';
import type { MemoryEncryption } from '../../queries/memory/encryption.ts';
import { textFields } from '../../queries/memory/texts.ts';
import { derivedId } from './repeat-ids.ts';

export interface ComparisonParts {
  readonly ids: IdGenerator;
  readonly views: Views;
  readonly encryption: Pick<MemoryEncryption, 'cipher' | 'fingerprints'>;
  /** The wing of the workspace. */
  wing(): string;
  /** Default: the slices of this process. */
  readonly slicing?: Slicing | undefined;
}

export interface OfferedText {
  readonly content: string;
  readonly source?: string | null | undefined;
  /** The shown entry that the text repeats. */
  readonly loop: Loop | undefined;
  /** Names the request in every repeat of it. */
  readonly repeatId?: string | undefined;
}

export interface StoredText {
  readonly text_id: string;
  readonly places: readonly Place[];
}

export interface ComparedText extends StoredText {
  /** The fingerprint of its source, which names the stream. */
  readonly source_key: string;
  readonly text_key: string;
  /**
   * Whether the same text is stored under this source: as a whole (`repeated`), or by this request before a crash, or
   * without places that an interruption or an erasure left out (`begun`).
   */
  readonly stored: 'no' | 'begun' | 'repeated';
  /** Number of places that are already stored. */
  readonly kept: number;
  /** The places to store, in order. */
  readonly added: readonly Place[];
  /** Its new drawers, by the fingerprint of their words. */
  readonly newDrawers: ReadonlyMap<string, RecentDrawer>;
}

export interface RecentDrawer {
  readonly id: string;
  readonly vector: Float32Array;
}

/** The drawers that are compared by vector, and those that are not committed yet. */
export interface DrawerCandidates {
  /** The most recent drawers, oldest first, at most RECENT_DRAWERS. */
  recent(): readonly RecentDrawer[];
  /** The id of the pending drawer with these words. */
  pendingWith(content_key: string): string | undefined;
}

export const RECENT_DRAWERS = 20;
const SOURCE_DEFAULT = 'api';
/** A chunk with this cosine to one of the most recent drawers makes no drawer of its own. */
const NEAR_COSINE_MIN = 0.85;

interface TextFacts {
  readonly text_id: string;
  readonly source: string;
  readonly source_key: string;
  readonly room: string;
  readonly loop: Loop | undefined;
  readonly slices: TimeSlices;
}

export async function compareText(
  parts: ComparisonParts,
  offered: OfferedText,
  candidates: DrawerCandidates,
): Promise<ComparedText> {
  const { views, encryption } = parts;
  const { content, loop } = offered;
  const source = offered.source?.trim() ? offered.source : SOURCE_DEFAULT;
  const slices = new TimeSlices(parts.slicing);
  const { exact } = encryption.fingerprints();
  const source_key = exact(source);
  const text_key = exact(content);
  if (slices.isOver) await slices.next();
  const room = classify(content).sector;
  const chunks = await cut(content, slices);
  const stored = textOf(views, drawerStream(source_key), text_key);
  const ownId = offered.repeatId === undefined ? undefined : derivedId(offered.repeatId, 0);
  const text_id = stored?.text_id ?? newId(parts, ownId);
  const text: TextFacts = { text_id, source, source_key, room, loop, slices };
  const kept = stored === undefined ? [] : storedPlaces(views, text_id);
  const keys = { text_id, source_key, text_key, kept: kept.length };
  const missing = withoutPlaces(chunks, kept);
  if (missing.length === 0 && text_id !== ownId) {
    const { places } = await comparedPlaces(parts, { text, chunks }, candidates);
    return { ...keys, stored: 'repeated', added: [], newDrawers: new Map(), places: places.map(withoutNewDrawer) };
  }
  const { places: added, newDrawers } = await comparedPlaces(parts, { text, chunks: missing }, candidates);
  const places = [...kept, ...added].sort((one, other) => one.index - other.index);
  return { ...keys, stored: stored === undefined ? 'no' : 'begun', added, newDrawers, places };
}

function newId({ views, ids }: ComparisonParts, wanted: string | undefined): string {
  return wanted === undefined || isTextId(views, wanted) ? ids.uuid() : wanted;
}

function withoutPlaces(chunks: readonly NumberedChunk[], places: readonly Place[]): readonly NumberedChunk[] {
  const indexes = new Set(places.map(({ index }) => index));
  return chunks.filter(({ index }) => !indexes.has(index));
}

/** The stream that holds the drawers of a source. */
export function drawerStream(source_key: string): string {
  return `${drawer.category}-${source_key}`;
}

async function comparedPlaces(
  parts: ComparisonParts,
  { text, chunks }: { readonly text: TextFacts; readonly chunks: readonly NumberedChunk[] },
  candidates: DrawerCandidates,
) {
  const { views, ids, encryption } = parts;
  const { exact } = encryption.fingerprints();
  const newDrawers = new Map<string, RecentDrawer>();
  const recent = [...candidates.recent()];
  const places: Place[] = [];
  for (const { content, start, index } of chunks) {
    if (text.slices.isOver) await text.slices.next();
    const content_key = exact(content);
    const same =
      newDrawers.get(content_key)?.id ?? drawerWith(views, content_key) ?? candidates.pendingWith(content_key);
    const { kind, of, vector } = resemblanceOf(content, { same, recent, loop: text.loop });
    const id = ids.uuid();
    if (kind === 'new') {
      const drawer = { id, vector };
      newDrawers.set(content_key, drawer);
      recent.push(drawer);
      if (recent.length > RECENT_DRAWERS) recent.shift();
    }
    places.push(placeOf(parts, text, { id, index, start, content, content_key, kind, of }));
  }
  return { places, newDrawers };
}

interface NumberedChunk extends Chunk {
  readonly index: number;
}

async function cut(content: string, slices: TimeSlices): Promise<readonly NumberedChunk[]> {
  const chunks: NumberedChunk[] = [];
  for (const chunk of chunksOf(content)) {
    chunks.push({ ...chunk, index: chunks.length });
    if (slices.isOver) await slices.next();
  }
  return chunks;
}

/** The stored places of a text, in order. */
function storedPlaces(views: Views, text_id: string): readonly Place[] {
  return placesOf(views, text_id).map(({ place: index, of_id: of, created_at: _at, position: _position, ...row }) => ({
    ...row,
    index,
    of,
  }));
}

/** No chunk of a text that is already stored makes a drawer. */
function withoutNewDrawer(place: Place): Place {
  return place.kind === 'new' ? { ...place, kind: 'exact' } : place;
}

interface Resemblance {
  /** The id of the drawer with the same words. */
  readonly same: string | undefined;
  readonly recent: readonly RecentDrawer[];
  readonly loop: Loop | undefined;
}

function resemblanceOf(content: string, { same, recent, loop }: Resemblance) {
  const noVector = new Float32Array();
  if (content.trim() === '') return { kind: 'blank', of: null, vector: noVector } as const;
  if (same !== undefined) return { kind: 'exact', of: same, vector: noVector } as const;
  if (loop !== undefined) return { kind: 'near', of: loop.id, vector: noVector } as const;
  const { vector } = analyseText(content);
  const near = recent.find((each) => cosine(each.vector, vector) >= NEAR_COSINE_MIN);
  if (near !== undefined) return { kind: 'near', of: near.id, vector } as const;
  return { kind: 'new', of: null, vector } as const;
}

function placeOf(
  { encryption, wing }: ComparisonParts,
  { text_id, source, source_key, room }: TextFacts,
  place: Pick<Place, 'id' | 'index' | 'start' | 'content' | 'content_key' | 'kind' | 'of'>,
): Place {
  const { content, id } = place;
  const texts = { content: place.kind === 'exact' ? '' : content, source };
  return {
    ...place,
    ...textFields(encryption.cipher(), texts, { id, empty: { content: '', source: '' } }),
    line_key: encryption.fingerprints().loose(quoted(content, VERBATIM_CHARACTERS)),
    text_id,
    source_key,
    room,
    wing: wing(),
  };
}
