/**
 * Writers of a log as a process: `node writer.ts URL FOLDER WRITERS`. Prints a line `<id> <position>` for each
 * acknowledged event. After a line on its standard input it ends when all its appends are acknowledged.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { StorageError } from '../../src/storage/errors.ts';
import { openPostgresStorage } from '../../src/storage/postgres/open.ts';
import { uuidV7 } from '../../src/storage/uuid.ts';

const RETRY_MS = 20;

const [url = '', directory = '', writers = ''] = process.argv.slice(2);
const storage = await openPostgresStorage({ url, directory });
let isStopped = false;
process.stdin.once('data', () => {
  isStopped = true;
});
await Promise.all(Array.from({ length: Number(writers) }, (_, writer) => write(`own-${writer}`)));
await storage.close();
process.exit(0);

async function write(stream: string): Promise<void> {
  for (let n = 0; !isStopped; n += 1) {
    const id = uuidV7(Date.now());
    const position = await append(stream, { id, n });
    process.stdout.write(`${id} ${position}\n`);
  }
}

async function append(stream: string, { id, n }: { readonly id: string; readonly n: number }): Promise<number> {
  const unknown = { correlation: null, causation: null };
  const event = { id, type: 'Noted', schema: 1, at: 1, actor: 'owner', ...unknown, data: { n } };
  for (;;) {
    try {
      const result = await storage.log.append([{ stream, expectedVersion: 'any', events: [event] }]);
      if (result.kind !== 'conflict') return result.events[0]!.position;
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== 'STORAGE_UNAVAILABLE') throw error;
    }
    await sleep(RETRY_MS);
  }
}
