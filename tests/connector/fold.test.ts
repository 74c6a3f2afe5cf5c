/** The connectors of a workspace, folded from events. */
import { expect, it } from 'vitest';
import type { ConnectorEvent } from '../../src/events/connector.ts';
import { configuredConnector, configuredConnectors, connectors } from '../../src/projections/connector.ts';
import { givenProjection } from '../../src/testing/given-projection.ts';

const added = (workspace: string, id: string): ConnectorEvent => ({
  type: 'ConnectorAdded',
  data: { workspace, id, catalog_id: null, title: id, command: 'npx', args: ['-y', id], credential_names: ['KEY'] },
});
const changed = (type: 'ConnectorEnabled' | 'ConnectorDisabled' | 'ConnectorRemoved', id: string): ConnectorEvent => ({
  type,
  data: { workspace: '/a', id },
});
const views = (...events: readonly ConnectorEvent[]) =>
  givenProjection(
    connectors,
    [added('/a', 'z'), added('/b', 'z'), added('/a', 'y'), ...events].map((event) => ({
      stream: 'connector-x',
      ...event,
    })),
  ).views;
const enabled = (...events: readonly ConnectorEvent[]) =>
  configuredConnectors(views(...events), '/a').map((row) => [row.id, row.enabled]);

it('a connector is asked for by workspace and id', () => {
  const row = { workspace: '/a', id: 'y', catalog_id: null, title: 'y', command: 'npx', enabled: true, added_at: 3 };
  expect(configuredConnector(views(), '/a', 'y')).toEqual({ ...row, args: ['-y', 'y'], credential_names: ['KEY'] });
  expect(configuredConnector(views(), '/b', 'y')).toBeUndefined();
});

it('they are in the order in which they were added, switched on and off, and removed', () => {
  expect(enabled()).toEqual([
    ['z', true],
    ['y', true],
  ]);
  expect(enabled(changed('ConnectorDisabled', 'z'))).toEqual([
    ['z', false],
    ['y', true],
  ]);
  expect(enabled(changed('ConnectorDisabled', 'z'), changed('ConnectorEnabled', 'z'))).toEqual(enabled());
  expect(enabled(changed('ConnectorRemoved', 'z'))).toEqual([['y', true]]);
});
