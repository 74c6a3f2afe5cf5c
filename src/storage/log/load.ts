/** Loads the state of a log at open. */
import type { Reader } from '../engine.ts';
import { equalHashes } from '../merkle.ts';
import { damaged } from './damage.ts';
import { eventKey, HEAD_KEY } from './keys.ts';
import { decodeEvent, decodeHead, isIntact, leafOf } from './record.ts';
import { EMPTY_HEAD, type LogState, StreamVersions } from './state.ts';

/** Reads and compares the head and the last event. Throws `STORAGE_CORRUPT` when they do not fit. */
export function loadState(reader: Reader): LogState {
  const head = reader.get(HEAD_KEY);
  const versions = new StreamVersions(reader);
  if (head === undefined) {
    for (const _ of reader.range({ limit: 1 })) throw damaged('it holds records but no head');
    return { ...EMPTY_HEAD, at: null, versions };
  }
  const { frontier, newestId } = decodeHead(head);
  if (frontier.size === 0) throw damaged('its head counts no event');
  if (reader.get(eventKey(frontier.size + 1)) !== undefined) {
    throw damaged(`it holds an event after its head, position ${frontier.size}`);
  }
  const last = reader.get(eventKey(frontier.size));
  if (last === undefined) throw damaged(`the last event, position ${frontier.size}, is missing`);
  if (!isIntact(last)) throw damaged(`the last event, position ${frontier.size}, does not match its leaf hash`);
  if (frontier.size % 2 === 1 && !equalHashes(frontier.roots.at(-1)!, leafOf(last))) {
    throw damaged('its head does not fit the last event');
  }
  return { frontier, newestId, at: decodeEvent(last, frontier.size).at, versions };
}
