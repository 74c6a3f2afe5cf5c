/** `GET /health`: the state of the daemon. Cheap, and always 200. */
import { z } from 'zod';
import type { Config } from '../config.ts';
import { zJson } from '../events/envelope.ts';
import type { Clock } from '../ports/clock.ts';
import type { CodeIndexPort } from '../ports/code-index.ts';
import type { EmbeddersPort } from '../ports/embedder.ts';
import type { ModelsPort } from '../ports/models.ts';
import type { OfficePort } from '../ports/office.ts';
import type { Views } from '../projections/views.ts';
import { embeddingHealth } from '../queries/embedding/health.ts';
import type { MemoryEncryption } from '../queries/memory/encryption.ts';
import { memoryHealth } from '../queries/memory/health.ts';
import { zMemoryHealth } from '../queries/memory/schemas.ts';
import type { MemoryVectors } from '../reactors/memory/vectors/vectors.ts';
import type { Checkpoints } from '../reactors/tlog/checkpoints.ts';
import type { Cosigning } from '../reactors/tlog/cosigning.ts';
import type { EventLog } from '../storage/event-log.ts';
import { unlessNewer } from '../streams/log-refusals.ts';
import type { Projector } from '../streams/projector.ts';
import { sofficeFeature } from './office.ts';
import { ok, type RouteSpec, routesOf, value } from './server/route.ts';
import { SERVICE_NAME } from './service-name.ts';

const { get } = routesOf({ tag: 'health', auth: 'public', withoutViews: true });

export interface Dependencies {
  readonly config: Config;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Pick<EventLog, 'head'>;
  readonly views: Views;
  readonly projector: Pick<Projector, 'position'>;
  readonly models: Pick<ModelsPort, 'configuredProviders'>;
  readonly embedders: EmbeddersPort;
  readonly codeIndex: CodeIndexPort;
  readonly encryption: MemoryEncryption;
  readonly memoryVectors: Pick<MemoryVectors, 'status'>;
  readonly office: OfficePort;
  readonly startedAt: number;
  readonly checkpoints: Pick<Checkpoints, 'last' | 'trouble'>;
  readonly cosigning: Pick<Cosigning, 'quorum'>;
  viewsUnavailable(): string | null;
  /** The reason why some views are refused: a newer program wrote events that this one does not know. */
  viewsOutdated(): string | null;
  storage(): { readonly backend: string; readonly failure: string | null };
}

const zFeature = z
  .object({ available: z.boolean().describe('Whether it can be used on this machine.') })
  .catchall(zJson);

const zEmbedding = z.union([
  z.object({
    status: z.enum(['indexed', 'not_indexed']).describe('Whether there is an index of the selected model.'),
    provider: z.string(),
    model: z.string(),
    dimensions: z.int().nullable().describe('Numbers in a vector; null when it is not known yet.'),
    local: z.boolean().describe('Whether texts stay on this machine.'),
    description: z.string().describe('The selection in words for a person.'),
    chunks: z.int().nullable().describe('Pieces of text in the index; null without one.'),
    files: z.int().nullable().describe('Files in the index; null without one.'),
    other_indexes: z.array(z.string()).describe('Models of which there is an index too.'),
  }),
  z.object({
    status: z.literal('misconfigured').describe('The settings name no model that can be asked.'),
    error: z.string(),
  }),
]);

const zHealth = z.object({
  status: z.string().describe('`ok`, or `degraded` while writes or views are refused.'),
  service: z.literal(SERVICE_NAME).describe('Name of this program.'),
  version: z.string().describe('Version of the daemon.'),
  api_token: z
    .object({
      minted_at_unix: z.int(),
      age_seconds: z.int().nonnegative().describe('Seconds since the token was made.'),
      rotation_doc: z.string().describe('How to get another token.'),
    })
    .describe('The age of the bearer token.'),
  kv_cache_codec_probe: z.null().describe('Always null: this daemon has no such cache.'),
  graph: z
    .object({ status: z.enum(['indexing', 'ready', 'disabled']).describe('State of the index.') })
    .describe('The code graph, which this daemon does not have.'),
  embedding: zEmbedding.describe('The code index of the selected embedding model.'),
  skillforge: z
    .object({
      status: z.enum(['disabled', 'loading', 'ready']).describe('Whether it is at work.'),
      skills: z.int().describe('Number of forged skills.'),
      cached_reports: z.int().describe('Number of stored reports.'),
      toolchain: z.string().describe('The tools that it found.'),
    })
    .describe('The skill forge, which this daemon does not have.'),
  features: z.record(z.string(), zFeature).describe('By name, whether a capability can be used, and settings of it.'),
  providers: z
    .object({
      configured_count: z.int().describe('The number of names.'),
      names: z.array(z.string()).describe('Those with a key, or that need none.'),
    })
    .describe('Model providers that can be asked.'),
  memory: zMemoryHealth.describe('The memory: memories, facts and drawers.'),
  checkpoints: z
    .object({
      size: z.int().nullable().describe('Events that the newest checkpoint covers; null before the first one.'),
      at: z.int().nullable(),
      witnesses: z
        .object({ needed: z.int(), cosigned: z.int(), missing: z.boolean() })
        .describe('Signatures of witnesses under the newest checkpoint.'),
      warning: z
        .string()
        .nullable()
        .describe('Why the log is not signed or not cosigned as it should be; null when it is.'),
    })
    .describe('The signed state of the log.'),
  log: z
    .object({
      position: z.int(),
      backend: z.string(),
      failure: z.string().nullable().describe('Why writes are refused; null while they are accepted.'),
    })
    .describe('The event log and its store.'),
  views: z
    .object({
      position: z.int(),
      unavailable: z.string().nullable().describe('Why reads are refused; null while they are answered.'),
    })
    .describe('The read models.'),
  uptime_seconds: z.int(),
});
z.globalRegistry.add(zHealth, { id: 'Health' });

export function healthRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [
    get('/health', {
      operation: 'get',
      summary: 'The state of the daemon: identity, version, capabilities, log and views.',
      responses: ok('The state; 200 also while the daemon is degraded.', zHealth),
      handle: async () => value(await health(deps)),
    }),
  ];
}

/** A part of the state that reads views. `read` is told whether it has them; a newer program may have written its own. */
function part<Part>({ viewsUnavailable }: Dependencies, read: (hasViews: boolean) => Part): Part {
  return unlessNewer(
    () => read(viewsUnavailable() === null),
    () => read(false),
  );
}

async function health(deps: Dependencies) {
  const storage = deps.storage();
  const views = deps.viewsUnavailable() ?? deps.viewsOutdated();
  const names = deps.models.configuredProviders();
  const well = storage.failure === null && views === null;
  return {
    status: well ? 'ok' : 'degraded',
    service: SERVICE_NAME,
    version: deps.version,
    api_token: {
      minted_at_unix: Math.floor(deps.startedAt / 1000),
      age_seconds: uptimeSeconds(deps),
      rotation_doc: 'Restart the daemon to rotate the token; with token_file, change that file first.',
    },
    kv_cache_codec_probe: null,
    graph: { status: 'disabled' },
    embedding: await embeddingHealth(deps.embedders, deps.codeIndex),
    skillforge: { status: 'disabled', skills: 0, cached_reports: 0, toolchain: 'none' },
    features: {
      soffice: part(deps, (hasViews) => sofficeFeature(deps, hasViews)),
      agent_panel: {
        available: true,
        transport: 'daemon-http',
        approval_policies: ['suggest', 'auto-edit', 'full-auto'],
      },
      background_jobs: { available: true, transport: 'daemon-http', routes_prefix: '/jobs' },
      pairing: { available: true, transport: 'daemon-http', endpoint: '/pair', token_bits: 128, rng: 'os' },
      sessions: { available: true, transport: 'daemon-http', routes_prefix: '/sessions' },
      memory: { available: true, transport: 'daemon-http', routes_prefix: '/memory' },
    },
    providers: { configured_count: names.length, names },
    memory: part(deps, (hasViews) =>
      memoryHealth({
        views: deps.views,
        encryption: deps.encryption,
        home: deps.config.ephemeral ? null : deps.config.home,
        hasViews,
        vectorStatus: () => deps.memoryVectors.status(),
      }),
    ),
    checkpoints: checkpointHealth(deps),
    log: { position: deps.log.head().position, backend: storage.backend, failure: storage.failure },
    views: { position: deps.projector.position, unavailable: views },
    uptime_seconds: uptimeSeconds(deps),
  };
}

function checkpointHealth({ checkpoints, cosigning }: Dependencies) {
  const { size, at } = checkpoints.last ?? { size: null, at: null };
  const { needed, cosigned, isMissing } = cosigning.quorum();
  const missing = isMissing ? `Only ${cosigned} of ${needed} witnesses cosigned the log.` : null;
  return { size, at, witnesses: { needed, cosigned, missing: isMissing }, warning: checkpoints.trouble ?? missing };
}

/** 0 while the clock is set back behind the start. */
export function uptimeSeconds({ clock, startedAt }: Pick<Dependencies, 'clock' | 'startedAt'>): number {
  return Math.max(0, Math.floor((clock.now() - startedAt) / 1000));
}
