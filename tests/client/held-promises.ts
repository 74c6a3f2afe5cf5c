/**
 * A thread that reads an endless stream with the client, and reports the number of promises after 10 and 2 010 events.
 */
import { queryObjects } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { createClient } from '../../src/client/client.ts';

const frame = new TextEncoder().encode('id: 1\ndata: {"position":1}\n\n');
const endless = async (): Promise<Response> =>
  new Response(new ReadableStream({ pull: (bytes) => bytes.enqueue(frame) }, { highWaterMark: 0 }));
const promises = (): number => queryObjects(Promise, { format: 'count' });

let read = 0;
let before = 0;
const client = createClient({ url: 'http://daemon.test', token: 'x', fetch: endless });
for await (const _event of client.log.events()) {
  read += 1;
  if (read === 10) before = promises();
  if (read === 2_010) break;
}
parentPort!.postMessage({ before, after: promises() });
