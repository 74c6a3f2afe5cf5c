/** The decider of the logs whose checkpoints this Daybook cosigns as their witness, and of the forks that it saw. */
import type { DataOf } from '../../events/define.ts';
import { type TrustedLogEvent, trustedLogEvents } from '../../events/tlog.ts';
import type { Decider } from '../decider.ts';
import { Refusal } from '../refusal.ts';

type Fork = DataOf<TrustedLogEvent, 'ForkSeen'>;

export type TrustedLogCommand =
  | { readonly type: 'TrustLog'; readonly vkey: string }
  | { readonly type: 'DistrustLog'; readonly vkey: string }
  | ({ readonly type: 'RecordFork' } & Fork);

export interface TrustedLogsState {
  /** Verifier keys. */
  readonly trusted: readonly string[];
  readonly forks: readonly Fork[];
}

/** The id of the only stream, `settings-trusted-logs`. */
export const TRUSTED_LOGS_STREAM_ID = 'trusted-logs';
const TRUSTED_MAX = 100;
/** Limit of recorded forks of one log, because the holder of its key can make any number. */
const FORKS_MAX = 10;

export const trustedLogs: Decider<TrustedLogCommand, TrustedLogsState, TrustedLogEvent> = {
  category: 'settings',
  events: trustedLogEvents,
  initial: { trusted: [], forks: [] },
  decide(command, { trusted, forks }) {
    switch (command.type) {
      case 'TrustLog':
        if (trusted.includes(command.vkey)) return [];
        if (trusted.length >= TRUSTED_MAX) return new Refusal('conflict', `At most ${TRUSTED_MAX} logs are trusted.`);
        return [{ type: 'LogTrusted', data: { vkey: command.vkey } }];
      case 'DistrustLog':
        return trusted.includes(command.vkey) ? [{ type: 'LogDistrusted', data: { vkey: command.vkey } }] : [];
      case 'RecordFork': {
        const { origin, size, known, other } = command;
        const ofOrigin = forks.filter((fork) => fork.origin === origin);
        if (ofOrigin.length >= FORKS_MAX || ofOrigin.some((fork) => fork.other === other)) return [];
        return [{ type: 'ForkSeen', data: { origin, size, known, other } }];
      }
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case 'LogTrusted':
        return { ...state, trusted: [...state.trusted, event.data.vkey] };
      case 'LogDistrusted':
        return { ...state, trusted: state.trusted.filter((vkey) => vkey !== event.data.vkey) };
      case 'ForkSeen':
        return { ...state, forks: [...state.forks, event.data] };
    }
  },
};
