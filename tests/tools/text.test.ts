/** Cutting text to a number of bytes splits no character, counts the missing bytes, and removes control sequences. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scrubbedEnvironment } from '../../src/integrations/tools/process.ts';
import { clipEnd, clipMiddle, HeadAndTail, harmless, visibleControls } from '../../src/integrations/tools/text.ts';

const anyText = fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀', '\n'), maxLength: 400 });

describe('cutting', () => {
  test('property: an end cut is a beginning of the text, whole characters, as long as can be', () => {
    fc.assert(
      fc.property(anyText, fc.nat(300), (text, bytesMax) => {
        const cut = clipEnd(text, bytesMax);
        expect(text.startsWith(cut)).toBe(true);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(bytesMax);
        const next = [...text.slice(cut.length)][0];
        if (next !== undefined) expect(Buffer.byteLength(cut + next)).toBeGreaterThan(bytesMax);
      }),
    );
  });

  test('property: a stream keeps both ends, whatever the chunks, and its note counts every byte left out', () => {
    const chunkSizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(anyText, chunkSizes, fc.integer({ min: 100, max: 300 }), (text, sizes, bytesMax) => {
        const bytes = Buffer.from(text);
        const stream = new HeadAndTail(bytesMax);
        for (let at = 0, index = 0; at < bytes.length; index++) {
          const size = sizes[index % sizes.length] as number;
          stream.push(bytes.subarray(at, at + size));
          at += size;
        }
        const shown = clipMiddle(stream.captured(), bytesMax);
        expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(bytesMax);
        expect(shown).not.toContain('\ufffd');
        if (bytes.length <= bytesMax) {
          expect(shown).toBe(text);
          return;
        }
        const note = /\n\[… (\d+) bytes left out …\]\n/.exec(shown);
        const head = shown.slice(0, note?.index);
        const tail = shown.slice((note?.index ?? 0) + (note?.[0].length ?? 0));
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        expect(Buffer.byteLength(head) + Buffer.byteLength(tail) + Number(note?.[1])).toBe(bytes.length);
      }),
    );
  });

  test('memory of a stream stays bounded while it counts what it saw', () => {
    const stream = new HeadAndTail(1_000);
    for (let i = 0; i < 5_000; i++) stream.push(Buffer.alloc(1_000, 'x'));
    const { head, tail, droppedBytes } = stream.captured();
    expect([head.length, tail.length, droppedBytes]).toEqual([1_000, 1_000, 4_998_000]);
  });
});

describe('control characters', () => {
  test.each([
    ['\x1b[31mred\x1b[0m', 'red'],
    ['\x1b]0;title\x07text', 'text'],
    ['\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\', 'link'],
    ['\x1b(B\x1b=\x1b7plain', 'plain'],
    ['a\r\nb\r\r\nc', 'a\nb\nc'],
    ['10%\r20%', '10%\\x0d20%'],
    ['bell\x07 del\x7f c1\x9b', 'bell\\x07 del\\x7f c1\\x9b'],
    ['lone \x1b', 'lone \\x1b'],
    ['tab\tline\n', 'tab\tline\n'],
  ])('%j becomes %j', (text, expected) => {
    expect(harmless(text)).toBe(expected);
  });

  test('property: nothing that acts on a terminal is left', () => {
    const text = fc.string({
      unit: fc.constantFrom('\x1b', '[', ']', '0', ';', 'm', '\x07', '\\', '\r', '\x9b', 'P', '\n'),
    });
    fc.assert(
      fc.property(text, (value) => {
        for (const shown of [harmless(value), visibleControls(value)]) expect(shown).not.toMatch(/[^\P{Cc}\t\n]/u);
      }),
      { numRuns: 1_000 },
    );
  });
});

test('the environment of a process is an allow-list: no key, no token, nothing of Daybook', () => {
  const secret = 'do-not-leak';
  const names = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GITHUB_TOKEN', 'AWS_SECRET_ACCESS_KEY', 'DAYBOOK_HOME'];
  const more = [
    'DAYBOOK_WEBHOOK_SECRET',
    'SSH_AUTH_SOCK',
    'LD_PRELOAD',
    'NODE_OPTIONS',
    'BASH_ENV',
    'GIT_DIR',
    'ANYTHING',
  ];
  const env = Object.fromEntries([...names, ...more].map((name) => [name, secret]));
  const proxies = { HTTPS_PROXY: 'http://me:pass@proxy', http_proxy: 'http://proxy:3128' };
  const scrubbed = scrubbedEnvironment({ ...env, ...proxies, HOME: '/h', LC_TIME: 'C', PATH: undefined });
  expect(JSON.stringify(scrubbed)).not.toMatch(/do-not-leak|pass@/);
  expect(scrubbed).toMatchObject({
    HOME: '/h',
    LC_TIME: 'C',
    http_proxy: 'http://proxy:3128',
    PATH: expect.any(String),
  });
});
