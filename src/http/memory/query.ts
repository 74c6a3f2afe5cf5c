/** `POST /memory/query`: memories that answer a question, with every term of their score. */
import { z } from 'zod';
import { classify, sectorNamed } from '../../commands/memory/classify.ts';
import { RECALL_STREAM_ID, recalled } from '../../commands/memory/recalled.ts';
import type { Config } from '../../config.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { DAY_MS } from '../../projections/memory/memories.ts';
import { notRecalledSince } from '../../projections/memory/recalled.ts';
import { type Found, type MemorySearch, searchMemories } from '../../projections/memory/search.ts';
import type { Views } from '../../projections/views.ts';
import { memoryView } from '../../queries/memory/memory-context.ts';
import { memoryWords } from '../../queries/memory/texts.ts';
import type { MemoryKeeper, Rehearsal } from '../../reactors/memory/memory-store.ts';
import { askedVectors } from '../../reactors/memory/vectors/ask-question.ts';
import type { MemoryVectors } from '../../reactors/memory/vectors/vectors.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { CommandHandler, Origin } from '../../streams/command-handler.ts';
import type { Projector } from '../../streams/projector.ts';
import { value } from '../server/answer.ts';
import { type RouteSpec, route } from '../server/route.ts';
import { findDrawers, zDrawer } from './drawers.ts';
import { common, refused, whole, zMemoryView, zText } from './schemas.ts';
import { zVectorsUsed } from './vector-schemas.ts';

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

export const RESULTS_MAX = 1_000;
const RESULTS_DEFAULT = 10;
/** The same memory is not recorded as recalled more often than this. */
const RECALL_NOTED_EVERY_MS = DAY_MS;

export const zFound = zMemoryView.extend({
  score: z.number(),
  similarity: z.number(),
  lexical: z.number(),
  vector: z.number(),
  recency: z.number(),
  waypoint: z.number(),
  sector_match: z.number(),
});

const zFoundDrawer = zDrawer.extend({ similarity: z.number() });

export function queryRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [
    route({
      ...common,
      method: 'POST',
      path: '/memory/query',
      summary: 'Memories that answer a question: words, vectors, strength, time, waypoints and sector in one score.',
      secretAnswer: true,
      body: z.object({
        query: zText,
        limit: whole({ min: 1, max: RESULTS_MAX }).nullish(),
        /** One that is not known is ignored. */
        sector: z.string().nullish(),
        /** So many verbatim drawers beside the memories. */
        drawers: whole({ min: 0, max: RESULTS_MAX }).nullish(),
      }),
      responses: {
        200: {
          description: 'The best first.',
          schema: z.object({
            results: z.array(zFound),
            count: z.int(),
            /** Present when drawers were asked for. */
            drawers: z.array(zFoundDrawer).optional(),
            /** The index is still being built: some memories may not be found by their words yet. */
            warming: z.literal(true).optional(),
            /** Present when an embedding provider is configured. */
            vectors: zVectorsUsed.optional(),
          }),
        },
        ...refused,
      },
      async handle({ body, origin }) {
        const sector = sectorNamed(body.sector ?? '');
        const text = asQuestion(body.query);
        const { meaning, report } = await askedVectors(deps, text);
        const found = find(deps, { text, limit: body.limit ?? RESULTS_DEFAULT, sector, meaning });
        const drawers = body.drawers == null ? undefined : findDrawers(deps, { text, k: body.drawers, meaning });
        const ids = { memory_ids: found.map(({ row }) => row.id), drawer_ids: (drawers ?? []).map(({ id }) => id) };
        await noteRecall(deps, { via: 'query', ...ids }, origin);
        const results = found.map((each) => foundView(deps, each));
        const warming = deps.memory.isWarming() && { warming: true };
        return value({ results, count: results.length, ...(drawers && { drawers }), ...warming, ...report });
      },
    }),
  ];
}

/** What is run to answer a question, piece by piece, for nobody: nothing is recorded. */
export function rehearsals(deps: Dependencies): readonly Rehearsal[] {
  const results = (text: string) => find(deps, { text, limit: RESULTS_DEFAULT }).map((each) => foundView(deps, each));
  return [
    (text) => void z.array(zFound).parse(results(text)),
    (text) => void z.array(zFoundDrawer).parse(findDrawers(deps, { text, k: RESULTS_DEFAULT })),
  ];
}

/** Of a longer text the beginning is the question. */
const QUESTION_CHARACTERS_MAX = 8_000;

export function asQuestion(text: string): string {
  return text.length <= QUESTION_CHARACTERS_MAX ? text : text.slice(0, QUESTION_CHARACTERS_MAX).toWellFormed();
}

/** Searches the memories for a caller's text. */
export function find(
  deps: Dependencies,
  search: Pick<MemorySearch, 'text' | 'limit'> & Partial<Pick<MemorySearch, 'sector' | 'wing' | 'meaning'>>,
): readonly Found[] {
  const vault = deps.memory.vault();
  const { sector, isGuess } = classify(search.text);
  return searchMemories({
    asked: isGuess ? null : sector,
    ...search,
    views: deps.views,
    index: deps.memory.index(),
    now: deps.clock.now(),
    read: (row) => memoryWords(vault, row).content,
  });
}

export function foundView(deps: Dependencies, { row, ...terms }: Found) {
  return { ...memoryView(deps, row), ...terms };
}

interface Recalled {
  readonly via: 'context' | 'query';
  readonly memory_ids?: readonly string[];
  readonly drawer_ids?: readonly string[];
  readonly fact_ids?: readonly string[];
}

/** Records what is handed out and was not lately. A log that takes no writes must not keep anybody from reading. */
export async function noteRecall(deps: Dependencies, given: Recalled, origin: Origin): Promise<void> {
  const since = deps.clock.now() - RECALL_NOTED_EVERY_MS;
  const fresh = (ids: readonly string[] = []): string[] => [
    ...notRecalledSince(deps.views, ids, { via: given.via, since }),
  ];
  const ids = {
    memory_ids: fresh(given.memory_ids),
    drawer_ids: fresh(given.drawer_ids),
    fact_ids: fresh(given.fact_ids),
  };
  if (deps.log.failure !== null) return;
  const command = { type: 'RecordRecall', recalled: { via: given.via, ...ids } } as const;
  await deps.dispatcher.dispatch(recalled, RECALL_STREAM_ID, command, { origin });
}
