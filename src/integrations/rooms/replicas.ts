/**
 * Replicas with yjs, which is loaded when the first room is opened.
 *
 * - yjs may throw in the middle of applying an update; the document is discarded and rebuilt then.
 * - yjs keeps parts whose predecessors are missing and retries them with every update, so one broken part would fail
 *   all later updates. Such parts are dropped, and the sender is asked for the missing updates.
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
    this.#news = null;
    if (!this.#take(this.#document, update)) {
      this.restore();
      return { kind: 'harmful' };
    }
    return { kind: 'applied', news: this.#news, isWhole: dropPending(this.#document) };
  }

  vector(): Uint8Array {
    return this.#Y.encodeStateVector(this.#document);
  }

  missing(vector: Uint8Array): Uint8Array | null {
    try {
      return this.#Y.encodeStateAsUpdate(this.#document, vector);
    } catch {
      return null;
    }
  }

  state(): Uint8Array | null {
    const again = new this.#Y.Doc();
    try {
      const state = this.#Y.encodeStateAsUpdate(this.#document);
      this.#Y.applyUpdate(again, state);
      const isSame = Buffer.from(this.#Y.encodeStateVector(again)).equals(this.vector());
      return isSame && dropPending(again) ? state : null;
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
    dropPending(made);
    made.on('update', (news: Uint8Array) => {
      this.#news = news;
    });
    return made;
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

/** True when no part was dropped. */
function dropPending({ store }: Yjs.Doc): boolean {
  const hadNone = store.pendingStructs === null && store.pendingDs === null;
  store.pendingStructs = null;
  store.pendingDs = null;
  return hadNone;
}
