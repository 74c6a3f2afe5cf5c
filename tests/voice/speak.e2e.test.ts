/** The voices of the speech port: espeak-ng, and piper's command line with a fake program. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createSpeech } from '../../src/integrations/speech/speech.ts';
import { systemIds } from '../../src/integrations/system.ts';
import { decodePcm, type Pcm } from '../../src/lib/wav.ts';
import { type SpeechPort, SpeechUnavailable } from '../../src/ports/speech.ts';
import { processesOf } from '../office/converter.ts';
import { temporaryFolder } from '../support/folders.ts';
import { addVoice, binFolder, calls, ESPEAK, eventually, piperScript } from './programs.ts';
import { pitchOf } from './sound.ts';

const made: SpeechPort[] = [];
afterAll(() => Promise.all(made.map((speech) => speech.close())));

function machine(programs: Readonly<Record<string, string>>, home = temporaryFolder('home')) {
  const bin = binFolder(programs);
  const speech = createSpeech({
    home,
    env: { PATH: bin, OPENAI_API_KEY: 'sk-hidden' },
    newId: () => systemIds.uuid(),
    localModel: 'base',
  });
  made.push(speech);
  return { speech, home, bin };
}

/** Stands for a missing program. Vitest runs the body of a skipped `describe`, too. */
const NOT_INSTALLED = '#!/bin/sh\n';

const { signal } = new AbortController();

function sound(wav: Buffer): Pcm {
  const pcm = decodePcm(wav);
  expect(pcm).not.toBeNull();
  return pcm!;
}

const seconds = ({ samples, rate }: Pcm): number => samples.length / rate;
const loudness = ({ samples }: Pcm): number => samples.reduce((most, each) => Math.max(most, Math.abs(each)), 0);

describe.skipIf(ESPEAK === null)('espeak-ng', () => {
  const { speech, home } = machine({ 'espeak-ng': ESPEAK ?? NOT_INSTALLED });

  it('speaks a text as a WAV file of one channel and 16 bits', async () => {
    const wav = await speech.speak('Good morning. It is nine o’clock.', { signal });
    const said = sound(wav);
    expect(wav.readUInt32LE(4)).toBe(wav.length - 8);
    expect(seconds(said)).toBeGreaterThan(1);
    expect(seconds(said)).toBeLessThan(10);
    expect(loudness(said)).toBeGreaterThan(2_000);
  });

  it('speaks a long text whole, and a longer one not at all', async () => {
    const sentence = 'This sentence is one of very many. ';
    const one = seconds(sound(await speech.speak(sentence, { signal })));
    const many = seconds(sound(await speech.speak(sentence.repeat(100), { signal })));
    expect(many / one).toBeGreaterThan(50);
    for (const letter of ['x', '😀']) {
      await expect(speech.speak(letter.repeat(20_001), { signal })).rejects.toMatchObject({ fault: 'too_large' });
    }
    await speech.speak('😀'.repeat(10_001), { signal });
  });

  it('speaks in the language and the voice that are asked for', async () => {
    const text = 'Die Straße nach Nürnberg ist schön.';
    const [german, english, voice] = await Promise.all([
      speech.speak(text, { language: 'de', signal }),
      speech.speak(text, { language: 'en', signal }),
      speech.speak(text, { voice: 'gmw/de', signal }),
    ]);
    expect(voice.equals(german)).toBe(true);
    expect(voice.equals(english)).toBe(false);
  });

  it.each(['--help', '-x; touch /tmp/daybook-voice', '../../etc/passwd'])(
    'a voice called %s is none',
    async (voice) => {
      const usual = await speech.speak('Hello.', { signal });
      expect((await speech.speak('Hello.', { voice, signal })).equals(usual)).toBe(true);
    },
  );

  it('reads markup and options as words', async () => {
    const usual = seconds(sound(await speech.speak('Hello', { signal })));
    for (const text of ['<speak>Hello and much more of this</speak>', '--version is an option', '[[h@l"oU]] is text']) {
      expect(seconds(sound(await speech.speak(text, { signal })))).toBeGreaterThan(usual);
    }
  });

  it('speaks as usual in a language that it does not know', async () => {
    const usual = await speech.speak('Hello.', { signal });
    for (const language of ['tlh', 'auto', '']) {
      expect((await speech.speak('Hello.', { language, signal })).equals(usual)).toBe(true);
    }
  });

  it('does not read brackets as phonemes', async () => {
    const apart = await speech.speak('[ [t3]] is text', { signal });
    expect((await speech.speak('[[t3]] is text', { signal })).equals(apart)).toBe(true);
  });

  it.each(['', ' \n', '***', '😀'])('has nothing to say for %j', async (text) => {
    expect(sound(await speech.speak(text, { signal })).samples.length).toBe(0);
  });

  it('a caller that disconnects ends the synthesis, and nothing is left', async () => {
    const stop = new AbortController();
    const work = speech.speak('A very long text. '.repeat(1_000), { signal: stop.signal });
    setImmediate(() => stop.abort(new Error('enough')));
    await expect(work).rejects.toThrow('enough');
    expect(processesOf(home)).toEqual([]);
    expect(readdirSync(join(home, 'voice'))).toEqual([]);
  });
});

it('on a machine without a voice it says how to get one', async () => {
  const { speech } = machine({});
  const failure = await speech.speak('Hello.', { signal }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(SpeechUnavailable);
  expect((failure as Error).message).toContain('apt-get install espeak-ng');
  await expect(speech.speak('Hello.', { engine: 'neural', signal })).rejects.toThrow(/pip install piper-tts/);
});

it('a program sees no key, and a home of its own', async () => {
  const script = `#!${process.execPath}
if (process.argv[2] === '--voices') { console.log(' 5  en  --/M  English  gmw/en'); process.exit(); }
process.stderr.write(JSON.stringify(process.env));
process.exit(3);
`;
  const { speech, home } = machine({ 'espeak-ng': script });
  const failure = await speech.speak('Hello.', { signal }).catch((error: Error) => error.message);
  expect(failure).toMatch(/^espeak-ng ended with code 3: .*PATH/);
  expect(failure).not.toContain('sk-hidden');
  expect(failure).not.toContain(join(home, 'voice'));
});

describe('piper', () => {
  function neural(stream?: 'stdout' | 'stderr') {
    const home = temporaryFolder('home');
    addVoice(home, 'de_DE-thorsten', 300);
    addVoice(home, 'en_US-lessac', 600);
    return machine({ piper: piperScript(stream) }, home);
  }
  const pitch = (wav: Buffer): number => {
    const { samples, rate } = sound(wav);
    return Math.round(pitchOf(samples, rate) / 100) * 100;
  };

  it.each(['stderr', 'stdout'] as const)('stays loaded, and may name its files on %s', async (stream) => {
    const { speech, bin, home } = neural(stream);
    const sidecar = await speech.select('neural');
    expect(sidecar).toEqual({
      command: join(bin, 'piper'),
      args: ['--model', join(home, 'models', 'de_DE-thorsten.onnx')],
    });
    const say = (text: string, more: object = {}): Promise<Buffer> =>
      speech.speak(text, { engine: 'neural', sidecar, signal, ...more });
    expect(pitch(await say('Guten Tag zusammen.'))).toBe(300);
    expect(pitch(await say('Guten Abend zusammen.'))).toBe(300);
    expect(calls(bin, 'piper').length).toBe(1);
    expect(pitch(await say('Hello everybody.', { voice: 'en_US-lessac' }))).toBe(600);
    expect(pitch(await say('Hello everybody.', { voice: 'de_DE-thorsten', language: 'en' }))).toBe(600);
    expect(calls(bin, 'piper').length).toBe(2);
    expect(readdirSync(join(home, 'voice')).length).toBe(1);
  });

  it('is dropped on a word, and loaded again', async () => {
    const { speech, bin, home } = neural();
    await speech.speak('Guten Tag zusammen.', { engine: 'neural', signal });
    expect(processesOf(home).length).toBeGreaterThan(0);
    speech.dropWarm();
    await eventually(() => processesOf(home)).toEqual([]);
    await eventually(() => readdirSync(join(home, 'voice'))).toEqual([]);
    await speech.speak('Guten Tag zusammen.', { engine: 'neural', signal });
    expect(calls(bin, 'piper').length).toBe(2);
  });

  it('that is dropped finishes its sentence: another conversation may be listening', async () => {
    const { speech, bin, home } = neural();
    const slow = speech.speak('SLOWLY spoken.', { engine: 'neural', signal });
    await eventually(() => calls(bin, 'piper').length).toBe(1);
    const other = speech.speak('Hello.', { engine: 'neural', voice: 'en_US-lessac', signal });
    speech.dropWarm();
    expect(sound(await slow).samples.length).toBe('SLOWLY spoken.'.length * 100);
    expect(pitch(await other)).toBe(600);
    speech.dropWarm();
    await eventually(() => processesOf(home)).toEqual([]);
  });

  it('that ends by itself is reported, and loaded again for the next sentence', async () => {
    const { speech, bin } = neural();
    const say = (text: string): Promise<Buffer> => speech.speak(text, { engine: 'neural', signal });
    await expect(say('QUIT now.')).rejects.toThrow(/piper ended with code 5/);
    expect(pitch(await say('Guten Tag zusammen.'))).toBe(300);
    expect(calls(bin, 'piper').length).toBe(2);
  });

  it('keeps its sentences apart when a caller disconnects', async () => {
    const { speech } = neural();
    const stop = new AbortController();
    const text = 'One sentence that is quite long.';
    const first = speech.speak(text, { engine: 'neural', signal: stop.signal });
    const gone = expect(first).rejects.toThrow('enough');
    const second = speech.speak('Short.', { engine: 'neural', signal });
    stop.abort(new Error('enough'));
    await gone;
    expect(sound(await second).samples.length).toBe('Short.'.length * 100);
  });

  it('ends with the daemon', async () => {
    const { speech, home } = neural();
    await speech.speak('Guten Tag zusammen.', { engine: 'neural', signal });
    await speech.close();
    expect(processesOf(home)).toEqual([]);
    expect(existsSync(join(home, 'voice'))).toBe(false);
  });
});

it('what a killed daemon left is removed before the first work', async () => {
  const { speech, home } = machine({ 'espeak-ng': ESPEAK ?? NOT_INSTALLED });
  mkdirSync(join(home, 'voice', 'job-old'), { recursive: true });
  writeFileSync(join(home, 'voice', 'job-old', 'speech.wav'), 'private');
  await speech.voices('system');
  expect(readdirSync(join(home, 'voice'))).toEqual([]);
});
