/**
 * Replicas with yjs, which is loaded when the first room is opened.
 *
 * - yjs may throw in the middle of applying an update; the document is discarded and rebuilt then.
 * - yjs keeps parts whose predecessors are missing, tries them again with every update, and hands them on to replicas
 *   that ask. They are no part of the state, so the log does not have them. When an update fails while parts are kept,
 *   it is tried without them; then they are at fault and are dropped.
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

/** Bytes of kept parts; beyond that all of them are dropped, and their senders are asked for what they build on. */
export const PENDING_BYTES_MAX = 1_048_576;

class YjsReplica implements Replica {
  readonly #Y: typeof Yjs;
  readonly #history: () => Iterable<Uint8Array>;
  #document: Yjs.Doc;
  /** The update event of the transaction that is applied; an update is one transaction with one event. */
  #news: Uint8Array | null = null;

  constructor(Y: typeof Yjs, history: () => Iterable<Uint8Array>) {
    this.#Y = Y;
    this.#history = history;
    this.#document = this.#made();
  }

  apply(update: Uint8Array): Applied {
    // Decodes first: applying trusts a length before it has seen the bytes.
    if (!this.#isReadable(update)) return { kind: 'unreadable' };
    const before = keptParts(this.#document);
    if (!this.#takeNews(update)) {
      this.restore();
      // The update may have failed because of the kept parts: those are dropped then.
      if (before === null || !this.#takeNews(update)) {
        this.restore();
        if (before !== null) keepParts(this.#document, before);
        return { kind: 'harmful' };
      }
    }
    const kept = keptParts(this.#document);
    const pendingBytes = kept === null || isSameParts(kept, before) ? 0 : bytesOf(kept);
    if (pendingBytes > PENDING_BYTES_MAX) keepParts(this.#document, NO_PARTS);
    return { kind: 'applied', news: this.#news, pendingBytes };
  }

  vector(): Uint8Array {
    return this.#Y.encodeStateVector(this.#document);
  }

  missing(vector: Uint8Array): Uint8Array | null {
    return this.#encoded(vector) ?? this.#withoutKeptParts(() => this.#encoded(vector));
  }

  state(): Uint8Array | null {
    const again = new this.#Y.Doc();
    try {
      const state = this.#withoutKeptParts(() => this.#Y.encodeStateAsUpdate(this.#document));
      this.#Y.applyUpdate(again, state);
      const isSame = Buffer.from(this.#Y.encodeStateVector(again)).equals(this.vector());
      return isSame && keptParts(again) === null ? state : null;
    } catch {
      return null;
    } finally {
      again.destroy();
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
    this.#document = this.#made();
  }

  close(): void {
    this.#document.destroy();
  }

  #made(): Yjs.Doc {
    let made = new this.#Y.Doc();
    const taken: Uint8Array[] = [];
    for (const update of this.#history()) {
      if (this.#take(made, update)) taken.push(update);
      else {
        made.destroy();
        made = new this.#Y.Doc();
        for (const good of taken) this.#take(made, good);
      }
    }
    keepParts(made, NO_PARTS);
    made.on('update', (news: Uint8Array) => {
      this.#news = news;
    });
    return made;
  }

  /** null when the vector, or a kept part, cannot be read. */
  #encoded(vector: Uint8Array): Uint8Array | null {
    try {
      return this.#Y.encodeStateAsUpdate(this.#document, vector);
    } catch {
      return null;
    }
  }

  #withoutKeptParts<Result>(work: () => Result): Result {
    const kept = keptParts(this.#document);
    if (kept === null) return work();
    keepParts(this.#document, NO_PARTS);
    try {
      return work();
    } finally {
      keepParts(this.#document, kept);
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

/** The parts that wait for others: structs, and deletions of structs. */
type KeptParts = Pick<Yjs.Doc['store'], 'pendingStructs' | 'pendingDs'>;

const NO_PARTS: KeptParts = { pendingStructs: null, pendingDs: null };

/** A copy, since yjs changes what it keeps; null when it keeps nothing. */
function keptParts({ store: { pendingStructs, pendingDs } }: Yjs.Doc): KeptParts | null {
  if (pendingStructs === null && pendingDs === null) return null;
  const structs = pendingStructs && { missing: new Map(pendingStructs.missing), update: pendingStructs.update };
  return { pendingStructs: structs, pendingDs };
}

function keepParts({ store }: Yjs.Doc, { pendingStructs, pendingDs }: KeptParts): void {
  store.pendingStructs = pendingStructs;
  store.pendingDs = pendingDs;
}

function bytesOf({ pendingStructs, pendingDs }: KeptParts): number {
  return (pendingStructs?.update.length ?? 0) + (pendingDs?.length ?? 0);
}

function isSameParts(one: KeptParts, other: KeptParts | null): boolean {
  if (other === null) return false;
  const same = (a: Uint8Array | undefined | null, b: Uint8Array | undefined | null): boolean =>
    Buffer.from(a ?? []).equals(Buffer.from(b ?? []));
  return same(one.pendingStructs?.update, other.pendingStructs?.update) && same(one.pendingDs, other.pendingDs);
}
