/** Connectors, the catalogue and the result of a probe, as clients read them. */
import { z } from 'zod';
import { zCatalogConnector } from '../../commands/connector/catalogue.ts';
import { zConnectorRow } from '../../projections/connector.ts';

export const zConfigured = zConnectorRow.omit({ workspace: true }).extend({
  missing_credentials: z.array(z.string()).describe('Names of credentials that it needs and that are not stored.'),
});
z.globalRegistry.add(zConfigured, { id: 'Connector' });

export const zSpec = zCatalogConnector.extend({
  runtime_program: z.string().describe('The program that must be there.'),
  runtime_available: z.boolean().describe('Whether it is there.'),
});
z.globalRegistry.add(zSpec, { id: 'CatalogConnector' });

/** In the present, or at a past moment, when it is unknown which credentials were missing. */
const zConfiguredAt = zConfigured.extend({
  missing_credentials: z
    .array(z.string())
    .nullable()
    .describe('Names of credentials that it needs and that are not stored; null for the past.'),
});

export const zConnectorsAt = z.object({
  connectors: z.array(zConfiguredAt).describe('Connectors of the project.'),
  catalog: z.array(zSpec).describe('Connectors that can be added by `catalog_id`.'),
});
export const zConnectors = z.object({
  connectors: z.array(zConfigured).describe('Connectors of the project.'),
  catalog: z.array(zSpec).describe('Connectors that can be added by `catalog_id`.'),
});

export const zProbed = z.object({
  id: z.string().describe('Id of the connector.'),
  result: z
    .union([
      z.object({
        state: z.literal('ok').describe('It started and named its tools.'),
        tools: z.array(z.string()).describe('Names of its tools.'),
      }),
      z.object({ state: z.literal('failed').describe('It did not start, or broke the protocol.'), error: z.string() }),
      z.object({
        state: z.literal('timedout').describe('It did not answer in time.'),
        after_secs: z.number().describe('Seconds that it was waited for.'),
      }),
    ])
    .describe('What came of starting it.'),
  checked_at: z.int(),
});
