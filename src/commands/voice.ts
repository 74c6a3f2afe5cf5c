/**
 * The decider of the voice settings: present fields that differ change. The caller has checked that the engine runs.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Sidecar, UNSET_VOICE, type VoiceEvent, type VoiceSettings, voiceEvents } from '../events/voice.ts';
import { characterCount } from '../lib/characters.ts';
import type { Decider } from './decider.ts';
import { Refusal } from './refusal.ts';

export interface ChangeVoice {
  readonly type: 'ChangeVoice';
  readonly engine?: { readonly id: 'system' | 'neural'; readonly sidecar: Sidecar | null } | undefined;
  readonly voice?: string | undefined;
  readonly language?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
}

/** The id of the only stream, `settings-voice`. */
export const VOICE_STREAM_ID = 'voice';
export const VOICE_CHARACTERS_MAX = 200;

export const voiceSettings: Decider<ChangeVoice, VoiceSettings, VoiceEvent> = {
  category: 'settings',
  events: voiceEvents,
  initial: UNSET_VOICE,
  decide(command, state) {
    const { engine, voice, language } = command;
    for (const [name, text] of Object.entries({ ...command, type: undefined, engine: undefined })) {
      if (typeof text === 'string' && characterCount(text) > VOICE_CHARACTERS_MAX) {
        return new Refusal('invalid', `${name} has more than ${VOICE_CHARACTERS_MAX} characters.`);
      }
    }
    const answering = decideModel(command, state);
    if (answering instanceof Refusal) return answering;
    const events: VoiceEvent[] = [];
    if (engine !== undefined) {
      const sidecar = engine.sidecar && { command: engine.sidecar.command, args: [...engine.sidecar.args] };
      const isSame = engine.id === state.engine && isDeepStrictEqual(sidecar, state.sidecar);
      if (!isSame) events.push({ type: 'VoiceEngineSelected', data: { engine: engine.id, sidecar } });
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

/** Provider and model change together; both blank clear the pair. */
function decideModel({ provider, model }: ChangeVoice, state: VoiceSettings): readonly VoiceEvent[] | Refusal {
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
