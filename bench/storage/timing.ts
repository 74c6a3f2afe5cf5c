/**
 * The timing of the storage benchmark: rounds without inner timers for the rate, then single operations for p50 and
 * p99.
 *
 * - A round ends after a certain time; the clock is read once per stride of operations.
 */
import { closeSync, fdatasyncSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { IN_FLIGHT, type Measure, type Scale } from './plan.ts';
import { sampled } from './profile.ts';

/** Performs operation `index`; returns a promise only if there is something to wait for. */
export type Operation = (index: number) => unknown;

export interface Timing {
  readonly rounds: number;
  readonly roundMs: number;
  readonly samples: number;
  /** Operations between two checks of the clock. */
  readonly stride: number;
  /** Operations in flight; 1: one after the other. */
  readonly inFlight: number;
  /** How many operations one call counts for. */
  readonly weight: number;
  readonly profile: boolean;
}

export function timing(scale: Scale, other: Partial<Timing>): Timing {
  const { rounds, roundMs, samples } = scale;
  return { rounds, roundMs, samples, stride: 64, inFlight: 1, weight: 1, profile: false, ...other };
}

/** The median of the rounds, and single operations timed individually. The first round only warms up. */
export async function measure(operation: Operation, given: Timing): Promise<Measure> {
  let index = 0;
  const next = (): unknown => operation(index++);
  const round = (ms: number): Promise<number> =>
    given.inFlight === 1 ? inTurn(next, { ...given, roundMs: ms }) : inFlight(next, { ...given, roundMs: ms });
  await round(given.roundMs);
  const perSecond: number[] = [];
  const profile = await sampled(given.profile, async () => {
    for (let done = 0; done < given.rounds; done += 1) perSecond.push((await round(given.roundMs)) * given.weight);
  });
  const latencies = await timed(next, given);
  return { perSecond, ...quantiles(latencies), ...(profile !== undefined && { profile }) };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted.length === 0 ? Number.NaN : sorted[sorted.length >> 1]!;
}

/** p50 and p99 in microseconds, of times in milliseconds. */
export function quantiles(ms: readonly number[]): { readonly p50: number; readonly p99: number } {
  const sorted = Float64Array.from(ms).sort();
  const at = (part: number): number => (sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN) * 1_000;
  return { p50: at(0.5), p99: at(0.99) };
}

async function inTurn(next: () => unknown, { roundMs, stride }: Timing): Promise<number> {
  const began = performance.now();
  let count = 0;
  let now = began;
  while (now - began < roundMs) {
    for (let at = 0; at < stride; at += 1) {
      const pending = next();
      if (pending instanceof Promise) await pending;
    }
    count += stride;
    now = performance.now();
  }
  return (count / (now - began)) * 1_000;
}

/** Runs this number of writers, each awaiting its own operation before the next. */
async function inFlight(next: () => unknown, { roundMs, inFlight: writers }: Timing): Promise<number> {
  const began = performance.now();
  let count = 0;
  const write = async (): Promise<void> => {
    while (performance.now() - began < roundMs) {
      await next();
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  return (count / (performance.now() - began)) * 1_000;
}

async function timed(next: () => unknown, { samples, roundMs, inFlight: writers }: Timing): Promise<number[]> {
  const latencies: number[] = [];
  const end = performance.now() + roundMs;
  const write = async (): Promise<void> => {
    while (latencies.length < samples && performance.now() < end) {
      const began = performance.now();
      const pending = next();
      if (pending instanceof Promise) await pending;
      latencies.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  return latencies;
}

const BARE_BYTES = 8_388_608;

/** The disk without a store: one write into a preallocated file and one fdatasync, per record and per group of 64. */
export async function measureBare(
  directory: string,
  { recordBytes, given }: { readonly recordBytes: number; readonly given: Timing },
): Promise<{ readonly bareOne: Measure; readonly bareGroup: Measure }> {
  const path = join(directory, 'bare');
  const file = openSync(path, 'w');
  try {
    writeSync(file, new Uint8Array(BARE_BYTES));
    fdatasyncSync(file);
    let offset = 0;
    const writer = (bytes: Uint8Array) => (): void => {
      if (offset + bytes.length > BARE_BYTES) offset = 0;
      writeSync(file, bytes, 0, bytes.length, offset);
      fdatasyncSync(file);
      offset += bytes.length;
    };
    const record = new Uint8Array(recordBytes).fill(7);
    const group = new Uint8Array(recordBytes * IN_FLIGHT).fill(7);
    const plain = { ...given, stride: 1, inFlight: 1, profile: false };
    const bareOne = await measure(writer(record), { ...plain, weight: 1 });
    const bareGroup = await measure(writer(group), { ...plain, weight: IN_FLIGHT });
    return { bareOne, bareGroup };
  } finally {
    closeSync(file);
    unlinkSync(path);
  }
}
