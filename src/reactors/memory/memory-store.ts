/**
 * What the memory routes share while the daemon runs: whether texts are sealed, where their index is, who may write.
 *
 * - Without encryption the index lies in the views. With it no word may lie on the disk: the index is built in memory
 *   after each start, and answers are said to be warming until it is complete.
 * - Encrypted and without the key there is nothing to show: every memory route answers 503 until it is unlocked.
 */
import type { Observable, Subscription } from 'rxjs';
import type { Encryption } from '../../commands/memory/settings.ts';
import type { Place } from '../../events/memory/drawers.ts';
import type { MemoryBody } from '../../events/memory/events.ts';
import { PLAIN_MARKS, type Vault } from '../../integrations/vault/text-cipher.ts';
import type { SecretStore } from '../../ports/secrets.ts';
import { type DrawerRow, drawersAfter, newestDrawers } from '../../projections/memory/drawers.ts';
import { dueErasures, encryptionSettings, type MemoryRow, memoriesAfter } from '../../projections/memory/memories.ts';
import { idOf } from '../../projections/projection.ts';
import { indexText, unindexText, warmRecall } from '../../projections/recall/recall.ts';
import type { Views } from '../../projections/views.ts';
import { drawerWords, memoryWords } from '../../queries/memory/texts.ts';
import type { EventLog, RecordedEvent } from '../../storage/event-log.ts';
import type { EventBatch } from '../../streams/committed-events.ts';
import { createMemoryTurns } from '../../streams/read-write-lock.ts';
import { lockedSentence, openVault } from './key.ts';

export interface MemoryKeeper {
  isEncrypted(): boolean;
  /** Resolves when it is known whether texts can be read: the key may take a moment at the start. */
  readonly ready: Promise<void>;
  /** The start is over, however it went. */
  started(): void;
  /** null when texts can be read; otherwise why not, for a 503. */
  locked(): string | null;
  /** The index does not know every text yet. */
  isWarming(): boolean;
  /** Where texts are searched. */
  index(): Views;
  /** null while texts are kept as they are. */
  vault(): Vault | null;
  /** How texts are known again without reading them. */
  marks(): Pick<Vault, 'fingerprint' | 'exact'>;
  /** Alone: for work that reads the views and relies on what it read. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Beside its like, never beside work in turn. */
  beside<Result>(work: () => Promise<Result>): Promise<Result>;
  /** How many turns have begun. */
  turns(): number;
  /** What the environment says, for the next start too. */
  readonly passphrase: string | undefined;
  /** Says no to everything from here on: what is kept would not be kept as it was asked for. */
  refuse(reason: string): void;
  /** Resolves when the index begun at the start is complete; to false when the daemon was stopped meanwhile. */
  indexed(): Promise<boolean>;
  /** Takes the vault in use and builds the index; done when it is complete. */
  unlock(vault: Vault): Promise<void>;
  /**
   * Once the views are folded: erases what is due, and unlocks if the key can be had without asking anybody. When the
   * index is read, `rehearsals` are run with a few texts.
   */
  start(rehearsals: readonly Rehearsal[]): Promise<void>;
  stop(): void;
}

/** A step of answering a question, without an answer to anybody. */
export type Rehearsal = (question: string) => void;

export interface KeeperParts {
  readonly views: Views;
  readonly log: EventLog;
  /** What the views hold. */
  readonly folded$: Observable<EventBatch>;
  readonly secrets: SecretStore;
  readonly passphrase: string | undefined;
  /** A text index that leaves nothing on the disk. */
  readonly openIndex: () => Views & { close(): void };
  readonly announce: (line: string) => void;
}

const SLICE = 100;
const ERASED_AT_ONCE = 1_000;
/** Questions asked of a large index before anybody asks one, and how much of a drawer each is. */
const REHEARSED = 8;
const REHEARSED_CHARACTERS = 60;

export function createMemoryKeeper(parts: KeeperParts): MemoryKeeper {
  const { views, log, folded$ } = parts;
  // An empty variable is how many a script says that there is none.
  const passphrase = parts.passphrase === '' ? undefined : parts.passphrase;
  let vault: Vault | null = null;
  let sealedIndex: (Views & { close(): void }) | null = null;
  let subscription: Subscription | undefined;
  let isWarming = false;
  let isStopped = false;
  let refusal: string | null = null;
  let why = 'their key was not asked for yet';
  let indexing: Promise<void> = Promise.resolve();
  const start = Promise.withResolvers<void>();
  // What is deleted must not stay legible in pages that are free: from before the views are folded, which frees some.
  views.get('PRAGMA secure_delete = ON');

  async function unlock(next: Vault): Promise<void> {
    vault = next;
    refusal = null;
    start.resolve();
    if (sealedIndex !== null) return;
    const index = parts.openIndex();
    sealedIndex = index;
    isWarming = true;
    subscription = folded$.subscribe((events) => {
      for (const event of events) follow({ views, index, vault: next }, event);
    });
    try {
      await warm({ views, index, vault: next }, () => isStopped);
    } finally {
      isWarming = false;
    }
  }

  /** The index in the views is read into memory piece by piece; whoever asks meanwhile reads the rest at once. */
  async function readIndex(rehearsals: readonly Rehearsal[]): Promise<void> {
    isWarming = true;
    try {
      while (!isStopped && sealedIndex === null && warmRecall(views)) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      await rehearse(rehearsals);
    } finally {
      isWarming = sealedIndex !== null && isWarming;
    }
  }

  /** The first questions after a start took many times as long as later ones, because no code was compiled yet. */
  async function rehearse(rehearsals: readonly Rehearsal[]): Promise<void> {
    for (const { content } of newestDrawers(views, REHEARSED)) {
      for (const step of rehearsals) {
        if (isStopped || sealedIndex !== null) return;
        step(content.slice(0, REHEARSED_CHARACTERS));
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }

  function notIndexed(error: Error): void {
    parts.announce(`Memories cannot be indexed: ${error.message}`);
  }

  async function unlockAlone(rehearsals: readonly Rehearsal[]): Promise<void> {
    const settings = encryptionSettings(views);
    if (settings === undefined) {
      void readIndex(rehearsals).catch(notIndexed);
      return;
    }
    const encryption = JSON.parse(settings) as Encryption;
    const opened = await openVault(encryption, { secrets: parts.secrets, passphrase });
    if (opened.vault !== null) {
      indexing = unlock(opened.vault).catch(notIndexed);
      return;
    }
    why = opened.why;
    parts.announce(lockedSentence(encryption, why));
  }

  /** While the key is being looked for, too. */
  function lockedNow(): string | null {
    const settings = encryptionSettings(views);
    if (vault !== null || settings === undefined) return null;
    return lockedSentence(JSON.parse(settings) as Encryption, why);
  }

  return {
    isEncrypted: () => encryptionSettings(views) !== undefined,
    locked: () => refusal ?? lockedNow(),
    isWarming: () => isWarming,
    index: () => sealedIndex ?? views,
    vault: () => vault,
    marks: () => vault ?? PLAIN_MARKS,
    ...createMemoryTurns(),
    unlock,
    indexed: () => indexing.then(() => !isStopped),
    ready: start.promise,
    started: start.resolve,
    passphrase,
    refuse: (reason) => {
      refusal = reason;
    },
    async start(rehearsals) {
      for (;;) {
        const due = dueErasures(views, ERASED_AT_ONCE).filter((position) => log.at(position)?.erased !== true);
        if (due.length === 0) break;
        await log.erase(due);
      }
      await unlockAlone(rehearsals);
    },
    stop() {
      isStopped = true;
      subscription?.unsubscribe();
      sealedIndex?.close();
    },
  };
}

interface Indexing {
  readonly views: Views;
  readonly index: Views;
  readonly vault: Vault;
}

/** In slices, so that others are served meanwhile. */
async function warm(indexing: Indexing, isStopped: () => boolean): Promise<void> {
  const { views } = indexing;
  for (let after = ''; !isStopped(); ) {
    const rows = memoriesAfter(views, after, SLICE);
    for (const row of rows) indexMemory(indexing, row);
    if (rows.length < SLICE) break;
    after = rows.at(-1)!.id;
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (let after = 0; !isStopped(); ) {
    const rows = drawersAfter(views, after, SLICE);
    for (const row of rows) indexDrawer(indexing, row);
    if (rows.length < SLICE) break;
    after = rows.at(-1)!.position;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** What was just committed; the views may be folded anew at the moment, so the event itself is all that counts. */
function follow(indexing: Indexing, event: RecordedEvent): void {
  const [category, id] = [event.stream.slice(0, event.stream.indexOf('-')), idOf(event.stream)];
  if (category === 'memory' && LEAVING.has(event.type)) unindexText(indexing.index, id);
  else if (category === 'memory' && isSealed(event.data)) {
    indexMemory(indexing, { ...(event.data as unknown as MemoryBody), id, tags: '', meta: '' });
  } else if (category === 'drawer' && event.type === 'DrawerDeleted') {
    unindexText(indexing.index, (event.data as unknown as Place).id);
  } else if (category === 'drawer' && isSealed(event.data) && (event.data as unknown as Place).kind === 'new') {
    indexDrawer(indexing, { created_at: event.at, ...(event.data as unknown as Place) });
  }
}

const LEAVING: ReadonlySet<string> = new Set(['MemoryDecayed', 'MemoryAbsorbed', 'MemoryDeleted']);

function isSealed(data: unknown): boolean {
  return typeof (data as { readonly sealed?: unknown } | null)?.sealed === 'string';
}

type MemoryText = Parameters<typeof memoryWords>[1] & Pick<MemoryRow, 'created_at' | 'project_id'>;
type DrawerText = Parameters<typeof drawerWords>[1] & Pick<DrawerRow, 'created_at' | 'wing'>;

function indexMemory({ index, vault }: Indexing, row: MemoryText): void {
  const { content: text } = memoryWords(vault, row);
  const wing = row.project_id ?? 'global';
  indexText(index, { key: row.id, kind: 'memory', text, at: row.created_at, source: null, wing });
}

function indexDrawer({ index, vault }: Indexing, row: DrawerText): void {
  const { content: text, source } = drawerWords(vault, row);
  indexText(index, { key: row.id, kind: 'drawer', text, at: row.created_at, source, wing: row.wing });
}
