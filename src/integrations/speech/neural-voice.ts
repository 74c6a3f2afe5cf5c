/**
 * The neural voice: piper, a separate program, with voices in the models folder of the home.
 *
 * - Loading a voice takes a second, so its process is kept for the next sentence. It ends after `IDLE_MS_MAX` without a
 *   sentence, and when the settings change.
 * - It prints the path of the file that it wrote to standard output or standard error, depending on its version.
 */
import { addAbortListener } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Sidecar } from '../../events/voice.ts';
import { Mutex } from '../../lib/keyed-mutex.ts';
import { namesIn } from '../../lib/paths.ts';
import { isProgram } from '../../lib/programs.ts';
import { SpeechUnavailable, type Voice } from '../../ports/speech.ts';
import type { ProgramRunner } from './program-runner.ts';
import { type Speaker, SYNTHESIS_SECONDS_MAX } from './speaker.ts';

const IDLE_MS_MAX = 300_000;
/** Time limit of the process, a day. `IDLE_MS_MAX` usually ends it before. */
const LOADED_SECONDS_MAX = 86_400;
const PRINTED_BYTES_MAX = 64 * 1024 * 1024;
const LINE_CHARACTERS_MAX = 65_536;

/** The program with the first voice found; null when either is missing. */
export function neuralSidecar(runner: ProgramRunner, models: string): Sidecar | null {
  const command = runner.find('piper', 'piper-tts');
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

/** A voice is a pair of files: the model and, beside it, its description. */
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
  /** Ends the loaded voice after its current sentence. */
  drop(): void;
  /** Ends it at once; resolves when its processes are dead. */
  close(): Promise<unknown>;
}

export function neuralSpeaker(runner: ProgramRunner, models: string): NeuralSpeaker {
  let warm: VoiceProcess | null = null;
  let timer: NodeJS.Timeout | undefined;
  const alive = new Set<VoiceProcess>();

  const drop = (): void => {
    clearTimeout(timer);
    warm?.finish();
    warm = null;
  };
  const load = (command: readonly string[]): VoiceProcess => {
    if (warm?.isAlive() && warm.command.join('\n') === command.join('\n')) return warm;
    drop();
    const fresh = new VoiceProcess(runner, command);
    alive.add(fresh);
    void fresh.ended.then(() => alive.delete(fresh));
    warm = fresh;
    return fresh;
  };

  return {
    drop,
    close() {
      drop();
      for (const each of alive) each.kill();
      return Promise.all([...alive].map(({ ended }) => ended));
    },
    voices: async () => neuralVoices(models),
    async wav(text, settings, signal) {
      const sidecar = settings.sidecar ?? neuralSidecar(runner, models);
      if (sidecar === null || !isProgram(sidecar.command)) throw new SpeechUnavailable(neuralHint(models));
      const chosen = neuralVoices(models).find(({ id }) => id === settings.voice?.id);
      const args = chosen === undefined ? sidecar.args : ['--model', chosen.model];
      clearTimeout(timer);
      const voice = load([sidecar.command, ...args]);
      try {
        return await voice.say(text, signal);
      } finally {
        timer = setTimeout(drop, IDLE_MS_MAX).unref();
      }
    },
  };
}

/** A running piper: it reads a line on standard input, writes a WAV file and prints the file's path. */
class VoiceProcess {
  readonly command: readonly string[];
  /** Resolves when the process is dead and its folder removed; never rejects. */
  readonly ended: Promise<void>;
  readonly #input = new PassThrough();
  readonly #ending = new AbortController();
  /** One line at a time, so that a printed path belongs to the line before it. */
  readonly #lines = new Mutex();
  readonly #folder = Promise.withResolvers<string>();
  /** Path of the file of the current line. */
  #written = Promise.withResolvers<string>();
  #failure: Error | null = null;
  /** Its output since the last whole line. */
  #printed = '';

  constructor(runner: ProgramRunner, command: readonly string[]) {
    this.command = command;
    this.#written.promise.catch(() => undefined);
    this.ended = runner
      .inFolder((folder) => this.#run(runner, folder))
      .catch((error: Error) => {
        this.#failure = error;
        this.#folder.resolve('');
        this.#written.reject(error);
      });
  }

  isAlive(): boolean {
    return this.#failure === null;
  }

  /** Returns a WAV file. After an abort, the process finishes the line, so the next call does not get its sound. */
  async say(line: string, signal: AbortSignal): Promise<Buffer> {
    signal.throwIfAborted();
    return untilAborted(
      this.#lines.run(() => this.#say(line)),
      signal,
    );
  }

  /** Ends the process after the pending lines. */
  finish(): void {
    void this.#lines.idle().then(() => this.kill());
  }

  kill(): void {
    this.#input.end();
    this.#ending.abort(new SpeechUnavailable('The neural voice was ended.'));
  }

  async #run(runner: ProgramRunner, folder: string): Promise<never> {
    this.#folder.resolve(folder);
    const job = {
      command: [...this.command, '--output_dir', folder],
      folder,
      input: this.#input,
      timeoutSeconds: LOADED_SECONDS_MAX,
      outputBytesMax: PRINTED_BYTES_MAX,
      printed: (chunk: Buffer) => this.#read(folder, chunk),
    };
    await runner.run(job, this.#ending.signal);
    throw new SpeechUnavailable('The neural voice ended by itself.');
  }

  #read(folder: string, chunk: Buffer): void {
    this.#printed = (this.#printed + chunk.toString('utf8')).slice(-LINE_CHARACTERS_MAX);
    for (let end = this.#printed.indexOf('\n'); end >= 0; end = this.#printed.indexOf('\n')) {
      const at = this.#printed.slice(0, end).lastIndexOf(folder);
      const path = at < 0 ? '' : this.#printed.slice(at, end).trim();
      this.#printed = this.#printed.slice(end + 1);
      if (path.endsWith('.wav')) this.#written.resolve(path);
    }
  }

  async #say(line: string): Promise<Buffer> {
    const folder = await this.#folder.promise;
    if (this.#failure !== null) throw this.#failure;
    this.#ending.signal.throwIfAborted();
    if (folder === '') throw new SpeechUnavailable('The neural voice cannot work here.');
    this.#written = Promise.withResolvers<string>();
    using _late = setTimeout(() => {
      this.#ending.abort(new SpeechUnavailable(`The neural voice said nothing for ${SYNTHESIS_SECONDS_MAX} s.`));
    }, SYNTHESIS_SECONDS_MAX * 1_000);
    this.#input.write(`${line.replace(/\s+/g, ' ')}\n`);
    const path = await this.#written.promise;
    const wav = await readFile(path);
    await rm(path, { force: true });
    return wav;
  }
}

async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  using _aborted = addAbortListener(signal, () => reject(signal.reason));
  work.then(resolve, reject);
  return await promise;
}
