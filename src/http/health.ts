/** `GET /health`: the daemon about itself. Cheap, always 200, and true. */
import { z } from 'zod';
import { embeddingHealth } from './embedding/health.ts';
import { type House, SERVICE_NAME } from './house.ts';
import { memoryHealth, zMemoryHealth } from './memory/health.ts';
import { sofficeFeature } from './office.ts';
import { value } from './server/answer.ts';
import { type RouteSpec, route } from './server/route.ts';

const zFeature = z.looseObject({ available: z.boolean() });

export const zHealth = z.looseObject({
  status: z.string(),
  service: z.literal(SERVICE_NAME),
  version: z.string(),
  api_token: z.object({ minted_at_unix: z.int(), age_seconds: z.int().nonnegative(), rotation_doc: z.string() }),
  kv_cache_codec_probe: z.null(),
  graph: z.looseObject({ status: z.enum(['indexing', 'ready', 'disabled']) }),
  embedding: z.looseObject({ status: z.enum(['indexed', 'not_indexed', 'misconfigured']) }),
  skillforge: z.object({
    status: z.enum(['disabled', 'loading', 'ready']),
    skills: z.int(),
    cached_reports: z.int(),
    toolchain: z.string(),
  }),
  features: z.record(z.string(), zFeature),
  providers: z.object({ configured_count: z.int(), names: z.array(z.string()) }),
  memory: zMemoryHealth,
});

export function healthRoutes(house: House): readonly RouteSpec[] {
  return [
    route({
      method: 'GET',
      path: '/health',
      summary: 'The daemon about itself: identity, version, blocks by capability, state of the log and the views.',
      tag: 'health',
      auth: 'public',
      withoutViews: true,
      responses: { 200: { description: 'Always, while the daemon serves.', schema: zHealth } },
      handle: async () => value(await health(house)),
    }),
  ];
}

async function health(house: House) {
  const storage = house.storage();
  const views = house.viewsUnavailable();
  const names = house.models.configuredProviders();
  const well = storage.failure === null && views === null;
  return {
    status: well ? 'ok' : 'degraded',
    service: SERVICE_NAME,
    version: house.version,
    api_token: {
      minted_at_unix: Math.floor(house.startedAt / 1000),
      age_seconds: uptimeSeconds(house),
      rotation_doc: 'A new token is made at every start; restart the daemon to rotate it.',
    },
    kv_cache_codec_probe: null,
    graph: { status: 'disabled' },
    embedding: await embeddingHealth(house),
    skillforge: { status: 'disabled', skills: 0, cached_reports: 0, toolchain: 'none' },
    features: {
      soffice: sofficeFeature(house),
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
    memory: memoryHealth(house),
    log: { position: house.log.head().position, backend: storage.backend, failure: storage.failure },
    views: { position: house.projector.position(), unavailable: views },
    uptime_seconds: uptimeSeconds(house),
  };
}

/** None rather than less, while the clock is set back behind the start. */
export function uptimeSeconds({ ambient, startedAt }: House): number {
  return Math.max(0, Math.floor((ambient.now() - startedAt) / 1000));
}
