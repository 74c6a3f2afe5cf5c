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
import type { Projector } from '../streams/projector.ts';
import { sofficeFeature } from './office.ts';
import { value } from './server/answer.ts';
import { type RouteSpec, route } from './server/route.ts';
import { SERVICE_NAME } from './service-name.ts';

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
  /** Why a part of the views is refused, as newer programs wrote events that this one does not know. */
  viewsOutdated(): string | null;
  storage(): { readonly backend: string; readonly failure: string | null };
}

const zFeature = z.object({ available: z.boolean() }).catchall(zJson);

const zEmbedding = z.union([
  z.object({
    status: z.enum(['indexed', 'not_indexed']),
    provider: z.string(),
    model: z.string(),
    dimensions: z.int().nullable(),
    local: z.boolean(),
    description: z.string(),
    chunks: z.int().nullable(),
    files: z.int().nullable(),
    other_indexes: z.array(z.string()),
  }),
  z.object({ status: z.literal('misconfigured'), error: z.string() }),
]);

export const zHealth = z.object({
  status: z.string(),
  service: z.literal(SERVICE_NAME),
  version: z.string(),
  api_token: z.object({ minted_at_unix: z.int(), age_seconds: z.int().nonnegative(), rotation_doc: z.string() }),
  kv_cache_codec_probe: z.null(),
  graph: z.object({ status: z.enum(['indexing', 'ready', 'disabled']) }),
  embedding: zEmbedding,
  skillforge: z.object({
    status: z.enum(['disabled', 'loading', 'ready']),
    skills: z.int(),
    cached_reports: z.int(),
    toolchain: z.string(),
  }),
  features: z.record(z.string(), zFeature),
  providers: z.object({ configured_count: z.int(), names: z.array(z.string()) }),
  memory: zMemoryHealth,
  checkpoints: z.object({
    size: z.int().nullable(),
    at: z.int().nullable(),
    witnesses: z.object({ needed: z.int(), cosigned: z.int(), missing: z.boolean() }),
    warning: z.string().nullable(),
  }),
  log: z.object({ position: z.int(), backend: z.string(), failure: z.string().nullable() }),
  views: z.object({ position: z.int(), unavailable: z.string().nullable() }),
  uptime_seconds: z.int(),
});
z.globalRegistry.add(zHealth, { id: 'Health' });

export function healthRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [
    route({
      method: 'GET',
      path: '/health',
      operation: 'get',
      summary: 'The daemon about itself: identity, version, blocks by capability, state of the log and the views.',
      tag: 'health',
      auth: 'public',
      withoutViews: true,
      responses: { 200: { description: 'Always, while the daemon serves.', schema: zHealth } },
      handle: async () => value(await health(deps)),
    }),
  ];
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
      rotation_doc: 'A new token is made at every start; restart the daemon to rotate it.',
    },
    kv_cache_codec_probe: null,
    graph: { status: 'disabled' },
    embedding: await embeddingHealth(deps.embedders, deps.codeIndex),
    skillforge: { status: 'disabled', skills: 0, cached_reports: 0, toolchain: 'none' },
    features: {
      soffice: sofficeFeature(deps),
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
    memory: memoryHealth({
      views: deps.views,
      encryption: deps.encryption,
      home: deps.config.ephemeral ? null : deps.config.home,
      viewsUnavailable: () => views,
      vectorStatus: () => deps.memoryVectors.status(),
    }),
    checkpoints: checkpointHealth(deps),
    log: { position: deps.log.head().position, backend: storage.backend, failure: storage.failure },
    views: { position: deps.projector.position(), unavailable: views },
    uptime_seconds: uptimeSeconds(deps),
  };
}

/** Whether the log is signed and cosigned; `warning` says what is not well. */
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
