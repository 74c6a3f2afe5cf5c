/** Which events of a room's stream are read to load its text. */
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { createReplicas } from '../../src/integrations/rooms/replicas.ts';
import { openRoomText } from '../../src/live/room/text.ts';
import type { EventLog, RecordedEvent } from '../../src/storage/event-log.ts';

type Recorded = Pick<RecordedEvent, 'type' | 'data' | 'erased'>;
type Log = Pick<EventLog, 'readStream'>;

/** A log with one stream; `read` counts how many of its events were looked at. */
function logOf(events: readonly Recorded[]) {
  const seen = { read: 0 };
  const log: Log = {
    *readStream(stream, { reverse = false } = {}) {
      for (const event of reverse ? events.toReversed() : events) {
        seen.read += 1;
        const place = { position: seen.read, version: seen.read, stream, id: String(seen.read), at: 1, schema: 1 };
        yield { ...place, actor: 'owner', correlation: null, causation: null, leafHash: '', ...event };
      }
    },
  };
  return { log, seen };
}

async function textOf(log: Log): Promise<string> {
  const parts = { append: async () => undefined, onTrouble: () => undefined };
  const text = await openRoomText({ ...parts, log, replicas: createReplicas(), stream: 'room_text-r' });
  const document = new Y.Doc();
  Y.applyUpdate(document, text.missing(new Uint8Array([0]))!);
  await text.close();
  return document.getText('a').toString();
}

function history(words: readonly string[]) {
  const document = new Y.Doc();
  const changes: Recorded[] = [];
  document.on('update', (update: Uint8Array) => {
    changes.push({ type: 'RoomTextChanged', data: { update: Buffer.from(update).toString('base64') } });
  });
  for (const word of words) document.getText('a').insert(document.getText('a').length, word);
  const state = Buffer.from(Y.encodeStateAsUpdate(document)).toString('base64');
  return { changes, whole: { type: 'RoomTextCompacted', data: { state } } };
}

describe('the text of a room', () => {
  it('is made of all its changes', async () => {
    expect(await textOf(logOf(history(['a', 'b', 'c']).changes).log)).toBe('abc');
  });

  it('is read from the last whole state on, and nothing before that', async () => {
    const { changes, whole } = history(['a', 'b', 'c']);
    const { log, seen } = logOf([...changes, whole, changes[1]!]);
    expect(await textOf(log)).toBe('abc');
    expect(seen.read).toBe(2);
  });

  it('stands erased events, and some that nothing can be made of', async () => {
    const { changes } = history(['a', 'b']);
    const nonsense = { type: 'RoomTextChanged', data: { update: '////' } };
    const erased = { type: 'RoomTextChanged', data: null, erased: true } as const;
    expect(await textOf(logOf([erased, changes[0]!, nonsense, changes[1]!]).log)).toBe('ab');
  });
});
