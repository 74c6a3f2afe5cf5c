/** Speaks a text in chunks of whole sentences and joins the sound to one WAV file. */
import { characterCount } from '../../lib/characters.ts';
import { sentencesOf } from '../../lib/sentences.ts';
import { decodePcm, encodeWav, type Pcm } from '../../lib/wav.ts';
import type { WorkPool } from '../../lib/work-pool.ts';
import { type SpeakOptions, SpeechTooLong, SpeechUnavailable } from '../../ports/speech.ts';
import { type Speaker, voiceFor } from './speaker.ts';

/** Characters of one call; about twenty minutes of speech. */
const SPOKEN_CHARACTERS_MAX = 20_000;
const CHUNK_CHARACTERS_MAX = 1_000;
/** Sample rate of a text without speakable words. */
const SILENT_RATE = 22_050;

export interface SpeakParts {
  /** The engine of the call. Throws `SpeechUnavailable`. */
  readonly find: () => Speaker;
  /** Chunks of all calls share it. */
  readonly pool: WorkPool;
}

/** See `SpeechPort.speak`. */
export async function speak(text: string, options: SpeakOptions, { find, pool }: SpeakParts): Promise<Buffer> {
  if (characterCount(text) > SPOKEN_CHARACTERS_MAX) {
    throw new SpeechTooLong(`At most ${SPOKEN_CHARACTERS_MAX} characters are spoken at once.`);
  }
  const { signal, sidecar = null } = options;
  const speaker = find();
  const voice = voiceFor(await speaker.voices(signal), options);
  const parts: Pcm[] = [];
  for (const chunk of chunksOf(sentencesOf(text))) {
    parts.push(soundOf(await pool.inSlot(signal, () => speaker.wav(chunk, { voice, sidecar }, signal))));
  }
  return encodeWav(joined(parts));
}

/** Joins neighbouring sentences while they are short. */
function chunksOf(sentences: readonly string[]): readonly string[] {
  const chunks: string[] = [];
  for (const sentence of sentences) {
    const last = chunks.at(-1);
    const fits = last !== undefined && last.length + sentence.length < CHUNK_CHARACTERS_MAX;
    if (fits) chunks[chunks.length - 1] = `${last} ${sentence}`;
    else chunks.push(sentence);
  }
  return chunks;
}

function soundOf(wav: Buffer): Pcm {
  const pcm = decodePcm(wav);
  if (pcm === null) throw new SpeechUnavailable('The voice wrote something that is no sound.');
  return pcm;
}

function joined(parts: readonly Pcm[]): Pcm {
  const rate = parts[0]?.rate ?? SILENT_RATE;
  const samples = new Int16Array(parts.reduce((sum, part) => sum + part.samples.length, 0));
  let at = 0;
  for (const part of parts) {
    samples.set(part.samples, at);
    at += part.samples.length;
  }
  return { rate, samples };
}
