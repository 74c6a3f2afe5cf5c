/** Implements `SpeechPort`; loads the engines at the first use. */
import { createOnce } from '../../lib/once.ts';
import type { SpeechPort } from '../../ports/speech.ts';
import type { SpeechParts } from './engines.ts';

export function createSpeech(parts: SpeechParts): SpeechPort {
  const engines = createOnce(async () => (await import('./engines.ts')).createEngines(parts));
  return {
    speak: async (text, options) => (await engines.run()).speak(text, options),
    engines: async () => (await engines.run()).engines(),
    voices: async (engine) => (await engines.run()).voices(engine),
    select: async (engine) => (await engines.run()).select(engine),
    dropWarm: () => void engines.begun().then((loaded) => loaded?.dropWarm()),
    transcribe: async (audio, options) => (await engines.run()).transcribe(audio, options),
    transcriber: async (preferLocal) => (await engines.run()).transcriber(preferLocal),
    status: async () => (await engines.run()).status(),
    close: async () => (await engines.begun())?.close(),
  };
}
