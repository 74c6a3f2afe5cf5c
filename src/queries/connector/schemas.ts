/** Connectors, the catalogue and the result of a probe, as clients read them. */
import { z } from 'zod';

export const zConfigured = z.object({
  id: z.string(),
  catalog_id: z.string().nullable(),
  title: z.string(),
  command: z.string(),
  args: z.array(z.string()),
  enabled: z.boolean(),
  added_at: z.int().nullable(),
  credential_names: z.array(z.string()),
  missing_credentials: z.array(z.string()),
});
z.globalRegistry.add(zConfigured, { id: 'Connector' });

export const zSpec = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  category: z.string(),
  command: z.string(),
  args: z.array(z.string()),
  runtime: z.enum(['builtin', 'npx', 'uvx']),
  runtime_program: z.string(),
  runtime_available: z.boolean(),
  credentials: z.array(z.object({ env: z.string(), label: z.string(), help: z.string() })),
  docs_url: z.string(),
});
z.globalRegistry.add(zSpec, { id: 'CatalogConnector' });

/** In the present or at a moment of the past, of which it is not known which credentials were missing. */
const zConfiguredAt = zConfigured.extend({ missing_credentials: z.array(z.string()).nullable() });

export const zConnectorsAt = z.object({ connectors: z.array(zConfiguredAt), catalog: z.array(zSpec) });
export const zConnectors = z.object({ connectors: z.array(zConfigured), catalog: z.array(zSpec) });

export const zProbed = z.object({
  id: z.string(),
  result: z.union([
    z.object({ state: z.literal('ok'), tools: z.array(z.string()) }),
    z.object({ state: z.literal('failed'), error: z.string() }),
    z.object({ state: z.literal('timedout'), after_secs: z.number() }),
  ]),
  checked_at: z.int(),
});
