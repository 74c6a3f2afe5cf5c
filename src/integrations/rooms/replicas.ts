/**
 * Replicas with yjs, which is loaded when the first room is opened.
 *
 * - yjs may throw while applying an update; the document is then discarded and rebuilt from its history.
 * - yjs keeps pending parts: parts of updates whose predecessors are missing. It retries them with every update,
 *   and sends them to replicas that ask. They are not part of the state, so the log does not have them. When an update
 *   fails while there are pending parts, it is retried without them; if that succeeds, they were at fault and stay
 *   dropped.
 */
import type * as Yjs from 'yjs';
import type { Applied, Replica, ReplicasPort } from '../../ports/replica.ts';

export function createReplicas(): ReplicasPort {
  return {
    async open(history) {
      const Y = await import('yjs');
      return new YjsReplica(Y, history);
    },
  };
}

/** Bytes of pending parts; beyond that all are dropped, and their senders are asked for the missing predecessors. */
export const PENDING_BYTES_MAX = 1_048_576;

class YjsReplica implements Replica {
  readonly #Y: typeof Yjs;
  readonly #history: () => Iterable<Uint8Array>;
  #document: Yjs.Doc;
  /** Payload of the update event of the newest transaction; applying an update is one transaction with one event. */
  #news: Uint8Array | null = null;

  constructor(Y: typeof Yjs, history: () => Iterable<Uint8Array>) {
    this.#Y = Y;
    this.#history = history;
    this.#document = this.#rebuilt();
  }

  apply(update: Uint8Array): Applied {
    // Decoded first, because applying an update trusts the lengths in it.
    if (!this.#isReadable(update)) return { kind: 'unreadable' };
    const before = pendingParts(this.#document);
    if (!this.#takeNews(update)) {
      this.restore();
      // The pending parts may be the cause; the restored document has none.
      if (before === null || !this.#takeNews(update)) {
        this.restore();
        if (before !== null) setPendingParts(this.#document, before);
        return { kind: 'harmful' };
      }
    }
    const pending = pendingParts(this.#document);
    const pendingBytes = pending === null || isSameParts(pending, before) ? 0 : bytesOf(pending);
    if (pendingBytes > PENDING_BYTES_MAX) setPendingParts(this.#document, NO_PARTS);
    return { kind: 'applied', news: this.#news, pendingBytes };
  }

  vector(): Uint8Array {
    return this.#Y.encodeStateVector(this.#document);
  }

  missing(vector: Uint8Array): Uint8Array | null {
    return this.#encoded(vector) ?? this.#withoutPendingParts(() => this.#encoded(vector));
  }

  state(): Uint8Array | null {
    const copy = new this.#Y.Doc();
    try {
      const state = this.#withoutPendingParts(() => this.#Y.encodeStateAsUpdate(this.#document));
      this.#Y.applyUpdate(copy, state);
      const isSame = Buffer.from(this.#Y.encodeStateVector(copy)).equals(this.vector());
      return isSame && pendingParts(copy) === null ? state : null;
    } catch {
      return null;
    } finally {
      copy.destroy();
    }
  }

  merge(updates: readonly Uint8Array[]): Uint8Array | null {
    try {
      return this.#Y.mergeUpdates([...updates]);
    } catch {
      return null;
    }
  }

  restore(): void {
    this.#document.destroy();
    this.#document = this.#rebuilt();
  }

  close(): void {
    this.#document.destroy();
  }

  /** A document with all updates of the history that can be applied. */
  #rebuilt(): Yjs.Doc {
    let document = new this.#Y.Doc();
    const applied: Uint8Array[] = [];
    for (const update of this.#history()) {
      if (this.#take(document, update)) applied.push(update);
      else {
        document.destroy();
        document = new this.#Y.Doc();
        for (const earlier of applied) this.#take(document, earlier);
      }
    }
    setPendingParts(document, NO_PARTS);
    document.on('update', (news: Uint8Array) => {
      this.#news = news;
    });
    return document;
  }

  /** Null when the vector or a pending part cannot be read. */
  #encoded(vector: Uint8Array): Uint8Array | null {
    try {
      return this.#Y.encodeStateAsUpdate(this.#document, vector);
    } catch {
      return null;
    }
  }

  #withoutPendingParts<Result>(work: () => Result): Result {
    const pending = pendingParts(this.#document);
    if (pending === null) return work();
    setPendingParts(this.#document, NO_PARTS);
    try {
      return work();
    } finally {
      setPendingParts(this.#document, pending);
    }
  }

  #takeNews(update: Uint8Array): boolean {
    this.#news = null;
    return this.#take(this.#document, update);
  }

  #isReadable(update: Uint8Array): boolean {
    try {
      this.#Y.decodeUpdate(update);
      return true;
    } catch {
      return false;
    }
  }

  #take(document: Yjs.Doc, update: Uint8Array): boolean {
    try {
      this.#Y.applyUpdate(document, update);
      return true;
    } catch {
      return false;
    }
  }
}

/** Structs, and deletions of structs, that wait for their predecessors. */
type PendingParts = Pick<Yjs.Doc['store'], 'pendingStructs' | 'pendingDs'>;

const NO_PARTS: PendingParts = { pendingStructs: null, pendingDs: null };

/** A copy, because yjs modifies its pending parts; null when there are none. */
function pendingParts({ store: { pendingStructs, pendingDs } }: Yjs.Doc): PendingParts | null {
  if (pendingStructs === null && pendingDs === null) return null;
  const structs = pendingStructs && { missing: new Map(pendingStructs.missing), update: pendingStructs.update };
  return { pendingStructs: structs, pendingDs };
}

function setPendingParts({ store }: Yjs.Doc, { pendingStructs, pendingDs }: PendingParts): void {
  store.pendingStructs = pendingStructs;
  store.pendingDs = pendingDs;
}

function bytesOf({ pendingStructs, pendingDs }: PendingParts): number {
  return (pendingStructs?.update.length ?? 0) + (pendingDs?.length ?? 0);
}

function isSameParts(one: PendingParts, other: PendingParts | null): boolean {
  if (other === null) return false;
  const same = (a: Uint8Array | undefined | null, b: Uint8Array | undefined | null): boolean =>
    Buffer.from(a ?? []).equals(Buffer.from(b ?? []));
  return same(one.pendingStructs?.update, other.pendingStructs?.update) && same(one.pendingDs, other.pendingDs);
}
