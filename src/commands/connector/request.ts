/** The connector that a request describes, checked as a whole before anything of it is stored. */
import { refused, sanitiseEcho } from '../refusal.ts';
import { type CatalogConnector, catalogConnector } from './catalogue.ts';

/** Either a catalogue entry by `catalog_id`, or a connector of one's own by `id` and `command`. */
export interface ConnectorRequest {
  readonly catalog_id?: string | null | undefined;
  readonly id?: string | null | undefined;
  readonly title?: string | null | undefined;
  readonly command?: string | null | undefined;
  readonly args?: readonly string[] | null | undefined;
  readonly credentials?: Readonly<Record<string, string>> | null | undefined;
}

/** A connector to be configured, with the values of its credentials. */
export interface NewConnector {
  readonly id: string;
  readonly catalog_id: string | null;
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly credentials: Readonly<Record<string, string>>;
}

export const CONNECTOR_ID = /^[a-z0-9-]{1,64}$/;
const CREDENTIAL_NAME = /^[A-Z0-9_]{1,128}$/;
/** A shorter credential may be part of a command by chance. */
const CREDENTIAL_CHECKED_CHARACTERS_MIN = 8;

/** Throws `Refused` (invalid). */
export function newConnector(request: ConnectorRequest): NewConnector {
  const { catalog_id } = request;
  const credentials = withoutBlank(request.credentials ?? {});
  const connector = hasText(catalog_id) ? checkedFromCatalogue(catalog_id, credentials) : custom(request, credentials);
  requireNoCredentialInCommand(connector);
  return connector;
}

/** A catalogue entry with its credentials. */
export function fromCatalogue(entry: CatalogConnector, credentials: Readonly<Record<string, string>>): NewConnector {
  const { id, title, command, args } = entry;
  return { id, catalog_id: id, title, command, args, credentials };
}

function checkedFromCatalogue(catalogId: string, credentials: Readonly<Record<string, string>>): NewConnector {
  const entry = catalogConnector(catalogId);
  if (entry === undefined) throw refused('invalid', `There is no connector '${sanitiseEcho(catalogId)}' to choose.`);
  const missing = entry.credentials.filter(({ env }) => credentials[env] === undefined);
  if (missing.length > 0) {
    const named = missing.map(({ env, label }) => `${label} (${env})`).join(', ');
    throw refused('invalid', `${entry.title} needs: ${named}.`);
  }
  const names = new Set(entry.credentials.map(({ env }) => env));
  const unknown = Object.keys(credentials).find((name) => !names.has(name));
  if (unknown !== undefined)
    throw refused('invalid', `${entry.title} has no credential of that name: it would be lost.`);
  return fromCatalogue(entry, credentials);
}

function custom(
  { id, title, command, args }: ConnectorRequest,
  credentials: Readonly<Record<string, string>>,
): NewConnector {
  if (!hasText(id) || !hasText(command)) {
    throw refused('invalid', 'A connector needs either catalog_id, or id and command.');
  }
  if (!CONNECTOR_ID.test(id)) {
    throw refused('invalid', 'id must have 1 to 64 characters, each of a-z, 0-9 or a hyphen.');
  }
  if (Object.keys(credentials).some((name) => !CREDENTIAL_NAME.test(name))) {
    throw refused('invalid', 'Names of credentials must have 1 to 128 characters, each of A-Z, 0-9 or _.');
  }
  const name = hasText(title) ? title.trim() : id;
  return { id, catalog_id: null, title: name, command: command.trim(), args: args ?? [], credentials };
}

/** The command is in the log for ever, so it must not hold the value of a credential. */
function requireNoCredentialInCommand({ title, command, args, credentials }: NewConnector): void {
  for (const [name, secret] of Object.entries(credentials)) {
    if (secret.length < CREDENTIAL_CHECKED_CHARACTERS_MIN) continue;
    if ([title, command, ...args].some((text) => text.includes(secret))) {
      throw refused('invalid', `The value of ${name} is also in the command; write {secret:${name}} there instead.`);
    }
  }
}

function withoutBlank(credentials: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(credentials).filter(([, secret]) => hasText(secret)));
}

function hasText(text: string | null | undefined): text is string {
  return text != null && text.trim() !== '';
}
