/** Fills a log, as a separate process: `node filler.ts URL FOLDER EVENTS things|runs`. */
import { openPostgresStorage } from '../../src/storage/postgres/open.ts';
import { eventOf, STREAM_EVENTS } from '../storage/events.ts';
import { appendRuns } from '../support/homes.ts';

/** The number of streams in one append. */
const STREAMS = 50;

const [url = '', directory = '', count = '', kind] = process.argv.slice(2);
const events = Number(count);
const { log, close } = await openPostgresStorage({ url, directory });
if (kind === 'runs') await appendRuns({ log }, events);
else await appendThings();
await close();

/** Small events in streams of a hundred. */
async function appendThings(): Promise<void> {
  for (let stream = 0; log.head().position < events; stream += STREAMS) {
    await log.append(
      Array.from({ length: STREAMS }, (_, at) => ({
        stream: `thing-${stream + at}`,
        expectedVersion: 'none',
        events: Array.from({ length: STREAM_EVENTS }, (_, version) => eventOf(version)),
      })),
    );
  }
}
