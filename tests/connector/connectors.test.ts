/**
 * Credentials are in the vault before the event that names them, and are removed before the event that ends the
 * connector.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { type ConnectorCommand, connector, connectorStreamId } from '../../src/commands/connector/decide.ts';
import { type SecretVault, VaultTrouble } from '../../src/ports/secret-vault.ts';
import { connectors as connectorsView } from '../../src/projections/connector.ts';
import { openViews } from '../../src/projections/views.ts';
import { Connectors } from '../../src/reactors/connector/connectors.ts';
import type { SendCommand } from '../../src/reactors/send-command.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createCommandHandler } from '../../src/streams/command-handler.ts';
import type { EventBatch } from '../../src/streams/committed-events.ts';
import { steadySystem } from '../support/steady-system.ts';

const SCOPE = { root: '/work', key: '0123456789abcdef' };
const OWNER = 'connector-0123456789abcdef-mine';
const added = { id: 'mine', catalog_id: null, title: 'Mine', command: 'x', args: [], credentials: { KEY: 'secret' } };

const origin = { actor: 'owner', correlation: null };

/**
 * A log in memory and a vault whose faults a test chooses; `steps` lists the calls to both in order. `other` is the
 * command handler of another daemon on the log.
 */
async function openConnectors(...configured: readonly string[]) {
  const steps: string[] = [];
  const kept = new Map<string, Readonly<Record<string, string>>>();
  const broken = { vault: false, log: false };
  const vault: SecretVault = {
    read: async () => ({}),
    names: async () => new Map(),
    async keep(owner, secrets) {
      if (broken.vault) throw new VaultTrouble('The vault is damaged.');
      steps.push(`keep ${owner}`);
      kept.set(owner, secrets);
    },
    async forget(owner) {
      if (broken.vault) throw new VaultTrouble('The vault is damaged.');
      steps.push(`forget ${owner}`);
      return kept.delete(owner) ? 1 : 0;
    },
    owners: async () => [...kept.keys()],
  };
  const { log } = await openStorage({ directory: '', ephemeral: true });
  const system = steadySystem();
  const commandHandler = createCommandHandler({ log, ...system });
  const views = openViews(null);
  views.exec(connectorsView.create);
  const send: SendCommand = async (decider, id, command) => {
    steps.push(`${Reflect.get(Object(command), 'type')} ${id}`);
    // Long enough for another call to begin meanwhile.
    for (let ticks = 0; ticks < 5; ticks += 1) await nextTick();
    if (broken.log) throw new Error('The disk is full.');
    return commandHandler.dispatch(decider, id, command, { origin });
  };
  for (const id of configured) {
    const { credentials, ...facts } = { ...added, id };
    const data = { ...facts, workspace: SCOPE.root, credential_names: Object.keys(credentials) };
    const command = { type: 'AddConnector', ...data } as const;
    await commandHandler.dispatch(connector, connectorStreamId(SCOPE.key, id), command, { origin });
  }
  const appended$ = new Subject<EventBatch>();
  log.onAppended((events) => appended$.next(events));
  const other = createCommandHandler({ log, ...system });
  const connectors = new Connectors({ vault, commandHandler, views, appended$ });
  return { steps, kept, broken, send, connectors, other };
}

describe('adding', () => {
  it('keeps the secret before the event', async () => {
    const { connectors, send, steps } = await openConnectors();
    await connectors.add(SCOPE, added, send);
    expect(steps).toEqual([`keep ${OWNER}`, 'AddConnector 0123456789abcdef-mine']);
  });
  it('deletes the secret when the event cannot be appended', async () => {
    const { connectors, send, kept, broken } = await openConnectors();
    broken.log = true;
    await expect(connectors.add(SCOPE, added, send)).rejects.toThrow('full');
    expect([...kept.keys()]).toEqual([]);
  });
  it('appends no event when the vault fails', async () => {
    const { connectors, send, steps, broken } = await openConnectors();
    broken.vault = true;
    await expect(connectors.add(SCOPE, added, send)).rejects.toThrow(VaultTrouble);
    expect(steps).toEqual([]);
  });
  it('does not replace the credentials of a configured connector, and deletes those of none', async () => {
    const { connectors, send, kept } = await openConnectors('mine');
    kept.set(OWNER, { KEY: 'first' });
    kept.set('connector-0123456789abcdef-gone', { KEY: 'orphan' });
    await expect(connectors.add(SCOPE, added, send)).rejects.toThrow('already configured');
    expect(kept.get(OWNER)).toEqual({ KEY: 'first' });
    await connectors.add(SCOPE, { ...added, id: 'next' }, send);
    expect([...kept.keys()]).toEqual([OWNER, 'connector-0123456789abcdef-next']);
  });
  it('does not delete the credentials of a connector that is being added', async () => {
    const { connectors, send, kept } = await openConnectors();
    const adding: Promise<void>[] = [];
    for (const id of ['first', 'second', 'third']) {
      adding.push(connectors.add(SCOPE, { ...added, id }, send));
      await nextTick();
    }
    await Promise.all(adding);
    expect([...kept.keys()].map((owner) => owner.split('-').at(-1))).toEqual(['first', 'second', 'third']);
  });
});

const finishedBy =
  (send: SendCommand) =>
  (stream: string, command: ConnectorCommand): Promise<unknown> =>
    send(connector, stream, command);

it('removing deletes the secrets before the event, and appends none when the vault fails', async () => {
  const { connectors, send, steps } = await openConnectors('mine');
  expect(await connectors.remove(SCOPE, 'mine', finishedBy(send))).toBe(0);
  expect(steps).toEqual([`forget ${OWNER}`, 'RemoveConnector 0123456789abcdef-mine']);
  expect(await connectors.remove(SCOPE, 'mine', finishedBy(send))).toBeNull();
  const other = await openConnectors('mine');
  other.broken.vault = true;
  await expect(other.connectors.remove(SCOPE, 'mine', finishedBy(other.send))).rejects.toThrow(VaultTrouble);
  expect(other.steps).toEqual([]);
});

it('deletes the credentials of a connector that another daemon removes, also when that one adds it anew', async () => {
  const { connectors, send, kept, other } = await openConnectors();
  const byOther: SendCommand = (decider, id, command) => other.dispatch(decider, id, command, { origin });
  await connectors.add(SCOPE, added, send);
  const stream = connectorStreamId(SCOPE.key, added.id);
  const { credentials, ...facts } = { ...added, workspace: SCOPE.root };
  await byOther(connector, stream, { type: 'RemoveConnector', ...facts });
  await byOther(connector, stream, { type: 'AddConnector', ...facts, credential_names: Object.keys(credentials) });
  await nextTick();
  expect([...kept.keys()]).toEqual([]);
});

it('a catalogue entry is added, is configured already, or cannot be added for a reason', async () => {
  const { broken, connectors, send } = await openConnectors();
  expect(await connectors.addFromCatalogue(SCOPE, 'time', send)).toEqual({ state: 'added' });
  expect(await connectors.addFromCatalogue(SCOPE, 'time', send)).toEqual({ state: 'already_configured' });
  expect(await connectors.addFromCatalogue(SCOPE, 'nope', send)).toMatchObject({ state: 'failed' });
  broken.log = true;
  const failed = await connectors.addFromCatalogue(SCOPE, 'fetch', send);
  expect(failed).toMatchObject({ state: 'failed', error: expect.stringMatching(/recorded/) });
});
