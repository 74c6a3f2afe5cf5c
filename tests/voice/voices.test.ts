/** Voices as their programs list them, and how a voice is chosen. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { languageNamed, recognisedLanguage } from '../../src/integrations/speech/local-asr.ts';
import { neuralVoices } from '../../src/integrations/speech/neural-voice.ts';
import { primaryLanguage, voiceFor } from '../../src/integrations/speech/speaker.ts';
import { espeakVoices, macVoices } from '../../src/integrations/speech/system-voice.ts';
import { temporaryFolder } from '../support/folders.ts';

const ESPEAK = `Pty Language       Age/Gender VoiceName          File                 Other Languages
 5  cmn             --/M      Chinese_(Mandarin)  sit/cmn              (zh-cmn 5)(zh 5)
 5  de              --/M      German             gmw/de
 2  en-gb           --/M      English_(Great_Britain) gmw/en               (en 2)
 2  en-us           --/M      English_(America)  gmw/en-US            (en 3)
`;

describe('espeak-ng', () => {
  const voices = espeakVoices(ESPEAK);

  it('lists its voices as a table', () => {
    expect(voices.map(({ id, name, lang }) => ({ id, name, lang }))).toEqual([
      { id: 'sit/cmn', name: 'Chinese (Mandarin)', lang: 'cmn' },
      { id: 'gmw/de', name: 'German', lang: 'de' },
      { id: 'gmw/en', name: 'English (Great Britain)', lang: 'en-gb' },
      { id: 'gmw/en-US', name: 'English (America)', lang: 'en-us' },
    ]);
  });

  it.each([
    [{ voice: 'gmw/de' }, 'gmw/de'],
    [{ voice: 'gmw/en', language: 'en' }, 'gmw/en'],
    [{ voice: 'gmw/de', language: 'en' }, 'gmw/en-US'],
    [{ language: 'en-GB' }, 'gmw/en'],
    [{ language: 'zh' }, 'sit/cmn'],
    [{ voice: 'gmw/de', language: 'tlh' }, 'gmw/de'],
    [{ voice: '-x; rm' }, undefined],
    [{}, undefined],
  ])('%j is %s', (wanted, id) => {
    expect(voiceFor(voices, wanted)?.id).toBe(id);
  });
});

it('say lists its voices with their grades; jokes are left out', () => {
  const table = `Albert              en_US    # Hello!
Ava (Premium)       en_US    # Hello!
Anna                de_DE    # Hallo!
Tom (Enhanced)      en_US    # Hello!
`;
  expect(macVoices(table)).toEqual([
    { id: 'Ava (Premium)', name: 'Ava (Premium)', lang: 'en-US', quality: 'premium' },
    { id: 'Anna', name: 'Anna', lang: 'de-DE', quality: 'default' },
    { id: 'Tom (Enhanced)', name: 'Tom (Enhanced)', lang: 'en-US', quality: 'enhanced' },
  ]);
});

it('neural voices are models that say what they are', () => {
  const models = join(temporaryFolder('models'), 'models');
  expect(neuralVoices(models)).toEqual([]);
  mkdirSync(models);
  writeFileSync(join(models, 'ggml-base.bin'), '');
  writeFileSync(join(models, 'alone.onnx'), '');
  writeFileSync(join(models, 'broken.onnx'), '');
  writeFileSync(join(models, 'broken.onnx.json'), '{');
  writeFileSync(join(models, 'en_US-lessac-medium.onnx'), '');
  writeFileSync(join(models, 'en_US-lessac-medium.onnx.json'), '{"dataset":"lessac","language":{"code":"en_US"}}');
  const model = join(models, 'en_US-lessac-medium.onnx');
  expect(neuralVoices(models)).toEqual([
    { id: 'en_US-lessac-medium', name: 'lessac', lang: 'en-US', quality: 'neural', model },
  ]);
});

it.each([
  ['de-AT', 'de'],
  ['cmn', 'zh'],
  ['nb', 'no'],
  ['yue', 'yue'],
  ['auto', undefined],
  ['tlh', undefined],
])('a recogniser is told of %s: %s', (code, told) => {
  expect(recognisedLanguage(code)).toBe(told);
});

it.each([
  ['english', 'en'],
  ['Norwegian', 'no'],
  ['fr', 'fr'],
  ['klingon', null],
])('a server that says %s means %s', (name, code) => {
  expect(languageNamed(name)).toBe(code);
});

it.each([
  ['en', 'en'],
  ['en-US', 'en'],
  ['PT_br', 'pt'],
  ['auto', undefined],
  ['english', undefined],
  ['', undefined],
])('the language of %j is %s', (code, primary) => {
  expect(primaryLanguage(code)).toBe(primary);
});
