/**
 * A process to kill: `node log-writer.ts DIRECTORY BACKEND`. It appends to the log with 16 writers and prints the line
 * `position id` for each acknowledged event; its last line is the code of the first error.
 */
import { randomUUIDv7 } from 'node:crypto';
import { writeSync } from 'node:fs';
import type { DiskBackend } from '../../src/storage/marker.ts';
import { openStorage } from '../../src/storage/open.ts';

const [directory, backend] = process.argv.slice(2) as [string, DiskBackend];
const { log } = await openStorage({ directory, backend });

async function write(writer: number): Promise<never> {
  for (;;) {
    const at = Date.now();
    const event = {
      type: 'Written',
      schema: 1,
      at,
      actor: 'test',
      correlation: null,
      causation: null,
      data: { writer },
    };
    const id = randomUUIDv7();
    const result = await log.append([{ stream: `w-${writer}`, expectedVersion: 'any', events: [{ id, ...event }] }]);
    if (result.kind !== 'appended') throw new Error(result.kind);
    writeSync(1, `${result.events[0]?.position} ${id}\n`);
  }
}

try {
  await Promise.all(Array.from({ length: 16 }, (_, writer) => write(writer)));
} catch (error) {
  writeSync(1, `${(error as { code?: string }).code}\n`);
  process.exit(3);
}
