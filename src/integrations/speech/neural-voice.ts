/**
 * The neural voice: piper, a program beside the daemon, with voices that lie in the models folder of the home.
 *
 * - It takes a second to load a voice, so it stays loaded for the next sentence and ends when none came for a while,
 *   or when the settings change.
 * - It reads a line and names the file it wrote: standard output or standard error, as its versions differ.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type Sidecar, SpeechUnavailable, type Voice } from '../../ports/speech.ts';
import { isProgram } from '../office/locate.ts';
import type { Workshop } from './programs.ts';
import { type Speaker, SYNTHESIS_SECONDS_MAX } from './speaker.ts';

/** How long it waits, loaded, for its next sentence. */
const PARKED_MS_MAX = 300_000;
/** A day: by then somebody has paused. */
const LOADED_SECONDS_MAX = 86_400;
const PRINTED_BYTES_MAX = 64 * 1024 * 1024;
const HEARD_CHARACTERS_MAX = 65_536;

/** The program with the first voice that is there; null when either is missing. */
export function neuralSidecar(workshop: Workshop, models: string): Sidecar | null {
  const command = workshop.find('piper', 'piper-tts');
  const [voice] = neuralVoices(models);
  return command === null || voice === undefined ? null : { command, args: ['--model', voice.model] };
}

export function neuralHint(models: string): string {
  return (
    'The neural voice is not installed; install it with a voice: pip install piper-tts && ' +
    `python3 -m piper.download_voices --data-dir ${models} en_US-lessac-medium`
  );
}

export interface NeuralVoice extends Voice {
  readonly model: string;
}

/** Voices are pairs of files: the model, and beside it what it is. */
export function neuralVoices(models: string): readonly NeuralVoice[] {
  return namesIn(models)
    .filter((name) => name.endsWith('.onnx'))
    .toSorted()
    .flatMap((name) => {
      const model = join(models, name);
      const about = aboutModel(`${model}.json`);
      if (about === null) return [];
      const id = basename(name, '.onnx');
      const lang = (about.language?.code ?? id.split('-', 1)[0]!).replace('_', '-');
      return [{ id, name: about.dataset ?? id, lang, quality: 'neural' as const, model }];
    });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

interface AboutModel {
  readonly dataset?: string;
  readonly language?: { readonly code?: string };
}

function aboutModel(path: string): AboutModel | null {
  try {
    const about: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return typeof about === 'object' ? (about as AboutModel | null) : null;
  } catch {
    return null;
  }
}

export interface NeuralSpeaker extends Speaker {
  /** Lets it say what it is saying, and ends it. */
  drop(): void;
  /** Ends it at once; resolves when nothing of it is alive. */
  close(): Promise<unknown>;
}

export function neuralSpeaker(workshop: Workshop, models: string): NeuralSpeaker {
  let warm: Loaded | null = null;
  let timer: NodeJS.Timeout | undefined;
  const alive = new Set<Loaded>();

  const drop = (): void => {
    clearTimeout(timer);
    warm?.finish();
    warm = null;
  };
  const loaded = (command: readonly string[]): Loaded => {
    if (warm?.alive() && warm.command.join('\n') === command.join('\n')) return warm;
    drop();
    const fresh = load(workshop, command);
    alive.add(fresh);
    void fresh.over.then(() => alive.delete(fresh));
    warm = fresh;
    return fresh;
  };

  return {
    drop,
    close() {
      drop();
      for (const each of alive) each.kill();
      return Promise.all([...alive].map(({ over }) => over));
    },
    async voices() {
      return neuralVoices(models);
    },
    async wav(text, manner, signal) {
      const sidecar = manner.sidecar ?? neuralSidecar(workshop, models);
      if (sidecar === null || !isProgram(sidecar.command)) throw new SpeechUnavailable(neuralHint(models));
      const chosen = neuralVoices(models).find(({ id }) => id === manner.voice?.id);
      const args = chosen === undefined ? sidecar.args : ['--model', chosen.model];
      clearTimeout(timer);
      const voice = loaded([sidecar.command, ...args]);
      try {
        return await voice.say(text, signal);
      } finally {
        timer = setTimeout(drop, PARKED_MS_MAX).unref();
      }
    },
  };
}

interface Loaded {
  readonly command: readonly string[];
  alive(): boolean;
  say(line: string, signal: AbortSignal): Promise<Buffer>;
  finish(): void;
  kill(): void;
  /** When it is dead and its folder gone; never rejects. */
  readonly over: Promise<void>;
}

function load(workshop: Workshop, command: readonly string[]): Loaded {
  const lines = new PassThrough();
  const ending = new AbortController();
  let failure: Error | null = null;
  let heard = '';
  let wrote: (path: string) => void = () => undefined;
  let broke: (error: Error) => void = () => undefined;
  /** Sentences take turns: what is written belongs to the line before it. */
  let turn: Promise<unknown> = Promise.resolve();
  const place = Promise.withResolvers<string>();

  const listen = (folder: string, chunk: Buffer): void => {
    heard = (heard + chunk.toString('utf8')).slice(-HEARD_CHARACTERS_MAX);
    for (let end = heard.indexOf('\n'); end >= 0; end = heard.indexOf('\n')) {
      const at = heard.slice(0, end).lastIndexOf(folder);
      const path = at < 0 ? '' : heard.slice(at, end).trim();
      heard = heard.slice(end + 1);
      if (path.endsWith('.wav')) wrote(path);
    }
  };
  const over = workshop
    .inFolder(async (folder) => {
      place.resolve(folder);
      const job = { timeoutSeconds: LOADED_SECONDS_MAX, outputBytesMax: PRINTED_BYTES_MAX, input: lines, folder };
      const printed = (chunk: Buffer): void => listen(folder, chunk);
      await workshop.run({ ...job, command: [...command, '--output_dir', folder], printed }, ending.signal);
      throw new SpeechUnavailable('The neural voice ended by itself.');
    })
    .catch((error: Error) => {
      failure = error;
      place.resolve('');
      broke(error);
    });

  async function sayNext(line: string): Promise<Buffer> {
    const folder = await place.promise;
    if (failure !== null || folder === '') throw failure ?? new SpeechUnavailable('The neural voice cannot work here.');
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    wrote = resolve;
    broke = reject;
    const late = setTimeout(() => {
      ending.abort(new SpeechUnavailable(`The neural voice said nothing for ${SYNTHESIS_SECONDS_MAX} s.`));
    }, SYNTHESIS_SECONDS_MAX * 1_000);
    try {
      lines.write(`${line.replace(/\s+/g, ' ')}\n`);
      const path = await promise;
      const wav = await readFile(path);
      await rm(path, { force: true });
      return wav;
    } finally {
      clearTimeout(late);
    }
  }

  const kill = (): void => {
    lines.end();
    ending.abort(new SpeechUnavailable('The neural voice was ended.'));
  };
  return {
    command,
    over,
    alive: () => failure === null,
    async say(line, signal) {
      signal.throwIfAborted();
      // Whoever stops listening leaves it to finish: the next sentence must not get this one's sound.
      const mine = turn.then(() => sayNext(line));
      turn = mine.catch(() => undefined);
      return await untilAborted(mine, signal);
    },
    finish: () => void turn.then(kill),
    kill,
  };
}

function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const leave = (): void => reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  work.then(resolve, reject);
  return promise.finally(() => signal.removeEventListener('abort', leave));
}
