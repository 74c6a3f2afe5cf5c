/** Routes of the code index: its state, a build, a search, and the progress of a build. */
import { catchError, map, of } from 'rxjs';
import { z } from 'zod';
import { indexBuild } from '../../commands/code-index.ts';
import { zIndexOutcome } from '../../events/code-index.ts';
import { numberText } from '../../lib/number-text.ts';
import { zIndexHeader, zSearchHit, zUnusableIndex } from '../../ports/code-index.ts';
import { type EmbeddersPort, type EmbeddingChoice, zEmbeddingChoice, zSelectedModel } from '../../ports/embedder.ts';
import { INDEX_BUILD_STATES } from '../../projections/code-index.ts';
import { type IndexStatusContext, indexStatus } from '../../queries/code-index/status.ts';
import { openEmbedder } from '../../queries/embedding/choice.ts';
import { endedBuild, type FollowParts, followBuild, zBuildMessage } from '../../reactors/code-index/follow.ts';
import {
  buildIndex,
  type DispatchBuild,
  type IndexSearchParts,
  searchIndex,
} from '../../reactors/code-index/request.ts';
import { latestOnDemand } from '../../streams/pull.ts';
import { zOverride } from '../embedding/routes.ts';
import { whileConnected } from '../server/disconnect.ts';
import { STREAM_OVER, streamOverResponse } from '../server/query-params.ts';
import { type Call, ok, type RouteSpec, routesOf, type StreamSpec, sse, value } from '../server/route.ts';
import { frameSource, messageBytes, type SseSource } from '../server/sse.ts';

const { get, post } = routesOf({ tag: 'index' });

export interface Dependencies extends IndexStatusContext, IndexSearchParts, FollowParts {
  readonly embedders: EmbeddersPort;
  readonly codeIndex: IndexSearchParts['codeIndex'];
}

const RESULTS_DEFAULT = 10;
const RESULTS_MAX = 100;
const QUERY_CHARACTERS_MAX = 2_000;

const zWorkspace = z.string().describe('The folder whose files are indexed.');

const zStatus = z.object({
  workspace: zWorkspace,
  selected: zSelectedModel.describe('The model that is configured.'),
  description: z.string().describe('The selection in words for a person.'),
  built: z.boolean().describe('Whether there is an index of the selected model.'),
  current: zIndexHeader.nullable().describe('The index of the selected model; null without one.'),
  available: z.array(zIndexHeader).describe('Every index of the workspace.'),
  unusable: z.array(zUnusableIndex).describe('Index files that cannot be read.'),
  last_build: z
    .object({
      model: zEmbeddingChoice.describe('The model of the build.'),
      state: z.enum(INDEX_BUILD_STATES).describe('`interrupted`: the daemon ended during the build.'),
      requested_at: z.int(),
      finished_at: z.int().nullable(),
      message: z.string().nullable().describe('Why it failed; null when it did not.'),
    })
    .nullable()
    .describe('The last build of the selected model; null before the first one.'),
});

const zBuilt = z.object({
  workspace: zWorkspace,
  model: zEmbeddingChoice.describe('The model of the vectors.'),
  ...zIndexOutcome.shape,
});

const buildEvents: StreamSpec = {
  data: zBuildMessage,
  id: 'On the last event only: the build that has ended, or `none`.',
  named: { error: 'One sentence: the build cannot be followed.' },
  end: 'After `idle`, `built`, `failed` or `error`.',
};

const OUT_OF_RANGE = `must be from 1 to ${RESULTS_MAX}`;
const zResults = z
  .int(`must be a whole number from 1 to ${RESULTS_MAX}`)
  .min(1, OUT_OF_RANGE)
  .max(RESULTS_MAX, OUT_OF_RANGE)
  .describe('The most results.');

const zSearch = zOverride.extend({
  q: z
    .string()
    .max(QUERY_CHARACTERS_MAX, `must have at most ${QUERY_CHARACTERS_MAX} characters`)
    .refine((q) => q.trim() !== '', 'must not be empty'),
  k: numberText(/^\d{1,9}$/, zResults).default(RESULTS_DEFAULT),
});

const badRequest = { 400: 'A wrong value, or settings that name no model.' };

export function indexRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [
    get('/index/status', {
      operation: 'status',
      summary: 'The chosen model, whether its index is built, every index on disk and those that cannot be used.',
      responses: ok('The status.', zStatus, badRequest),
      handle: async () => value(await indexStatus(deps)),
    }),
    post('/index/build', {
      operation: 'build',
      summary: 'Builds the index of the workspace, embedding what changed; answers when it is written.',
      body: zOverride,
      responses: ok('The index is on disk.', zBuilt, {
        ...badRequest,
        500: 'The provider failed, or the index could not be written.',
        503: 'The daemon is stopping.',
      }),
      handle: async ({ body, dispatch }) => {
        const { choice } = openEmbedder(deps.embedders, body);
        const { workspace } = deps.codeIndex;
        return value({ workspace, model: choice, ...(await buildIndex(deps, choice, asDispatchBuild(dispatch))) });
      },
    }),
    searchRoute(deps),
    get('/index/stream', {
      operation: 'stream',
      summary: 'A build as SSE: `idle` when there is none, else `building` with progress until `built` or `failed`.',
      query: zOverride,
      responses: {
        200: { description: 'The stream; it ends with the build.', type: 'text/event-stream', events: buildEvents },
        ...streamOverResponse,
        ...badRequest,
      },
      handle({ query, request }) {
        const choice = deps.embedders.choose(query.provider, query.model);
        const last = request.headers['last-event-id'];
        if (last !== undefined && last === endedBuild(deps, choice)) return STREAM_OVER;
        return sse(buildStream(deps, choice));
      },
    }),
  ];
}

function searchRoute(deps: Dependencies): RouteSpec {
  return get('/index/search', {
    operation: 'search',
    summary: 'The chunks that answer `q` best, at most `k`, with every part of their score.',
    query: zSearch,
    responses: ok(
      'Best first. `notes` says when the index had to be built anew for this search.',
      {
        query: z.string().describe('The question as it was asked.'),
        model: zEmbeddingChoice.describe('The model of the searched index.'),
        results: z.array(zSearchHit).describe('Pieces of files, the best first.'),
        notes: z.array(z.string()).describe('Sentences for a person about what limits the answer.'),
      },
      { ...badRequest, 404: 'There is no index of this model.', 500: 'The provider failed.' },
    ),
    async handle({ query, request, dispatch }) {
      const { choice, embedder } = openEmbedder(deps.embedders, query);
      const { results, notes } = await whileConnected(request, (signal) =>
        searchIndex(deps, { choice, embedder, query: query.q, k: query.k, signal }, asDispatchBuild(dispatch)),
      );
      return value({ query: query.q, model: choice, results, notes });
    },
  });
}

/** Dispatches commands of builds on behalf of the request. */
function asDispatchBuild(dispatch: Call['dispatch']): DispatchBuild {
  return (id, command) => dispatch(indexBuild, id, command);
}

/** Of the messages that a slow client missed, only the newest is sent. */
function buildStream(deps: FollowParts, choice: EmbeddingChoice): SseSource {
  return frameSource((demand$) =>
    followBuild(deps, choice).pipe(
      map(({ message, ended }) => messageBytes({ data: JSON.stringify(message), ...(ended && { id: ended }) })),
      catchError((error: Error) => of(messageBytes({ event: 'error', data: error.message }))),
      latestOnDemand(demand$),
      map((bytes) => ({ bytes })),
    ),
  );
}
