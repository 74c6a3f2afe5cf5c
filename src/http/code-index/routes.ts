/** The code index: what is on disk, building it, searching it, and following a build. */
import { z } from 'zod';
import { indexBuild } from '../../commands/code-index.ts';
import type { CodeIndexPort } from '../../ports/code-index.ts';
import { IndexError, type SearchHit } from '../../ports/code-index.ts';
import type { EmbeddersPort, EmbeddingChoice } from '../../ports/embedder.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { newestIndexBuild } from '../../projections/code-index.ts';
import type { Views } from '../../projections/views.ts';
import { isSameModel } from '../../queries/embedding/health.ts';
import type { IndexProgress } from '../../reactors/code-index/progress.ts';
import { buildIndex } from '../../reactors/code-index/request-build.ts';
import type { CommittedEvents } from '../../streams/committed-events.ts';
import { chosen, embedderFailure, openEmbedder, zChoice, zOverride } from '../embedding/routes.ts';
import { sse, value } from '../server/answer.ts';
import { HttpError, zError } from '../server/errors.ts';
import { untilHangUp } from '../server/hang-up.ts';
import { type Call, type RouteSpec, route } from '../server/route.ts';
import { indexStream } from './stream.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly ids: IdGenerator;
  readonly views: Views;
  readonly committed: CommittedEvents;
  readonly embedders: EmbeddersPort;
  readonly codeIndex: CodeIndexPort;
  readonly indexProgress: IndexProgress;
  announce(line: string): void;
}

export const RESULTS_DEFAULT = 10;
export const RESULTS_MAX = 100;
export const QUERY_CHARACTERS_MAX = 2_000;

const zHeader = z.object({
  format_version: z.int(),
  model: zChoice,
  dimension: z.int().nullable(),
  chunk_count: z.int(),
  file_count: z.int(),
  built_at: z.int().nullable(),
});

const zStatus = z.object({
  selected: zChoice.extend({ base_url: z.string().optional() }),
  description: z.string(),
  built: z.boolean(),
  current: zHeader.nullable(),
  available: z.array(zHeader),
  unusable: z.array(z.object({ path: z.string(), reason: z.string() })),
  last_build: z
    .object({
      model: zChoice,
      state: z.enum(['building', 'built', 'failed', 'interrupted']),
      requested_at: z.int(),
      finished_at: z.int().nullable(),
      message: z.string().nullable(),
    })
    .nullable(),
});

const zBuilt = z.object({
  model: zChoice,
  chunks: z.int(),
  files: z.int(),
  dimension: z.int().nullable(),
  path: z.string(),
  embedded: z.int(),
  reused: z.int(),
  skipped: z.record(z.string(), z.int()),
  notes: z.array(z.string()),
});

const zHit = z.object({
  path: z.string(),
  start_line: z.int(),
  end_line: z.int(),
  language: z.string().nullable(),
  symbol: z.string().nullable(),
  text: z.string(),
  score: z.number(),
  vector_score: z.number(),
  lexical_score: z.number(),
});

const zSearch = zOverride.extend({
  q: z
    .string()
    .max(QUERY_CHARACTERS_MAX, `must have at most ${QUERY_CHARACTERS_MAX} characters`)
    .refine((q) => q.trim() !== '', 'must not be empty'),
  k: z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from 1 to ${RESULTS_MAX}`)
    .transform(Number)
    .refine((k) => k >= 1 && k <= RESULTS_MAX, `must be from 1 to ${RESULTS_MAX}`)
    .default(RESULTS_DEFAULT),
});

const bad = { 400: { description: 'A wrong value, or settings that name no model.', schema: zError } };

export function indexRoutes(deps: Dependencies): readonly RouteSpec[] {
  const common = { tag: 'index', auth: 'bearer' } as const;
  return [
    route({
      ...common,
      method: 'GET',
      path: '/index/status',
      summary: 'The chosen model, whether its index is built, every index on disk and those that cannot be used.',
      responses: { 200: { description: 'The status.', schema: zStatus }, ...bad },
      handle: async () => value(await status(deps)),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/index/build',
      summary: 'Builds the index of the workspace, embedding what changed; answers when it is written.',
      body: zOverride,
      responses: {
        200: { description: 'The index is on disk.', schema: zBuilt },
        ...bad,
        500: { description: 'The provider failed, or the index could not be written.', schema: zError },
        503: { description: 'The daemon is stopping.', schema: zError },
      },
      handle: async ({ body, dispatch }) => {
        const { choice } = openEmbedder(deps, body);
        return value({ model: choice, ...(await build(deps, choice, dispatch)) });
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/index/search',
      summary: 'The chunks that answer `q` best, at most `k`, with every part of their score.',
      query: zSearch,
      responses: {
        200: {
          description: 'Best first. `notes` says when the index had to be built anew for this search.',
          schema: z.object({ query: z.string(), model: zChoice, results: z.array(zHit), notes: z.array(z.string()) }),
        },
        ...bad,
        404: { description: 'There is no index of this model.', schema: zError },
        500: { description: 'The provider failed.', schema: zError },
      },
      handle: async (call) => value(await search(deps, call)),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/index/stream',
      summary: 'A build as SSE: `idle` when there is none, else `building` with progress until `built` or `failed`.',
      query: zOverride,
      responses: { 200: { description: 'The stream; it ends with the build.', type: 'text/event-stream' }, ...bad },
      handle: ({ query }) => sse(indexStream(deps, chosen(deps, query))),
    }),
  ];
}

type Dispatch = Call['dispatch'];

async function build(deps: Dependencies, choice: EmbeddingChoice, dispatch: Dispatch) {
  return buildIndex(deps, choice, (id, command) => dispatch(indexBuild, id, command));
}

async function status(deps: Dependencies) {
  const selected = selectedModel(deps);
  const { available, unusable } = await deps.codeIndex.verify();
  const current = available.find(({ model }) => isSameModel(model, selected)) ?? null;
  const { text: description } = deps.embedders.describe(selected);
  return { selected, description, built: current !== null, current, available, unusable, last_build: lastBuild(deps) };
}

function lastBuild({ views, codeIndex }: Dependencies) {
  const last = newestIndexBuild(views, codeIndex.workspace);
  if (last === undefined) return null;
  const { provider, model, dimensions, state, requested_at, finished_at, message } = last;
  const choice = { provider, model, ...(dimensions !== null && { dimensions }) };
  return { model: choice, state, requested_at, finished_at, message };
}

function selectedModel(deps: Dependencies) {
  try {
    return deps.embedders.selected();
  } catch (error) {
    throw embedderFailure(error);
  }
}

/** An index that turns out to be damaged or of another version is built anew, and the search goes on. */
async function search(deps: Dependencies, { query, request, dispatch }: Call<unknown, z.infer<typeof zSearch>>) {
  const { choice, embedder } = openEmbedder(deps, query);
  const answer = (results: readonly SearchHit[], notes: readonly string[]) => ({
    query: query.q,
    model: choice,
    results,
    notes,
  });
  const ask = () =>
    untilHangUp(request.raw, (signal) => deps.codeIndex.search({ embedder, query: query.q, k: query.k, signal }));
  try {
    return answer(await ask(), []);
  } catch (error) {
    if (!(error instanceof IndexError) || error.reason !== 'unusable') throw searchFailure(error);
    deps.announce(`${error.message} It is built anew.`);
    await build(deps, choice, dispatch);
    return answer(await ask().catch((again) => Promise.reject(searchFailure(again))), [
      `${error.message} It was built anew.`,
    ]);
  }
}

function searchFailure(error: unknown): unknown {
  if (!(error instanceof IndexError)) return embedderFailure(error);
  return new HttpError(error.reason === 'absent' ? 404 : 500, error.message);
}
