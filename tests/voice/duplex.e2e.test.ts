/** `/ws/voice/duplex` from end to end: tones, a recogniser, a model, a voice, sound. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { speechSamples } from '../../src/integrations/speech/audio.ts';
import type { ProgramRunner } from '../../src/integrations/speech/program-runner.ts';
import { decodePcm, encodeWav } from '../../src/lib/wav.ts';
import { startFakeOpenAi } from '../fakes/providers/openai.ts';
import { cutsOff, hangs, refuses, says, silence as saysNothing, slowly } from '../fakes/providers/server.ts';
import { processesOf } from '../office/converter.ts';
import { type TestDaemon, type TestDaemonOptions, testDaemon } from '../support/daemon.ts';
import { IS_DENSE } from '../support/depth.ts';
import { type Audio, call as callDaemon, type DuplexCaller } from './caller.ts';
import {
  addVoice,
  binFolder,
  calls,
  ESPEAK,
  eventually,
  HAS_EARS,
  homeWithModel,
  piperScript,
  whisperScript,
} from './programs.ts';
import { pitchOf, silence, tone } from './sound.ts';

const model = await startFakeOpenAi();
const started: TestDaemon[] = [];
afterAll(async () => {
  await Promise.all(started.map((daemon) => daemon.stop()));
  await model.close();
});

const MODEL = { VLLM_BASE_URL: model.url };
const FLAGS = { provider: 'vllm', model: 'fake-model' };
const VOICE = 'en_US-lessac';
const TIME = 300;
const STORY = 500;
const SLOW = 700;
const FAILS = 900;

interface Machine extends TestDaemonOptions {
  readonly programs?: Readonly<Record<string, string>>;
}

async function machine({ programs, env, ...rest }: Machine = {}): Promise<TestDaemon & { readonly bin: string }> {
  const bin = binFolder(programs ?? { 'whisper-cli': whisperScript(), piper: piperScript() });
  const home = rest.home ?? homeWithModel();
  addVoice(home, VOICE, 400);
  const daemon = await testDaemon({ flags: FLAGS, ...rest, home, env: { PATH: bin, ...MODEL, ...env } });
  started.push(daemon);
  return { ...daemon, bin };
}

async function call(daemon: TestDaemon, query?: Record<string, string>): Promise<DuplexCaller> {
  const caller = await callDaemon(daemon, query);
  onTestFinished(() => caller.socket.terminate());
  return caller;
}

async function speakNeural(daemon: TestDaemon): Promise<void> {
  const response = await daemon.request('/voice/settings', { method: 'PUT', body: '{"engine":"neural"}' });
  expect(response.status).toBe(200);
}

const asked = (): { messages: { role: string; content: string }[]; model: string } => model.requests.at(-1)!.body;

describe('a conversation', () => {
  let daemon: TestDaemon & { readonly bin: string };
  let aheadMs = 3_600_000;
  beforeAll(async () => {
    daemon = await machine({ clock: { now: () => Date.now() + aheadMs } });
    await speakNeural(daemon);
  });

  it('begins with what was resolved, then listens', async () => {
    const caller = await call(daemon);
    expect(caller.frames).toEqual([
      {
        type: 'ready',
        asr: 'asr-cli',
        tts: 'batch',
        engine: 'neural',
        language: 'en',
        provider: 'vllm',
        model: 'fake-model',
      },
      { type: 'state', state: 'listening' },
    ]);
  });

  it('is recognised, answered and spoken sentence by sentence', async () => {
    model.script(says('It is ni', 'ne. Have a ', 'good day!'));
    const caller = await call(daemon);
    caller.say(TIME);
    const reply = await caller.next('reply');
    await caller.next('state', 'listening');
    expect(caller.types()).toEqual([
      ...['ready', '[listening]', 'flush', '[hearing]', '[thinking]', 'transcript'],
      ...['speaking', '[speaking]', 'audio', 'latency', 'speaking', 'audio', 'reply', '[listening]'],
    ]);
    expect(caller.of('transcript')).toEqual([
      { type: 'transcript', text: 'What time is it?', lang: 'en', asr_ms: expect.any(Number) },
    ]);
    expect(caller.of('speaking').map(({ text }) => text)).toEqual(['It is nine.', 'Have a good day!']);
    expect(reply).toEqual({
      type: 'reply',
      text: 'It is nine. Have a good day!',
      asr_ms: expect.any(Number),
      first_audio_ms: caller.of('latency')[0]?.first_audio_ms,
      llm_ttft_ms: expect.any(Number),
      total_ms: expect.any(Number),
    });
    const sounds = caller.of('audio') as readonly Audio[];
    expect(sounds.map(({ rate }) => rate)).toEqual(sounds.map(() => 22_050));
    const spoken = sounds.reduce((sum, { samples }) => sum + samples.length, 0);
    expect(spoken).toBe('It is nine.Have a good day!'.length * 100);
    const samples = Int16Array.from(sounds[0]!.samples, (sample) => Math.round(sample * 32_768));
    expect(Math.round(pitchOf(samples, 22_050) / 100)).toBe(4);
    expect(Math.max(...samples)).toBe(8_000);
  });

  it('is measured without the time of day, which may be set back', async () => {
    model.script(says('It is nine.'));
    const caller = await call(daemon);
    caller.say(TIME);
    await caller.next('state', 'thinking');
    aheadMs = 0;
    expect((await caller.next('transcript')).asr_ms).toBeGreaterThanOrEqual(0);
    await caller.next('reply');
  });

  it('remembers what was said, with the context of the client', async () => {
    model.script(says('A first answer.'), says('A second answer.'));
    const caller = await call(daemon);
    caller.send({ type: 'set_context', context: ' The user looks at invoice 7. ' });
    caller.say(TIME);
    await caller.next('reply');
    expect(asked().messages[0]?.content).toMatch(/spoken conversation.*\n\nContext.*invoice 7\.$/s);
    // Fifteen characters are 68 ms of sound: speech before that interrupts.
    await sleep(100);
    caller.send({ type: 'set_context', context: ' ' });
    caller.say(STORY);
    await caller.next('reply');
    expect(asked().messages[0]?.content).not.toContain('Context');
    expect(asked().messages.slice(1)).toEqual([
      { role: 'user', content: 'What time is it?' },
      { role: 'assistant', content: 'A first answer.' },
      { role: 'user', content: 'Tell me a story.' },
    ]);
  });

  it('does not speak markdown marks; the text frames keep them', async () => {
    model.script(says('It is **exactly** nine, see [the clock](https://clock.example/x). - ', '`tick` tock. ***.'));
    const before = calls(daemon.bin, 'piper-lines').length;
    const caller = await call(daemon);
    caller.say(TIME);
    expect((await caller.next('reply')).text).toBe(
      'It is **exactly** nine, see [the clock](https://clock.example/x). - `tick` tock. ***.',
    );
    expect(caller.of('speaking')[0]?.text).toBe('It is **exactly** nine, see [the clock](https://clock.example/x).');
    expect(
      calls(daemon.bin, 'piper-lines')
        .slice(before)
        .map(([line]) => line),
    ).toEqual(['It is exactly nine, see the clock.', 'tick tock.']);
  });

  it('never speaks the reasoning of the model, wherever its tags are split', async () => {
    model.script(says('<th', 'ink>Secret plan. Be', 'ware.</thi', 'nk>It is nine.', '<think>More.</think>'));
    const caller = await call(daemon);
    caller.say(TIME);
    expect((await caller.next('reply')).text).toBe('It is nine.');
    expect(JSON.stringify(caller.frames)).not.toMatch(/Secret|ware|More|think>/);
  });

  it('answers in the recognised language', async () => {
    const caller = await call(daemon, { language: 'auto' });
    model.script(says('Gut.'));
    caller.say(1_100);
    await caller.next('reply');
    expect(caller.of('transcript')).toMatchObject([{ text: 'Wie geht es dir?', lang: 'de' }]);
    expect(asked().messages[0]?.content).toMatch(/speaks German/);
    caller.send({ type: 'set_language' });
    caller.say(TIME);
    await caller.next('reply');
    expect(asked().messages[0]?.content).not.toMatch(/speaks/);
    expect(calls(daemon.bin, 'whisper').map((args) => args[args.indexOf('-l') + 1])).toEqual(
      expect.arrayContaining(['auto', 'en']),
    );
  });

  // Which ones: prompt.test.ts.
  it('ignores frames that it does not know', async () => {
    const caller = await call(daemon);
    const unknown = ['not JSON', { type: 'set_workspace', root: '/' }, { type: 'set_voice' }, 'null', 'true'];
    for (const frame of unknown) caller.send(frame);
    caller.say(TIME);
    await caller.next('reply');
    expect(caller.of('error')).toEqual([]);
  });

  it('is in no event and in no view', async () => {
    const head = async (): Promise<unknown> => (await daemon.request('/v1/log/head')).json();
    const before = await head();
    const caller = await call(daemon);
    caller.say(TIME);
    await caller.next('reply');
    expect(await head()).toEqual(before);
  });

  it('of silence is no turn', async () => {
    const caller = await call(daemon);
    caller.sound(silence(2_000));
    caller.sound(tone(150));
    caller.say(TIME);
    await caller.next('reply');
    expect(caller.of('transcript').length).toBe(1);
  });
});

describe('a caller that speaks again', () => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await machine();
    await speakNeural(daemon);
  });

  it('while the model is asked: the words join the next turn, and there is one reply', async () => {
    model.script(saysNothing, says('Both answered.'));
    const caller = await call(daemon);
    const before = model.requests.length;
    caller.say(TIME);
    await caller.next('transcript');
    await eventually(() => model.requests.length).toBe(before + 1);
    caller.say(STORY);
    await caller.next('reply');
    await model.requests[before]!.abandoned;
    expect(caller.types()).toEqual([
      ...['ready', '[listening]', 'flush', '[hearing]', '[thinking]', 'transcript'],
      ...['flush', '[hearing]', 'carried', '[thinking]', 'transcript'],
      ...['speaking', '[speaking]', 'audio', 'latency', 'reply'],
      ...(caller.frames.at(-1)?.state === 'listening' ? ['[listening]'] : []),
    ]);
    expect(caller.of('carried')).toEqual([{ type: 'carried', text: 'What time is it?' }]);
    expect(asked().messages.at(-1)?.content).toBe('What time is it? Tell me a story.');
  });

  it('during transcription: the transcript is sent, and becomes part of the next utterance', async () => {
    model.script(says('Both answered.'));
    const caller = await call(daemon);
    caller.say(SLOW);
    await caller.next('state', 'thinking');
    caller.say(TIME);
    await caller.next('reply');
    expect(caller.of('transcript').map(({ text }) => text)).toEqual(['Slowly now.', 'What time is it?']);
    expect(caller.of('carried')).toEqual([{ type: 'carried', text: 'Slowly now.' }]);
    expect(asked().messages.at(-1)?.content).toBe('Slowly now. What time is it?');
  });

  it('during the spoken answer: the sound is flushed, no reply is recorded, and the turn counts as interrupted', async () => {
    model.script(hangs('Once upon ', 'a time. ', 'There was '), says('Yes?'));
    const caller = await call(daemon);
    const before = model.requests.length;
    caller.say(STORY);
    await caller.next('latency');
    caller.say(TIME);
    expect((await caller.next('reply')).text).toBe('Yes?');
    await model.requests[before]!.abandoned;
    expect(caller.of('reply').length).toBe(1);
    expect(caller.of('flush').length).toBe(2);
    expect(caller.of('carried')).toEqual([]);
    expect(asked().messages.slice(1)).toEqual([
      { role: 'user', content: 'Tell me a story.' },
      { role: 'assistant', content: 'Once upon a time.… [interrupted by the user]' },
      { role: 'user', content: 'What time is it?' },
    ]);
  });
});

describe('faults are reported, and the socket stays open', () => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await machine();
    await speakNeural(daemon);
  });

  async function stillAnswers(caller: DuplexCaller): Promise<void> {
    model.script(says('Here I am.'));
    caller.say(TIME);
    expect((await caller.next('reply')).text).toBe('Here I am.');
  }

  it('the recogniser', async () => {
    const caller = await call(daemon);
    caller.say(FAILS);
    expect((await caller.next('error')).message).toMatch(/^whisper-cli ended with code 10/);
    await caller.next('state', 'listening');
    expect(caller.of('transcript')).toEqual([]);
    await stillAnswers(caller);
  });

  it.each([
    { name: 'refuses', behaviours: [refuses(400, 'no such model')] },
    { name: 'breaks off', behaviours: [cutsOff('It is. Then')] },
    { name: 'says nothing, three times', behaviours: [says(), says('<think>all of it</think>'), says()] },
  ])('a model that $name', async ({ behaviours }) => {
    model.script(...behaviours);
    const caller = await call(daemon);
    caller.say(TIME);
    expect(await caller.next('error')).toMatchObject({ message: expect.stringMatching(/error/) });
    await caller.next('state', 'listening');
    expect(caller.of('reply')).toEqual([]);
    await stillAnswers(caller);
  });

  it('a model that says only marks', async () => {
    model.script(says('***', ' — '));
    const caller = await call(daemon);
    caller.say(TIME);
    expect((await caller.next('error')).message).toMatch(/said nothing/);
    expect(caller.types().at(-1)).toBe('error');
    expect(caller.of('speaking')).toEqual([]);
    await stillAnswers(caller);
  });

  it('more than a client may send ends the socket, and only that', async () => {
    const caller = await call(daemon);
    const other = await call(daemon);
    caller.socket.send(Buffer.alloc(1_048_577));
    const [code] = (await once(caller.socket, 'close')) as [number];
    expect(code).toBe(1009);
    await stillAnswers(other);
  });

  it('a client that goes away takes its turn with it', async () => {
    model.script(saysNothing);
    const before = model.requests.length;
    const caller = await call(daemon);
    caller.say(TIME);
    await eventually(() => model.requests.length).toBe(before + 1);
    caller.socket.terminate();
    await model.requests[before]!.abandoned;
  });
});

it('a machine without a recogniser reports it at once, and again at each utterance', async () => {
  const daemon = await machine({ programs: {} });
  const caller = await call(daemon);
  expect(caller.types()).toEqual(['ready', 'notice', '[listening]']);
  expect(caller.of('ready')[0]).toMatchObject({ asr: null, tts: 'batch' });
  expect(caller.of('notice')[0]?.message).toMatch(/No transcription engine/);
  caller.say(TIME);
  expect((await caller.next('error')).message).toMatch(/No transcription engine/);
  await caller.next('state', 'listening');
});

it('a machine without a voice sends once how to install one, and answers as text', async () => {
  const daemon = await machine({ programs: { 'whisper-cli': whisperScript() } });
  const caller = await call(daemon);
  for (let turn = 0; turn < 2; turn += 1) {
    model.script(says('It is nine. Really.'));
    caller.say(TIME);
    expect(await caller.next('reply')).toMatchObject({ text: 'It is nine. Really.', first_audio_ms: null });
  }
  expect(caller.of('error')).toEqual([{ type: 'error', message: expect.stringMatching(/install espeak-ng/) }]);
  expect(caller.of('audio')).toEqual([]);
});

describe.skipIf(ESPEAK === null)('a neural voice that breaks', () => {
  it('is replaced by the voice of the system, and one frame says so', async () => {
    const daemon = await machine({
      programs: { 'whisper-cli': whisperScript(), piper: piperScript(), 'espeak-ng': ESPEAK! },
    });
    await speakNeural(daemon);
    model.script(says('I must QUIT now. And QUIT again.'));
    const caller = await call(daemon);
    caller.say(TIME);
    await caller.next('reply');
    expect(caller.of('notice')).toEqual([
      { type: 'notice', message: expect.stringMatching(/piper ended with code 5\. The voice of the system/) },
    ]);
    const sounds = caller.of('audio') as readonly Audio[];
    expect(sounds.length).toBeGreaterThan(0);
    expect(Math.max(...sounds.flatMap(({ samples }) => [...samples]))).toBeGreaterThan(0.05);
    expect(Math.max(...sounds.flatMap(({ samples }) => [...samples]))).toBeLessThanOrEqual(1);
  });
});

describe.skipIf(!HAS_EARS)('with pocketsphinx and espeak-ng', () => {
  it('a question by espeak-ng is recognised, answered and spoken', { timeout: 60_000 }, async () => {
    const daemon = await machine({
      programs: { 'whisper-cli': whisperScript({ ears: true }), 'espeak-ng': ESPEAK! },
    });
    const question = execFileSync(ESPEAK!, ['--stdout', '-v', 'en-us', '-s', '130', 'what time is it']);
    const { samples, rate } = decodePcm(question)!;
    const bytes = encodeWav({ rate, samples });
    const spoken = await speechSamples({} as ProgramRunner, { bytes, mime: 'audio/wav' }, new AbortController().signal);
    model.script(says('It is nine o’clock.'));
    const caller = await call(daemon);
    caller.sound(silence(400));
    caller.sound(spoken);
    caller.sound(silence(800));
    expect((await caller.next('reply')).text).toBe('It is nine o’clock.');
    expect(caller.of('transcript')).toMatchObject([{ text: 'what time is it' }]);
    const sounds = caller.of('audio') as readonly Audio[];
    const seconds = sounds.reduce((sum, { samples: some, rate: hertz }) => sum + some.length / hertz, 0);
    expect(seconds).toBeGreaterThan(0.8);
    expect(seconds).toBeLessThan(4);
  });
});

it.runIf(IS_DENSE)('a client that does not read is not spoken to any further until it does', async () => {
  const daemon = await machine();
  await speakNeural(daemon);
  // 3.5 MB each: more together than any socket holds.
  const sentences = Array.from({ length: 16 }, (_, at) => `Sentence ${at} AT LENGTH. `);
  model.script(says(...sentences));
  const caller = await call(daemon);
  caller.say(STORY);
  await caller.next('latency');
  caller.socket.pause();
  const made = (): number => calls(daemon.bin, 'piper-lines').length;
  for (let before = -1; before !== made(); ) {
    before = made();
    await sleep(1_000);
  }
  expect(made()).toBeLessThan(sentences.length);
  caller.socket.resume();
  await caller.next('reply');
  expect(made()).toBe(sentences.length);
});

it('a voice is the caller’s, unless a language other than its own is recognised', async () => {
  const daemon = await machine();
  addVoice(daemon.home, 'de_DE-thorsten', 800);
  await speakNeural(daemon);
  const heardFrom = async (query: Record<string, string>, hertz: number): Promise<number> => {
    model.script(says('Hello everybody, here I am.'));
    const caller = await call(daemon, query);
    caller.say(hertz);
    await caller.next('reply');
    const { samples, rate } = caller.of('audio')[0] as Audio;
    return (
      Math.round(
        pitchOf(
          Int16Array.from(samples, (sample) => sample * 32_767),
          rate,
        ) / 100,
      ) * 100
    );
  };
  expect(await heardFrom({ language: 'de' }, TIME)).toBe(800);
  expect(await heardFrom({ language: 'de', voice: VOICE }, TIME)).toBe(400);
  expect(await heardFrom({ language: 'auto', voice: VOICE }, TIME)).toBe(400);
  expect(await heardFrom({ language: 'auto', voice: VOICE }, 1_100)).toBe(800);
});

it('the loaded voice is dropped by a change of engine, voice or language, and by no other', async () => {
  const daemon = await machine();
  const put = (body: object): Promise<Response> =>
    daemon.request('/voice/settings', { method: 'PUT', body: JSON.stringify(body) });
  await speakNeural(daemon);
  const caller = await call(daemon);
  let loaded = 0;
  for (const change of [{ voice: VOICE }, { language: 'de' }]) {
    model.script(says('Here I am.'));
    caller.say(TIME);
    await caller.next('reply');
    loaded += 1;
    expect(calls(daemon.bin, 'piper').length).toBe(loaded);
    await put({ provider: 'vllm', model: `model-${loaded}` });
    expect(processesOf(daemon.home).length).toBeGreaterThan(0);
    expect((await put(change)).status).toBe(200);
    await eventually(() => processesOf(daemon.home)).toEqual([]);
  }
});

it('the model that answers is the owner’s, else the caller’s pair, else the daemon’s own', async () => {
  const daemon = await machine();
  const ready = async (query: Record<string, string>): Promise<unknown> => (await call(daemon, query)).of('ready')[0];
  expect(await ready({ provider: 'vllm' })).toMatchObject({ model: 'fake-model' });
  expect(await ready({ provider: 'vllm', model: 'callers' })).toMatchObject({ model: 'callers' });
  const caller = await call(daemon, { provider: 'vllm', model: 'callers' });
  const put = (body: object): Promise<Response> =>
    daemon.request('/voice/settings', { method: 'PUT', body: JSON.stringify(body) });
  await put({ provider: 'vllm', model: 'owners', language: 'fr' });
  expect(await ready({ provider: 'vllm', model: 'callers' })).toMatchObject({ model: 'owners', language: 'fr' });
  expect(await ready({ language: 'de' })).toMatchObject({ language: 'de' });
  // In force for the next turn of connected clients.
  model.script(says('Fine.'));
  caller.say(TIME);
  await caller.next('reply');
  expect([asked().model, caller.of('notice')]).toEqual(['owners', []]);
  // It answered as if it were the chosen one.
  await put({ provider: 'anthropic', model: 'without-a-key' });
  model.script(says('Fine.'));
  caller.say(TIME);
  const { message } = await caller.next('notice');
  expect(message).toBe(
    'anthropic/without-a-key cannot be asked; vllm/fake-model answers instead. “daybook doctor” says why.',
  );
});

describe('the checks of the handshake', () => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await machine({ programs: {} });
  });

  async function refusal(
    query: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: string }> {
    const socket = new WebSocket(`${daemon.url.replace('http', 'ws')}/ws/voice/duplex${query}`, { headers });
    const [, response] = (await once(socket, 'unexpected-response')) as [
      unknown,
      { statusCode: number } & AsyncIterable<Buffer>,
    ];
    let body = '';
    for await (const part of response) body += part.toString('utf8');
    return { status: response.statusCode, body };
  }

  it('more than 16 at once are 503, until one disconnects', async () => {
    const sixteen = await Promise.all(Array.from({ length: 16 }, () => call(daemon)));
    expect(await refusal(`?token=${daemon.token}`)).toMatchObject({
      status: 503,
      body: expect.stringContaining('16 conversations'),
    });
    sixteen[0]!.socket.close();
    await once(sixteen[0]!.socket, 'close');
    await expect
      .poll(() =>
        call(daemon).then(
          () => 'in',
          () => 'out',
        ),
      )
      .toBe('in');
  });
});

it('the daemon stops in the middle of a turn, and leaves nothing', async () => {
  const daemon = await machine();
  await speakNeural(daemon);
  model.script(slowly(100, 'One. ', 'Two. ', 'Three. ', 'Four. '));
  const caller = await call(daemon);
  caller.say(TIME);
  await caller.next('latency');
  const closed = once(caller.socket, 'close');
  await daemon.stop();
  expect((await closed)[0]).toBe(1001);
  expect(processesOf(daemon.home)).toEqual([]);
  expect(daemon.lines.join('\n')).not.toContain(`token=${daemon.token}`);
});
