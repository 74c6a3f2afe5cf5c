/** The connector that a request describes, checked as a whole before any part is stored. */
import type { ConnectorFacts } from '../../events/connector.ts';
import { refused, sanitiseEcho } from '../refusal.ts';
import { type CatalogConnector, catalogConnector } from './catalogue.ts';

/** Either a catalogue entry by `catalog_id`, or a custom connector by `id` and `command`. */
export interface ConnectorRequest {
  readonly catalog_id?: string | null | undefined;
  readonly id?: string | null | undefined;
  readonly title?: string | null | undefined;
  readonly command?: string | null | undefined;
  readonly args?: string[] | null | undefined;
  readonly credentials?: Readonly<Record<string, string>> | null | undefined;
}

/** A connector to be configured, with the values of its credentials. */
export interface NewConnector extends Omit<ConnectorFacts, 'workspace' | 'credential_names'> {
  readonly credentials: Readonly<Record<string, string>>;
}

export const CONNECTOR_ID = /^[a-z0-9-]{1,64}$/;
const CREDENTIAL_NAME = /^[A-Z0-9_]{1,128}$/;
/**
 * Variables with which the system, a shell or a runtime finds, loads or starts programs, and Daybook's own. As a
 * credential, such a variable would decide which program runs.
 */
const LAUNCH_VARIABLES: readonly RegExp[] = [
  /^(?:PATH|PATHEXT|HOME|SHELL|ENV|IFS|PS4|CDPATH|COMSPEC|SYSTEMROOT|WINDIR|TMPDIR|TEMP|TMP|PROMPT_COMMAND)$/,
  /^(?:LD|DYLD|BASH|MALLOC|DAYBOOK)_|^(?:BASH|SHELL)OPTS$|^(?:GLIBC_TUNABLES|GCONV_PATH|LOCPATH|NLSPATH)$/,
  /^NODE_(?:OPTIONS|PATH|EXTRA_CA_CERTS|REPL_\w+)$|^(?:NPM_CONFIG|BUN_CONFIG|DENO|ELECTRON)_/,
  /^PYTHON[A-Z]+$|^(?:PERL5|RUBY)(?:OPT|LIB|DB)$|^PERLLIB$|^LUA_(?:INIT|C?PATH)$|^PHP_INI_SCAN_DIR$/,
  /^(?:CLASSPATH|_?JAVA_OPTIONS|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|JAVA_HOME|DOTNET_STARTUP_HOOKS)$/,
  /^GIT_(?:SSH|SSH_COMMAND|EXEC_PATH|ASKPASS|CONFIG\w*|EDITOR|PAGER|EXTERNAL_DIFF|PROXY_COMMAND|TEMPLATE_DIR)$/,
  /^(?:SSH_ASKPASS|EDITOR|VISUAL|PAGER|BROWSER|UV_PYTHON|UV_CONFIG_FILE|PIP_CONFIG_FILE|XDG_CONFIG_\w+)$/,
];
/** A shorter credential may be part of a command by chance. */
const CREDENTIAL_CHECKED_CHARACTERS_MIN = 8;

/** Throws `Refused` (invalid). */
export function newConnector(request: ConnectorRequest): NewConnector {
  const { catalog_id } = request;
  const credentials = withoutBlank(request.credentials ?? {});
  if (!hasText(catalog_id)) {
    const connector = custom(request, credentials);
    requireNoCredentialIn(connector);
    return connector;
  }
  requireNothingBesideCatalogue(request);
  const connector = checkedFromCatalogue(catalog_id, credentials);
  requireNoCredentialOfCatalogue(connector);
  return connector;
}

/** A catalogue entry with its credentials. */
export function fromCatalogue(entry: CatalogConnector, credentials: Readonly<Record<string, string>>): NewConnector {
  const { id, title, command, args } = entry;
  return { id, catalog_id: id, title, command, args, credentials };
}

/** A catalogue entry has its own title and command, so those of the request would be lost. */
function requireNothingBesideCatalogue(request: ConnectorRequest): void {
  const present = (['id', 'title', 'command'] as const).filter((name) => hasText(request[name]));
  const named = (request.args ?? []).length > 0 ? [...present, 'args'] : present;
  if (named.length === 0) return;
  throw refused('invalid', `catalog_id says all of the command: leave ${named.join(', ')} out, or catalog_id.`);
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
  const launching = Object.keys(credentials).find((name) => LAUNCH_VARIABLES.some((names) => names.test(name)));
  if (launching !== undefined) {
    throw refused('invalid', `${launching} decides how programs start, so it cannot be the name of a credential.`);
  }
  const name = hasText(title) ? title.trim() : id;
  return { id, catalog_id: null, title: name, command: command.trim(), args: args ?? [], credentials };
}

/** All other fields are in the log permanently, so they must not contain the value of a credential. */
function requireNoCredentialIn({ id, title, command, args, credentials }: NewConnector): void {
  for (const [name, secret] of checkable(credentials)) {
    if ([command, ...args].some((text) => text.includes(secret))) {
      throw refused('invalid', `The value of ${name} is also in the command; write {secret:${name}} there instead.`);
    }
    const fields = { id, title, 'the name of a credential': Object.keys(credentials).join(' ') };
    for (const [field, text] of Object.entries(fields)) {
      if (!text.includes(secret)) continue;
      throw refused(
        'invalid',
        `The value of ${name} is also in ${field}, which everyone may read; choose another one.`,
      );
    }
  }
}

/** A text of the public catalogue is not a secret: it was most likely entered by mistake. */
function requireNoCredentialOfCatalogue({ id, title, command, args, credentials }: NewConnector): void {
  for (const [name, secret] of checkable(credentials)) {
    if (![id, title, command, ...args].some((text) => text.includes(secret))) continue;
    throw refused(
      'invalid',
      `The value of ${name} is a text of the catalogue's entry; it must be the credential itself.`,
    );
  }
}

function checkable(credentials: NewConnector['credentials']): readonly (readonly [name: string, secret: string])[] {
  return Object.entries(credentials).filter(([, secret]) => secret.length >= CREDENTIAL_CHECKED_CHARACTERS_MIN);
}

function withoutBlank(credentials: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(credentials).filter(([, secret]) => hasText(secret)));
}

function hasText(text: string | null | undefined): text is string {
  return text != null && text.trim() !== '';
}
