/**
 * The decider of the voice settings: present fields that differ change. The caller has checked that the engine runs.
 */
import { type VoiceEvent, voiceEvents } from '../events/voice.ts';
import type { Decider } from './decider.ts';
import { Refusal } from './refusal.ts';

export interface Sidecar {
  readonly command: string;
  readonly args: readonly string[];
}

export interface ChangeVoice {
  readonly type: 'ChangeVoice';
  readonly engine?: { readonly id: 'system' | 'neural'; readonly sidecar: Sidecar | null } | undefined;
  readonly voice?: string | undefined;
  readonly language?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
}

export interface VoiceState {
  readonly engine: 'system' | 'neural';
  readonly sidecar: Sidecar | null;
  readonly voice: string;
  /** null before the first setting. */
  readonly language: string | null;
  readonly provider: string | null;
  readonly model: string | null;
}

/** The id of the only stream, `settings-voice`. */
export const VOICE_STREAM_ID = 'voice';
export const VOICE_CHARACTERS_MAX = 200;

export const voiceSettings: Decider<ChangeVoice, VoiceState, VoiceEvent> = {
  category: 'settings',
  events: voiceEvents,
  initial: { engine: 'system', sidecar: null, voice: '', language: null, provider: null, model: null },
  decide(command, state) {
    const { engine, voice, language } = command;
    for (const [name, text] of Object.entries({ ...command, type: undefined, engine: undefined })) {
      if (typeof text === 'string' && text.length > VOICE_CHARACTERS_MAX) {
        return new Refusal('invalid', `${name} has more than ${VOICE_CHARACTERS_MAX} characters.`);
      }
    }
    const answering = decideModel(command, state);
    if (answering instanceof Refusal) return answering;
    const events: VoiceEvent[] = [];
    if (engine !== undefined && !sameEngine(engine, state)) {
      const { sidecar } = engine;
      const recordedSidecar = sidecar === null ? null : { command: sidecar.command, args: [...sidecar.args] };
      events.push({ type: 'VoiceEngineSelected', data: { engine: engine.id, sidecar: recordedSidecar } });
    }
    if (voice !== undefined && voice !== state.voice) events.push({ type: 'VoiceSelected', data: { voice } });
    if (language !== undefined && language !== state.language) {
      events.push({ type: 'VoiceLanguageSet', data: { language } });
    }
    return [...events, ...answering];
  },
  evolve(state, event) {
    switch (event.type) {
      case 'VoiceEngineSelected':
        return { ...state, engine: event.data.engine, sidecar: event.data.sidecar };
      case 'VoiceSelected':
        return { ...state, voice: event.data.voice };
      case 'VoiceLanguageSet':
        return { ...state, language: event.data.language };
      case 'VoiceModelSet':
        return { ...state, provider: event.data.provider, model: event.data.model };
      case 'VoiceModelCleared':
        return { ...state, provider: null, model: null };
    }
  },
};

function sameEngine({ id, sidecar }: NonNullable<ChangeVoice['engine']>, state: VoiceState): boolean {
  if (id !== state.engine || (sidecar === null) !== (state.sidecar === null)) return false;
  if (sidecar === null || state.sidecar === null) return true;
  const same = sidecar.args.length === state.sidecar.args.length;
  return (
    same && sidecar.command === state.sidecar.command && sidecar.args.every((a, at) => a === state.sidecar?.args[at])
  );
}

/** Provider and model change together; both blank clear the pair. */
function decideModel({ provider, model }: ChangeVoice, state: VoiceState): readonly VoiceEvent[] | Refusal {
  if (provider === undefined && model === undefined) return [];
  const pair = { provider: provider?.trim(), model: model?.trim() };
  if (pair.provider === undefined || pair.model === undefined || (pair.provider === '') !== (pair.model === '')) {
    return new Refusal(
      'invalid',
      'provider and model must be sent together; send both as empty strings to clear them.',
    );
  }
  if (pair.provider === '') return state.provider === null ? [] : [{ type: 'VoiceModelCleared', data: {} }];
  if (pair.provider === state.provider && pair.model === state.model) return [];
  return [{ type: 'VoiceModelSet', data: { provider: pair.provider, model: pair.model } }];
}
