/** The decider of one connector of a workspace: added once, enabled or disabled, removed. */
import { type ConnectorEvent, type ConnectorFacts, connectorEvents } from '../../events/connector.ts';
import type { Decider } from '../decider.ts';
import { Refusal } from '../refusal.ts';

export type ConnectorCommand =
  | ({ readonly type: 'AddConnector' } & ConnectorFacts)
  | { readonly type: 'ToggleConnector'; readonly workspace: string; readonly id: string; readonly enabled: boolean }
  | { readonly type: 'RemoveConnector'; readonly workspace: string; readonly id: string };

export type ConnectorState = 'absent' | 'enabled' | 'disabled';

/** The stream is `connector-<workspace key>-<id>`. */
export function connectorStreamId(workspaceKey: string, id: string): string {
  return `${workspaceKey}-${id}`;
}

/** The owner of the connector's credentials in the vault: the name of its stream. */
export function vaultOwner(workspaceKey: string, id: string): string {
  return `${connector.category}-${connectorStreamId(workspaceKey, id)}`;
}

export const connector: Decider<ConnectorCommand, ConnectorState, ConnectorEvent> = {
  category: 'connector',
  events: connectorEvents,
  initial: 'absent',
  decide(command, state) {
    const { workspace, id } = command;
    switch (command.type) {
      case 'AddConnector': {
        const { type: _, ...data } = command;
        if (state !== 'absent') return new Refusal('invalid', `The connector '${id}' is already configured.`);
        return [{ type: 'ConnectorAdded', data }];
      }
      case 'ToggleConnector': {
        if (state === 'absent') return notConfigured(id);
        if ((state === 'enabled') === command.enabled) return [];
        return [{ type: command.enabled ? 'ConnectorEnabled' : 'ConnectorDisabled', data: { workspace, id } }];
      }
      case 'RemoveConnector':
        return state === 'absent' ? [] : [{ type: 'ConnectorRemoved', data: { workspace, id } }];
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case 'ConnectorAdded':
        return 'enabled';
      // A connector whose addition is erased is absent.
      case 'ConnectorEnabled':
        return state === 'absent' ? state : 'enabled';
      case 'ConnectorDisabled':
        return state === 'absent' ? state : 'disabled';
      case 'ConnectorRemoved':
        return 'absent';
    }
  },
};

export function notConfigured(id: string): Refusal {
  return new Refusal('invalid', `The connector '${id}' is not configured.`);
}
