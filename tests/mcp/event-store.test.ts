/** The messages that an MCP session keeps for clients that resume after a cut: bounded, and without gaps. */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createEventStore } from '../../src/live/mcp/event-store.ts';

const message = (text: string): JSONRPCMessage => ({ jsonrpc: '2.0', method: text });

async function replayed(store: ReturnType<typeof createEventStore>, id: string) {
  const sent: string[] = [];
  const send = async (_id: string, { method }: JSONRPCMessage & { method?: string }): Promise<void> =>
    void sent.push(method!);
  const stream = await store.replayEventsAfter(id, { send });
  return { stream, sent };
}

it('sends what follows an event in its own stream, or refuses an event that it no longer holds', async () => {
  const streams = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(streams, fc.integer({ min: 1, max: 20 }), fc.nat(), async (of, messagesMax, which) => {
      const store = createEventStore({ messagesMax });
      const ids: string[] = [];
      for (const [index, stream] of of.entries()) ids.push(await store.storeEvent(stream, message(String(index))));
      const asked = which % of.length;
      const known = await store.getStreamIdForEventId!(ids[asked]!);
      if (asked < of.length - messagesMax) {
        expect(known).toBeUndefined();
        await expect(replayed(store, ids[asked]!)).rejects.toThrow('not stored');
        return;
      }
      expect(known).toBe(of[asked]);
      const after = [...of.keys()].filter((index) => index > asked && of[index] === of[asked]);
      expect(await replayed(store, ids[asked]!)).toEqual({ stream: of[asked], sent: after.map(String) });
    }),
  );
});

it('holds no more bytes than its limit, but always the newest message', async () => {
  const store = createEventStore({ bytesMax: 1_000 });
  const first = await store.storeEvent('a', message('x'.repeat(600)));
  const second = await store.storeEvent('a', message('y'.repeat(600)));
  expect(await store.getStreamIdForEventId!(first)).toBeUndefined();
  const third = await store.storeEvent('a', message('z'.repeat(5_000)));
  expect(await store.getStreamIdForEventId!(second)).toBeUndefined();
  expect(await store.getStreamIdForEventId!(third)).toBe('a');
});
