/** The decider of one pairing offer: exchanged once, in time, and from another machine only with the code. */
import { type PairingEvent, pairingEvents } from '../events/pairing.ts';
import type { Decider } from './decider.ts';
import { Refusal } from './refusal.ts';

export const PAIRING_MS = 5 * 60_000;
export const CODE_ATTEMPTS_MAX = 5;

export type PairingCommand =
  | { readonly type: 'OfferPairing'; readonly peer: string }
  /** `code`: whether the caller's code matches; null without one. */
  | {
      readonly type: 'ExchangePairing';
      readonly peer: string;
      readonly local: boolean;
      readonly code: 'right' | 'wrong' | null;
    };

export interface PairingState {
  readonly status: 'none' | 'offered' | 'exchanged';
  readonly expiresAt: number;
  readonly wrongCodes: number;
}

export const pairing: Decider<PairingCommand, PairingState, PairingEvent> = {
  category: 'pairing',
  events: pairingEvents,
  initial: { status: 'none', expiresAt: 0, wrongCodes: 0 },
  decide(command, state, { now }) {
    if (command.type === 'OfferPairing') {
      if (state.status !== 'none') return new Refusal('conflict', 'This pairing was offered already.');
      return [{ type: 'PairingOffered', data: { peer: command.peer, expires_at: now + PAIRING_MS } }];
    }
    if (state.status !== 'offered' || now >= state.expiresAt || state.wrongCodes >= CODE_ATTEMPTS_MAX) {
      return new Refusal(
        'unauthenticated',
        'The pairing token is unknown, used or expired. Ask GET /pair for a new one.',
      );
    }
    if (command.local || command.code === 'right') {
      const data = { peer: command.peer, confirmed_by_code: command.code === 'right' };
      return [{ type: 'PairingExchanged', data }];
    }
    if (command.code === 'wrong') {
      return [{ type: 'PairingRefused', data: { peer: command.peer, reason: 'wrong code' } }];
    }
    return [];
  },
  evolve(state, event) {
    switch (event.type) {
      case 'PairingOffered':
        return { ...state, status: 'offered', expiresAt: event.data.expires_at };
      case 'PairingExchanged':
        return { ...state, status: 'exchanged' };
      case 'PairingRefused':
        return { ...state, wrongCodes: state.wrongCodes + 1 };
    }
  },
};
