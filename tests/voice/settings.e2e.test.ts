/** `GET` and `PUT /voice/settings`: the available engines and the chosen values. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VoiceSettings } from '../../src/client/generated/types.ts';
import { ask } from '../support/asking.ts';
import { type TestDaemon, type TestDaemonOptions, testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { addVoice, binFolder, ESPEAK, piperScript } from './programs.ts';

const started: TestDaemon[] = [];
afterAll(() => Promise.all(started.map((daemon) => daemon.stop())));

async function machine({ bin = binFolder(), env, ...rest }: TestDaemonOptions & { readonly bin?: string } = {}) {
  const daemon = await testDaemon({ ...rest, env: { PATH: bin, ...env } });
  started.push(daemon);
  const put = (body: unknown) => ask<Record<string, unknown>>(daemon, 'PUT', '/voice/settings', body);
  const get = async (): Promise<VoiceSettings> =>
    (await (await daemon.request('/voice/settings')).json()) as VoiceSettings;
  const head = async (): Promise<number> => {
    const { position } = (await (await daemon.request('/v1/log/head')).json()) as { position: number };
    return position;
  };
  return { daemon, put, get, head };
}

const FRESH = { engine: 'system', voice: '', language: 'en', provider: null, model: null };

describe('a machine that cannot speak', () => {
  let fresh: Awaited<ReturnType<typeof machine>>;
  beforeAll(async () => {
    fresh = await machine();
  });

  it('lists both engines with how to install them', async () => {
    const { daemon, get } = fresh;
    const settings = await get();
    expect(settings).toMatchObject({ ...FRESH, voices: [], languages: [] });
    expect(settings.engines).toMatchObject([
      { id: 'system', available: false, detail: expect.stringContaining('apt-get install espeak-ng') },
      { id: 'neural', available: false, detail: expect.stringContaining('pip install piper-tts') },
    ]);
    const { models } = (await (await fetch(`${daemon.url}/models`)).json()) as VoiceSettings;
    expect(settings.models).toEqual(models);
  });

  it('refuses an engine that cannot run, and changes nothing else of the request', async () => {
    const { put, get, head } = fresh;
    const before = await head();
    expect(await put({ engine: 'neural', language: 'de' })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('pip install piper-tts') },
    });
    expect(await put({ engine: 'kokoro' })).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/system/) },
    });
    expect(await get()).toMatchObject(FRESH);
    expect(await head()).toBe(before);
  });

  it('refuses each engine that it reports as unavailable, the one in force too when it is asked for', async () => {
    const { put, get, head } = fresh;
    const before = await head();
    for (const { id, detail } of (await get()).engines) {
      for (const body of [{ engine: id }, { engine: id, language: 'de' }, { engine: id, voice: 'x' }]) {
        expect(await put(body)).toEqual({ status: 400, body: { error: detail } });
      }
    }
    expect(await head()).toBe(before);
  });

  it.each([
    { provider: 'openai' },
    { model: 'gpt' },
    { provider: '' },
    { provider: 'openai', model: '' },
    { model: null },
    { engine: 7 },
    { voice: null },
    { voice: 'x'.repeat(201) },
  ])('refuses %j', async (body) => {
    const { put, get } = fresh;
    const reply = await put(body);
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({ error: expect.any(String) });
    expect(await get()).toMatchObject(FRESH);
  });

  it('takes back all that it showed: the engine in use need not be proven again', async () => {
    const { put, get, head } = fresh;
    const before = await head();
    const { engine, voice, language, provider, model } = await get();
    expect(await put({ engine, voice, language, provider, model })).toEqual({ status: 200, body: FRESH });
    // Only the language, which is set for the first time.
    expect(await head()).toBe(before + 1);
  });
});

describe('settings', () => {
  it('are kept over a restart, a part at a time', async () => {
    const { daemon, put } = await machine();
    const kept = { ...FRESH, language: 'auto', voice: 'anything at all' };
    expect(await put({ language: 'auto' })).toEqual({ status: 200, body: { ...FRESH, language: 'auto' } });
    expect(await put({ voice: 'anything at all' })).toEqual({ status: 200, body: kept });
    expect(await put({ provider: 'openai', model: 'gpt' })).toMatchObject({
      body: { provider: 'openai', model: 'gpt' },
    });
    await daemon.stop();
    const again = await machine({ home: daemon.home });
    expect(await again.get()).toMatchObject({ ...kept, provider: 'openai', model: 'gpt' });
    expect(await again.put({ provider: '', model: '' })).toEqual({ status: 200, body: kept });
  });

  it('are in the status, and the settings file is what holds before them and behind a blank one', async () => {
    const { daemon, put } = await machine({
      env: { DAYBOOK_VOICE_LANGUAGE: 'fr', DAYBOOK_VOICE_PREFER_LOCAL: '1', DAYBOOK_VOICE_LOCAL_MODEL: 'small' },
    });
    const status = async (): Promise<unknown> => (await daemon.request('/voice/status')).json();
    const file = { prefer_local: true, local_model: 'small', local_model_size_mb: 466 };
    expect(await status()).toMatchObject({ ...file, language: 'fr' });
    await put({ language: 'de' });
    expect(await status()).toMatchObject({ ...file, language: 'de' });
    for (const blank of ['', ' ']) {
      expect(await put({ language: blank })).toMatchObject({ status: 200, body: { language: 'fr' } });
      expect(await status()).toMatchObject({ ...file, language: 'fr' });
    }
  });

  it('sent twice are recorded once', async () => {
    const { put, head } = await machine();
    const first = await put({ language: 'it' });
    const after = await head();
    expect(await put({ language: 'it' })).toEqual(first);
    expect(await head()).toBe(after);
  });
});

it('a machine with piper keeps the program with the engine, and the system clears it', async () => {
  const home = temporaryFolder('home');
  addVoice(home, 'en_US-lessac-medium', 300);
  const bin = binFolder({ piper: piperScript() });
  const { daemon, put, get } = await machine({ bin, home });
  expect(await put({ engine: 'neural', voice: 'en_US-lessac-medium' })).toMatchObject({ status: 200 });
  expect(await get()).toMatchObject({
    engine: 'neural',
    voices: [{ id: 'en_US-lessac-medium', lang: 'en-US', quality: 'neural' }],
    languages: ['en'],
  });
  const events = async (): Promise<{ type: string; data: unknown }[]> => {
    const page = (await (await daemon.request('/v1/events')).json()) as { events: { type: string; data: unknown }[] };
    return page.events.filter(({ type }) => type === 'VoiceEngineSelected');
  };
  const model = join(home, 'models', 'en_US-lessac-medium.onnx');
  const sidecar = { command: join(bin, 'piper'), args: ['--model', model] };
  expect((await events()).map(({ data }) => data)).toEqual([{ engine: 'neural', sidecar }]);
  // Without a voice the program is nothing.
  rmSync(join(home, 'models'), { recursive: true });
  expect(await get()).toMatchObject({ engine: 'neural', voices: [] });
  expect(await put({ engine: 'neural' })).toMatchObject({ status: 400 });
  const before = (await events()).length;
  const { engine, voice, language, provider, model: answering } = await get();
  const body = { engine, voice, language, provider, model: answering };
  expect(await put(body)).toMatchObject({ status: 200, body });
  expect((await events()).length).toBe(before);
});

describe.skipIf(ESPEAK === null)('a machine with espeak-ng', () => {
  it('lists its voices and languages, and takes it back from the neural one', async () => {
    const home = temporaryFolder('home');
    addVoice(home, 'en_US-lessac-medium', 300);
    const { daemon, put, get } = await machine({
      bin: binFolder({ 'espeak-ng': ESPEAK!, piper: piperScript() }),
      home,
    });
    const settings = await get();
    expect(settings.engines[0]).toMatchObject({ id: 'system', available: true });
    expect(settings.voices).toContainEqual({
      id: 'gmw/en-US',
      name: 'English (America)',
      lang: 'en-us',
      quality: 'default',
    });
    expect(settings.languages).toEqual([...settings.languages].sort());
    expect(settings.languages).toEqual(expect.arrayContaining(['de', 'en', 'fr']));
    await put({ engine: 'neural' });
    expect(await put({ engine: 'system' })).toMatchObject({ status: 200, body: { engine: 'system' } });
    const page = (await (await daemon.request('/v1/events')).json()) as { events: { type: string; data: unknown }[] };
    const selected = page.events.filter(({ type }) => type === 'VoiceEngineSelected');
    expect(selected.at(-1)?.data).toEqual({ engine: 'system', sidecar: null });
  });
});
