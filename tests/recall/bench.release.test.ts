/** The benchmark as a program: without a file, with a file, and with one it cannot read. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { measureHttp } from '../../bench/memory/http.ts';
import { temporaryFolder } from '../support/folders.ts';

const BENCH = join(import.meta.dirname, '../../bench/recall.ts');
const run = promisify(execFile);
let home: string;
beforeAll(() => {
  home = temporaryFolder('bench-recall');
});

const bench = (...args: readonly string[]) => run(process.execPath, [BENCH, ...args]);

describe('bench:recall', () => {
  it('measures the made-up sample without a file', async () => {
    const { stdout } = await bench('--level', 'messages', '--limit', '1');
    expect(stdout).toContain('the made-up sample, 1 conversations');
    expect(stdout).toMatch(/\| multi-hop \| 8 \| \d+\.\d → \d+\.\d \|/);
  });

  it('measures a file and answers in JSON', async () => {
    const path = join(home, 'set.json');
    const session_1 = [
      { speaker: 'Ada', dia_id: 'D1:1', text: 'The kitten sleeps' },
      { speaker: 'Ben', dia_id: 'D1:2', text: 'The rent is due' },
    ];
    const qa = [{ question: 'What does the kitten do?', evidence: ['D1:1'], category: 4 }];
    writeFileSync(path, JSON.stringify([{ sample_id: 'x', conversation: { session_1 }, qa }]));
    const { stdout } = await bench(path, '--json', '--level', 'messages');
    expect(JSON.parse(stdout)).toMatchObject({
      format: 'LoCoMo',
      conversations: 1,
      levels: [
        {
          level: 'messages',
          categories: [
            { category: 'single-hop', questions: 1, ours: { all: { 5: 1, 10: 1, 20: 1 }, any: { 5: 1 } } },
            { category: 'all questions', questions: 1, bm25: { all: { 5: 1 } } },
          ],
        },
      ],
    });
  });

  it.each([
    [['--level', 'pages'], '--level is one or more of sessions, messages, drawers, not pages'],
    [['--half', 'third'], '--half is first or second, not third'],
  ])('refuses %j', async (args, message) => {
    await expect(bench(...args)).rejects.toThrow(message);
  });

  it('refuses a file of another kind', async () => {
    const path = join(home, 'other.json');
    writeFileSync(path, '{"a": 1}');
    await expect(bench(path)).rejects.toThrow('none of the formats LoCoMo, LongMemEval and BEAM');
  });
});

describe('bench:memory', () => {
  const child = (...args: readonly string[]) =>
    run(process.execPath, [join(import.meta.dirname, '../../bench/memory/child.ts'), ...args]);

  it.each(['recall', 'fts5', 'flat'])('fills and asks %s', async (name) => {
    const sizes = [join(home, `${name}.db`), '300', '60', '5'];
    const filled = name === 'flat' ? null : await child(name, 'fill', ...sizes);
    if (filled !== null) expect(JSON.parse(filled.stdout).drawersPerSecond).toBeGreaterThan(0);
    const asked = JSON.parse((await child(name, 'ask', ...sizes)).stdout) as Record<string, number>;
    expect(asked.drawerP95Ms).toBeGreaterThan(0);
    expect(asked.memoryP95Ms).toBeGreaterThan(0);
  });

  it('asks a daemon over HTTP, and again after a restart', async () => {
    const figures = await measureHttp({ drawers: 100, notes: 20, memories: 30 });
    expect(figures.pages.drawersPerSecond).toBeGreaterThan(figures.pages.textsPerSecond * 10);
    expect(figures.notes.drawersPerSecond).toBeCloseTo(figures.notes.textsPerSecond);
    expect(figures.memoriesPerSecond).toBeGreaterThan(0);
    for (const { p50Ms, p95Ms } of [figures.memories, figures.withDrawers, figures.restart.first]) {
      expect(p50Ms).toBeGreaterThan(0);
      expect(p95Ms).toBeGreaterThanOrEqual(p50Ms);
    }
    expect(figures.peakRssMb).toBeGreaterThan(50);
  });
});
