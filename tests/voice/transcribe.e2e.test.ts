/** `POST /voice/transcribe` on machines with nothing, with a local recogniser, with a key, and with both. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeWav } from '../../src/lib/wav.ts';
import { processesOf } from '../office/converter.ts';
import { type TestDaemon, type TestDaemonOptions, testDaemon } from '../support/daemon.ts';
import { firstRows } from '../support/depth.ts';
import { temporaryFolder } from '../support/folders.ts';
import { fakeCloud, KEY } from './cloud.ts';
import {
  binFolder,
  calls,
  ESPEAK,
  eventually,
  FFMPEG,
  HAS_EARS,
  homeWithModel,
  SENTENCES,
  whisperScript,
} from './programs.ts';
import { tone } from './sound.ts';

const cloud = await fakeCloud();
const WAV = encodeWav({ rate: 16_000, samples: tone(1_200, { hertz: 300 }) });
const KEYED = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: cloud.url };

const started: TestDaemon[] = [];
afterAll(() => Promise.all(started.map((daemon) => daemon.stop())));

async function machine(options: TestDaemonOptions & { readonly bin?: string }): Promise<TestDaemon> {
  const { bin = binFolder(), env, ...rest } = options;
  const daemon = await testDaemon({ ...rest, env: { PATH: bin, ...env } });
  started.push(daemon);
  return daemon;
}

interface Reply {
  readonly status: number;
  readonly body: { readonly error?: string; readonly text?: string; readonly engine?: string };
}

async function post(daemon: TestDaemon, body: string | Buffer, headers: Record<string, string>): Promise<Reply> {
  const init = { method: 'POST', body: typeof body === 'string' ? body : new Uint8Array(body), headers };
  const response = await daemon.request('/voice/transcribe', init);
  return { status: response.status, body: (await response.json()) as Reply['body'] };
}

const raw = (daemon: TestDaemon, body: Buffer = WAV, headers: Record<string, string> = {}): Promise<Reply> =>
  post(daemon, body, { 'content-type': 'audio/wav', ...headers });

const json = (daemon: TestDaemon, body: unknown): Promise<Reply> =>
  post(daemon, typeof body === 'string' ? body : JSON.stringify(body), { 'content-type': 'application/json' });

const base64 = (bytes: Buffer): string => bytes.toString('base64');

describe('a bare machine', () => {
  let bare: TestDaemon;
  beforeAll(async () => {
    bare = await machine({});
  });

  it('names what to install, in the words of the status', async () => {
    const { status, body } = await raw(bare);
    expect(status).toBe(503);
    expect(body.error).toMatch(/whisper-cli.*models\/ggml-base\.bin.*OPENAI_API_KEY/);
    const known = (await (await bare.request('/voice/status')).json()) as object;
    expect(known).toEqual({
      cloud_stt_configured: false,
      cloud_tts_configured: false,
      local_model: 'base',
      local_model_size_mb: 142,
      local_model_downloaded: false,
      prefer_local: false,
      language: 'en',
      asr_cpp_installed: false,
      asr_python_installed: false,
      sox_installed: false,
      ffmpeg_installed: false,
      can_transcribe: false,
      upload_limit_bytes: 16_777_216,
    });
  });

  // JSON, base64, emptiness, type, engine: the first fault is reported.
  it.each([
    ['no JSON', '{', 400, /JSON/],
    ['no audio_base64', '{"mime_type":"text/plain"}', 400, /audio_base64/],
    ['no text in audio_base64', '{"audio_base64":7}', 400, /audio_base64/],
    ['no base64 and a wrong type', { audio_base64: 'a@b=', mime_type: 'text/plain' }, 400, /base64/],
    ['half a base64', { audio_base64: 'aGVsbG8' }, 400, /base64/],
    ['nothing in it and a wrong type', { audio_base64: '', mime_type: 'text/plain' }, 400, /no audio/],
    ['a wrong type', { audio_base64: 'aGVsbG8=', mime_type: 'text/plain' }, 415, /audio\/webm, audio\/wav/],
    ['no type', { audio_base64: 'aGVsbG8=' }, 503, /No transcription engine/],
    ['nulls', { audio_base64: 'aGVsbG8=', mime_type: null, language: null, prefer_local: null }, 503, /engine/],
  ])('JSON with %s', async (_name, body, status, error) => {
    const reply = await json(bare, body);
    expect(reply.status).toBe(status);
    expect(reply.body.error).toMatch(error);
  });

  it.each(['audio/aiff', 'text/plain', 'application/octet-stream', 'video/avi'])('%s is 415', async (type) => {
    const reply = await post(bare, WAV, { 'content-type': type });
    expect(reply.status).toBe(415);
    const seven = 'audio/webm, audio/wav, audio/mp4, audio/mpeg, audio/ogg, audio/flac, audio/aac';
    expect(reply.body.error).toContain(seven);
  });

  it.each(
    (
      'audio/webm;codecs=opus AUDIO/WAV audio/mp4 audio/mpeg audio/ogg audio/flac audio/aac video/webm audio/wave ' +
      'audio/x-wav audio/vnd.wave audio/m4a audio/x-m4a video/mp4 audio/mp3 application/ogg audio/x-flac'
    ).split(' '),
  )('%s is a type of audio', async (type) => {
    expect((await post(bare, WAV, { 'content-type': type })).status).toBe(503);
    expect((await json(bare, { audio_base64: base64(WAV), mime_type: type })).status).toBe(503);
  });

  it('an empty body is 400, whatever its type', async () => {
    for (const type of ['audio/wav', 'text/plain', 'application/json', 'audio/aiff']) {
      expect((await post(bare, '', { 'content-type': type })).status).toBe(400);
    }
  });

  it('a body as curl sends it is JSON', async () => {
    const body = JSON.stringify({ audio_base64: base64(WAV), mime_type: 'audio/aiff' });
    const reply = await post(bare, body, { 'content-type': 'application/x-www-form-urlencoded' });
    expect(reply.status).toBe(415);
  });

  it('takes 16 MB, and no byte more', async () => {
    const limit = 16_777_216;
    expect((await raw(bare, Buffer.alloc(limit, 1))).status).toBe(503);
    expect((await raw(bare, Buffer.alloc(limit + 1, 1))).status).toBe(413);
  });
});

describe('a machine with whisper-cli', () => {
  let local: TestDaemon;
  let bin: string;
  beforeAll(async () => {
    bin = binFolder({ 'whisper-cli': whisperScript(), ...(FFMPEG === null ? {} : { ffmpeg: FFMPEG }) });
    local = await machine({ bin, home: homeWithModel() });
  });

  it('transcribes a WAV file, and answers that it was processed locally', async () => {
    expect(await raw(local)).toEqual({ status: 200, body: { text: 'What time is it?', engine: 'local_asr' } });
    const [call = []] = calls(bin, 'whisper').slice(-1);
    expect(call.join(' ')).toMatch(/-m \S+models\/ggml-base\.bin -f \S+ -l en -t \d+ -np -oj -of \S+/);
    expect(await (await local.request('/voice/status')).json()).toMatchObject({
      local_model_downloaded: true,
      asr_cpp_installed: true,
      can_transcribe: true,
    });
  });

  it('takes JSON, and other rates', async () => {
    const samples = tone(1_200, { hertz: 500, rate: 48_000 });
    const body = {
      audio_base64: base64(encodeWav({ rate: 48_000, samples })),
      mime_type: 'audio/x-wav',
      language: 'de-DE',
    };
    expect(await json(local, body)).toMatchObject({ status: 200, body: { text: 'Tell me a story.' } });
    expect(calls(bin, 'whisper').at(-1)?.join(' ')).toContain('-l de ');
  });

  it.each([
    ['fr', '-l fr '],
    ['auto', '-l auto '],
    ['tlh', '-l auto '],
    ['cmn-latn', '-l zh '],
    [' ', '-l en '],
  ])('X-Voice-Language %j is %s', async (language, flag) => {
    await raw(local, WAV, { 'x-voice-language': language });
    expect(calls(bin, 'whisper').at(-1)?.join(' ')).toContain(flag);
  });

  it('recognises a word that is shorter than a second', async () => {
    const short = encodeWav({ rate: 16_000, samples: tone(300, { hertz: 300 }) });
    expect(await raw(local, short)).toMatchObject({ status: 200, body: { text: 'What time is it?' } });
  });

  it('silence is no words', async () => {
    const silent = encodeWav({ rate: 16_000, samples: tone(1_500, { amplitude: 0 }) });
    expect(await raw(local, silent)).toEqual({ status: 200, body: { text: '', engine: 'local_asr' } });
  });

  it('what the recogniser complains is the answer', async () => {
    const bad = encodeWav({ rate: 16_000, samples: tone(1_500, { hertz: 900 }) });
    const reply = await raw(local, bad);
    expect(reply.status).toBe(503);
    expect(reply.body.error).toBe('whisper-cli ended with code 10: whisper_full: failed to process audio.');
  });

  it('leaves no file and no process, also of a caller that disconnects', async () => {
    const slow = encodeWav({ rate: 16_000, samples: tone(1_500, { hertz: 700 }) });
    const hangUp = new AbortController();
    const before = calls(bin, 'whisper').length;
    const asked = local
      .request('/voice/transcribe', {
        method: 'POST',
        body: new Uint8Array(slow),
        headers: { 'content-type': 'audio/wav' },
        signal: hangUp.signal,
      })
      .catch(() => null);
    await eventually(() => calls(bin, 'whisper').length).toBeGreaterThan(before);
    hangUp.abort();
    await asked;
    await eventually(() => readdirSync(join(local.home, 'voice'))).toEqual([]);
    expect(processesOf(local.home)).toEqual([]);
  });

  const converted: [string, string[]][] = [
    ['audio/webm', ['-c:a', 'libopus', '-f', 'webm']],
    ['audio/ogg', ['-c:a', 'libvorbis', '-f', 'ogg']],
    ['audio/mpeg', ['-f', 'mp3']],
    ['audio/flac', ['-f', 'flac']],
    ['audio/aac', ['-f', 'adts']],
    ['audio/mp4', ['-c:a', 'aac', '-movflags', 'frag_keyframe', '-f', 'mp4']],
  ];
  it.skipIf(FFMPEG === null).each(firstRows(2, converted))('%s is converted by ffmpeg', async (type, options) => {
    const bytes = execFileSync(FFMPEG!, ['-loglevel', 'error', '-f', 'wav', '-i', 'pipe:0', ...options, 'pipe:1'], {
      input: encodeWav({ rate: 48_000, samples: tone(1_500, { hertz: 500, rate: 48_000 }) }),
    });
    expect(await post(local, bytes, { 'content-type': type })).toEqual({
      status: 200,
      body: { text: 'Tell me a story.', engine: 'local_asr' },
    });
    // What the bytes are counts, not what the caller calls them.
    expect((await post(local, bytes, { 'content-type': 'audio/webm' })).status).toBe(200);
  });

  it.skipIf(FFMPEG === null)('a playlist of files on this machine is no audio', async () => {
    const playlist = Buffer.from(`#EXTM3U\n#EXTINF:1,\nfile://${join(local.home, 'daemon.json')}\n#EXT-X-ENDLIST\n`);
    for (const type of ['audio/mp4', 'audio/webm', 'audio/mpeg', 'audio/wav', 'audio/ogg']) {
      const reply = await post(local, playlist, { 'content-type': type });
      expect(reply.status).toBe(503);
      const wav = type === 'audio/wav';
      expect(reply.body.error).toMatch(
        wav ? /^The audio is not a WAV file\.$/ : /^The audio is not audio\/\w+ that ffmpeg/,
      );
    }
  });

  it('nothing of it is in the log, also when a repeat has to be answered the same', async () => {
    const head = async (): Promise<unknown> => (await (await local.request('/v1/log/head')).json()) as unknown;
    const before = await head();
    await raw(local);
    expect(await head()).toEqual(before);
    const key = { 'idempotency-key': 'once' };
    const first = await raw(local, WAV, key);
    const asked = calls(bin, 'whisper').length;
    expect(await raw(local, WAV, key)).toEqual(first);
    expect(calls(bin, 'whisper')).toHaveLength(asked);
    expect(await head()).toEqual(before);
  });
});

it('a model without a runtime is no engine', async () => {
  const daemon = await machine({ home: homeWithModel() });
  expect(await (await daemon.request('/voice/status')).json()).toMatchObject({
    local_model_downloaded: true,
    can_transcribe: false,
  });
  const { status, body } = await raw(daemon);
  expect(status).toBe(503);
  expect(body.error).toMatch(/install whisper\.cpp/);
  expect(body.error).not.toMatch(/curl/);
});

it('what is not WAV needs ffmpeg only where it is written down here', async () => {
  const bin = binFolder({ 'whisper-cli': whisperScript() });
  const daemon = await machine({ bin, home: homeWithModel() });
  const { status, body } = await post(daemon, Buffer.from('OggS...'), { 'content-type': 'audio/ogg' });
  expect(status).toBe(503);
  expect(body.error).toMatch(/ffmpeg/);
  expect((await raw(daemon)).status).toBe(200);
});

describe('the whisper package of Python', () => {
  const PYTHON = '/usr/bin/python3';
  /** The package's own calls, on a standard library that has no numpy. */
  const PACKAGE = `
class Model:
    def __init__(self, path):
        assert path.endswith("base.pt"), path
    def transcribe(self, audio, language=None, fp16=True):
        assert fp16 is False and audio.samples > 16000, audio.samples
        return {"text": " Python heard %s. " % language, "language": language or "fr"}
def load_model(name, device=None):
    return Model(name)
`;
  const NUMPY = `
int16 = "int16"
float32 = "float32"
class Array:
    def __init__(self, samples): self.samples = samples
    def astype(self, kind): return self
    def __truediv__(self, by): return self
def frombuffer(data, kind): return Array(len(data) // 2)
`;

  async function pythonMachine(files: Readonly<Record<string, string>>): Promise<TestDaemon> {
    const packages = temporaryFolder('python');
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(packages, path, '..'), { recursive: true });
      writeFileSync(join(packages, path), text);
    }
    const bin = binFolder({ python3: `#!/bin/sh\nPYTHONPATH=${packages} exec ${PYTHON} "$@"\n` });
    return machine({ bin, home: homeWithModel('base.pt') });
  }

  it('writes down without ffmpeg', async () => {
    const files = { 'whisper/__init__.py': PACKAGE, 'whisper/audio.py': '', 'numpy.py': NUMPY };
    const daemon = await pythonMachine(files);
    expect(await raw(daemon)).toEqual({ status: 200, body: { text: 'Python heard en.', engine: 'local_asr' } });
    expect(await (await daemon.request('/voice/status')).json()).toMatchObject({
      asr_cpp_installed: false,
      asr_python_installed: true,
      can_transcribe: true,
    });
  });

  it('is not the database of the same name', async () => {
    const daemon = await pythonMachine({ 'whisper.py': 'raise SystemExit(9)' });
    expect(await (await daemon.request('/voice/status')).json()).toMatchObject({ asr_python_installed: false });
    expect((await raw(daemon)).status).toBe(503);
  });
});

describe('a machine with a key', () => {
  let keyed: TestDaemon;
  beforeAll(async () => {
    keyed = await machine({ env: KEYED });
  });

  it('uploads the recording as it is, as a form', async () => {
    const webm = Buffer.from('not really webm');
    const reply = await post(keyed, webm, { 'content-type': 'audio/webm;codecs=opus', 'x-voice-language': 'de-AT' });
    expect(reply).toEqual({ status: 200, body: { text: 'From the cloud.', engine: 'cloud_asr' } });
    expect(cloud.requests).toEqual([
      {
        path: '/v1/audio/transcriptions',
        authorization: `Bearer ${KEY}`,
        fields: { model: 'whisper-1', response_format: 'json', language: 'de' },
        file: { name: 'speech.webm', type: 'audio/webm', bytes: webm },
      },
    ]);
  });

  it('lets the server find out the language', async () => {
    await raw(keyed, WAV, { 'x-voice-language': 'auto' });
    expect(cloud.requests[0]?.fields).toEqual({ model: 'whisper-1', response_format: 'verbose_json' });
  });

  it('reads no endless answer', async () => {
    cloud.answer = { status: 200, body: 'x'.repeat(4 * 1024 * 1024 + 1) };
    expect((await raw(keyed)).body).toEqual({ error: 'OpenAI sent an answer over 4194304 bytes.' });
  });

  it('gives no half of a character back, which strict readers of JSON refuse', async () => {
    cloud.answer = { status: 200, body: { text: 'half \ud83d' } };
    expect((await raw(keyed)).body).toEqual({ text: 'half \ufffd', engine: 'cloud_asr' });
  });

  it.each([
    [{ status: 401, body: { error: { message: `bad ${KEY}` } } }, /^OpenAI rejected the key in OPENAI_API_KEY \(401\)/],
    [{ status: 400, body: { error: { message: `Too short. ${KEY}` } } }, /\(400\): Too short\. \[key\]$/],
    [{ status: 400, body: { error: { message: `${'x'.repeat(289)} ${KEY}` } } }, /\(400\): x+ \[key\]$/],
    [{ status: 500, body: 'oops' }, /refused the audio \(500\)/],
    [{ status: 200, body: 'oops' }, /no transcript/],
    [
      { status: 302, body: '', headers: { location: '/elsewhere' } },
      /^OpenAI redirects to http:.*\/elsewhere \(302\), which is not followed: set OPENAI_BASE_URL to/,
    ],
    [{ status: 200, body: 'zipped', headers: { 'content-encoding': 'gzip' } }, /broke off its answer\.$/],
  ])('%j is 503 with what it said, never the key', async (answer, error) => {
    cloud.answer = answer;
    const reply = await raw(keyed);
    expect(reply.status).toBe(503);
    expect(reply.body.error).toMatch(error);
    expect(JSON.stringify(reply.body)).not.toContain(KEY);
  });

  it('GROQ_API_KEY is a key too', async () => {
    const daemon = await machine({ env: { GROQ_API_KEY: 'gsk_0123456789', GROQ_BASE_URL: cloud.url } });
    expect((await raw(daemon)).body.engine).toBe('cloud_asr');
    expect(cloud.requests[0]?.fields.model).toBe('whisper-large-v3-turbo');
  });
});

describe('a machine with both', () => {
  const both = (env: NodeJS.ProcessEnv = {}): Promise<TestDaemon> =>
    machine({ bin: binFolder({ 'whisper-cli': whisperScript() }), home: homeWithModel(), env: { ...KEYED, ...env } });

  it('asks the cloud, unless local is preferred by the settings or the request', async () => {
    const daemon = await both();
    expect((await raw(daemon)).body.engine).toBe('cloud_asr');
    for (const yes of ['1', 'true', 'YES']) {
      expect((await raw(daemon, WAV, { 'x-voice-prefer-local': yes })).body.engine).toBe('local_asr');
    }
    expect((await raw(daemon, WAV, { 'x-voice-prefer-local': 'no' })).body.engine).toBe('cloud_asr');
    const body = { audio_base64: base64(WAV), mime_type: 'audio/wav', prefer_local: true };
    expect((await json(daemon, body)).body.engine).toBe('local_asr');
    const private_ = await both({ DAYBOOK_VOICE_PREFER_LOCAL: 'true' });
    expect((await raw(private_)).body.engine).toBe('local_asr');
    expect((await raw(private_, WAV, { 'x-voice-prefer-local': 'false' })).body.engine).toBe('cloud_asr');
  });

  it('falls back in both directions, and reports both failures', async () => {
    const daemon = await both();
    const bad = encodeWav({ rate: 16_000, samples: tone(1_500, { hertz: 900 }) });
    expect((await raw(daemon, bad, { 'x-voice-prefer-local': '1' })).body.engine).toBe('cloud_asr');
    cloud.answer = { status: 500, body: {} };
    expect((await raw(daemon)).body.engine).toBe('local_asr');
    const { status, body } = await raw(daemon, bad);
    expect(status).toBe(503);
    expect(body.error).toMatch(/^OpenAI refused the audio \(500\)\nwhisper-cli ended with code 10.*$/);
  });
});

describe.skipIf(!HAS_EARS)('speech of espeak-ng is recognised', () => {
  it.each(firstRows(1, SENTENCES))('%s', { timeout: 60_000 }, async (sentence) => {
    const bin = binFolder({ 'whisper-cli': whisperScript({ ears: true }) });
    const daemon = await machine({ bin, home: homeWithModel() });
    const wav = execFileSync(ESPEAK!, ['--stdout', '-v', 'en-us', '-s', '130', sentence]);
    expect(await raw(daemon, wav)).toMatchObject({ status: 200, body: { text: sentence } });
  });
});
