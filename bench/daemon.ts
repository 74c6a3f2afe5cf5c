/**
 * `npm run bench:daemon`: the daemon compared with a bare fastify route and a bare node:http fan-out, measured in one
 * run by one client in a separate process. `--quick` takes less than a minute and skips the log of a million events;
 * `--only <name>` measures one part; `--json` prints the rows as JSON. A full run writes `bench/results-daemon.md`.
 */
import { engagements } from './engagements.ts';
import { idle, rebuild, stalledReaders, starts } from './support/alone.ts';
import type { Scale } from './support/common.ts';
import { fanOut, routes, withBoth } from './support/compared.ts';
import { fairness } from './support/fairness.ts';
import { isQuick, runParts } from './support/parts.ts';
import { signing } from './support/signing.ts';

const FULL: Scale = {
  loadMs: 5_000,
  fanOutMs: 8_000,
  stalledMs: 60_000,
  fairnessMs: 10_000,
  rebuildEvents: 200_000,
  starts: 9,
  signingPairs: 40,
  largeLogEvents: 1_000_000,
};
const QUICK: Scale = {
  loadMs: 800,
  fanOutMs: 2_000,
  stalledMs: 8_000,
  fairnessMs: 4_000,
  rebuildEvents: 40_000,
  starts: 5,
  signingPairs: 6,
  largeLogEvents: 0,
};

const scale = isQuick ? QUICK : FULL;

const parts = {
  starts: () => starts(scale),
  idle,
  routes: () => withBoth((sides) => routes(sides, scale)),
  fanout: () => withBoth((sides) => fanOut(sides, scale)),
  rebuild: () => rebuild(scale),
  stalled: () => stalledReaders(scale),
  fairness: () => fairness(scale),
  signing: () => signing(scale),
  engagements,
};

await runParts(parts, new URL('results-daemon.md', import.meta.url));
