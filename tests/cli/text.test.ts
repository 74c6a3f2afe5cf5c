/** Text for terminals: without control sequences, cut to width, aligned. */
import { Writable } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import { createTerminalOutput } from '../../src/cli/terminal-output.ts';
import { duration, oneLine, printable, table } from '../../src/cli/text.ts';
import { displayWidth } from '../../src/lib/display-width.ts';

test.each([
  ['plain\ttext\n', 'plain\ttext\n'],
  ['\u001b[31mred\u001b[0m', 'red'],
  ['\u001b]0;title\u0007x', 'x'],
  ['bell\u0007 back\u0008 c1\u009b31m', 'bell back c1'],
  ['right\u202eto left', 'rightto left'],
  ['windows\r\nline', 'windows\nline'],
  ['over\rwrite', 'overwrite'],
])('printable %j', (given, shown) => {
  expect(printable(given)).toBe(shown);
});

test('one line is cut between characters', () => {
  expect(oneLine(' a\n b\tc ', 10)).toBe('a b c');
  expect(oneLine('🎈🎈🎈🎈', 5)).toBe('🎈🎈…');
  expect(oneLine('🎈🎈🎈🎈', 8)).toBe('🎈🎈🎈🎈');
  expect(oneLine('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 3)).toBe('👩‍👩‍👧‍👦…');
});

test('a table is aligned, and its last column fits the width', () => {
  const rows = [
    ['ID', 'TASK'],
    ['1', 'short'],
    ['1234', 'a task that is far too long'],
  ];
  expect(table(rows, { columns: 20 })).toBe('ID    TASK\n1     short\n1234  a task that i…\n');
});

test('a table with ideographs, kana, hangul, emoji and marks is aligned', () => {
  const rows = [
    ['NAME', 'TASK'],
    ['東京', 'Tokyo'],
    ['café', 'coffee'],
    ['e\u0301te\u0301', 'summer'],
    ['👍🏽', 'good'],
    ['한국', '이 작업은 너무 길다'],
  ];
  expect(table(rows, { columns: 18 })).toBe(
    'NAME  TASK\n東京  Tokyo\ncafé  coffee\ne\u0301te\u0301   summer\n👍🏽    good\n한국  이 작업은 …\n',
  );
});

test.each([
  ['', 0],
  ['plain', 5],
  ['東京タワー', 10],
  ['ｶﾅ', 2],
  ['ＡＢ', 4],
  ['한글', 4],
  ['🇩🇪🇫🇷', 4],
  ['❤️', 2],
  ['❤', 1],
  ['e\u0301', 1],
  ['שלום', 4],
  ['─│✓', 3],
])('%j is %i columns wide', (text, columns) => {
  expect(displayWidth(text)).toBe(columns);
});

test.each([
  [0, '0.0 s'],
  [9_940, '9.9 s'],
  [10_000, '10 s'],
  [600_000, '10 min'],
  [7_200_000, '2 h'],
  [200_000_000, '2 d'],
])('%i ms are %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

describe('the screen', () => {
  /** What a stream was sent. */
  function stream(isTTY: boolean) {
    const pieces: string[] = [];
    const sink = new Writable({ write: (_piece, _encoding, done) => done() });
    const out = Object.assign(sink, { isTTY, columns: 80, hasColors: () => false, getColorDepth: () => 1 });
    out.write = (piece: string) => pieces.push(piece) > 0;
    return { out, written: () => pieces.join('') };
  }

  test('without a terminal: text, whole lines between it, no escape sequence', () => {
    const { out, written } = stream(false);
    const screen = createTerminalOutput(out);
    screen.status('thinking');
    screen.text('Half a ');
    screen.text('line');
    screen.line('a step', 'cyan');
    screen.text('More.\n');
    screen.close();
    expect(written()).toBe('Half a line\na step\nMore.\n');
  });

  test('on a terminal the status line is wiped before anything else and at the end', () => {
    const { out, written } = stream(true);
    const screen = createTerminalOutput(out);
    screen.status('thinking');
    screen.text('Hello\n');
    screen.status('working');
    screen.close();
    const [, first, hello, last, rest] = written().split('\r\u001b[2K');
    expect([first, hello, last, rest]).toEqual(['⠙ thinking · 0 s', 'Hello\n', '⠹ working · 0 s', '']);
  });

  test('a line that is being written is not torn apart; one that stopped is left alone', () => {
    vi.useFakeTimers();
    const { out, written } = stream(true);
    const screen = createTerminalOutput(out);
    screen.text('Half a');
    screen.status('working');
    vi.advanceTimersByTime(1_500);
    screen.text(' line');
    vi.advanceTimersByTime(1_500);
    expect(written()).toBe('Half a line');
    vi.advanceTimersByTime(1_000);
    expect(written()).toMatch(/^Half a line\n\r.*working/);
    screen.close();
    vi.useRealTimers();
  });
});
