/**
 * The voice of the system: espeak-ng, or `say` on macOS. The voices of Windows are not supported.
 *
 * - espeak-ng is GPL. It is a separate program that reads text and writes sound, not a part of Daybook.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Voice } from '../../ports/speech.ts';
import type { ProgramRunner } from './program-runner.ts';
import { type Speaker, SYNTHESIS_SECONDS_MAX, WAV_BYTES_MAX } from './speaker.ts';

const LIST_SECONDS_MAX = 10;
/** The default voice: English, as in the default settings. */
const FALLBACK = 'en-us';

export function systemProgram(runner: ProgramRunner): string | null {
  return process.platform === 'darwin' ? runner.find('say') : runner.find('espeak-ng', 'espeak');
}

export function systemHint(): string {
  if (process.platform === 'win32') return 'The voices of Windows are not used by this build; install espeak-ng.';
  return 'No voice of the system was found; install one: sudo apt-get install espeak-ng';
}

export function systemSpeaker(runner: ProgramRunner, program: string): Speaker {
  return process.platform === 'darwin' ? macSpeaker(runner, program) : espeakSpeaker(runner, program);
}

function espeakSpeaker(runner: ProgramRunner, program: string): Speaker {
  return {
    async voices(signal) {
      const job = { command: [program, '--voices'], timeoutSeconds: LIST_SECONDS_MAX };
      return espeakVoices((await runner.run(job, signal)).toString('utf8'));
    },
    async wav(text, { voice }, signal) {
      const command = [program, '--stdin', '--stdout', '-b', '1', '-v', voice?.id ?? FALLBACK];
      // espeak-ng reads double brackets as phonemes.
      const input = text.replaceAll('[[', '[ [');
      const limits = { timeoutSeconds: SYNTHESIS_SECONDS_MAX, outputBytesMax: WAV_BYTES_MAX };
      return runner.run({ command, input, ...limits }, signal);
    },
  };
}

/** ` 2  en-us   --/M   English_(America)  gmw/en-US   (en 3)`: priority, language, gender, name, file, others. */
const ESPEAK_ROW = /^\s*\d+\s+(\S+)\s+\S+\s+(\S+)\s+(\S+)\s*(.*)$/;

export function espeakVoices(table: string): readonly SystemVoice[] {
  return table.split('\n').flatMap((line) => {
    const [, lang, name, id, others = ''] = ESPEAK_ROW.exec(line) ?? [];
    if (lang === undefined || name === undefined || id === undefined) return [];
    const also = [...others.matchAll(/\((\S+) \d+\)/g)].map((match) => match[1]!);
    return [{ id, name: name.replaceAll('_', ' ').trim(), lang, quality: 'default' as const, also }];
  });
}

export interface SystemVoice extends Voice {
  /** Further languages that it speaks. */
  readonly also?: readonly string[];
}

function macSpeaker(runner: ProgramRunner, program: string): Speaker {
  return {
    async voices(signal) {
      const job = { command: [program, '-v', '?'], timeoutSeconds: LIST_SECONDS_MAX };
      return macVoices((await runner.run(job, signal)).toString('utf8'));
    },
    wav: (text, { voice }, signal) =>
      runner.inFolder(async (folder) => {
        const file = join(folder, 'said.wav');
        const chosen = voice === undefined ? [] : ['-v', voice.id];
        const command = [program, ...chosen, '-o', file, '--file-format=WAVE', '--data-format=LEI16@22050', '-f', '-'];
        await runner.run({ command, input: text, folder, timeoutSeconds: SYNTHESIS_SECONDS_MAX }, signal);
        return readFile(file);
      }),
  };
}

/** Voices that are jokes or instruments. */
const NOVELTY = new Set(
  `Albert,Bad News,Bahh,Bells,Boing,Bubbles,Cellos,Good News,Jester,Organ,Superstar,Trinoids,Whisper,Wobble,Zarvox,
   Deranged,Hysterical,Pipe Organ`
    .split(',')
    .map((name) => name.trim()),
);

/** `Ava (Premium)       en_US    # Hello!` */
export function macVoices(table: string): readonly Voice[] {
  return table.split('\n').flatMap((line) => {
    const [, id, lang] = /^(.+?)\s+([a-z]{2,3}[_-]\w+)\s+#/.exec(line) ?? [];
    if (id === undefined || lang === undefined || NOVELTY.has(id)) return [];
    const grade = /\((Enhanced|Premium)\)/.exec(id)?.[1]?.toLowerCase() as 'enhanced' | 'premium' | undefined;
    return [{ id, name: id, lang: lang.replace('_', '-'), quality: grade ?? 'default' }];
  });
}
