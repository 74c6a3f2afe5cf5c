/** Implements `SpeechPort`; loads the engines at the first use. */
import type { SpeechPort } from '../../ports/speech.ts';
import type { SpeechParts } from './engines.ts';

export function createSpeech(parts: SpeechParts): SpeechPort {
  let loading: Promise<SpeechPort> | undefined;
  const engines = (): Promise<SpeechPort> => {
    loading ??= import('./engines.ts').then(({ createEngines }) => createEngines(parts));
    return loading;
  };
  return {
    speak: async (text, options) => (await engines()).speak(text, options),
    engines: async () => (await engines()).engines(),
    voices: async (engine) => (await engines()).voices(engine),
    select: async (engine) => (await engines()).select(engine),
    dropWarm: () => void loading?.then((loaded) => loaded.dropWarm()),
    transcribe: async (audio, options) => (await engines()).transcribe(audio, options),
    transcriber: async (preferLocal) => (await engines()).transcriber(preferLocal),
    status: async () => (await engines()).status(),
    close: async () => (await loading)?.close(),
  };
}
