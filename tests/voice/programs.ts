/**
 * Programs for tests of speech. espeak-ng, ffmpeg and pocketsphinx are real where they are installed; whisper and
 * piper, which need models from the network, are scripts with the same command lines and outputs. Where a real program
 * is missing its tests are skipped, unless DAYBOOK_TEST_SPEECH=required; then they fail.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { temporaryFolder } from '../support/folders.ts';

export const ESPEAK = wanted('espeak-ng');
export const FFMPEG = wanted('ffmpeg');
const POCKETSPHINX = wanted('pocketsphinx_continuous');
export const HAS_EARS = ESPEAK !== null && POCKETSPHINX !== null;

/** Where it is, or where it would be when it must be there. */
function wanted(program: string): string | null {
  return pathOf(program) ?? (process.env.DAYBOOK_TEST_SPEECH === 'required' ? `/usr/bin/${program}` : null);
}

function pathOf(program: string): string | null {
  const folders = process.env.PATH!.split(':');
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path)) ?? null;
}

/** A folder for a PATH that holds the named programs and what a shell needs, but nothing that speaks or hears. */
export function binFolder(programs: Readonly<Record<string, string>> = {}): string {
  const folder = temporaryFolder('bin');
  for (const name of ['sh', 'grep', 'cat', 'sleep']) symlinkSync(pathOf(name)!, join(folder, name));
  for (const [name, target] of Object.entries(programs)) {
    if (target.startsWith('#!')) script(join(folder, name), target);
    else symlinkSync(target, join(folder, name));
  }
  return folder;
}

function script(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

/** What the fake recogniser makes of a tone of about this pitch. */
export const WORDS: Readonly<Record<number, string>> = {
  300: 'What time is it?',
  500: 'Tell me a story.',
  700: 'Slowly now.',
  900: 'FAIL',
  1100: 'Wie geht es dir?',
};

/** The sentences that the grammar knows, so that real ears can tell them apart. */
export const SENTENCES = ['open the door', 'what time is it', 'tell me a story', 'one two three'] as const;

const GRAMMAR = `#JSGF V1.0;\ngrammar spoken;\npublic <sentence> = ${SENTENCES.join(' | ')};\n`;

/**
 * `whisper-cli` as whisper.cpp 1.8 has it: `-m -f -l -t -np -oj -of`; a WAV file of 16 kHz mono 16 bit, of a second at
 * least; `<of>.json` with `result.language` and `transcription[].text`. It tells tones by their pitch, or hears with
 * pocketsphinx. Every call is noted beside it.
 */
export function whisperScript({ ears = false } = {}): string {
  return `#!${process.execPath}
const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const args = process.argv.slice(2);
fs.appendFileSync(path.join(path.dirname(process.argv[1]), 'whisper-calls'), JSON.stringify(args) + '\\n');
const options = {};
while (args.length > 0) {
  const flag = args.shift();
  if (flag === '-np' || flag === '-oj') options[flag] = true;
  else if (['-m', '-f', '-l', '-t', '-of'].includes(flag)) options[flag] = args.shift();
  else { console.error('error: unknown argument: ' + flag); process.exit(1); }
}
if (!fs.existsSync(options['-m'])) { console.error("error: failed to open '" + options['-m'] + "'"); process.exit(3); }
const wav = fs.readFileSync(options['-f']);
const rate = wav.readUInt32LE(24);
if (wav.readUInt16LE(20) !== 1 || wav.readUInt16LE(22) !== 1 || rate !== 16000 || wav.readUInt16LE(34) !== 16) {
  console.error("error: failed to read audio file"); process.exit(2);
}
const samples = new Int16Array(wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + wav.length));
const words = ${JSON.stringify(WORDS)};
let loudest = 0, crossings = 0, voiced = 0;
for (let at = 1; at < samples.length; at += 1) {
  loudest = Math.max(loudest, Math.abs(samples[at]));
  if (Math.abs(samples[at]) > 200 || Math.abs(samples[at - 1]) > 200) voiced += 1;
  if (samples[at - 1] < 0 && samples[at] >= 0) crossings += 1;
}
let text = '';
if (samples.length < 16000) text = '';
else if (loudest < 100) text = ' [BLANK_AUDIO]';
else if (${ears}) {
  const grammar = path.join(path.dirname(process.argv[1]), 'spoken.gram');
  fs.writeFileSync(grammar, ${JSON.stringify(GRAMMAR)});
  const log = ['-infile', options['-f'], '-jsgf', grammar, '-logfn', '/dev/null'];
  text = execFileSync(${JSON.stringify(POCKETSPHINX)}, log, { encoding: 'utf8' }).trim();
} else {
  const pitch = crossings * 16000 / voiced;
  const near = Object.keys(words).sort((a, b) => Math.abs(a - pitch) - Math.abs(b - pitch))[0];
  text = words[near];
}
if (text === 'FAIL') { console.error('whisper_full: failed to process audio'); process.exit(10); }
if (text.startsWith('Slowly')) execFileSync('/bin/sleep', ['1']);
const language = options['-l'] === 'auto' ? (text.startsWith('Wie') ? 'de' : 'en') : options['-l'];
const half = Math.ceil(text.length / 2);
fs.writeFileSync(options['-of'] + '.json', JSON.stringify({
  result: { language },
  transcription: [{ text: ' ' + text.slice(0, half) }, { text: text.slice(half) }],
}));
`;
}

/** The command lines that a fake in this folder was called with. */
export function calls(bin: string, name: string): readonly (readonly string[])[] {
  const path = join(bin, `${name}-calls`);
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as string[]);
}

/** A home with a model file of the local recogniser. */
export function homeWithModel(name = 'ggml-base.bin'): string {
  const home = temporaryFolder('home');
  mkdirSync(join(home, 'models'));
  writeFileSync(join(home, 'models', name), 'model');
  return home;
}

/**
 * `piper` with `--model` and `--output_dir`: reads lines, writes a WAV file a line, and says which. A line of QUIT ends
 * it, one of SLOWLY takes its time, one of AT LENGTH becomes 40 seconds of sound. The pitch is in the model file; `stream` is where it names its files.
 */
export function piperScript(stream: 'stdout' | 'stderr' = 'stderr'): string {
  return `#!${process.execPath}
const fs = require('node:fs');
const path = require('node:path');
const args = process.argv.slice(2);
fs.appendFileSync(path.join(path.dirname(process.argv[1]), 'piper-calls'), JSON.stringify(args) + '\\n');
const [a, model, b, out, ...rest] = args;
if (a !== '--model' || b !== '--output_dir' || rest.length > 0) { console.error('usage: piper'); process.exit(2); }
const pitch = Number(fs.readFileSync(model, 'utf8'));
const rate = 22050;
let count = 0;
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  if (line.includes('QUIT')) process.exit(5);
  if (line.includes('SLOWLY')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
  fs.appendFileSync(path.join(path.dirname(process.argv[1]), 'piper-lines-calls'), JSON.stringify([line]) + '\\n');
  const length = line.includes('AT LENGTH') ? 40 * rate : line.length * 100;
  const wav = Buffer.alloc(44 + length * 2);
  wav.write('RIFF', 0); wav.writeUInt32LE(36 + length * 2, 4); wav.write('WAVEfmt ', 8); wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20); wav.writeUInt16LE(1, 22); wav.writeUInt32LE(rate, 24); wav.writeUInt32LE(rate * 2, 28);
  wav.writeUInt16LE(2, 32); wav.writeUInt16LE(16, 34); wav.write('data', 36); wav.writeUInt32LE(length * 2, 40);
  for (let at = 0; at < length; at += 1) {
    wav.writeInt16LE(Math.round(8000 * Math.sin(2 * Math.PI * pitch * at / rate)), 44 + at * 2);
  }
  count += 1;
  const file = path.join(out, count + '.wav');
  fs.writeFileSync(file, wav);
  ${stream === 'stdout' ? "process.stdout.write(file + '\\n')" : "process.stderr.write('INFO:__main__:Wrote ' + file + '\\n')"};
});
`;
}

/** A neural voice in a home: its model file holds the pitch it speaks at. */
export function addVoice(home: string, id: string, pitch: number): void {
  mkdirSync(join(home, 'models'), { recursive: true });
  writeFileSync(join(home, 'models', `${id}.onnx`), String(pitch));
  const code = id.split('-', 1)[0];
  writeFileSync(join(home, 'models', `${id}.onnx.json`), JSON.stringify({ dataset: id, language: { code } }));
}

/** For what another process or a socket does in its own time. */
export function eventually<Value>(value: () => Value) {
  return expect.poll(value);
}
