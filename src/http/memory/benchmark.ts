/**
 * `GET /memory/benchmark`: does this store find again what it holds? Asks it for a sample of its own entries by half
 * of their words, and looks among the first k answers of either store.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import { z } from 'zod';
import { essence } from '../../commands/memory/lines.ts';
import type { Config } from '../../config.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { drawerRow, newestDrawers } from '../../projections/memory/drawers.ts';
import { newestMemories } from '../../projections/memory/memories.ts';
import { searchTexts } from '../../projections/recall/recall.ts';
import type { Views } from '../../projections/views.ts';
import { totals } from '../../queries/memory/memory-context.ts';
import { drawerWords, memoryWords } from '../../queries/memory/texts.ts';
import type { MemoryKeeper } from '../../reactors/memory/memory-store.ts';
import type { MemoryVectors } from '../../reactors/memory/vectors/vectors.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import type { Projector } from '../../streams/projector.ts';
import { value } from '../server/answer.ts';
import { type RouteSpec, route } from '../server/route.ts';
import { find } from './query.ts';
import { common, refused, wholeText } from './schemas.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly log: EventLog;
  readonly views: Views;
  readonly projector: Projector;
  readonly dispatcher: CommandHandler;
  readonly memory: MemoryKeeper;
  readonly memoryVectors: MemoryVectors;
  viewsUnavailable(): string | null;
}

const K_DEFAULT = 5;
const K_MAX = 100;
const PROBES_MAX = 20;
/** Entries the probes are taken from, spread evenly. */
const POOL_MAX = 2_000;
const PROBE_WORDS_MIN = 2;
const PROBE_WORDS_MAX = 12;
/** So much of an entry's words makes a text of the other store the same find. */
const SAME_SHARE_MIN = 0.8;

const zBenchmark = z.object({
  k: z.int(),
  total_memories: z.int(),
  total_drawers: z.int(),
  probes: z.int(),
  hits_cognitive: z.int(),
  hits_verbatim: z.int(),
  recall_cognitive: z.number(),
  recall_verbatim: z.number(),
  recall_combined: z.number(),
  cases: z.array(
    z.object({ sector: z.string(), query: z.string(), found_cognitive: z.boolean(), found_verbatim: z.boolean() }),
  ),
});

interface Probe {
  readonly id: string;
  readonly sector: string;
  readonly content: string;
  readonly query: string;
}

export function benchmarkRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/memory/benchmark',
      summary: 'Recall at k over a sample of what the store holds, in the cognitive store and in the drawers.',
      query: z.object({ k: wholeText({ min: 1, max: K_MAX }).default(K_DEFAULT) }),
      responses: { 200: { description: 'Hits and recall, probe by probe.', schema: zBenchmark }, ...refused },
      async handle({ query }) {
        const cases = [];
        for (const probe of probes(deps)) {
          cases.push(asked(deps, probe, query.k));
          await breathe();
        }
        return value(summed(deps, query.k, cases));
      },
    }),
  ];
}

function summed(deps: Dependencies, k: number, cases: readonly ReturnType<typeof asked>[]): z.infer<typeof zBenchmark> {
  const count = cases.length;
  const hits_cognitive = cases.filter((each) => each.found_cognitive).length;
  const hits_verbatim = cases.filter((each) => each.found_verbatim).length;
  const share = (hits: number): number => (count === 0 ? 0 : hits / count);
  const [recall_cognitive, recall_verbatim] = [share(hits_cognitive), share(hits_verbatim)];
  return {
    k,
    ...totals(deps),
    probes: count,
    ...{ hits_cognitive, hits_verbatim, recall_cognitive, recall_verbatim },
    recall_combined: 1 - (1 - recall_cognitive) * (1 - recall_verbatim),
    cases: [...cases],
  };
}

/** Half from either store, or more from one when the other has too few. */
function probes(deps: Dependencies): readonly Probe[] {
  const vault = deps.memory.vault();
  const memories = spread(newestMemories(deps.views, { limit: POOL_MAX, offset: 0, now: 0 })).flatMap((row) =>
    probe(row.id, row.sector, memoryWords(vault, row).content),
  );
  const drawers = spread(newestDrawers(deps.views, POOL_MAX)).flatMap((row) =>
    probe(row.id, row.room, drawerWords(vault, row).content),
  );
  const fromMemories = memories.slice(0, Math.max(PROBES_MAX / 2, PROBES_MAX - drawers.length));
  return [...fromMemories, ...drawers.slice(0, PROBES_MAX - fromMemories.length)];
}

function probe(id: string, sector: string, content: string): readonly Probe[] {
  const words = telling(content).filter((_, at) => at % 2 === 0);
  if (words.length < PROBE_WORDS_MIN) return [];
  return [{ id, sector, content, query: words.slice(0, PROBE_WORDS_MAX).join(' ') }];
}

/** As many as there are probes, from everywhere in the list. */
function spread<Item>(items: readonly Item[]): readonly Item[] {
  const taken = Math.min(PROBES_MAX, items.length);
  return Array.from({ length: taken }, (_, at) => items[Math.floor((at * items.length) / taken)]!);
}

function asked(deps: Dependencies, { id, sector, content, query }: Probe, k: number) {
  const vault = deps.memory.vault();
  const memories = find(deps, { text: query, limit: k });
  const drawers = searchTexts(deps.memory.index(), { text: query, kind: 'drawer', k });
  const found_verbatim = drawers.some(({ key }) => {
    const row = key === id ? undefined : drawerRow(deps.views, key);
    return key === id || (row !== undefined && holds(drawerWords(vault, row).content, content));
  });
  const found_cognitive = memories.some(({ row }) => row.id === id || holds(memoryWords(vault, row).content, content));
  return { sector, query, found_cognitive, found_verbatim };
}

/** Whether a text has (nearly) all the words of another one. */
function holds(text: string, content: string): boolean {
  const words = new Set(telling(text));
  const wanted = telling(content);
  return wanted.filter((word) => words.has(word)).length >= wanted.length * SAME_SHARE_MIN;
}

function telling(text: string): readonly string[] {
  return [...new Set(essence(text).match(/[\p{L}\p{N}]{3,}/gu) ?? [])];
}
