/** The decider of the witnesses that this log asks to cosign its checkpoints. */
import { type WitnessEvent, witnessEvents } from '../../events/tlog.ts';
import type { Decider } from '../decider.ts';
import { Refusal } from '../refusal.ts';

export interface WitnessAddress {
  readonly url: string;
  readonly vkey: string;
}

export type WitnessCommand =
  | ({ readonly type: 'AddWitness' } & WitnessAddress)
  | { readonly type: 'RemoveWitness'; readonly vkey: string };

export interface WitnessesState {
  /** In the order in which they were added. */
  readonly witnesses: readonly WitnessAddress[];
}

/** The id of the only stream, `settings-log-witnesses`. */
export const WITNESSES_STREAM_ID = 'log-witnesses';
/** Readers of notes must accept 16 signatures, one of which is the log's own. */
const WITNESSES_MAX = 15;

export const logWitnesses: Decider<WitnessCommand, WitnessesState, WitnessEvent> = {
  category: 'settings',
  events: witnessEvents,
  initial: { witnesses: [] },
  decide(command, { witnesses }) {
    const known = witnesses.find(({ vkey }) => vkey === command.vkey);
    switch (command.type) {
      case 'AddWitness': {
        const { url, vkey } = command;
        if (known?.url === url) return [];
        if (known === undefined && witnesses.length >= WITNESSES_MAX) {
          return new Refusal('conflict', `A log has at most ${WITNESSES_MAX} witnesses.`);
        }
        return [{ type: 'WitnessAdded', data: { url, vkey } }];
      }
      case 'RemoveWitness':
        return known === undefined ? [] : [{ type: 'WitnessRemoved', data: { vkey: command.vkey } }];
    }
  },
  evolve({ witnesses }, event) {
    const others = witnesses.filter(({ vkey }) => vkey !== event.data.vkey);
    switch (event.type) {
      case 'WitnessAdded':
        return { witnesses: [...others, event.data] };
      case 'WitnessRemoved':
        return { witnesses: others };
    }
  },
};
