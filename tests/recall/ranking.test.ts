/** The rules of ranking, one at a time. */
import { describe, expect, it } from 'vitest';
import { daybook, measure, plain } from '../../bench/recall/measure.ts';
import { sampleSet } from '../../bench/recall/sample.ts';
import { indexText, searchTexts } from '../../src/projections/recall/recall.ts';
import { SETTINGS } from '../../src/projections/recall/settings.ts';
import { ask, emptyStore, given, item } from './support.ts';

describe('a question finds', () => {
  it('the text with its rarest words first', () => {
    const views = given(
      'the server was restarted',
      'the kitten sleeps on the server',
      'the server and the kitten play',
    );
    expect(ask(views, 'kitten and server').slice(0, 2).sort()).toEqual(['1', '2']);
  });

  it('other forms of its words', () => {
    expect(ask(given('We hiked for hours', 'Bread needs flour'), 'When did they go hiking?')[0]).toBe('0');
  });

  it('examples of what it names', () => {
    const views = given('Our terrier ate the sofa', 'The invoice is overdue', 'I learned the cello last year');
    expect(ask(views, 'Which pets are there?')[0]).toBe('0');
    expect(ask(views, 'What instruments are played?')[0]).toBe('2');
  });

  it('what the named one says before what others say', () => {
    const views = given('Ada: I started swimming', 'Ben: I started swimming', 'Ada: nice weather');
    expect(ask(views, 'What did Ben start?')[0]).toBe('1');
    expect(ask(views, 'What did Ada start?')[0]).toBe('0');
  });

  it('what the user said when asked about "my"', () => {
    const views = given('assistant: your deadline plan is fine', 'user: the deadline is on Friday', 'user: thanks');
    expect(ask(views, 'When is my deadline?')[0]).toBe('1');
  });

  it('what the assistant said when asked about "your", not when asked politely', () => {
    const views = given('user: a hotel in the old town', 'assistant: a hotel by the river', 'user: thanks');
    expect(ask(views, 'Which hotel was on your list?')[0]).toBe('1');
    expect(ask(views, 'Could you say which hotel was on my list?')[0]).toBe('0');
  });

  it('an answer next to what it answers', () => {
    const views = emptyStore();
    const lines = ['Ada: nice day', 'Ben: What did you paint on Sunday?', 'Ada: A red barn', 'Ben: lovely', 'Ada: bye'];
    for (const [at, text] of lines.entries()) indexText(views, item(`${at}`, text, { source: 'talk' }));
    indexText(views, item('5', 'Ada: A red bus', { source: 'other' }));
    const order = ask(views, 'What did Ada paint?');
    expect(order.indexOf('2')).toBeLessThan(order.indexOf('5') < 0 ? 99 : order.indexOf('5'));
  });

  it('words with slips of the pen, by their parts', () => {
    const views = given('The botanical garden opens at nine', 'Rent is due on the first', 'A plum cake for the fair');
    expect(ask(views, 'botnical gardn')[0]).toBe('0');
  });

  it('texts in other scripts', () => {
    const views = given('東京タワーに行きました', 'Мы были в Вене', 'Sprint review on Friday');
    expect(ask(views, '東京に行った')[0]).toBe('0');
    expect(ask(views, 'Вене')[0]).toBe('1');
  });
});

describe('what is like the best ones', () => {
  const views = given(
    'quartz invoice ledger stamp',
    'quartz kiln glaze stoneware',
    'zebra quartz kiln glaze stoneware',
    'zebra quartz kiln glaze earthenware',
    'a plum cake for the fair',
  );

  it.each([
    [SETTINGS.feedback, ['1', '0']],
    [0, ['0', '1']],
  ])('comes before what has the same words of the question, at weight %d', (feedback, order) => {
    const settings = { ...SETTINGS, feedback };
    const hits = searchTexts(views, { text: 'zebra quartz', kind: 'memory', k: 9, settings });
    expect(hits.map(({ key }) => key).filter((key) => order.includes(key))).toEqual(order);
  });
});

describe('scores', () => {
  it('are 1 for the text itself, fall, and stay between 0 and 1', () => {
    const views = given('The rent is 740 and the flat is damp', 'The new flat is dry', 'Nothing of the kind');
    const hits = searchTexts(views, { text: 'The rent is 740 and the flat is damp', kind: 'memory', k: 9 });
    expect(hits[0]).toMatchObject({ key: '0', similarity: 1, lexical: 1 });
    expect(hits[0]!.vector).toBeCloseTo(1, 5);
    for (const [at, hit] of hits.entries()) {
      expect(hit.similarity).toBeLessThanOrEqual(at === 0 ? 1 : hits[at - 1]!.similarity);
      for (const value of [hit.similarity, hit.lexical, hit.vector]) expect(value >= 0 && value <= 1).toBe(true);
    }
  });

  it('are low when the best is not much like the question', () => {
    const views = given('The rent is 740', 'A plum cake');
    const [best] = searchTexts(views, {
      text: 'quantum rent chromodynamics of gluon jets',
      kind: 'memory',
      k: 1,
    });
    expect(best!.similarity).toBeLessThan(0.6);
  });
});

describe('recall of evidence', () => {
  it('of the made-up set is clearly above BM25 where a question needs more than one message', async () => {
    const level = 'messages';
    const floor = (await measure(sampleSet(), level, plain)).get('multi-hop')!;
    const own = (await measure(sampleSet(), level, daybook(level))).get('multi-hop')!;
    expect(own.questions).toBe(32);
    expect(own.all[1]! - floor.all[1]!).toBeGreaterThanOrEqual(8);
  });
});
