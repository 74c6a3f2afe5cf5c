/** Reads a whole log, as a separate process: `node reader.ts URL FOLDER`. Prints one line of JSON. */
import { performance } from 'node:perf_hooks';
import { openPostgresStorage } from '../../src/storage/postgres/open.ts';

export interface ReadResult {
  readonly events: number;
  /** From the database into a new copy, including connecting and creating the copy. */
  readonly copySeconds: number;
  readonly copyCpuSeconds: number;
  /** Reading the copy, as records. */
  readonly rawSeconds: number;
  /** Reading the copy, as events. */
  readonly parsedSeconds: number;
}

const [url = '', directory = ''] = process.argv.slice(2);
const cpu = process.cpuUsage();
const began = performance.now();
const { log, close } = await openPostgresStorage({ url, directory });
const copySeconds = (performance.now() - began) / 1_000;
const { user, system } = process.cpuUsage(cpu);
const events = log.head().position;
const rawSeconds = secondsToRead(() => log.readRaw());
const parsedSeconds = secondsToRead(() => log.readAll());
await close();
const result: ReadResult = { events, copySeconds, copyCpuSeconds: (user + system) / 1e6, rawSeconds, parsedSeconds };
process.stdout.write(`${JSON.stringify(result)}\n`);

function secondsToRead(read: () => Iterable<unknown>): number {
  const from = performance.now();
  let count = 0;
  for (const _ of read()) count += 1;
  if (count !== events) throw new Error(`The log has ${events} events; ${count} were read.`);
  return (performance.now() - from) / 1_000;
}
