/** Brings the copy of a log up to date and measures it, as a separate process: `node copy.ts URL FOLDER`. */
import { performance } from 'node:perf_hooks';
import { openPostgresStorage } from '../../src/storage/postgres/open.ts';
import { diskBytes } from '../storage/system.ts';

export interface CopyResult {
  readonly events: number;
  /** Bringing the copy up to date. */
  readonly copySeconds: number;
  readonly copyCpuSeconds: number;
  readonly copyBytes: number;
  /** Events per second, read from the copy at random positions. */
  readonly readPerSecond: number;
  /** The median, in microseconds. */
  readonly streamMicros: number;
  readonly inclusionMicros: number;
  readonly consistencyMicros: number;
  /** Milliseconds to reopen the copy. */
  readonly openMs: number;
}

const SAMPLES = 400;
const READ_EVENTS = 5_000;
const READ_SAMPLES = 20;

const [url = '', directory = ''] = process.argv.slice(2);
const first = await opened();
await first.storage.close();
const { storage, seconds: openSeconds } = await opened();
const { log } = storage;
const head = log.head().position;
const random = (): number => 1 + Math.floor(Math.random() * (head - READ_EVENTS));
const randomStream = (): string => log.at(random())!.stream;
const readMicros = micros(READ_SAMPLES, random, (after) => count(log.readAll({ after, limit: READ_EVENTS })));
const result: CopyResult = {
  events: head,
  copySeconds: first.seconds,
  copyCpuSeconds: first.cpuSeconds,
  copyBytes: diskBytes(directory),
  readPerSecond: (READ_EVENTS / readMicros) * 1e6,
  streamMicros: micros(SAMPLES, randomStream, (stream) => count(log.readStream(stream))),
  inclusionMicros: micros(SAMPLES, random, (position) => log.inclusionProof(position, head)),
  consistencyMicros: micros(SAMPLES, random, (from) => log.consistencyProof(from, head)),
  openMs: openSeconds * 1_000,
};
await storage.close();
process.stdout.write(`${JSON.stringify(result)}\n`);

async function opened() {
  const cpuBefore = process.cpuUsage();
  const began = performance.now();
  const storage = await openPostgresStorage({ url, directory });
  const { user, system } = process.cpuUsage(cpuBefore);
  return { storage, seconds: (performance.now() - began) / 1_000, cpuSeconds: (user + system) / 1e6 };
}

function micros<Argument>(samples: number, next: () => Argument, work: (argument: Argument) => unknown): number {
  const times = Float64Array.from({ length: samples }, () => {
    const argument = next();
    const began = performance.now();
    work(argument);
    return performance.now() - began;
  }).sort();
  return times[samples >> 1]! * 1_000;
}

function count(items: Iterable<unknown>): number {
  let found = 0;
  for (const _ of items) found += 1;
  return found;
}
