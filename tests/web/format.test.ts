/** Times and languages in words; the beginning of a long text. */
import { afterEach, expect, it, vi } from 'vitest';
import { ago, duration, language, percent, when } from '../../web/format.ts';
import { beginning } from '../../web/lib/beginning.ts';

afterEach(() => vi.unstubAllEnvs());

it.each([
  ['2026-03-27T23:00', '2026-03-29T13:30', '2 days ago'],
  ['2026-03-28T13:00', '2026-03-29T14:30', 'yesterday'],
  ['2026-03-28T14:00', '2026-03-29T13:30', '22 hr. ago'],
  ['2026-03-31T01:00', '2026-03-29T13:30', 'in 2 days'],
  ['2026-01-29T13:30', '2026-03-29T13:30', '59 days ago'],
  ['2026-01-27T13:30', '2026-03-29T13:30', '2 mo. ago'],
  ['2024-06-01T12:00', '2026-03-29T13:30', '21 mo. ago'],
  ['2024-03-28T12:00', '2026-03-29T13:30', '2 yr. ago'],
  ['2029-06-28T12:00', '2026-03-29T13:30', 'in 3 yr.'],
])('%s, seen at %s in Berlin, where the clocks were changed, is %s', (then, present, words) => {
  vi.stubEnv('TZ', 'Europe/Berlin');
  expect(ago(new Date(then).getTime(), new Date(present).getTime())).toBe(words);
});

it.each([
  ['2026-03-29T09:05', '2026-03-29T13:30', '9:05 AM'],
  ['2026-03-28T21:40', '2026-03-29T13:30', 'Mar 28, 9:40 PM'],
  ['2025-12-31T23:59', '2026-01-01T00:01', 'Dec 31, 2025, 11:59 PM'],
])('%s is told at %s as %s: always with the time of day', (then, present, words) => {
  const told = when(new Date(then).getTime(), new Date(present).getTime());
  expect(told.replaceAll('\u202f', ' ')).toBe(words);
});

it.each([
  [0, '0%'],
  [0.001, '1%'],
  [0.5, '50%'],
  [0.999, '99%'],
  [1, '100%'],
  [1.5, '150%'],
])('shows the share %s as %s: only what is whole looks whole', (share, words) => {
  expect(percent(share)).toBe(words);
});

it.each([
  [-5, '0ms'],
  [999.4, '999ms'],
  [999.7, '1s'],
  [9_960, '10s'],
  [59_400, '59s'],
  [59_700, '1m'],
  [90_400, '1m 30s'],
  [3_599_700, '1h'],
  [86_399_700, '1d'],
])('%s ms is %s: never 60 seconds, 60 minutes or 24 hours', (ms, words) => {
  expect(duration(ms)).toBe(words);
});

it('shows a text that is too long up to the end of a line, so that no number or address in it is cut', () => {
  const text = 'one\ntwo https://example.com/17\nthree\n';
  expect(beginning(text, text.length)).toBe(text);
  expect(beginning(text, 25)).toBe('one\n');
  expect(beginning(text, 31)).toBe('one\ntwo https://example.com/17\n');
  expect(beginning('one line', 3)).toBe('one');
});

it.each([
  ['de', 'German (de)'],
  ['pt-BR', 'Brazilian Portuguese (pt-BR)'],
  ['qya', 'qya'],
  ['no code', 'no code'],
])('shows the language %s as %s', (code, words) => {
  expect(language(code)).toBe(words);
});
