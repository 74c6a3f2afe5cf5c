/** Connectors, the catalogue and the result of a probe, as clients read them. */
import { z } from 'zod';

export const zConfigured = z.object({
  id: z.string().describe('Id of the connector in its project.'),
  catalog_id: z.string().nullable(),
  title: z.string(),
  command: z.string().describe('The program.'),
  args: z.array(z.string()),
  enabled: z.boolean().describe('Whether runs get its tools.'),
  added_at: z.int().nullable(),
  credential_names: z.array(z.string()).describe('Names of the stored credentials; no values.'),
  missing_credentials: z.array(z.string()).describe('Names of credentials that it needs and that are not stored.'),
});
z.globalRegistry.add(zConfigured, { id: 'Connector' });

export const zSpec = z.object({
  id: z.string().describe('Id in the catalogue.'),
  title: z.string(),
  description: z.string().describe('What it offers.'),
  category: z.string().describe('What it belongs to.'),
  command: z.string().describe('The program.'),
  args: z.array(z.string()),
  runtime: z.enum(['builtin', 'npx', 'uvx']).describe('What starts it: the daemon, `npx` of Node or `uvx` of Python.'),
  runtime_program: z.string().describe('The program that must be there.'),
  runtime_available: z.boolean().describe('Whether it is there.'),
  credentials: z
    .array(
      z.object({
        env: z.string().describe('Name of the environment variable.'),
        label: z.string().describe('Name for people.'),
        help: z.string().describe('Where to get it.'),
      }),
    )
    .describe('Secrets that it needs.'),
  docs_url: z.string().describe('Its documentation.'),
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
