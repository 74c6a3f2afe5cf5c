/** The prompt of a spoken conversation, and the text frames that change its settings. Pure. */
import { parsedJson } from '../../lib/json-text.ts';
import type { Chat } from '../../queries/run/chat.ts';
import type { Exchange } from './dialogue.ts';
import { zClientFrame } from './frames.ts';

/** Characters that a client may add to the system prompt. */
export const CONTEXT_CHARACTERS_MAX = 32 * 1_024;
const TRUNCATED = '\n[… the rest was cut off]';
const LANGUAGE_FALLBACK = 'en';

const SPOKEN =
  'You are Daybook, a helpful assistant on the user’s own machine. You are in a spoken conversation: what you write is ' +
  'read out aloud. Answer in short, plain sentences, without markdown, lists, tables, code or links, unless asked to.';

/** One question of the user, with its context. */
interface SpokenQuestion {
  readonly words: string;
  /** The recognised language; null when the caller set one. */
  readonly lang: string | null;
  readonly history: readonly Exchange[];
  readonly context: string;
}

export function spokenMessages({ words, lang, history, context }: SpokenQuestion): Chat['messages'] {
  const foreign =
    lang !== null && lang !== 'en' ? `\n\nThe user speaks ${languageName(lang)}: answer in that language.` : '';
  const around = context === '' ? '' : `\n\nContext from the user’s client:\n${context}`;
  const before = history.flatMap(({ user, assistant }) => [
    { role: 'user', content: user },
    { role: 'assistant', content: assistant },
  ]);
  return [{ role: 'system', content: `${SPOKEN}${foreign}${around}` }, ...before, { role: 'user', content: words }];
}

function languageName(code: string): string {
  try {
    return new Intl.DisplayNames(['en'], { type: 'language' }).of(code) ?? code;
  } catch {
    return code;
  }
}

/** Settings that a client may change during the connection. */
export interface SpeechSettings {
  /** Empty: the engine chooses. */
  readonly voice: string;
  readonly language: string;
  readonly context: string;
}

/** The settings after a client's text frame; an invalid frame changes nothing. */
export function withControl(settings: SpeechSettings, text: string): SpeechSettings {
  const frame = zClientFrame.safeParse(parsedJson(text)).data;
  switch (frame?.type) {
    case undefined:
      return settings;
    case 'set_voice':
      return { ...settings, voice: frame.id.trim() };
    case 'set_language':
      return { ...settings, language: frame.lang?.trim() || LANGUAGE_FALLBACK };
    case 'set_context':
      return { ...settings, context: bounded(frame.context.trim()) };
  }
}

function bounded(context: string): string {
  if (context.length <= CONTEXT_CHARACTERS_MAX) return context.toWellFormed();
  const beginning = context.slice(0, CONTEXT_CHARACTERS_MAX - TRUNCATED.length);
  return `${(beginning.isWellFormed() ? beginning : beginning.slice(0, -1)).toWellFormed()}${TRUNCATED}`;
}
