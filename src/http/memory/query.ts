/** `POST /memory/query`: memories that answer a question, with every term of their score. */
import { z } from 'zod';
import { classify, sectorNamed } from '../../commands/memory/classify.ts';
import { RECALL_STREAM_ID, recalled } from '../../commands/memory/recalled.ts';
import { DAY_MS } from '../../projections/memory/memories.ts';
import { notRecalledSince } from '../../projections/memory/recalled.ts';
import { type Found, type MemorySearch, searchMemories } from '../../projections/memory/search.ts';
import type { Origin } from '../../streams/command-handler.ts';
import type { House } from '../house.ts';
import { value } from '../server/answer.ts';
import { type RouteSpec, route } from '../server/route.ts';
import { findDrawers, zDrawer } from './drawers.ts';
import type { Rehearsal } from './keeper.ts';
import { askedVectors } from './provider-vectors/asked.ts';
import { zVectorsUsed } from './provider-vectors/shapes.ts';
import { memoryView } from './room.ts';
import { common, refused, whole, zMemoryView, zText } from './shapes.ts';
import { memoryWords } from './words.ts';

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

export function queryRoutes(house: House): readonly RouteSpec[] {
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
        const { meaning, report } = await askedVectors(house, text);
        const found = find(house, { text, limit: body.limit ?? RESULTS_DEFAULT, sector, meaning });
        const drawers = body.drawers == null ? undefined : findDrawers(house, { text, k: body.drawers, meaning });
        const ids = { memory_ids: found.map(({ row }) => row.id), drawer_ids: (drawers ?? []).map(({ id }) => id) };
        await noteRecall(house, { via: 'query', ...ids }, origin);
        const results = found.map((each) => foundView(house, each));
        const warming = house.memory.isWarming() && { warming: true };
        return value({ results, count: results.length, ...(drawers && { drawers }), ...warming, ...report });
      },
    }),
  ];
}

/** What is run to answer a question, piece by piece, for nobody: nothing is recorded. */
export function rehearsals(house: House): readonly Rehearsal[] {
  const results = (text: string) => find(house, { text, limit: RESULTS_DEFAULT }).map((each) => foundView(house, each));
  return [
    (text) => void z.array(zFound).parse(results(text)),
    (text) => void z.array(zFoundDrawer).parse(findDrawers(house, { text, k: RESULTS_DEFAULT })),
  ];
}

/** Of a longer text the beginning is the question. */
const QUESTION_CHARACTERS_MAX = 8_000;

export function asQuestion(text: string): string {
  return text.length <= QUESTION_CHARACTERS_MAX ? text : text.slice(0, QUESTION_CHARACTERS_MAX).toWellFormed();
}

/** Searches for a caller's text in what this house remembers. */
export function find(
  house: House,
  search: Pick<MemorySearch, 'text' | 'limit'> & Partial<Pick<MemorySearch, 'sector' | 'wing' | 'meaning'>>,
): readonly Found[] {
  const vault = house.memory.vault();
  const { sector, isGuess } = classify(search.text);
  return searchMemories({
    asked: isGuess ? null : sector,
    ...search,
    views: house.views,
    index: house.memory.index(),
    now: house.ambient.now(),
    read: (row) => memoryWords(vault, row).content,
  });
}

export function foundView(house: House, { row, ...terms }: Found) {
  return { ...memoryView(house, row), ...terms };
}

interface Recalled {
  readonly via: 'context' | 'query';
  readonly memory_ids?: readonly string[];
  readonly drawer_ids?: readonly string[];
  readonly fact_ids?: readonly string[];
}

/** Records what is handed out and was not lately. A log that takes no writes must not keep anybody from reading. */
export async function noteRecall(house: House, given: Recalled, origin: Origin): Promise<void> {
  const since = house.ambient.now() - RECALL_NOTED_EVERY_MS;
  const fresh = (ids: readonly string[] = []): string[] => [
    ...notRecalledSince(house.views, ids, { via: given.via, since }),
  ];
  const ids = {
    memory_ids: fresh(given.memory_ids),
    drawer_ids: fresh(given.drawer_ids),
    fact_ids: fresh(given.fact_ids),
  };
  if (house.log.failure !== null) return;
  const command = { type: 'RecordRecall', recalled: { via: given.via, ...ids } } as const;
  await house.dispatcher.dispatch(recalled, RECALL_STREAM_ID, command, { origin });
}
