/** The controlling process of the kill test: starts and kills the writer, and records what it acknowledged. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import type { LogHead, RecordedEvent } from '../../src/storage/event-log.ts';
import type { DiskBackend } from '../../src/storage/marker.ts';
import { verifyConsistency } from '../../src/storage/merkle.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { KILL_CONFIG } from './kill-config.ts';

const WRITER = join(import.meta.dirname, 'kill-writer.ts');

/** When to kill: milliseconds after the writer began to open the store, or after its first acknowledgement. */
export interface Moment {
  readonly after: 'opening' | 'acknowledged';
  readonly ms: number;
}

/** Everything acknowledged so far, over all runs of the writer. */
export class Ledger {
  readonly #backend: DiskBackend;
  readonly #directory: string;
  readonly #batches = new Map<string, readonly RecordedEvent[]>();
  #head: LogHead = { position: 0, treeHash: '', at: null };

  constructor(place: { readonly directory: string; readonly backend: DiskBackend }) {
    this.#directory = place.directory;
    this.#backend = place.backend;
  }

  get size(): number {
    return this.#batches.size;
  }

  /** One run of the writer; records what it acknowledged until it was killed. */
  async live(life: number, moment: Moment): Promise<void> {
    const child = this.#writer(life);
    const lines = linesOf(child);
    await lines.until(moment.after === 'opening' ? 'opening' : 'done');
    await pause(moment.ms);
    child.kill('SIGKILL');
    await lines.ended;
    expect(child.signalCode, 'the writer must be killed, not end by itself').toBe('SIGKILL');
    this.#record(lines.whole);
  }

  /** One run of the writer in which no file may have more than so many blocks; it ends by itself. Resolves with its last line. */
  async liveWithin(life: number, blocks: number): Promise<string | undefined> {
    const lines = linesOf(this.#writer(life, ['sh', '-c', `ulimit -f ${blocks}; exec "$@"`, 'sh']));
    await lines.ended;
    this.#record(lines.whole);
    return lines.whole.at(-1);
  }

  #writer(life: number, before: readonly string[] = []): ChildProcess {
    const words = [...before, process.execPath, WRITER, this.#directory, this.#backend, String(life)];
    const child = spawn(words[0]!, words.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  }

  #record(lines: readonly string[]): void {
    for (const line of lines.filter((each) => each.startsWith('done '))) {
      const [, batch, json] = /^done (\S+) (.*)$/.exec(line)!;
      this.#batches.set(batch!, JSON.parse(json!) as RecordedEvent[]);
    }
  }

  /** Opens the store and compares it with everything that was acknowledged in any run. */
  async check(): Promise<void> {
    const storage = await openStorage({ directory: this.#directory, backend: this.#backend, config: KILL_CONFIG });
    try {
      const events = [...storage.log.readAll()];
      this.#checkAcknowledged(events);
      checkDense(events);
      checkWhole(events);
      this.#checkHistory(storage);
      expect(await storage.engine.verify()).toEqual([]);
      expect(await storage.log.verify()).toMatchObject({ ok: true, errors: [], ...headOf(storage) });
      await this.#checkRetry(storage);
      this.#head = storage.log.head();
    } finally {
      await storage.close();
    }
  }

  /** Comparing leaf hashes compares the stored bytes, because `verify` recomputes the hashes. */
  #checkAcknowledged(events: readonly RecordedEvent[]): void {
    for (const batch of this.#batches.values()) {
      for (const event of batch) expect(events[event.position - 1]).toEqual(event);
    }
  }

  /** Checks that the log after the previous run is a prefix of the current log. */
  #checkHistory({ log }: Storage): void {
    const { position: from, treeHash } = this.#head;
    if (from === 0) return;
    const { path, fromHash, toHash, to } = log.consistencyProof(from, log.head().position);
    expect(fromHash).toBe(treeHash);
    const bytes = (hex: string): Uint8Array => Buffer.from(hex, 'hex');
    const claim = { from, to, fromRoot: bytes(fromHash), toRoot: bytes(toHash), path: path.map(bytes) };
    expect(verifyConsistency(claim)).toBe(true);
  }

  /** Checks that a repeated append gets its first answer. */
  async #checkRetry({ log }: Storage): Promise<void> {
    const last = [...this.#batches.values()].at(-1);
    if (last === undefined) return;
    const before = log.head();
    const streams = [...new Set(last.map(({ stream }) => stream))].map((stream) => ({
      stream,
      expectedVersion: 'none' as const,
      events: last
        .filter((event) => event.stream === stream)
        .map(({ position, stream: _, version, leafHash, ...event }) => event),
    }));
    expect(await log.append(streams)).toEqual({ kind: 'duplicate', events: last });
    expect(log.head()).toEqual(before);
  }
}

function headOf({ log }: Storage): { readonly head: number; readonly treeHash: string } {
  const { position, treeHash } = log.head();
  return { head: position, treeHash };
}

/** Positions, and versions of each stream, start at 1 and have no gaps. */
function checkDense(events: readonly RecordedEvent[]): void {
  const versions = new Map<string, number>();
  for (const [index, { position, stream, version }] of events.entries()) {
    expect(position).toBe(index + 1);
    expect(version, `${stream} at position ${position}`).toBe((versions.get(stream) ?? 0) + 1);
    versions.set(stream, version);
  }
}

/** Either all events of a batch are there or none. */
function checkWhole(events: readonly RecordedEvent[]): void {
  const found = new Map<string, { count: number; readonly of: number }>();
  for (const { data } of events) {
    const { batch, of } = data as { batch: string; of: number };
    const entry = found.get(batch) ?? { count: 0, of };
    entry.count += 1;
    found.set(batch, entry);
  }
  for (const [batch, { count, of }] of found) expect(count, `events of batch ${batch}`).toBe(of);
}

/** The complete lines of a child's output; an unfinished last line is ignored. */
function linesOf(child: ChildProcess) {
  const whole: string[] = [];
  let rest = '';
  let wake = (): void => {};
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop()!;
    whole.push(...parts);
    wake();
  });
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => {
      hasEnded = true;
      wake();
      resolve();
    });
  });
  const until = async (start: string): Promise<void> => {
    while (!whole.some((line) => line.startsWith(start))) {
      if (hasEnded) throw new Error(`the writer ended before its first "${start}"`);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { whole, ended, until };
}
