/**
 * Configures and removes connectors, with their credentials in the vault.
 *
 * - Credentials are durable in the vault before the event that names them. Credentials whose connector does not exist
 *   are deleted before new ones are stored. Therefore connectors are added and removed one at a time.
 * - When another daemon removes a connector, its credentials in the vault of this daemon are deleted too.
 */
import { catalogConnector } from '../../commands/connector/catalogue.ts';
import { type ConnectorCommand, connector, connectorStreamId, vaultOwner } from '../../commands/connector/decide.ts';
import { fromCatalogue, type NewConnector } from '../../commands/connector/request.ts';
import { Refused, refused } from '../../commands/refusal.ts';
import { Mutex } from '../../lib/keyed-mutex.ts';
import type { SecretVault } from '../../ports/secret-vault.ts';
import { configuredConnectors } from '../../projections/connector.ts';
import { idOf } from '../../projections/projection.ts';
import type { Views } from '../../projections/views.ts';
import type { WorkspaceScope } from '../../queries/workspace-scope.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import type { CommittedEvents } from '../../streams/committed-events.ts';
import { select } from '../../streams/operators.ts';
import type { SendCommand } from '../send-command.ts';

interface Dependencies {
  readonly views: Views;
  readonly commandHandler: Pick<CommandHandler, 'load' | 'isAppending'>;
  readonly appended$: CommittedEvents['appended$'];
  readonly vault: SecretVault;
}

/** Connectors of one workspace. */
const CONNECTORS_MAX = 256;

export type CatalogueAddition =
  | { readonly state: 'already_configured' | 'added' }
  | { readonly state: 'failed'; readonly error: string };

/** Sends the command, in whose commit the number of deleted credentials becomes the answer to the request. */
type FinishRemoval = (stream: string, command: ConnectorCommand, deleted: number) => Promise<unknown>;

export class Connectors {
  readonly #dependencies: Dependencies;
  readonly #mutex = new Mutex();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    const { commandHandler, appended$, vault } = dependencies;
    appended$.pipe(select({ category: connector.category, types: ['ConnectorRemoved'] })).subscribe((removed) => {
      for (const event of removed) {
        if (commandHandler.isAppending(event)) continue;
        // A vault that fails keeps them until credentials are stored again.
        void this.#mutex.run(() => vault.forget(event.stream)).catch(() => undefined);
      }
    });
  }

  isConfigured({ key }: WorkspaceScope, id: string): boolean {
    return this.#dependencies.commandHandler.load(connector, connectorStreamId(key, id)) !== 'absent';
  }

  /** Throws `Refused` if the connector exists or the workspace is full, and `VaultTrouble`. */
  add(scope: WorkspaceScope, added: NewConnector, send: SendCommand): Promise<void> {
    return this.#mutex.run(() => this.#add(scope, added, send));
  }

  /** Configures a catalogue entry that needs no credential. Returns a failure instead of throwing it. */
  async addFromCatalogue(scope: WorkspaceScope, id: string, send: SendCommand): Promise<CatalogueAddition> {
    const entry = catalogConnector(id);
    if (entry === undefined) return { state: 'failed', error: 'There is no such connector to choose.' };
    if (this.isConfigured(scope, id)) return { state: 'already_configured' };
    try {
      await this.add(scope, fromCatalogue(entry, {}), send);
      return { state: 'added' };
    } catch (error) {
      if (!(error instanceof Refused)) {
        return { state: 'failed', error: 'It could not be recorded; the daemon’s log has the details.' };
      }
      // Another request may have configured it meanwhile.
      return this.isConfigured(scope, id) ? { state: 'already_configured' } : { state: 'failed', error: error.message };
    }
  }

  /** Deletes the credentials, then the connector. Returns the number of credentials; null without such a connector. */
  remove(scope: WorkspaceScope, id: string, finish: FinishRemoval): Promise<number | null> {
    return this.#mutex.run(() => this.#remove(scope, id, finish));
  }

  async #add(scope: WorkspaceScope, added: NewConnector, send: SendCommand): Promise<void> {
    const { vault, views } = this.#dependencies;
    const { credentials, args, ...facts } = added;
    const credential_names = Object.keys(credentials).sort();
    const data = { ...facts, args: [...args], credential_names, workspace: scope.root };
    const owner = vaultOwner(scope.key, added.id);
    const storesCredentials = credential_names.length > 0 && !this.isConfigured(scope, added.id);
    if (configuredConnectors(views, scope.root).length >= CONNECTORS_MAX) {
      throw refused('conflict', `This workspace has ${CONNECTORS_MAX} connectors already; remove one first.`);
    }
    if (storesCredentials) {
      await this.#deleteOrphans();
      await vault.keep(owner, credentials);
    }
    try {
      await send(connector, connectorStreamId(scope.key, added.id), { type: 'AddConnector', ...data });
    } catch (error) {
      if (storesCredentials && !this.isConfigured(scope, added.id)) await vault.forget(owner).catch(() => undefined);
      throw error;
    }
  }

  async #remove(scope: WorkspaceScope, id: string, finish: FinishRemoval): Promise<number | null> {
    if (!this.isConfigured(scope, id)) return null;
    const deleted = await this.#dependencies.vault.forget(vaultOwner(scope.key, id));
    const command = { type: 'RemoveConnector', workspace: scope.root, id } as const;
    await finish(connectorStreamId(scope.key, id), command, deleted);
    return deleted;
  }

  /** Deletes the credentials of connectors that do not exist. */
  async #deleteOrphans(): Promise<void> {
    const { commandHandler, vault } = this.#dependencies;
    for (const owner of await vault.owners()) {
      if (commandHandler.load(connector, idOf(owner)) === 'absent') await vault.forget(owner);
    }
  }
}
