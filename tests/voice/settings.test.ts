/** The voice settings as events: changed fields are recorded; a repeated change appends no event. */
import { describe, expect, it } from 'vitest';
import { VOICE_CHARACTERS_MAX, voiceSettings } from '../../src/commands/voice.ts';
import type { VoiceEvent } from '../../src/events/voice.ts';
import { openViews } from '../../src/projections/views.ts';
import { voice, voiceRow } from '../../src/projections/voice.ts';
import { decider } from '../support/given.ts';

const { given } = decider(voiceSettings);
const change = (what: object) => ({ type: 'ChangeVoice', ...what }) as const;
const sidecar = { command: '/bin/piper', args: ['--model', '/m.onnx'] };
const neural: VoiceEvent = { type: 'VoiceEngineSelected', data: { engine: 'neural', sidecar } };
const german: VoiceEvent = { type: 'VoiceLanguageSet', data: { language: 'de' } };
const pair: VoiceEvent = { type: 'VoiceModelSet', data: { provider: 'openai', model: 'gpt' } };
const cleared: VoiceEvent = { type: 'VoiceModelCleared', data: {} };

describe('the decider', () => {
  it('changes what is named', () => {
    given().when(change({})).thenNothing();
    given()
      .when(change({ voice: 'v', language: 'de', provider: 'openai', model: 'gpt' }))
      .thenEvents({ type: 'VoiceSelected', data: { voice: 'v' } }, german, pair);
  });

  it('says nothing of what is the same', () => {
    given(german, pair)
      .when(change({ language: 'de', provider: ' openai', model: 'gpt ' }))
      .thenNothing();
    given(neural)
      .when(change({ engine: { id: 'neural', sidecar } }))
      .thenNothing();
    given()
      .when(change({ engine: { id: 'system', sidecar: null } }))
      .thenNothing();
  });

  it('keeps an engine with its sidecar, and the system without', () => {
    given()
      .when(change({ engine: { id: 'neural', sidecar } }))
      .thenEvents(neural);
    const moved = { ...sidecar, command: '/opt/piper' };
    given(neural)
      .when(change({ engine: { id: 'neural', sidecar: moved } }))
      .thenTypes('VoiceEngineSelected');
    const back = given(neural).when(change({ engine: { id: 'system', sidecar: null } }));
    expect(back.after()).toMatchObject({ engine: 'system', sidecar: null });
  });

  it.each([
    { provider: 'openai' },
    { model: 'gpt' },
    { provider: '' },
    { provider: 'openai', model: ' ' },
    { model: '' },
  ])('refuses half a pair and changes nothing: %j', (half) => {
    given(pair)
      .when(change({ ...half, language: 'fr' }))
      .thenRefused('invalid');
  });

  it.each([
    { provider: 'openai', model: 'other' },
    { provider: 'groq', model: 'gpt' },
  ])('sets a pair that differs in one field: %j', (data) => {
    given(pair).when(change(data)).thenEvents({ type: 'VoiceModelSet', data });
  });

  it('clears both by two blanks, once', () => {
    given(pair)
      .when(change({ provider: '', model: '' }))
      .thenEvents(cleared);
    given(pair, cleared)
      .when(change({ provider: '', model: '' }))
      .thenNothing();
  });

  it.each(['voice', 'language', 'provider', 'model'])('bounds %s', (name) => {
    const long = 'x'.repeat(VOICE_CHARACTERS_MAX + 1);
    given()
      .when(change({ provider: 'p', model: 'm', [name]: long }))
      .thenRefused('invalid');
  });

  it('counts characters, not UTF-16 units', () => {
    const voice = '😀'.repeat(VOICE_CHARACTERS_MAX);
    given().when(change({ voice })).thenEvents({ type: 'VoiceSelected', data: { voice } });
    given()
      .when(change({ voice: `${voice}😀` }))
      .thenRefused('invalid');
  });
});

it('the view is what the decider knows', () => {
  const events = [neural, german, pair, cleared, pair, { type: 'VoiceSelected', data: { voice: 'v' } } as VoiceEvent];
  const views = openViews(null);
  views.exec(voice.create);
  expect(voiceRow(views)).toEqual(voiceSettings.initial);
  for (let end = 1; end <= events.length; end += 1) {
    const event = events[end - 1]!;
    voice.on[event.type]!(views, {
      ...{ ...event, stream: 'settings-voice' },
      ...{ position: end, at: end, actor: 'owner' },
    });
    expect(voiceRow(views)).toEqual(given(events.slice(0, end)).state);
  }
  views.close();
});
