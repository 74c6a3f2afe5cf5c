/** Text for terminals: without control sequences, cut to width, aligned. */
import { Writable } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import { envelopeLine } from '../../src/cli/log/read.ts';
import { printFacts } from '../../src/cli/storage/reporting.ts';
import { createTerminalOutput } from '../../src/cli/terminal-output.ts';
import { counted, duration, limitNote, oneLine, paragraph, printable, printJson, table } from '../../src/cli/text.ts';
import { zEnvelope } from '../../src/events/envelope.ts';
import { displayWidth } from '../../src/lib/display-width.ts';
import { asTerminal } from './as-terminal.ts';

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

// The owner of a deliverable coloured the terminal, and a line break in it broke the table.
test('no cell of a table has control characters or line breaks', () => {
  const rows = [
    ['OWNER', 'STATUS', 'TITLE'],
    ['\u001b[31mAda\r\nof\tAcme', { text: 'do\u0008ne', style: 'green' } as const, 'x\u001b]0;y\u0007'],
  ];
  expect(table(rows)).toBe('OWNER        STATUS  TITLE\nAda of Acme  done    x\n');
});

test('the widest column is cut, too, when the last one alone leaves no room', () => {
  const rows = [
    ['ROOM', 'STATE', 'PEERS'],
    ['r'.repeat(100), 'open', 'Ada, Ben, Cleo'],
    ['standup', 'closed', ''],
  ];
  expect(table(rows, { columns: 40 })).toBe(
    `ROOM                  STATE   PEERS
${'r'.repeat(19)}…  open    Ada, Ben,…
standup               closed
`,
  );
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

test('a count has its noun', () => {
  expect([0, 1, 2].map((count) => counted(count, 'fact'))).toEqual(['0 facts', '1 fact', '2 facts']);
  expect([1, 2].map((count) => counted(count, 'memory', 'memories'))).toEqual(['1 memory', '2 memories']);
});

describe('on a terminal', () => {
  const terminal = (columns: number): void => asTerminal(process.stdout, { columns });

  // 80 columns were too few for the position, time, stream and type alone, and every line was broken.
  test.each([
    [70, '    12  11-28 12:43:52Z  engagement-4d9bb7c4… @3   DeliverableStatusC…'],
    [80, '    12  2026-11-28 12:43:52Z  engagement-4d9bb7c4… @3   DeliverableStatusChanged'],
    // A terminal that does not know its size had 40 columns.
    [0, '    12  2026-11-28 12:43:52Z  engagement-4d9bb7c4… @3   DeliverableStatusChanged'],
    [90, '    12  2026-11-28 12:43:52Z  engagement-4d9bb7c4… @3   DeliverableStatusChanged  {"note"…'],
    [
      110,
      '    12  2026-11-28 12:43:52.471Z  engagement-4d9bb7c4… @3   DeliverableStatusChanged  {"note":"日本語の目標を…',
    ],
  ])('of %d columns an event is one line', (columns, line) => {
    terminal(columns);
    const envelope = zEnvelope.parse({
      ...{ position: 12, stream: 'engagement-4d9bb7c4-aaaa', version: 3, type: 'DeliverableStatusChanged', id: 'e' },
      ...{ schema: 1, at: Date.parse('2026-11-28T12:43:52.471Z'), actor: 'owner', correlation: null, causation: null },
      ...{ data: { note: '日本語の目標を達成するための' }, leaf_hash: '0'.repeat(64) },
    });
    expect(envelopeLine(envelope, false)).toBe(`${line}\n`);
    expect(displayWidth(line)).toBeLessThanOrEqual(columns || 80);
  });

  test('a paragraph is wrapped with its indent, and an empty one is an empty line', () => {
    expect(paragraph('one two three', 2)).toBe('one two three\n');
    terminal(40);
    const text = 'words '.repeat(10).trim();
    expect(`- ${paragraph(text, 2)}${paragraph('')}`).toBe(
      `- ${'words '.repeat(6).trim()}\n  ${'words '.repeat(4).trim()}\n\n`,
    );
    expect(paragraph('', 12)).toBe('\n');
  });

  test('results of storage commands are whole: their hashes and paths are copied', async () => {
    terminal(80);
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const folder = `/mnt/${'backup/'.repeat(15)}today`;
    await printFacts({ position: 7, folder });
    expect(write.mock.calls).toEqual([[`position  7\nfolder    ${folder}\n`]]);
    write.mockRestore();
  });

  test('JSON has no control characters', async () => {
    const value = { text: 'a\u001b\u009b\u007f\u202eb\n' };
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    await printJson(value);
    terminal(80);
    await printJson(value);
    const [plain, shown] = write.mock.calls.map(([text]) => String(text));
    write.mockRestore();
    expect(plain).toBe(`${JSON.stringify(value)}\n`);
    expect(shown).toBe('{"text":"a\\u001b\\u009b\\u007f\\u202eb\\n"}\n');
    expect(JSON.parse(shown!)).toEqual(value);
  });

  test('a list that has as many rows as its limit says how to see more', () => {
    const limit = { limit: 20, more: '--limit 0 lists all' };
    expect(limitNote(20, limit)).toBe('');
    terminal(80);
    expect(limitNote(19, limit)).toBe('');
    expect(limitNote(20, limit)).toContain('At most 20 are listed; --limit 0 lists all.');
  });
});

describe('the screen', () => {
  /** What a stream was sent. */
  function stream(isTTY: boolean) {
    vi.stubEnv('TERM', 'xterm');
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
