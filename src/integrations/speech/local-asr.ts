/**
 * Transcribes on this machine with whisper.cpp or Python's whisper package, each with its model file in the models
 * folder of the home. Both only read a WAV file that Daybook wrote.
 */
import { existsSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { encodeWav } from '../../lib/wav.ts';
import { SpeechUnavailable } from '../../ports/speech.ts';
import { type Recording, SPEECH_RATE, speechSamples } from './audio.ts';
import type { ProgramRunner } from './program-runner.ts';
import { primaryLanguage } from './speaker.ts';

export interface LocalModel {
  readonly name: string;
  /** Folder of model files. */
  readonly folder: string;
}

export interface Runtimes {
  readonly cpp: string | null;
  readonly python: string | null;
}

export interface Transcribed {
  readonly text: string;
  readonly language: string | null;
}

export interface LocalEngine {
  readonly runtime: 'cpp' | 'python';
  readonly program: string;
  readonly model: string;
}

const RECOGNISE_SECONDS_MAX = 600;
const PROBE_SECONDS_MAX = 10;
const THREADS_MAX = 8;
/** whisper.cpp recognises nothing in less than a second. */
const SAMPLES_MIN = SPEECH_RATE * 1.1;
/** Sizes in megabytes of the models that are offered for download. */
const SIZES: Readonly<Record<string, number>> = {
  tiny: 75,
  'tiny.en': 75,
  base: 142,
  'base.en': 142,
  small: 466,
  'small.en': 466,
  medium: 1_533,
  'medium.en': 1_533,
  'large-v3': 2_950,
  'large-v3-turbo': 1_620,
};

function cppModel({ folder, name }: LocalModel): string {
  return join(folder, `ggml-${name}.bin`);
}

function pythonModel({ folder, name }: LocalModel): string {
  return join(folder, `${name}.pt`);
}

export function cppProgram(runner: ProgramRunner): string | null {
  return runner.find('whisper-cli', 'whisper-cpp');
}

/** Checks for the right package, because another one has the same name; does not load it, which takes seconds. */
const IS_WHISPER = `
import importlib.util, os, sys
spec = importlib.util.find_spec("whisper")
there = spec is not None and spec.submodule_search_locations is not None
sys.exit(0 if there and any(os.path.exists(os.path.join(p, "audio.py")) for p in spec.submodule_search_locations) else 1)
`;

export async function pythonProgram(runner: ProgramRunner, signal: AbortSignal): Promise<string | null> {
  const python = runner.find('python3');
  if (python === null) return null;
  const job = { command: [python, '-c', IS_WHISPER], timeoutSeconds: PROBE_SECONDS_MAX };
  try {
    await runner.run(job, signal);
    return python;
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

/** A runtime with a model that it can read; null when either is missing. */
export function localEngine({ cpp, python }: Runtimes, model: LocalModel): LocalEngine | null {
  if (cpp !== null && existsSync(cppModel(model))) return { runtime: 'cpp', program: cpp, model: cppModel(model) };
  if (python !== null && existsSync(pythonModel(model))) {
    return { runtime: 'python', program: python, model: pythonModel(model) };
  }
  return null;
}

/** Whether there is a model for an installed runtime, or any model while no runtime is installed. */
export function hasModel(runtimes: Runtimes, model: LocalModel): boolean {
  if (runtimes.cpp !== null || runtimes.python !== null) return localEngine(runtimes, model) !== null;
  return existsSync(cppModel(model)) || existsSync(pythonModel(model));
}

export function modelMegabytes(model: LocalModel): number {
  const known = SIZES[model.name];
  if (known !== undefined) return known;
  const size = statSync(cppModel(model), { throwIfNoEntry: false })?.size ?? 0;
  return Math.round(size / 1_048_576);
}

export async function transcribeLocally(
  runner: ProgramRunner,
  { engine, recording, language }: { engine: LocalEngine; recording: Recording; language: string },
  signal: AbortSignal,
): Promise<Transcribed> {
  const samples = await speechSamples(runner, recording, signal);
  const padded = new Int16Array(Math.max(samples.length, SAMPLES_MIN));
  padded.set(samples);
  return await runner.inFolder(async (folder) => {
    const wav = join(folder, 'speech.wav');
    await writeFile(wav, encodeWav({ rate: SPEECH_RATE, samples: padded }), { mode: 0o600 });
    const out = join(folder, 'transcript');
    const spoken = engine.model.endsWith('.en.bin') ? 'en' : (recognisedLanguage(language) ?? 'auto');
    const { program, model } = engine;
    const command =
      engine.runtime === 'cpp' ? cppCommand(engine, wav, spoken, out) : [program, '-c', TRANSCRIBE, model, wav, spoken];
    const printed = await runner.run({ command, folder, timeoutSeconds: RECOGNISE_SECONDS_MAX }, signal);
    const answer =
      engine.runtime === 'cpp' ? await readFile(`${out}.json`, 'utf8').catch(() => '') : printed.toString();
    return parseTranscript(answer);
  });
}

function cppCommand({ program, model }: LocalEngine, wav: string, language: string, out: string): readonly string[] {
  const threads = String(Math.min(THREADS_MAX, availableParallelism()));
  return [program, '-m', model, '-f', wav, '-l', language, '-t', threads, '-np', '-oj', '-of', out];
}

/** Passes samples directly: for files, the package would start ffmpeg. */
const TRANSCRIBE = `
import json, sys, wave
import numpy, whisper
with wave.open(sys.argv[2]) as file:
    audio = numpy.frombuffer(file.readframes(file.getnframes()), numpy.int16).astype(numpy.float32) / 32768.0
language = None if sys.argv[3] == "auto" else sys.argv[3]
result = whisper.load_model(sys.argv[1], device="cpu").transcribe(audio, language=language, fp16=False)
print(json.dumps({"result": {"language": result["language"]}, "transcription": [{"text": result["text"]}]}))
`;

/** whisper's markers for sound without words. */
const NO_WORDS = /\[(?:BLANK_AUDIO|[A-Z][A-Za-z _]*)\]|\((?:silence|music)\)/g;

function parseTranscript(json: string): Transcribed {
  try {
    const { result, transcription } = JSON.parse(json) as {
      readonly result?: { readonly language?: string };
      readonly transcription: readonly { readonly text: string }[];
    };
    const text = transcription.map((piece) => piece.text).join('');
    return {
      text: text.replace(NO_WORDS, ' ').replace(/\s+/g, ' ').trim(),
      language: primaryLanguage(result?.language) ?? null,
    };
  } catch {
    throw new SpeechUnavailable('The recogniser left no transcript that can be read.');
  }
}

const CLOUD = 'or set OPENAI_API_KEY or GROQ_API_KEY and start the daemon again to have audio transcribed in the cloud';

/** The guidance for a user without an engine: how to install one. */
export function transcriptionHint(runtimes: Runtimes, model: LocalModel): string {
  const runtime = runtimes.cpp !== null || runtimes.python !== null;
  const there = hasModel(runtimes, model);
  const steps = [
    ...(runtime ? [] : [`install whisper.cpp so that whisper-cli is on the PATH (${runtimeHint()})`]),
    ...(there ? [] : [`put its model there: ${modelHint(model)}`]),
  ];
  return `No transcription engine is available. To stay on this machine, ${steps.join(' and ')}; ${CLOUD}.`;
}

function runtimeHint(): string {
  return process.platform === 'darwin'
    ? 'brew install whisper-cpp'
    : 'https://github.com/ggml-org/whisper.cpp, or pip install openai-whisper';
}

function modelHint(model: LocalModel): string {
  const url = `https://huggingface.co/ggerganov/whisper.cpp/resolve/main/ggml-${model.name}.bin`;
  return `curl -L --create-dirs -o ${cppModel(model)} ${url}`;
}

const CODES: ReadonlySet<string> = new Set(
  (
    'en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml ' +
    'cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu ' +
    'am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue'
  ).split(' '),
);

const SAME: Readonly<Record<string, string>> = { cmn: 'zh', nb: 'no', fil: 'tl', iw: 'he', in: 'id', jv: 'jw' };

/** The recogniser's code of a language; undefined for `auto` and unknown languages, which it detects. */
export function recognisedLanguage(code: string): string | undefined {
  const primary = primaryLanguage(code) ?? '';
  const known = SAME[primary] ?? primary;
  return CODES.has(known) ? known : undefined;
}

/** The code of a language that a server names in English or by code; null for others. */
export function languageNamed(name: string): string | null {
  const code = recognisedLanguage(name);
  if (code !== undefined) return code;
  const names = new Intl.DisplayNames(['en'], { type: 'language' });
  return [...CODES].find((each) => names.of(each)?.toLowerCase() === name.trim().toLowerCase()) ?? null;
}
