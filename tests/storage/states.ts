/** States of a store as text, and the record of a workload: which states a crash may leave. */
import { expect } from 'vitest';
import type { Change, KeyValueEngine } from '../../src/storage/engine.ts';
import { StorageError } from '../../src/storage/errors.ts';

export const DURABLE = { durable: true };
export const LAZY = { durable: false };

/** Values by key, in byte order: easy to compare, easy to print. */
export type State = ReadonlyMap<string, string>;

export function change(key: string, value: string | undefined): Change {
  return { key: Buffer.from(key), value: value === undefined ? undefined : Buffer.from(value) };
}

export function manyPuts(prefix: string, count: number, value: string): Change[] {
  return Array.from({ length: count }, (_, index) =>
    change(`${prefix}${String(index).padStart(2, '0')}`, `${value} ${index}`),
  );
}

export function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}

export function after(state: State, batch: readonly Change[]): State {
  const next = new Map(state);
  for (const { key, value } of batch) {
    if (value === undefined) next.delete(text(key));
    else next.set(text(key), text(value));
  }
  return new Map([...next].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
}

export function stateOf(reader: Pick<KeyValueEngine, 'range'>): State {
  const state = new Map<string, string>();
  for (const { key, value } of reader.range()) state.set(text(key), text(value));
  return state;
}

export function isSame(a: State, b: State): boolean {
  if (a.size !== b.size) return false;
  const others = b.entries();
  for (const [key, value] of a) {
    const [otherKey, otherValue] = others.next().value!;
    if (key !== otherKey || value !== otherValue) return false;
  }
  return true;
}

/** The permitted states of a store: from the last durable commit on, each commit adds one. */
export class Ledger {
  /** The initial state, then one for each commit that was begun. */
  readonly states: State[] = [new Map()];
  /** Index of the last state that must survive. */
  safe = 0;

  /** Commits and records what the answer guarantees; throws the engine's error. */
  async commit(engine: KeyValueEngine, batch: readonly Change[], { durable }: { durable: boolean }): Promise<void> {
    const index = this.states.push(after(this.states.at(-1)!, batch)) - 1;
    await engine.commit(batch, { durable });
    if (durable) this.safe = Math.max(this.safe, index);
  }

  /** Everything so far is durable (after `close`, `compact`, `backup`). */
  settle(): void {
    this.safe = this.states.length - 1;
  }

  expectLegal(found: State, story: string): void {
    const legal = this.states.slice(this.safe);
    if (!legal.some((state) => isSame(state, found))) {
      // Comparing with the nearest permitted state makes the message readable.
      expect(found, `${story}; none of ${legal.length} legal states fits`).toEqual(legal[0]);
    }
  }
}

/** Does work on stores until it ends or an engine refuses it with a typed error. Closes the engine that is left. */
export async function livedOn<Engine extends KeyValueEngine>(
  open: () => Promise<Engine>,
  work: (ledger: Ledger, open: () => Promise<Engine>) => Promise<void>,
): Promise<Ledger> {
  const ledger = new Ledger();
  let engine: Engine | undefined;
  const opened = async (): Promise<Engine> => {
    engine = await open();
    return engine;
  };
  try {
    await work(ledger, opened);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    await engine?.close().catch(() => {});
  }
  return ledger;
}
