/** The decider of a connector, its command line, and the catalogue. */
import { describe, expect, it } from 'vitest';
import { CONNECTOR_CATALOG, catalogConnector } from '../../src/commands/connector/catalogue.ts';
import { type ConnectorCommand, connector, connectorStreamId } from '../../src/commands/connector/decide.ts';
import type { ConnectorEvent, ConnectorFacts } from '../../src/events/connector.ts';
import { launchOf } from '../../src/queries/connector/launch.ts';
import { decider } from '../support/given.ts';

const facts: ConnectorFacts = {
  workspace: '/work',
  id: 'github',
  catalog_id: 'github',
  title: 'GitHub',
  command: 'npx',
  args: ['-y'],
  credential_names: ['KEY'],
};
const of = { workspace: '/work', id: 'github' } as const;
const add: ConnectorCommand = { type: 'AddConnector', ...facts };
const enable: ConnectorCommand = { type: 'ToggleConnector', ...of, enabled: true };
const disable: ConnectorCommand = { type: 'ToggleConnector', ...of, enabled: false };
const remove: ConnectorCommand = { type: 'RemoveConnector', ...of };
const added: ConnectorEvent = { type: 'ConnectorAdded', data: facts };
const disabled: ConnectorEvent = { type: 'ConnectorDisabled', data: of };
const removed: ConnectorEvent = { type: 'ConnectorRemoved', data: of };

describe('a connector', () => {
  const { given } = decider(connector);

  it('is added once, enabled, and again after it was removed', () => {
    given().when(add).thenEvents(added);
    given(added).when(add).thenRefused('invalid');
    given(added, disabled).when(add).thenRefused('invalid');
    given(added, removed).when(add).thenEvents(added);
  });
  it('is disabled and enabled, and says nothing when it is so already', () => {
    given(added).when(enable).thenNothing();
    given(added).when(disable).thenEvents(disabled);
    given(added, disabled).when(disable).thenNothing();
    given(added, disabled).when(enable).thenEvents({ type: 'ConnectorEnabled', data: of });
    given().when(enable).thenRefused('invalid');
    given(added, removed).when(disable).thenRefused('invalid');
  });
  it('is removed once', () => {
    given(added).when(remove).thenEvents(removed);
    given().when(remove).thenNothing();
    given(added, removed).when(remove).thenNothing();
  });
  it('has one stream for a workspace and an id', () => {
    expect(connectorStreamId('0123456789abcdef', 'a-b')).toBe('0123456789abcdef-a-b');
  });
});

describe('a launch', () => {
  const place = { workspace: '/work', secrets: { URL: 'db://{workspace}', TWICE: '{secret:URL}' } };
  const custom = { catalog_id: null, command: 'run' };

  it('fills in the workspace and credentials, each once and wherever they stand', () => {
    const args = ['{workspace}/x', '--url={secret:URL}', '{secret:TWICE}{workspace}'];
    const { program } = launchOf({ ...custom, args }, place);
    expect(program?.args).toEqual(['/work/x', '--url=db://{workspace}', '{secret:URL}/work']);
  });
  it('passes on what it cannot fill in', () => {
    const args = ['{secret:NONE}', '{secret:url}', '{Workspace}', '{secret:}', '$&'];
    expect(launchOf({ ...custom, args }, place).program?.args).toEqual(args);
    expect(launchOf({ ...custom, args: ['{secret:constructor}', '{secret:__PROTO__}'] }, place).program?.args).toEqual([
      '{secret:constructor}',
      '{secret:__PROTO__}',
    ]);
  });
  it('happens in the workspace for one of your own, elsewhere for what a registry brings', () => {
    expect(launchOf({ ...custom, args: [] }, place).cwd).toBe('/work');
    expect(launchOf({ catalog_id: 'git', command: 'uvx', args: [] }, place).cwd).toBeNull();
    const own = launchOf({ catalog_id: 'daybook', command: 'daybook', args: [] }, place);
    expect(own).toEqual({ program: null, cwd: null, secrets: {} });
  });
});

describe('the catalogue', () => {
  it('has its seventeen entries in their order', () => {
    expect(CONNECTOR_CATALOG.map(({ id }) => id).join(' ')).toBe(
      'daybook filesystem git github gitlab fetch brave-search puppeteer google-maps postgres sqlite memory ' +
        'sequential-thinking slack sentry time everything',
    );
  });
  it('needs no credential for nine of them', () => {
    const free = CONNECTOR_CATALOG.filter(({ credentials }) => credentials.length === 0).map(({ id }) => id);
    expect(free.join(' ')).toBe('daybook filesystem git fetch puppeteer memory sequential-thinking time everything');
  });
  it('launches npx and uvx with their packages, credentials in arguments as placeholders', () => {
    expect(catalogConnector('filesystem')).toMatchObject({
      command: 'npx',
      args: ['-y', '@modelcontextprotocol/server-filesystem', '{workspace}'],
    });
    expect(catalogConnector('sentry')).toMatchObject({
      command: 'uvx',
      args: ['--with', 'mcp<2', 'mcp-server-sentry', '--auth-token', '{secret:SENTRY_AUTH_TOKEN}'],
    });
    for (const { args, credentials } of CONNECTOR_CATALOG) {
      const inArguments = args.flatMap((argument) => /^\{secret:(.+)\}$/.exec(argument)?.[1] ?? []);
      expect(credentials.map(({ env }) => env)).toEqual(expect.arrayContaining(inArguments));
    }
    expect(catalogConnector('nope')).toBeUndefined();
  });
});
