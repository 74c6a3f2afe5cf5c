/** The text of one room: a replica that is read from the log, and whose changes are recorded in the log. */
import { decodeEvents } from '../../events/decode.ts';
import { roomTextEvents } from '../../events/room.ts';
import type { Applied, ReplicasPort } from '../../ports/replica.ts';
import type { EventLog } from '../../storage/event-log.ts';
import { type RecorderParts, recordWeight, TextRecorder, type Weight } from './recorder.ts';

/** Limit of a text as one update. In base64 it stays well below the 16 MiB of an event. */
export const TEXT_BYTES_MAX = 2_097_152;

export interface RoomText {
  /** `full`: the update would make the text too long, so the text is unchanged. */
  apply(update: Uint8Array): Applied | { readonly kind: 'full' };
  /** Applies an update that another daemon has recorded. Returns its new part, null when nothing is new. */
  learn(update: Uint8Array): Uint8Array | null;
  vector(): Uint8Array;
  missing(vector: Uint8Array): Uint8Array | null;
  /** Resolves when every change is in the log, or when the text is closed. */
  saved(): Promise<void>;
  /** Makes a last attempt to record the changes. Resolves with whether all of them are in the log. */
  close(): Promise<boolean>;
}

interface RoomTextParts extends RecorderParts {
  readonly log: Pick<EventLog, 'readStream'>;
  readonly replicas: ReplicasPort;
  readonly stream: string;
}

export async function openRoomText({ log, replicas, stream, ...parts }: RoomTextParts): Promise<RoomText> {
  let weight: Weight = { state: 0, since: 0 };
  let unsaved = (): readonly Uint8Array[] => [];
  const replica = await replicas.open(() => {
    const updates = recorded(log, stream);
    weight = weigh(updates);
    return [...updates, ...unsaved()];
  });
  const recorder = new TextRecorder(parts, { replica, weight });
  unsaved = () => recorder.unsaved();
  /** An upper bound of the text's bytes as one update; computed exactly before an update is refused. */
  let bytes = weight.state + weight.since;

  function isTooLong(): boolean {
    if (bytes <= TEXT_BYTES_MAX) return false;
    const exact = replica.state()?.length ?? bytes;
    if (exact > TEXT_BYTES_MAX) return true;
    bytes = exact;
    return false;
  }

  return {
    apply(update) {
      const applied = replica.apply(update);
      if (applied.kind !== 'applied' || applied.news === null) return applied;
      const before = bytes;
      bytes += applied.news.length;
      if (isTooLong()) {
        bytes = before;
        replica.restore();
        return { kind: 'full' };
      }
      recorder.add(applied.news);
      return applied;
    },
    learn(update) {
      const applied = replica.apply(update);
      if (applied.kind !== 'applied' || applied.news === null) return null;
      bytes += applied.news.length;
      return applied.news;
    },
    vector: () => replica.vector(),
    missing: (vector) => replica.missing(vector),
    saved: () => recorder.saved(),
    async close() {
      const isSaved = await recorder.close();
      replica.close();
      return isSaved;
    },
  };
}

/** The updates of which the text consists, oldest first, from the last whole state or else from the beginning. */
function recorded(log: Pick<EventLog, 'readStream'>, stream: string): readonly Uint8Array[] {
  const updates: Uint8Array[] = [];
  for (const event of decodeEvents(roomTextEvents, log.readStream(stream, { reverse: true }))) {
    const isWhole = event.type === 'RoomTextCompacted';
    updates.push(Buffer.from(isWhole ? event.data.state : event.data.update, 'base64'));
    if (isWhole) break;
  }
  return updates.reverse();
}

/** The first update counts as the whole state: it is one, or there are few updates. */
function weigh([first, ...rest]: readonly Uint8Array[]): Weight {
  return { state: first?.length ?? 0, since: rest.reduce((sum, update) => sum + recordWeight(update), 0) };
}
