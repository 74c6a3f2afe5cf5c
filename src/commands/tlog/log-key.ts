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
  /** The id of the log that the newest rotation was signed for; null before the first one. */
  readonly logId: string | null;
  /** The key since the newest rotation; null before the first one. */
  readonly current: string | null;
  /** The keys before it, by `keyPart`. */
  readonly replaced: readonly string[];
}

/** The id of the only stream, `settings-log-key`. */
export const LOG_KEY_STREAM_ID = 'log-key';

export const logKey: Decider<RotateLogKey, LogKeyState, LogKeyEvent> = {
  category: 'settings',
  events: logKeyEvents,
  initial: { logId: null, current: null, replaced: [] },
  decide({ log_id, from, to, statement }, { current, replaced }) {
    if (to === current) return [];
    if (from === to) return new Refusal('conflict', 'The new key is the old one.');
    // A key that the log does not know is that of a rotation which the restore of a backup has removed.
    if (replaced.includes(keyPart(from))) return new Refusal('conflict', 'The key of the log was replaced meanwhile.');
    return [{ type: 'LogKeyRotated', data: { log_id, from, to, statement } }];
  },
  evolve({ replaced }, event) {
    switch (event.type) {
      case 'LogKeyRotated':
        return { logId: event.data.log_id, current: event.data.to, replaced: [...replaced, keyPart(event.data.from)] };
    }
  },
};

/** The Base64 part of a verifier key: without the name, which a setting may change. */
export function keyPart(vkey: string): string {
  return vkey.split('+').slice(2).join('+');
}
