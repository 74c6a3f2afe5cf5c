/** The connector a body asks for, checked as a whole before anything is kept. */
import { type CatalogConnector, catalogConnector } from '../../commands/connector/catalogue.ts';
import { sanitiseEcho } from '../../commands/refusal.ts';
import { HttpError } from '../server/errors.ts';
import type { AddBody } from './schemas.ts';

export interface WantedConnector {
  readonly id: string;
  readonly catalog_id: string | null;
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly credentials: Readonly<Record<string, string>>;
}

export const CONNECTOR_ID = /^[a-z0-9-]{1,64}$/;
const CREDENTIAL_NAME = /^[A-Z0-9_]{1,128}$/;
/** What is shorter can stand in a command by chance. */
const GIVEN_AWAY_CHARACTERS_MIN = 8;

/** Throws `HttpError` 400. */
export function wantedConnector(body: AddBody): WantedConnector {
  const credentials = notBlank(body.credentials ?? {});
  const wanted = isBlank(body.catalog_id) ? custom(body, credentials) : fromCatalog(body.catalog_id!, credentials);
  requireNoneGivenAway(wanted);
  return wanted;
}

/** An entry of the catalogue as it is configured. */
export function catalogued(entry: CatalogConnector, credentials: Readonly<Record<string, string>>): WantedConnector {
  const { id, title, command, args } = entry;
  return { id, catalog_id: id, title, command, args, credentials };
}

function fromCatalog(catalogId: string, credentials: Readonly<Record<string, string>>): WantedConnector {
  const entry = catalogConnector(catalogId);
  if (entry === undefined) throw new HttpError(400, `There is no connector '${sanitiseEcho(catalogId)}' to choose.`);
  const missing = entry.credentials.filter(({ env }) => credentials[env] === undefined);
  if (missing.length > 0) {
    const named = missing.map(({ env, label }) => `${label} (${env})`).join(', ');
    throw new HttpError(400, `${entry.title} needs: ${named}.`);
  }
  const known = new Set(entry.credentials.map(({ env }) => env));
  const unknown = Object.keys(credentials).find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new HttpError(400, `${entry.title} has no credential of that name: it would be lost.`);
  return catalogued(entry, credentials);
}

function custom({ id, title, command, args }: AddBody, credentials: Readonly<Record<string, string>>): WantedConnector {
  if (isBlank(id) || isBlank(command)) {
    throw new HttpError(400, 'A connector needs either catalog_id, or id and command.');
  }
  if (!CONNECTOR_ID.test(id!)) {
    throw new HttpError(400, 'id must have 1 to 64 characters, each of a-z, 0-9 or a hyphen.');
  }
  if (Object.keys(credentials).some((name) => !CREDENTIAL_NAME.test(name))) {
    throw new HttpError(400, 'Names of credentials must have 1 to 128 characters, each of A-Z, 0-9 or _.');
  }
  const name = isBlank(title) ? id! : title!.trim();
  return { id: id!, catalog_id: null, title: name, command: command!.trim(), args: args ?? [], credentials };
}

/** A credential that is also written into the command would be in the log for good. */
function requireNoneGivenAway({ title, command, args, credentials }: WantedConnector): void {
  for (const [name, secret] of Object.entries(credentials)) {
    if (secret.length < GIVEN_AWAY_CHARACTERS_MIN) continue;
    if ([title, command, ...args].some((text) => text.includes(secret))) {
      throw new HttpError(400, `The value of ${name} is also in the command; write {secret:${name}} there instead.`);
    }
  }
}

function notBlank(credentials: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(credentials).filter(([, secret]) => !isBlank(secret)));
}

function isBlank(text: string | null | undefined): boolean {
  return text == null || text.trim() === '';
}
