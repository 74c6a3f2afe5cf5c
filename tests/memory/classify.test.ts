/** Classification into the five sectors by words: a labelled sample, and edge cases. */
import { describe, expect, it } from 'vitest';
import { classify, SIGNALS, sectorNamed } from '../../src/commands/memory/classify.ts';
import { SECTOR_TRAITS, SECTORS } from '../../src/events/memory/events.ts';
import { HELD_OUT, type Labelled } from './labelled.ts';

function accuracy(texts: readonly Labelled[], of: (text: string) => string): number {
  return texts.filter(({ sector, text }) => of(text) === sector).length / texts.length;
}

/** The contract's own way: every signal word wherever its letters stand, weighed by sector. */
function bySubstrings(text: string): string {
  const lower = text.toLowerCase();
  const score = (sector: (typeof SECTORS)[number]): number => {
    const words = `${SIGNALS[sector].strong} ${SIGNALS[sector].plain}`.split(/\s+/);
    return SECTOR_TRAITS[sector].weight * words.reduce((sum, word) => sum + lower.split(word).length - 1, 0);
  };
  return SECTORS.reduce((best, sector) => (score(sector) > score(best) ? sector : best));
}

describe('classify', () => {
  it('finds the sector of nine in ten sentences it was not made with, and of more than substring counts do', () => {
    const ours = accuracy(HELD_OUT, (text) => classify(text).sector);
    expect(ours).toBeGreaterThanOrEqual(0.9);
    expect(ours).toBeGreaterThan(accuracy(HELD_OUT, bySubstrings) + 0.05);
  });

  it('takes a text without any sign for knowledge', () => {
    const { sector, confidence, secondary } = classify('zzz qqq');
    expect(sector).toBe('semantic');
    expect(confidence).toEqual({ episodic: 0.1, semantic: 0.6, procedural: 0.1, emotional: 0.1, reflective: 0.1 });
    expect(secondary).toEqual([]);
  });

  it('counts whole words in all their forms, not letters inside others', () => {
    expect(classify('frustration frustrating frustrated').sector).toBe('emotional');
    expect(classify('the metropolis and its metro').confidence.episodic).toBe(0.1);
  });

  it('shares the evidence out, the others above a tenth strongest first', () => {
    const { confidence, secondary } = classify('Yesterday I felt happy and learned how to install the api');
    expect(Object.values(confidence).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
    const shares = secondary.map(([, share]) => share);
    expect(shares).toEqual([...shares].sort((a, b) => b - a));
    expect(shares.every((share) => share > 0.1)).toBe(true);
  });

  it.each([
    ['zzz 2026-01-02', 'episodic'],
    ['zzz 10:30', 'episodic'],
    ['zzz 3rd of Jan', 'episodic'],
    ['zzz `qqq`', 'procedural'],
    ['$ zzz', 'procedural'],
    ['zzz --qqq', 'procedural'],
    ['zzz stands for qqq', 'semantic'],
    ['PREHEATING', 'procedural'],
  ])('%j alone is a sign of %s', (text, sector) => {
    const found = classify(text);
    expect(found).toMatchObject({ sector, secondary: [], isGuess: false });
    expect(found.confidence[found.sector]).toBe(1);
  });

  it('names another sector with its share', () => {
    const { confidence, secondary } = classify('happened; preheat');
    expect(Object.values(confidence).filter((share) => share > 0)).toHaveLength(2);
    expect(secondary).toEqual([[secondary[0]![0], confidence[secondary[0]![0]]]]);
  });

  it('reads the first 20 000 characters', () => {
    expect(classify(`${'z '.repeat(9_990)} happened`).sector).toBe('episodic');
    expect(classify(`${'z '.repeat(10_000)} happened`).isGuess).toBe(true);
  });

  it('counts a phrase once where it overlaps with itself, and each time it is said', () => {
    const [once, twice] = ['is a zzz happened', 'is a zzz is a zzz happened'].map((text) => classify(text).confidence);
    expect(twice!.semantic / twice!.episodic).toBeCloseTo((2 * once!.semantic) / once!.episodic);
  });

  it('reads names in any case', () => {
    expect(sectorNamed(' Episodic ')).toBe('episodic');
    expect(sectorNamed('nothing')).toBeUndefined();
  });

  it('survives empty, odd and huge texts', () => {
    for (const text of ['', '😀😀', 'a'.repeat(1_000_000), '\n\n\t', 'Ünïcödé — ничего — 何も']) {
      expect(SECTORS).toContain(classify(text).sector);
    }
  });
});
