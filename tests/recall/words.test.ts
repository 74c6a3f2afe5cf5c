/** Words: tokens, stems, stop words and concepts. */
import { describe, expect, it } from 'vitest';
import { stem, words } from '../../src/projections/recall/words.ts';

const stemsOf = (text: string): readonly string[] => words(text).map((word) => word.stem);

describe('stems', () => {
  it.each([
    [['hike', 'hikes', 'hiked', 'hiking']],
    [['run', 'runs', 'running']],
    [['activity', 'activities']],
    [['class', 'classes']],
    [['donate', 'donated', 'donating', 'donation']],
    [['move', 'moved', 'moves', 'moving']],
    [['party', 'parties']],
    [['say', 'says']],
    [['fly', 'flies']],
    [['paint', 'painted', 'painting', 'paintings']],
    [['plan', 'planned', 'planning', 'plans']],
  ])('%j meet', (forms) => {
    expect(new Set(forms.map(stem)).size).toBe(1);
  });

  it.each([
    ['care', 'car'],
    ['this', 'thi'],
    ['bus', 'bu'],
    ['v2', 'v3'],
    ['hoping', 'hopping'],
  ])('%s and %s stay apart', (one, other) => {
    expect(stem(one)).not.toBe(stem(other));
  });
});

describe('words', () => {
  it('are runs of letters and digits in lower case, without accents, in any normal form', () => {
    expect(stemsOf('Café-Olé: 42 ÉCOLES!')).toEqual(['cafe', 'ole', '42', 'ecol']);
    expect(stemsOf('Cafe\u0301')).toEqual(stemsOf('Caf\u00e9'));
    expect(stemsOf('flask_login.py')).toEqual(['flask', 'login', 'py']);
  });

  it('of scripts without spaces are pairs of characters', () => {
    expect(stemsOf('東京都 に')).toEqual(['東京', '京都', 'に']);
  });

  it('survive what is no text', () => {
    for (const text of ['', ' \n\t', '\ud800', '\u0000', '🎉🎉', '…—!']) expect(stemsOf(text)).toEqual([]);
    expect(stemsOf('a'.repeat(100_000))[0]).toHaveLength(40);
  });

  it('know what says nothing', () => {
    const telling = words('What did she say about the kittens?').filter((word) => !word.stop);
    expect(telling.map((word) => word.stem)).toEqual(['say', 'kitten']);
  });

  it('know what is a kind of what', () => {
    const [pet] = words('pets');
    for (const text of ['kitten', 'puppies', 'hamster', 'terrier']) {
      expect(words(text)[0]!.kinds).toEqual(expect.arrayContaining(pet!.names.slice(0, 1)));
    }
    expect(words('invoice')[0]!.kinds).not.toEqual(expect.arrayContaining(pet!.names.slice(0, 1)));
  });
});
