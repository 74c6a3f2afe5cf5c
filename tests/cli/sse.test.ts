/** The SSE reader gives the same events wherever the network cuts the bytes, and none that was cut off. */

import type { EventSourceMessage } from 'eventsource-parser/stream';
import { expect, test } from 'vitest';
import { readSse } from '../../src/cli/client.ts';

const WIRE = ': keep-alive\n\nid: 1\ndata: {"content":"é and 🎈"}\n\nid: 2\ndata: one\ndata: two\n\nid: 3\ndata: cut o';

async function eventsOf(pieces: readonly Uint8Array[]): Promise<EventSourceMessage[]> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  const events: EventSourceMessage[] = [];
  for await (const event of readSse(body)) events.push(event);
  return events;
}

test('cut at every byte', async () => {
  const bytes = Buffer.from(WIRE);
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    expect(await eventsOf([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual([
      { id: '1', data: '{"content":"é and 🎈"}' },
      { id: '2', data: 'one\ntwo' },
    ]);
  }
});
