/**
 * `npm run bench:memory`: the recall index with 100 000 drawers and 20 000 memories, compared with plain FTS5 and a
 * plain flat scan over the same texts, each filled and queried in separate processes; and the daemon over HTTP.
 *
 * Options: `--quick` (a tenth of everything), `--only NAME,…` (recall, fts5, flat, http), `--json`; `--full` stores
 * over HTTP the whole size that the goals name, which takes some minutes, instead of a fifth of it.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { optionsOf } from '../scripts/options.ts';
import { CANDIDATES, type CandidateName } from './memory/candidates.ts';
import { type Answers, type HttpFigures, measureHttp } from './memory/http.ts';
import { NODE_FLAGS } from './support/processes.ts';
import { circumstances, thousands } from './support/report.ts';

const CHILD = join(import.meta.dirname, 'memory/child.ts');
const GOALS = { p95Ms: 15, drawersPerSecond: 2_000, rssMb: 360 };
const QUESTIONS = 200;
/** What is stored over HTTP: enough to measure the rates. */
const HTTP_SHARE = 0.2;
const HTTP_NOTES = 2_000;

type Figures = Readonly<Record<string, number>>;

const { values: options } = optionsOf({
  options: {
    quick: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    only: { type: 'string', default: [...CANDIDATES, 'http'].join(',') },
  },
});

const scale = options.quick ? 0.1 : 1;
const sizes = { drawers: 100_000 * scale, memories: 20_000 * scale };
const share = options.full ? 1 : HTTP_SHARE;
const httpSizes = { drawers: sizes.drawers * share, memories: sizes.memories * share, notes: HTTP_NOTES * scale };
const home = mkdtempSync(join(tmpdir(), 'daybook-bench-memory-'));
try {
  const names = options.only.split(',').map((name) => name.trim());
  const candidates = names.filter((name) => name !== 'http').map(candidateOf);
  const results = candidates.map((name) => ({ name, ...measured(name) }));
  const http = names.includes('http') ? await measureHttp(httpSizes) : undefined;
  if (options.json)
    process.stdout.write(
      `${JSON.stringify({ ...sizes, goals: GOALS, results, http: http && { ...httpSizes, ...http } }, null, 2)}\n`,
    );
  else {
    const reports = [
      ...(results.length > 0 ? [report(results)] : []),
      ...(http === undefined ? [] : [httpReport(http)]),
    ];
    process.stdout.write(`${[circumstances(), ...reports].join('\n\n')}\n`);
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}

function candidateOf(name: string): CandidateName {
  const known = CANDIDATES.find((candidate) => candidate === name);
  if (known === undefined) throw new Error(`--only is one or more of ${CANDIDATES.join(', ')}, http, not ${name}`);
  return known;
}

/** The flat scan keeps nothing on disk, so the process that fills it answers too. */
function measured(name: CandidateName): { fill: Figures; ask: Figures } {
  const run = (phase: 'fill' | 'ask'): Figures => {
    const given = [name, phase, join(home, `${name}.db`), sizes.drawers, sizes.memories, QUESTIONS].map(String);
    return JSON.parse(
      execFileSync(process.execPath, [...NODE_FLAGS, CHILD, ...given], { encoding: 'utf8' }),
    ) as Figures;
  };
  const fill = name === 'flat' ? {} : run('fill');
  const ask = run('ask');
  return { fill: name === 'flat' ? ask : fill, ask };
}

function httpReport({ pages, notes, ...figures }: HttpFigures): string {
  const goal = `≥ ${thousands(GOALS.drawersPerSecond)}`;
  const intake = [
    ['over HTTP, 4 clients', 'texts of 17 drawers', 'texts of one drawer', 'goal'],
    ['---', '---', '---', '---'],
    ['drawers taken in a second', thousands(pages.drawersPerSecond), thousands(notes.drawersPerSecond), goal],
    ['texts taken in a second', thousands(pages.textsPerSecond), thousands(notes.textsPerSecond), ''],
    ['ms of processor a drawer', pages.cpuMsPerDrawer.toFixed(2), notes.cpuMsPerDrawer.toFixed(2), ''],
  ];
  const { restart } = figures;
  const answered = (name: string, { p50Ms, p95Ms, cpuMs }: Answers): readonly string[] => [
    name,
    `${p50Ms.toFixed(1)} / ${p95Ms.toFixed(1)}`,
    cpuMs.toFixed(1),
    `p95 ≤ ${GOALS.p95Ms}`,
  ];
  const answers = [
    ['a question over HTTP', 'p50 / p95 ms', 'ms of processor', 'goal'],
    ['---', '---', '---', '---'],
    answered('for memories', figures.memories),
    answered('for memories and 10 drawers', figures.withDrawers),
    answered('the same, the first 100 after a restart', restart.first),
  ];
  const held = httpSizes.drawers + httpSizes.notes;
  return [
    `${thousands(held)} drawers, ${thousands(httpSizes.memories)} memories over HTTP`,
    '',
    ...intake.map(line),
    '',
    ...answers.map(line),
    '',
    `Memories imported a second: ${thousands(figures.memoriesPerSecond)}.`,
    `Memory of the daemon: ${thousands(figures.rssMb)} MB after the questions, ` +
      `${thousands(figures.peakRssMb)} MB at its peak (goal ≤ ${GOALS.rssMb}).`,
    `After a restart /health answers in ${thousands(restart.healthMs)} ms and says warming for another ` +
      `${thousands(restart.warmingMs)} ms; the very first question takes ${thousands(restart.firstMs)} ms.`,
  ].join('\n');
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function report(results: readonly { name: string; fill: Figures; ask: Figures }[]): string {
  const rows: readonly (readonly [string, (result: (typeof results)[number]) => number | undefined, string])[] = [
    ['drawers written a second', ({ fill }) => fill.drawersPerSecond, `≥ ${thousands(GOALS.drawersPerSecond)}`],
    ['memories written a second', ({ fill }) => fill.memoriesPerSecond, ''],
    ['peak memory while writing, MB', ({ fill }) => fill.peakRssMb, `≤ ${GOALS.rssMb}`],
    ['query over drawers, p50 ms', ({ ask }) => ask.drawerP50Ms, ''],
    ['query over drawers, p95 ms', ({ ask }) => ask.drawerP95Ms, `≤ ${GOALS.p95Ms}`],
    ['query over drawers, p95 ms of processor', ({ ask }) => ask.drawerP95CpuMs, ''],
    ['query over memories, p95 ms', ({ ask }) => ask.memoryP95Ms, `≤ ${GOALS.p95Ms}`],
    ['warming up in steps, ms in all', ({ ask }) => ask.warmMs, ''],
    ['longest step of warming up, ms', ({ ask }) => ask.longestWarmStepMs, ''],
    ['memory while answering, MB', ({ ask }) => ask.peakRssMb, `≤ ${GOALS.rssMb}`],
  ];
  const shown = (value: number | undefined): string =>
    value === undefined ? '' : value >= 100 ? thousands(value) : value.toFixed(1);
  const head = ['', ...results.map(({ name }) => name), 'goal'];
  const body = rows.map(([label, figure, goal]) => [label, ...results.map((result) => shown(figure(result))), goal]);
  const lines = [head, head.map(() => '---'), ...body].map(line);
  return [`${thousands(sizes.drawers)} drawers, ${thousands(sizes.memories)} memories`, '', ...lines].join('\n');
}
