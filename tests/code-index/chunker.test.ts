/** Chunks: no text is lost or repeated, none is too large, and they begin at definitions, headings and blank lines. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Chunk, chunksOf } from '../../src/integrations/chunker/chunker.ts';
import { type Grammar, languageOf } from '../../src/integrations/chunker/languages.ts';
import { CHUNK_CHARACTERS_MAX, createLineStarts, lineStart } from '../../src/integrations/chunker/pieces.ts';
import { byDepth } from '../support/depth.ts';

const RUNS = byDepth({ sample: 15, dense: 60, long: 2_000 });

/** A function of a size that fills a chunk of its own, in each language. */
const PROGRAMS: Readonly<Record<Grammar, { readonly path: string; readonly program: (name: string) => string }>> = {
  bash: {
    path: 'a.sh',
    program: (name) => `# About ${name}.\n${name}() {\n${'  echo "some line of it"\n'.repeat(30)}}\n`,
  },
  'c-sharp': {
    path: 'a.cs',
    program: (name) =>
      `public class Of${name} {\n  /// About.\n  public int ${name}() {\n${'    Call(1, 2, 3);\n'.repeat(40)}    return 1;\n  }\n}\n`,
  },
  cpp: {
    path: 'a.cpp',
    program: (name) => `// About.\nint ${name}(int a) {\n${'  call(a, 1, 2);\n'.repeat(45)}  return a;\n}\n`,
  },
  css: { path: 'a.css', program: (name) => `.${name} {\n${'  --some-custom-property: 1px;\n'.repeat(28)}}\n` },
  go: {
    path: 'a.go',
    program: (name) =>
      `// ${name} does it.\nfunc ${name}(a int) int {\n${'\tcall(a, 1, 2)\n'.repeat(55)}\treturn a\n}\n`,
  },
  java: {
    path: 'A.java',
    program: (name) =>
      `class Of${name} {\n  /** About. */\n  int ${name}() {\n${'    call(1, 2, 3);\n'.repeat(45)}    return 1;\n  }\n}\n`,
  },
  javascript: {
    path: 'a.js',
    program: (name) => `/** About. */\nfunction ${name}(a) {\n${'  call(a, 1, 2);\n'.repeat(50)}}\n`,
  },
  php: { path: 'a.php', program: (name) => `<?php\nfunction ${name}($a) {\n${'  call($a, 1, 2);\n'.repeat(48)}}\n` },
  powershell: {
    path: 'a.ps1',
    program: (name) => `function ${name} {\n${'  Write-Output "some line"\n'.repeat(32)}}\n`,
  },
  python: {
    path: 'a.py',
    program: (name) => `def ${name}(a):\n    """About."""\n${'    call(a, 1, 2)\n'.repeat(45)}\n`,
  },
  ruby: { path: 'a.rb', program: (name) => `# About.\ndef ${name}(a)\n${'  call(a, 1, 2)\n'.repeat(50)}end\n` },
  rust: {
    path: 'a.rs',
    program: (name) => `/// About.\nfn ${name}(a: u32) -> u32 {\n${'    call(a, 1, 2);\n'.repeat(45)}    a\n}\n`,
  },
  tsx: {
    path: 'a.tsx',
    program: (name) =>
      `export function ${name}(a: Props): Element {\n${'  call(a, 1, 2);\n'.repeat(50)}  return <a href="x">y</a>;\n}\n`,
  },
  typescript: {
    path: 'a.ts',
    program: (name) =>
      `/** About. */\nexport function ${name}(a: number): void {\n${'  call(a, 1, 2);\n'.repeat(50)}}\n`,
  },
};

const joined = (chunks: readonly Chunk[]): string => chunks.map(({ text }) => text).join('');

function checkLines(text: string, chunks: readonly Chunk[]): void {
  const lines = text.split('\n');
  for (const chunk of chunks) {
    const covered = `${lines.slice(chunk.startLine - 1, chunk.endLine).join('\n')}\n`;
    expect(covered).toContain(chunk.text.replace(/\n$/, ''));
  }
}

describe.each(Object.entries(PROGRAMS))('%s', (_, { path, program }) => {
  it('is cut between its functions, each with its comment and its name', async () => {
    const names = ['alpha', 'beta', 'gamma'];
    const text = names.map(program).join('\n');
    const chunks = await chunksOf(text, languageOf(path));
    expect(joined(chunks)).toBe(text);
    checkLines(text, chunks);
    for (const name of names) {
      const own = chunks.filter((chunk) => chunk.text.includes(name));
      expect(own).toHaveLength(1);
      if (path !== 'a.css') expect(own[0]!.symbol).toMatch(new RegExp(`(^|\\.|Of)${name}$`));
      expect(names.filter((other) => own[0]!.text.includes(other))).toEqual([name]);
    }
  });

  it('of half a program still loses nothing', async () => {
    const text = program('alpha').slice(0, 333) + program('beta');
    expect(joined(await chunksOf(text, languageOf(path)))).toBe(text);
  });
});

describe('any text', () => {
  const line = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 120 }),
    fc.constantFrom(
      '',
      '# Heading',
      'function f() {',
      '}',
      '  x'.repeat(900),
      '😀'.repeat(1_700),
      'class A { m() {} }',
    ),
  );
  const text = fc
    .array(line, { maxLength: 60 })
    .chain((lines) => fc.constantFrom('\n', '\r\n').map((end) => lines.join(end)));

  it.each(['a.ts', 'a.py', 'a.md', 'a.unknown', 'a.rb'])('as %s comes back whole from its chunks', async (path) => {
    await fc.assert(
      fc.asyncProperty(text, async (given) => {
        const chunks = await chunksOf(given, languageOf(path));
        expect(joined(chunks)).toBe(given);
        for (const chunk of chunks) {
          expect(chunk.text.length).toBeLessThanOrEqual(CHUNK_CHARACTERS_MAX);
          expect(chunk.text.isWellFormed()).toBe(true);
          expect(chunk.startLine).toBeLessThanOrEqual(chunk.endLine);
        }
        checkLines(given, chunks);
      }),
      { numRuns: RUNS },
    );
  });
});

describe('edges', () => {
  it.each([
    ['nothing', '', []],
    ['one line', 'a', [[1, 1]]],
    ['a line and its end', 'a\n', [[1, 1]]],
    ['only ends', '\n\n', [[1, 2]]],
  ])('%s', async (_, text, lines) => {
    const chunks = await chunksOf(text, languageOf('a.ts'));
    expect(chunks.map(({ startLine, endLine }) => [startLine, endLine])).toEqual(lines);
  });

  it('a member is named with its class', async () => {
    const body = '    this.call(1, 2, 3);\n'.repeat(40);
    const text = `export class Store {\n  open() {\n${body}  }\n\n  close() {\n${body}  }\n}\n`;
    const symbols = (await chunksOf(text, languageOf('a.ts'))).map(({ symbol }) => symbol);
    expect(symbols).toEqual(expect.arrayContaining(['Store.open', 'Store.close']));
  });

  it('the starts of lines are found for offsets in their order', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n'), maxLength: 40 });
    fc.assert(
      fc.property(text, fc.array(fc.nat(40)), (given, anyOffsets) => {
        const offsets = anyOffsets.filter((offset) => offset <= given.length).toSorted((one, other) => one - other);
        const startOfLine = createLineStarts(given);
        expect(offsets.map(startOfLine)).toEqual(offsets.map((offset) => lineStart(given, offset)));
      }),
    );
  });

  it('markdown is cut before its headings', async () => {
    const text = Array.from({ length: 6 }, (_, at) => `## Part ${at}\n\n${'Words of it. '.repeat(60)}\n`).join('');
    const chunks = await chunksOf(text, languageOf('a.md'));
    expect(joined(chunks)).toBe(text);
    for (const { text: chunk } of chunks) expect(chunk.startsWith('## Part')).toBe(true);
  });

  it('deep nesting does not end the stack', async () => {
    const text = `x = ${'['.repeat(5_000)}${'1,\n'.repeat(600)}${']'.repeat(5_000)}\n`;
    expect(joined(await chunksOf(text, languageOf('a.js')))).toBe(text);
  });

  it('its own sources keep their lines', async () => {
    for (const path of ['src/daemon.ts', 'src/integrations/chunker/chunker.ts', 'docs/architecture.md']) {
      const text = readFileSync(path, 'utf8');
      const chunks = await chunksOf(text, languageOf(path));
      expect(joined(chunks)).toBe(text);
      checkLines(text, chunks);
    }
  });
});
