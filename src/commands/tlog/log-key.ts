/**
 * The decider of the key that signs the log's checkpoints: it can be replaced, signed by the old key and the new one.
 */
import type { DataOf } from '../../events/define.ts';
import { type LogKeyEvent, logKeyEvents } from '../../events/tlog.ts';
import type { Decider } from '../decider.ts';
import { Refusal } from '../refusal.ts';

export interface RotateLogKey extends DataOf<LogKeyEvent, 'LogKeyRotated'> {
  readonly type: 'RotateLogKey';
}

export interface LogKeyState {
  /** The key since the newest rotation; null before the first one. */
  readonly current: string | null;
}

/** The id of the only stream, `settings-log-key`. */
export const LOG_KEY_STREAM_ID = 'log-key';

export const logKey: Decider<RotateLogKey, LogKeyState, LogKeyEvent> = {
  category: 'settings',
  events: logKeyEvents,
  initial: { current: null },
  decide({ log_id, from, to, statement }, { current }) {
    if (to === current) return [];
    if (from === to) return new Refusal('conflict', 'The new key is the old one.');
    // The log may have another name now: only the part after the name must be the recorded key.
    if (current !== null && keyPart(current) !== keyPart(from)) {
      return new Refusal('conflict', 'The key of the log was replaced meanwhile.');
    }
    return [{ type: 'LogKeyRotated', data: { log_id, from, to, statement } }];
  },
  evolve(_state, event) {
    switch (event.type) {
      case 'LogKeyRotated':
        return { current: event.data.to };
    }
  },
};

/** The Base64 part of a verifier key, without the name. */
function keyPart(vkey: string): string {
  return vkey.split('+').slice(2).join('+');
}
