/**
 * Stores texts as drawers: each text is compared with the stored ones and appended. The next text is compared while the
 * previous one is synced, so that concurrent texts share a sync.
 *
 * - Texts are compared one after the other.
 * - A long text is stored in several commits, so that no commit takes long. Between the commits, and after a crash, the
 *   views hold the beginning of the text; the text is completed when it is offered again, as is a text that lost places
 *   by an erasure.
 * - A text is also compared with the pending ones: of two texts with the same words only one makes the drawer.
 * - A text that repeats a pending one waits for it and is compared again, so that no event refers to a drawer that may
 *   never be in the log.
 * - On a log that other daemons append to, a commit is conditional: the stored part of the text must still be the part
 *   that the comparison found. If another daemon stores the same text, this one waits for it and compares again.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type DrawerCommand, drawer as decider } from '../../commands/memory/drawer.ts';
import { Mutex } from '../../lib/keyed-mutex.ts';
import type { ReadWriteLock } from '../../lib/read-write-lock.ts';
import { newestDrawers, placeCount, textOf } from '../../projections/memory/drawers.ts';
import { analyseText } from '../../projections/recall/text-analysis.ts';
import { drawerTexts } from '../../queries/memory/texts.ts';
import { type CommandHandler, type Origin, unconditional, whileDue } from '../../streams/command-handler.ts';
import {
  type ComparedText,
  type ComparisonParts,
  compareText,
  drawerStream,
  type OfferedText,
  RECENT_DRAWERS,
  type RecentDrawer,
  type StoredText,
} from './drawer-comparison.ts';

export interface DrawerIntakeParts extends ComparisonParts {
  readonly commandHandler: CommandHandler;
  readonly lock: Pick<ReadWriteLock, 'exclusiveCount'>;
  /** Whether other daemons append to the same log. */
  readonly isShared?: boolean | undefined;
}

/** About 50 kB of text: some milliseconds to append, to fold and to index. */
const PLACES_PER_COMMIT = 64;
/** A daemon that stores no place of a text for this long has stopped storing it. */
const OTHERS_PAUSE_MS = 500;

/** A text that is appended and not committed yet. */
interface PendingText {
  readonly text: ComparedText;
  /** Resolves when the commit succeeded or failed; never rejects. */
  readonly ended: Promise<unknown>;
}

export class DrawerIntake {
  readonly #parts: DrawerIntakeParts;
  /** In the order of the log. */
  readonly #pending = new Set<PendingText>();
  /** Held from the start of a comparison until the text is pending. */
  readonly #comparison = new Mutex();
  /** The most recent committed drawers, oldest first; valid until the next exclusive section. */
  #recent = { exclusiveCount: -1, drawers: [] as readonly RecentDrawer[] };

  readonly #candidates = {
    recent: () => this.#recentDrawers(),
    pendingWith: (content_key: string) => this.#pendingDrawerWith(content_key),
  };

  constructor(parts: DrawerIntakeParts) {
    this.#parts = parts;
  }

  /** Runs in a shared section: drawers are deleted and encrypted in exclusive ones. */
  async store(offered: OfferedText, origin: Origin): Promise<StoredText> {
    for (;;) {
      const { text, original, commit } = await this.#comparison.run(async () => {
        // Pending texts may end during the comparison; no other text becomes pending.
        const pending = [...this.#pending];
        const text = await compareText(this.#parts, offered, this.#candidates);
        const original = pendingTextRepeatedBy(text, pending);
        return { text, original, commit: original === undefined ? this.#append(text, origin) : undefined };
      });
      if ((await commit) === true) return text;
      await (original === undefined ? this.#whileOthersStore(text) : original.ended);
    }
  }

  /** Waits while another daemon stores further places of the text. */
  async #whileOthersStore({ source_key, text_key, places }: ComparedText): Promise<void> {
    const stored = () => {
      const text = textOf(this.#parts.views, drawerStream(source_key), text_key);
      return text === undefined ? 0 : placeCount(this.#parts.views, text.text_id);
    };
    for (let before = -1, now = stored(); now > before && now < places.length; now = stored()) {
      before = now;
      await pause(OTHERS_PAUSE_MS);
    }
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

  /** Returns false when another daemon has stored or removed a part of the text. */
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

  /** Commits the places in order. */
  async #commit(
    { source_key, text_id, text_key, places, stored, kept, added }: ComparedText,
    origin: Origin,
  ): Promise<boolean> {
    const { views, commandHandler, isShared = false } = this.#parts;
    let isBegun = stored !== 'no';
    let count = kept;
    /** Whether the stored part of the text is the one that this daemon expects. */
    const isDue = (): boolean => {
      const text = textOf(views, drawerStream(source_key), text_key);
      return isBegun ? text?.text_id === text_id && placeCount(views, text_id) === count : text === undefined;
    };
    const send = async (command: DrawerCommand): Promise<boolean> => {
      const sent = isShared
        ? whileDue(isDue, decider, source_key, command)
        : unconditional(decider, source_key, command);
      return (await commandHandler.dispatchBatch([sent], origin)).length > 0;
    };
    const repeated = stored === 'repeated';
    const begin = { type: 'ChunkText', text_id, text_key, repeated } as const;
    if (repeated) return send({ ...begin, places });
    for (let at = 0; at < added.length; at += PLACES_PER_COMMIT) {
      const end = at + PLACES_PER_COMMIT;
      const next = added.slice(at, end);
      const isSent = isBegun
        ? await send({ type: 'ContinueText', places: next })
        : await send({ ...begin, places: next, later: added.slice(end) });
      if (!isSent) return false;
      isBegun = true;
      count += next.length;
    }
    return true;
  }
}

/** The pending text that equals this one or holds a drawer that this one repeats. */
function pendingTextRepeatedBy(
  { source_key, text_key, stored, places }: ComparedText,
  pending: readonly PendingText[],
): PendingText | undefined {
  if (pending.length === 0 || stored === 'repeated') return undefined;
  const originals = new Set(places.map(({ of }) => of));
  return pending.find(({ text }) => {
    if (text.text_key === text_key && text.source_key === source_key) return true;
    return text.places.some(({ id }) => originals.has(id));
  });
}
