/** The settings that a client may change in a conversation, and the model's prompt. */
import { describe, expect, it } from 'vitest';
import { CONTEXT_CHARACTERS_MAX, spokenMessages, withControl } from '../../src/live/voice/prompt.ts';

const SETTINGS = { voice: 'a', language: 'de', context: 'before' };
const control = (frame: unknown) => withControl(SETTINGS, JSON.stringify(frame));

describe('a text frame', () => {
  it.each([
    [
      { type: 'set_voice', id: ' b ' },
      { ...SETTINGS, voice: 'b' },
    ],
    [
      { type: 'set_language', lang: 'auto' },
      { ...SETTINGS, language: 'auto' },
    ],
    [{ type: 'set_language' }, { ...SETTINGS, language: 'en' }],
    [
      { type: 'set_context', context: ' In file a.ts ' },
      { ...SETTINGS, context: 'In file a.ts' },
    ],
    [
      { type: 'set_context', context: ' \n' },
      { ...SETTINGS, context: '' },
    ],
  ])('%j', (frame, settings) => {
    expect(control(frame)).toEqual(settings);
  });

  it.each([{ type: 'set_workspace', root: '/' }, { type: 'set_voice' }, [], null, 7])('%j is ignored', (frame) => {
    expect(control(frame)).toBe(SETTINGS);
  });

  it('that is not JSON is ignored', () => {
    expect(withControl(SETTINGS, '{')).toBe(SETTINGS);
  });
});

describe('the context', () => {
  it('of 32k characters is whole', () => {
    expect(control({ type: 'set_context', context: 'x'.repeat(CONTEXT_CHARACTERS_MAX) }).context).toBe(
      'x'.repeat(CONTEXT_CHARACTERS_MAX),
    );
  });

  it('of more is cut, says so, and halves no character', () => {
    const { context } = control({ type: 'set_context', context: '😀'.repeat(CONTEXT_CHARACTERS_MAX) });
    expect(context.length).toBeLessThanOrEqual(CONTEXT_CHARACTERS_MAX);
    expect(context).toMatch(/😀\n\[… the rest was cut off\]$/);
    expect(context.isWellFormed()).toBe(true);
  });
});

describe('the model is told', () => {
  const said = { words: 'And now?', lang: null, history: [], context: '' };

  it('that it is heard, what was said before, and what is asked', () => {
    const history = [{ user: 'Hello', assistant: 'Hi.' }];
    const [system, ...rest] = spokenMessages({ ...said, history });
    expect(system?.content).toMatch(/spoken conversation/);
    expect(rest).toEqual([
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi.' },
      { role: 'user', content: 'And now?' },
    ]);
  });

  it('the context, while there is one', () => {
    expect(spokenMessages({ ...said, context: 'File a.ts' })[0]?.content).toContain('File a.ts');
    expect(spokenMessages(said)[0]?.content).not.toContain('Context');
  });

  it.each([
    ['de', /German/],
    ['yue', /Cantonese/],
    ['xx-invalid-', /xx-invalid-/],
  ])('to answer in the language that was heard: %s', (lang, name) => {
    expect(spokenMessages({ ...said, lang })[0]?.content).toMatch(name);
  });

  it('nothing of languages when that is English', () => {
    expect(spokenMessages({ ...said, lang: 'en' })[0]?.content).not.toMatch(/speaks/);
  });
});
