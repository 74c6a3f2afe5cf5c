/**
 * Stores texts as drawers: each text is cut into chunks, compared with the stored ones, and appended. The next text is
 * compared while the first one is synced, so that concurrent texts share a sync.
 *
 * - Texts are compared one after the other, each in slices of a few milliseconds.
 * - A long text is stored in several commits, so that none takes long. Between them, and after a crash, the views hold
 *   its beginning; the text is completed when it is offered again.
 * - A text is also compared with the pending ones: of two texts with the same words only one makes the drawer.
 * - A text that repeats a pending one waits for it and is compared again, so that no event refers to a drawer that may
 *   never be in the log.
 * - On a log that other daemons append to, a commit is made only while the text is stored as far as it was compared.
 *   Who finds that another daemon stores it waits for that, and compares it again.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { type Chunk, chunksOf } from '../../commands/memory/chunk.ts';
import { classify } from '../../commands/memory/classify.ts';
import { type DrawerCommand, drawer as decider } from '../../commands/memory/drawer.ts';
import { quoted, VERBATIM_CHARACTERS } from '../../commands/memory/lines.ts';
import type { Loop } from '../../commands/memory/recalled.ts';
import type { Place } from '../../events/memory/drawers.ts';
import { Mutex } from '../../lib/keyed-mutex.ts';
import type { ReadWriteLock } from '../../lib/read-write-lock.ts';
import { type Slicing, TimeSlices } from '../../lib/slices.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { drawerWith, newestDrawers, placeCount, placesOf, textOf } from '../../projections/memory/drawers.ts';
import { analyseText } from '../../projections/recall/text-analysis.ts';
import { cosine } from '../../projections/recall/vector.ts';
import type { Views } from '../../projections/views.ts';
import type { MemoryEncryption } from '../../queries/memory/encryption.ts';
import { drawerTexts, textFields } from '../../queries/memory/texts.ts';
import { type CommandHandler, type Origin, unconditional, whileDue } from '../../streams/command-handler.ts';

export interface DrawerIntakeParts {
  readonly ids: IdGenerator;
  readonly commandHandler: CommandHandler;
  readonly views: Views;
  readonly encryption: Pick<MemoryEncryption, 'cipher' | 'fingerprints'>;
  readonly lock: Pick<ReadWriteLock, 'exclusiveCount'>;
  /** The wing of the workspace. */
  wing(): string;
  /** Where left out, that of this process. */
  readonly slicing?: Slicing | undefined;
  /** Whether other daemons append to the log, too. */
  readonly isShared?: boolean | undefined;
}

const SOURCE_DEFAULT = 'api';
/** A chunk with this cosine to one of the most recent drawers makes no drawer of its own. */
const NEAR_COSINE_MIN = 0.85;
const RECENT_DRAWERS = 20;
/** About 50 kB of text: some milliseconds to append, to fold and to index. */
const PLACES_PER_COMMIT = 64;
/** Another daemon that has stored no place of a text for so long is not storing it any more. */
const OTHERS_PAUSE_MS = 500;

export interface OfferedText {
  readonly content: string;
  readonly source?: string | null | undefined;
  /** The shown entry that the text repeats. */
  readonly loop: Loop | undefined;
}

export interface StoredText {
  readonly text_id: string;
  readonly places: readonly Place[];
}

interface ComparedText extends StoredText {
  /** The fingerprint of its source, which names the stream. */
  readonly source_key: string;
  readonly text_key: string;
  /** The same text is stored under this source already. */
  readonly repeated: boolean;
  /** Places that are stored already: all or none, or the beginning of a text that was cut off. */
  readonly kept: number;
  /** Its new drawers, by the fingerprint of their words. */
  readonly newDrawers: ReadonlyMap<string, RecentDrawer>;
}

/** A text that is appended and not committed yet. */
interface PendingText {
  readonly text: ComparedText;
  /** Resolves when the commit succeeded or failed; never rejects. */
  readonly ended: Promise<unknown>;
}

interface RecentDrawer {
  readonly id: string;
  readonly vector: Float32Array;
}

interface TextParts {
  readonly text_id: string;
  readonly source: string;
  readonly source_key: string;
  readonly room: string;
  readonly loop: Loop | undefined;
  readonly slices: TimeSlices;
}

export class DrawerIntake {
  readonly #parts: DrawerIntakeParts;
  /** In the order of the log. */
  readonly #pending = new Set<PendingText>();
  /** Held while a text is compared, until it is pending. */
  readonly #comparison = new Mutex();
  /** The most recent committed drawers, oldest first, as read after so many exclusive sections. */
  #recent = { exclusiveCount: -1, drawers: [] as readonly RecentDrawer[] };

  constructor(parts: DrawerIntakeParts) {
    this.#parts = parts;
  }

  /** Runs in a shared section: drawers are deleted and encrypted in exclusive ones. */
  async store(offered: OfferedText, origin: Origin): Promise<StoredText> {
    for (;;) {
      const { text, original, commit } = await this.#comparison.run(async () => {
        // Some of them may end during the comparison; no other text becomes pending.
        const pending = [...this.#pending];
        const text = await this.#compare(offered);
        const original = pendingTextRepeatedBy(text, pending);
        return { text, original, commit: original === undefined ? this.#append(text, origin) : undefined };
      });
      const isStored = await commit;
      if (isStored === true) return text;
      await (original === undefined ? this.#whileOthersStore(text) : original.ended);
    }
  }

  /** Waits as long as the places of a text become more that another daemon has begun to store. */
  async #whileOthersStore({ source_key, text_key, places }: ComparedText): Promise<void> {
    const stored = () => {
      const text = textOf(this.#parts.views, streamOf(source_key), text_key);
      return text === undefined ? 0 : placeCount(this.#parts.views, text.text_id);
    };
    for (let before = -1, now = stored(); now > before && now < places.length; now = stored()) {
      before = now;
      await pause(OTHERS_PAUSE_MS);
    }
  }

  async #compare({ content, source: given, loop }: OfferedText): Promise<ComparedText> {
    const { views, ids, encryption } = this.#parts;
    const source = given == null || given.trim() === '' ? SOURCE_DEFAULT : given;
    const slices = new TimeSlices(this.#parts.slicing);
    const { exact } = encryption.fingerprints();
    const source_key = exact(source);
    const text_key = exact(content);
    if (slices.isOver) await slices.next();
    const room = classify(content).sector;
    const chunks = await cut(content, slices);
    const stored = textOf(views, streamOf(source_key), text_key);
    const text_id = stored?.text_id ?? ids.uuid();
    const newDrawers = new Map<string, RecentDrawer>();
    const text: TextParts = { ...{ text_id, source, source_key, room, loop }, slices };
    const kept = stored === undefined ? [] : keptPlaces(views, text_id);
    const keys = { text_id, source_key, text_key };
    if (stored !== undefined && kept.length >= chunks.length) {
      const places = await this.#placesOf(chunks, text, newDrawers);
      const repeats = { repeated: true, kept: places.length, newDrawers: new Map() };
      return { ...keys, ...repeats, places: places.map(withoutNewDrawer) };
    }
    const places = await this.#placesOf(chunks.slice(kept.length), text, newDrawers, kept.length);
    return { ...keys, repeated: false, kept: kept.length, newDrawers, places: [...kept, ...places] };
  }

  /** Adds the drawers that the chunks make to `newDrawers`. */
  async #placesOf(
    chunks: readonly Chunk[],
    text: TextParts,
    newDrawers: Map<string, RecentDrawer>,
    firstIndex = 0,
  ): Promise<readonly Place[]> {
    const { views, ids, encryption } = this.#parts;
    const { exact } = encryption.fingerprints();
    const recent = [...this.#recentDrawers()];
    const places: Place[] = [];
    for (const { content, start } of chunks) {
      if (text.slices.isOver) await text.slices.next();
      const content_key = exact(content);
      const same =
        newDrawers.get(content_key)?.id ?? drawerWith(views, content_key) ?? this.#pendingDrawerWith(content_key);
      const { kind, of, vector } = resemblanceOf(content, { same, recent, loop: text.loop });
      const id = ids.uuid();
      if (kind === 'new') {
        const drawer = { id, vector };
        newDrawers.set(content_key, drawer);
        recent.push(drawer);
        if (recent.length > RECENT_DRAWERS) recent.shift();
      }
      const index = firstIndex + places.length;
      places.push(placeOf(this.#parts, text, { id, index, start, content, content_key, kind, of }));
    }
    return places;
  }

  /** Oldest first; the pending drawers are the newest. */
  #recentDrawers(): readonly RecentDrawer[] {
    const exclusiveCount = this.#parts.lock.exclusiveCount();
    if (this.#recent.exclusiveCount !== exclusiveCount) {
      this.#recent = { exclusiveCount, drawers: this.#readRecentDrawers() };
    }
    const pending = [...this.#pending].flatMap(({ text }) => [...text.newDrawers.values()]);
    return [...this.#recent.drawers, ...pending].slice(-RECENT_DRAWERS);
  }

  #readRecentDrawers(): readonly RecentDrawer[] {
    const { views, encryption } = this.#parts;
    const cipher = encryption.cipher();
    return newestDrawers(views, RECENT_DRAWERS)
      .toReversed()
      .map((row) => ({ id: row.id, vector: analyseText(drawerTexts(cipher, row).content).vector }));
  }

  #pendingDrawerWith(content_key: string): string | undefined {
    for (const { text } of this.#pending) {
      const drawer = text.newDrawers.get(content_key);
      if (drawer !== undefined) return drawer.id;
    }
    return undefined;
  }

  /** False when another daemon stores the text, too, or has taken a part of it away. */
  async #append(text: ComparedText, origin: Origin): Promise<boolean> {
    const commit = this.#commit(text, origin);
    const pending = { text, ended: commit.catch(() => undefined) };
    this.#pending.add(pending);
    try {
      const isStored = await commit;
      if (!isStored) {
        this.#recent = { exclusiveCount: -1, drawers: [] };
        return false;
      }
      const drawers = [...this.#recent.drawers, ...text.newDrawers.values()].slice(-RECENT_DRAWERS);
      this.#recent = { ...this.#recent, drawers };
      return true;
    } finally {
      this.#pending.delete(pending);
    }
  }

  /** In order: what is stored of a text is its beginning, and no place refers to one that may never be stored. */
  async #commit(
    { source_key, text_id, text_key, places, kept, repeated }: ComparedText,
    origin: Origin,
  ): Promise<boolean> {
    const { views, commandHandler, isShared = false } = this.#parts;
    let stored = kept;
    /** Whether the text is stored as far as is known here. */
    const isDue = (): boolean => {
      const text = textOf(views, streamOf(source_key), text_key);
      return stored === 0 ? text === undefined : text?.text_id === text_id && placeCount(views, text_id) === stored;
    };
    const send = async (command: DrawerCommand): Promise<boolean> => {
      const sent = isShared
        ? whileDue(isDue, decider, source_key, command)
        : unconditional(decider, source_key, command);
      return (await commandHandler.dispatchBatch([sent], origin)).length > 0;
    };
    const begin = { type: 'ChunkText', text_id, text_key, repeated } as const;
    if (repeated) return send({ ...begin, places });
    while (stored < places.length) {
      const end = stored + PLACES_PER_COMMIT;
      const next = places.slice(stored, end);
      const isSent =
        stored === 0
          ? await send({ ...begin, places: next, later: places.slice(end) })
          : await send({ type: 'ContinueText', places: next });
      if (!isSent) return false;
      stored += next.length;
    }
    return true;
  }
}

async function cut(content: string, slices: TimeSlices): Promise<readonly Chunk[]> {
  const chunks: Chunk[] = [];
  for (const chunk of chunksOf(content)) {
    chunks.push(chunk);
    if (slices.isOver) await slices.next();
  }
  return chunks;
}

function streamOf(source_key: string): string {
  return `${decider.category}-${source_key}`;
}

/** The places of a text that are stored, in order. */
function keptPlaces(views: Views, text_id: string): readonly Place[] {
  return placesOf(views, text_id).map(({ place: index, of_id: of, created_at: _at, position: _position, ...row }) => ({
    ...row,
    index,
    of,
  }));
}

/** The text of `pending` that shares words with this one, or equals it. */
function pendingTextRepeatedBy(
  { source_key, text_key, repeated, places }: ComparedText,
  pending: readonly PendingText[],
): PendingText | undefined {
  if (pending.length === 0 || repeated) return undefined;
  const originals = new Set(places.map(({ of }) => of));
  return pending.find(({ text }) => {
    if (text.text_key === text_key && text.source_key === source_key) return true;
    return text.places.some(({ id }) => originals.has(id));
  });
}

/** No chunk of a text that is stored already makes a drawer. */
function withoutNewDrawer(place: Place): Place {
  return place.kind === 'new' ? { ...place, kind: 'exact' } : place;
}

interface Comparison {
  /** The drawer with the same words. */
  readonly same: string | undefined;
  readonly recent: readonly RecentDrawer[];
  readonly loop: Loop | undefined;
}

function resemblanceOf(content: string, { same, recent, loop }: Comparison) {
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
  { encryption, wing }: DrawerIntakeParts,
  { text_id, source, source_key, room }: TextParts,
  place: Pick<Place, 'id' | 'index' | 'start' | 'content' | 'content_key' | 'kind' | 'of'>,
): Place {
  const { content, id } = place;
  const texts = { content: place.kind === 'exact' ? '' : content, source };
  return {
    ...place,
    ...textFields(encryption.cipher(), texts, { id, empty: { content: '', source: '' } }),
    line_key: encryption.fingerprints().loose(quoted(content, VERBATIM_CHARACTERS)),
    ...{ text_id, source_key, room },
    wing: wing(),
  };
}
