/**
 * Adds and removes connectors, with what they keep in the vault.
 *
 * - A secret is durable before the event that says it is there; whatever is in the vault of no connector goes with the
 *   next write. So adding and removing take turns.
 */

import { catalogConnector } from '../../commands/connector/catalogue.ts';
import { connector, connectorStreamId } from '../../commands/connector/decide.ts';
import { Refused } from '../../commands/refusal.ts';
import { catalogued, type WantedConnector } from '../../http/connector/requested.ts';
import { HttpError } from '../../http/server/errors.ts';
import type { Call } from '../../http/server/route.ts';
import type { SecretVault } from '../../ports/secret-vault.ts';
import { VaultTrouble } from '../../ports/secret-vault.ts';
import { configuredConnectors } from '../../projections/connector.ts';
import { idOf } from '../../projections/projection.ts';
import type { Views } from '../../projections/views.ts';
import type { WorkspaceScope } from '../../queries/workspace-scope.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly views: Views;
  readonly dispatcher: CommandHandler;
  readonly vault: SecretVault;
}

/** Of one workspace. */
export const CONNECTORS_MAX = 256;

type Dispatch = Call['dispatch'];

export interface ConnectorsKeeper {
  /** Throws `Refused` when it is configured already, `HttpError` when it cannot be kept. */
  add(scope: WorkspaceScope, wanted: WantedConnector, dispatch: Dispatch): Promise<void>;
  /** Its credentials go first; how many there were, or null when there was no such connector. */
  remove(scope: WorkspaceScope, id: string, dispatch: Dispatch): Promise<number | null>;
}

const keepers = new WeakMap<Dependencies, ConnectorsKeeper>();

/** One per daemon: its lock is shared by all requests. */
export function connectorsKeeper(deps: Dependencies): ConnectorsKeeper {
  const keeper = keepers.get(deps) ?? createKeeper(deps);
  keepers.set(deps, keeper);
  return keeper;
}

export type CatalogAddition =
  | { readonly state: 'already_configured' | 'added' }
  | { readonly state: 'failed'; readonly error: string };

/** Configures an entry of the catalogue that needs no credential, for whatever counts on it; never throws. */
export async function addFromCatalog(
  deps: Dependencies,
  { scope, id, dispatch }: { readonly scope: WorkspaceScope; readonly id: string; readonly dispatch: Dispatch },
): Promise<CatalogAddition> {
  const entry = catalogConnector(id);
  if (entry === undefined) return { state: 'failed', error: 'There is no such connector to choose.' };
  if (isConfigured(deps, scope, id)) return { state: 'already_configured' };
  try {
    await connectorsKeeper(deps).add(scope, catalogued(entry, {}), dispatch);
    return { state: 'added' };
  } catch (error) {
    // Somebody else was faster.
    if (error instanceof Refused && isConfigured(deps, scope, id)) return { state: 'already_configured' };
    if (error instanceof Refused || error instanceof HttpError) return { state: 'failed', error: error.message };
    return { state: 'failed', error: 'It could not be recorded; the daemon’s log has the details.' };
  }
}

export function isConfigured({ dispatcher }: Dependencies, scope: WorkspaceScope, id: string): boolean {
  return dispatcher.load(connector, streamIdOf(scope, id)) !== 'absent';
}

/** Whose secrets they are in the vault: the stream’s name. */
export function vaultOwner(scope: WorkspaceScope, id: string): string {
  return `${connector.category}-${streamIdOf(scope, id)}`;
}

export function streamIdOf(scope: WorkspaceScope, id: string): string {
  return connectorStreamId({ workspaceKey: scope.key, id });
}

/** What the vault cannot do is said as it is: the message holds no secret. */
export async function onVault<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof VaultTrouble ? new HttpError(503, error.message) : error;
  }
}

function createKeeper(deps: Dependencies): ConnectorsKeeper {
  const { vault, dispatcher, views } = deps;
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  }

  async function forgetOrphans(): Promise<void> {
    for (const owner of await vault.owners()) {
      if (dispatcher.load(connector, idOf(owner)) === 'absent') await vault.forget(owner);
    }
  }

  async function add(scope: WorkspaceScope, wanted: WantedConnector, dispatch: Dispatch): Promise<void> {
    const { credentials, args, ...facts } = wanted;
    const credential_names = Object.keys(credentials).sort();
    const data = { ...facts, args: [...args], credential_names, workspace: scope.root };
    const owner = vaultOwner(scope, wanted.id);
    const keepsSecrets = credential_names.length > 0 && !isConfigured(deps, scope, wanted.id);
    if (configuredConnectors(views, scope.root).length >= CONNECTORS_MAX) {
      throw new HttpError(409, `This workspace has ${CONNECTORS_MAX} connectors already; remove one first.`);
    }
    if (keepsSecrets) {
      await onVault(async () => {
        await forgetOrphans();
        await vault.keep(owner, credentials);
      });
    }
    try {
      await dispatch(connector, streamIdOf(scope, wanted.id), { type: 'AddConnector', ...data });
    } catch (error) {
      if (keepsSecrets && !isConfigured(deps, scope, wanted.id)) await vault.forget(owner).catch(() => undefined);
      throw error;
    }
  }

  async function remove(scope: WorkspaceScope, id: string, dispatch: Dispatch): Promise<number | null> {
    if (!isConfigured(deps, scope, id)) return null;
    const deleted = await onVault(() => vault.forget(vaultOwner(scope, id)));
    await dispatch(connector, streamIdOf(scope, id), { type: 'RemoveConnector', workspace: scope.root, id });
    return deleted;
  }

  return {
    add: (scope, wanted, dispatch) => inTurn(() => add(scope, wanted, dispatch)),
    remove: (scope, id, dispatch) => inTurn(() => remove(scope, id, dispatch)),
  };
}
