/**
 * The process that the kill test kills: `node kill-writer.ts DIRECTORY BACKEND LIFE`. Appends batches over two streams
 * with several concurrent writers, compacts occasionally, and prints a line for each step:
 *
 *     opening                          before the store is opened
 *     done <batch> <events as JSON>    after the batch is acknowledged as durable
 *     failed <code>                    at the first error, which ends it; of a store that is read-only by then, why it is
 */
import { writeSync } from 'node:fs';
import type { NewEvent, StreamAppend } from '../../src/storage/event-log.ts';
import type { DiskBackend } from '../../src/storage/marker.ts';
import { openStorage } from '../../src/storage/open.ts';
import { KILL_CONFIG } from './kill-config.ts';

const WRITERS = 6;
const COMPACT_EVERY_MS = 40;

const [directory, backend, life] = process.argv.slice(2) as [string, DiskBackend, string];

writeSync(1, 'opening\n');
const { log, engine } = await openStorage({ directory, backend, config: KILL_CONFIG });
try {
  await Promise.all([...Array.from({ length: WRITERS }, (_, writer) => write(writer)), compactForEver()]);
} catch (error) {
  const { code, cause } = error as { readonly code?: string; readonly cause?: { readonly code?: string } };
  // What fails the store may be answered after what it refuses since.
  writeSync(1, `failed ${code === 'STORAGE_READ_ONLY' ? cause?.code : code}\n`);
  process.exit(3);
}

async function write(writer: number): Promise<never> {
  for (let count = 0; ; count += 1) {
    const batch = `${life}-${writer}-${count}`;
    const size = 1 + (count % 4);
    const result = await log.append(batchOf(batch, { writer, size }));
    if (result.kind !== 'appended') throw new Error(`${batch}: ${result.kind}`);
    writeSync(1, `done ${batch} ${JSON.stringify(result.events)}\n`);
  }
}

/** A batch with `size` events in the writer's stream and one in a stream that all writers share. */
function batchOf(batch: string, { writer, size }: { readonly writer: number; readonly size: number }): StreamAppend[] {
  const event = (part: number): NewEvent => ({
    id: crypto.randomUUID().replace(/^(.{14})./, '$17'),
    type: 'Written',
    schema: 1,
    at: Date.now(),
    actor: 'test',
    correlation: batch,
    causation: null,
    data: { batch, part, of: size + 1, note: 'ab'.repeat(part * 40) },
  });
  return [
    { stream: `own-${writer}`, expectedVersion: 'any', events: Array.from({ length: size }, (_, part) => event(part)) },
    { stream: 'shared', expectedVersion: 'any', events: [event(size)] },
  ];
}

async function compactForEver(): Promise<never> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, COMPACT_EVERY_MS));
    await engine.compact();
  }
}
