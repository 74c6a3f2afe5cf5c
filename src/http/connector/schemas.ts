/** What the connector routes take and answer, and a connector and a catalogue entry as they are shown. */
import { z } from 'zod';
import { type CatalogConnector, CONNECTOR_CATALOG } from '../../commands/connector/catalogue.ts';
import type { ConnectorRow } from '../../projections/connector.ts';
import { zScopePath } from '../../queries/workspace-scope.ts';

const TEXT_CHARACTERS_MAX = 32_768;
const NAME_CHARACTERS_MAX = 200;
const COMMAND_CHARACTERS_MAX = 4_096;
const ARGUMENTS_MAX = 256;
const CREDENTIALS_MAX = 64;

const zWord = (charactersMax: number) =>
  z
    .string()
    .max(charactersMax)
    .refine((text) => !text.includes('\0') && text.isWellFormed(), 'must be well-formed text without a NUL character');

/** Any text: one that is no id is that of no connector. */
const zId = z.string().max(NAME_CHARACTERS_MAX);

export const zAdd = z.object({
  catalog_id: zWord(NAME_CHARACTERS_MAX).nullish(),
  id: zWord(NAME_CHARACTERS_MAX).nullish(),
  title: zWord(NAME_CHARACTERS_MAX).nullish(),
  command: zWord(COMMAND_CHARACTERS_MAX).nullish(),
  args: z.array(zWord(TEXT_CHARACTERS_MAX)).max(ARGUMENTS_MAX).nullish(),
  credentials: z
    .record(z.string(), zWord(TEXT_CHARACTERS_MAX))
    .refine((of) => Object.keys(of).length <= CREDENTIALS_MAX, `must be at most ${CREDENTIALS_MAX}`)
    .nullish(),
  path: zScopePath,
});
export type AddBody = z.infer<typeof zAdd>;

export const zToggle = z.object({ id: zId, enabled: z.boolean(), path: zScopePath });
export const zOne = z.object({ id: zId, path: zScopePath });
export const zScope = z.object({ path: zScopePath });

const zConfigured = z.object({
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

const zSpec = z.object({
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

export const zConnectors = z.object({ connectors: z.array(zConfigured), catalog: z.array(zSpec) });

export const zAdded = z.object({
  id: z.string(),
  title: z.string(),
  enabled: z.literal(true),
  credential_names: z.array(z.string()),
});

export const zProbed = z.object({
  id: z.string(),
  result: z.union([
    z.object({ state: z.literal('ok'), tools: z.array(z.string()) }),
    z.object({ state: z.literal('failed'), error: z.string() }),
    z.object({ state: z.literal('timedout'), after_secs: z.number() }),
  ]),
  checked_at: z.int(),
});

export function shownConnector(row: ConnectorRow, kept: ReadonlySet<string>): z.infer<typeof zConfigured> {
  const { id, catalog_id, title, command, args, enabled, added_at, credential_names } = row;
  const missing_credentials = credential_names.filter((name) => !kept.has(name));
  const names = { credential_names: [...credential_names], missing_credentials };
  return { id, catalog_id, title, command, args: [...args], enabled, added_at, ...names };
}

export function shownCatalog(isInstalled: (program: string) => boolean): z.infer<typeof zSpec>[] {
  const there = { builtin: true, npx: isInstalled('npx'), uvx: isInstalled('uvx') };
  return CONNECTOR_CATALOG.map((entry) => shownEntry(entry, there[entry.runtime]));
}

function shownEntry({ docsUrl, ...entry }: CatalogConnector, available: boolean): z.infer<typeof zSpec> {
  return {
    ...entry,
    args: [...entry.args],
    credentials: [...entry.credentials],
    runtime_program: entry.command,
    runtime_available: available,
    docs_url: docsUrl,
  };
}
