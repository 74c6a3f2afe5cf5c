/**
 * `npm run bench:web`: the console in Chromium, with the processor slowed down four times, on a daemon with 10 000
 * runs, 500 engagements and 1 M events. Measures the time until the first view is usable, the time from an interaction
 * to the next paint while events arrive, and the memory of the page over several minutes.
 *
 * Options: `--runs N --engagements N --events N` (the size of the home), `--home FOLDER` (where homes are kept),
 * `--minutes N` (how long the memory is observed), `--rate N` (events per second), `--slowdown N`, `--json`. Exits with
 * 1 if a goal is missed.
 */
import { optionsOf } from '../scripts/options.ts';
import { createProgress } from '../src/cli/progress.ts';
import { launch } from '../tests/web/browser.ts';
import { pause, whenFolded } from './support/common.ts';
import { removeFolder, startDaemon } from './support/processes.ts';
import { circumstances, type Row, table } from './support/report.ts';
import { copiedHome } from './web/home.ts';
import { startLoad, startProvider } from './web/load.ts';
import { firstView, interactions, memory, openPage, tour, whenReady } from './web/page.ts';

const GOALS = { firstViewMs: 1_000, interactionMs: 100, growth: 0.1 };
const NAVIGATIONS = 5;
const MINUTE_MS = 60_000;
/** How long the page runs before it is measured, until its caches are full. */
const WARM_UP_SHARE = 0.2;
/** The rise that a constant heap may show in addition to its share, because the heap is measured in steps. */
const GROWTH_MIB = 1;

const { values: given } = optionsOf({
  options: {
    runs: { type: 'string', default: '10000' },
    engagements: { type: 'string', default: '500' },
    events: { type: 'string', default: '1000000' },
    home: { type: 'string' },
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string', default: '200' },
    slowdown: { type: 'string', default: '4' },
    json: { type: 'boolean', default: false },
  },
});

const sizes = { runs: Number(given.runs), engagements: Number(given.engagements), events: Number(given.events) };
const minutes = Number(given.minutes);
const slowdown = Number(given.slowdown);

const provider = await startProvider();
const home = await copiedHome(sizes, given.home ?? null);
const daemon = await startDaemon(home, [], provider.env);
const browser = await launch();
try {
  await whenFolded(daemon);
  // The first request for the page bundles it.
  await (await fetch(`${daemon.url}/web`)).arrayBuffer();
  const figures = { ...sizes, slowdown, firstViewMs: await firstViews(), ...(await underLoad()) };
  if (given.json) process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
  else process.stdout.write(`${circumstances()}\n\n${table(rowsOf(figures))}\n${worstOf(figures)}`);
  process.exitCode = rowsOf(figures).some(({ met }) => met === false) ? 1 : 0;
} finally {
  await browser.close();
  await daemon.stop();
  provider.close();
  removeFolder(home);
}

type Figures = Awaited<ReturnType<typeof underLoad>> & { readonly firstViewMs: readonly number[] };

async function firstViews(): Promise<readonly number[]> {
  const all: number[] = [];
  for (let each = 0; each < NAVIGATIONS; each += 1) all.push(await firstView(browser, daemon, slowdown));
  return all;
}

async function underLoad() {
  const { context, page, cdp } = await openPage(browser, daemon, slowdown);
  const load = await startLoad(daemon, Number(given.rate));
  const progress = createProgress('Watching the page');
  const samples: { readonly second: number; readonly heapMiB: number; readonly nodes: number }[] = [];
  try {
    await page.goto(`${daemon.url}/web`);
    await whenReady(page);
    const begun = performance.now();
    do {
      await tour(page);
      await page.keyboard.press('g');
      await page.keyboard.press('n');
      await pause(500);
      const second = Math.round((performance.now() - begun) / 1_000);
      samples.push({ second, ...(await memory(cdp)) });
      progress.at(Math.min(second, minutes * 60), minutes * 60);
    } while (performance.now() - begun < minutes * MINUTE_MS);
    return { interactions: await interactions(page), eventsPerSecond: await load.rate(), memory: samples };
  } finally {
    progress.end();
    await load.stop();
    await context.close();
  }
}

function rowsOf(figures: Figures): readonly Row[] {
  const { interactions: felt, memory: samples } = figures;
  const first = median(figures.firstViewMs);
  const steady = samples.slice(Math.floor(samples.length * WARM_UP_SHARE));
  const half = Math.ceil(steady.length / 2);
  const [before, after] = [steady.slice(0, half), steady.slice(-half)].map((part) =>
    median(part.map(({ heapMiB }) => heapMiB)),
  ) as [number, number];
  const seconds = samples.at(-1)?.second ?? 0;
  const plain = { peer: '', ratio: '' };
  return [
    {
      ...plain,
      name: 'First view interactive',
      ours: `${first.toFixed(0)} ms (of ${figures.firstViewMs.map((ms) => ms.toFixed(0)).join(', ')})`,
      goal: `≤ ${GOALS.firstViewMs} ms`,
      met: first <= GOALS.firstViewMs,
    },
    {
      ...plain,
      name: `Interaction to next paint, ${figures.eventsPerSecond.toFixed(0)} events/s`,
      ours: `p95 ${felt.p95Ms.toFixed(0)} ms, p50 ${felt.p50Ms.toFixed(0)} ms (${felt.count} interactions)`,
      goal: `p95 ≤ ${GOALS.interactionMs} ms`,
      met: felt.p95Ms <= GOALS.interactionMs,
    },
    {
      ...plain,
      name: `Heap of the page over ${(seconds / 60).toFixed(1)} minutes`,
      ours: `${before.toFixed(1)} MiB, then ${after.toFixed(1)} MiB (${samples.at(-1)?.nodes ?? 0} nodes)`,
      goal: `at most ${GOALS.growth * 100} % more`,
      met: samples.length < 2 ? null : after <= before * (1 + GOALS.growth) + GROWTH_MIB,
    },
  ];
}

function worstOf({ interactions: { worst } }: Figures): string {
  const lines = worst.map(({ ms, name, view }) => `${ms.toFixed(0)} ms ${name} at ${view || '#/'}`);
  return `\nThe slowest interactions:\n${lines.join('\n')}\n`;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}
