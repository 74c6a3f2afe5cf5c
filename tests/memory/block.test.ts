/** The context block as text, and how its lines are recognised. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contextBlock, withinBudget } from '../../src/commands/memory/block.ts';
import {
  BLOCK_BEGIN,
  BLOCK_END,
  contentLines,
  essence,
  factLine,
  LINE_CHARACTERS,
  quoted,
  VERBATIM_CHARACTERS,
} from '../../src/commands/memory/lines.ts';
import { reflection } from '../../src/commands/memory/reflect.ts';
import type { Sector } from '../../src/events/memory/events.ts';

describe('the essential story', () => {
  it('never takes more than its tokens, in whole lines, and stops at the first that does not fit', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 400 }), { maxLength: 20 }), fc.nat({ max: 200 }), (texts, tokens) => {
        const lines = withinBudget(texts, tokens);
        expect(lines.map((line) => `- ${line}\n`).join('').length).toBeLessThanOrEqual(tokens * 4);
        expect(lines.every((line) => [...line].length <= LINE_CHARACTERS)).toBe(true);
        expect(lines.length).toBeLessThanOrEqual(texts.length);
      }),
      { numRuns: 200 },
    );
    expect(withinBudget(['aaaa', 'b'.repeat(100), 'c'], 5)).toEqual(['aaaa']);
  });
});

describe('the block', () => {
  const layers = { essential: [], scoped: [], deep: [], drawers: [], facts: [] };

  it('has its marks once, whatever it quotes, and only sections with lines', () => {
    const content = `x ${BLOCK_END}\n${BLOCK_BEGIN} y`;
    const block = contextBlock({ ...layers, scoped: [{ label: 'semantic', content }], facts: ['a is b'] });
    expect(block.split(BLOCK_END)).toHaveLength(2);
    expect(block.split(BLOCK_BEGIN)).toHaveLength(2);
    expect(block.match(/^## .*/gm)).toEqual(['## Related here', '## Facts']);
    expect(contextBlock(layers)).toBe(`${BLOCK_BEGIN}\n${BLOCK_END}`);
    const entry = { label: 'semantic', content: 'a' };
    expect(contextBlock({ ...layers, deep: [entry], drawers: [entry], facts: ['b'] })).toBe(
      `${BLOCK_BEGIN}\n## Related elsewhere\n- [semantic] a\n## Word for word\n- [semantic] a\n## Facts\n- b\n${BLOCK_END}`,
    );
  });

  it('gives back its lines, and these the essence of what was quoted', () => {
    const texts = ['Plain words.', 'Two\nlines of  it', 'Ünï 😀 CODE'];
    const block = contextBlock({ ...layers, essential: texts.map((text) => quoted(text, LINE_CHARACTERS)) });
    expect(contentLines(block).map(essence)).toEqual(texts.map(essence));
  });

  /** Found: a text with marks in it was cut before they were taken out, and a text that began as a list was not known. */
  it('shows every text as the line that is known again, with marks, bullets and labels of its own', () => {
    const bit = fc.constantFrom('tea ', '- ', '1. ', '[note] ', `${BLOCK_END} `, BLOCK_BEGIN, '\r\n', '😀', 'words ');
    const text = fc.array(bit, { maxLength: 200 }).map((bits) => `${bits.join('')}tea`);
    fc.assert(
      fc.property(text, (content) => {
        const entry = { label: 'semantic', content };
        const lines = contextBlock({ ...layers, scoped: [entry], drawers: [entry] }).split('\n');
        const shown = lines.filter((line) => line.startsWith('- [semantic]')).map(essence);
        const kept = [LINE_CHARACTERS, VERBATIM_CHARACTERS].map((characters) => essence(quoted(content, characters)));
        if (kept.every((line) => line !== '')) expect(shown).toEqual(kept);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the essence of a text', () => {
  it.each([
    ['- A  Text.', 'a text', true],
    ['> [semantic] a text', 'a text', true],
    ['1. a text', 'a text', true],
    ['3 apples', '4 apples', false],
    ['2024 was good', 'was good', false],
    ['is it?', 'is it', false],
    ['12) a text', 'a text', true],
    ['a - b', 'a b', false],
    ['a text ... …', 'a text', true],
  ])('of %j and %j is the same: %j', (one, other, same) => expect(essence(one) === essence(other)).toBe(same));
});

it('a line is cut between characters, never inside one', () => {
  const cut = quoted('😀'.repeat(400), LINE_CHARACTERS);
  expect([...cut]).toHaveLength(LINE_CHARACTERS);
  expect(cut.isWellFormed()).toBe(true);
});

describe('a reflection', () => {
  const on = (day: number, content: string, sector: Sector = 'semantic') => ({
    content,
    sector,
    at: Date.UTC(2026, 0, day),
  });

  it('says what several memories share, and the same of the same ones', () => {
    const memories = ['The garden needs water', 'Water the gardens at dawn', 'The dog sleeps'].map((text) =>
      on(2, text),
    );
    expect(reflection(memories)).toBe(
      '3 memories of 2026-01-02, 3 of them semantic. They keep coming back to: garden (2), water (2).',
    );
    expect(reflection([memories[2]!])).toContain('no theme');
    expect(reflection([on(2, '1 2 3')])).toContain('no theme');
  });

  it('names its first and its last day, and of equally frequent sectors the first by name', () => {
    const memories = [on(9, 'a', 'semantic'), on(3, 'b', 'episodic'), on(5, 'c', 'semantic'), on(4, 'd', 'episodic')];
    expect(reflection(memories)).toContain('4 memories from 2026-01-03 to 2026-01-09, 2 of them episodic.');
  });

  it('names six themes at most, most frequent first and then by name, each in its most frequent form', () => {
    const memories = [
      on(1, 'zebra tests water lemon apple bread house music would'),
      on(1, 'zebra tests water lemon apple bread house music would'),
      on(1, 'zebra testing garden'),
    ];
    expect(reflection(memories)).toContain('to: tests (3), zebra (3), apple (2), bread (2), house (2), lemon (2).');
  });
});

it('the lines of a block are trimmed, and blank lines, headings and marks are none', () => {
  const text = [BLOCK_BEGIN, '## Facts', '', '  - a is b ', '#7 is open', 'on # two', BLOCK_END].join('\r\n');
  expect(contentLines(text)).toEqual(['- a is b', '#7 is open', 'on # two']);
});

it('a fact is shown on one line of bounded length', () => {
  expect(factLine({ subject: ' a\n', predicate: 'is', object: `${BLOCK_END}b` })).toBe('a is b');
  expect(factLine({ subject: 'a', predicate: 'is', object: 'b'.repeat(400) })).toHaveLength(LINE_CHARACTERS);
});
