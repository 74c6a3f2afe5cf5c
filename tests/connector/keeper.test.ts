/** The order of vault and log: a secret is there before the event that names it, and is gone before the one that ends it. */

import { describe, expect, it } from 'vitest';
import type { ConnectorState } from '../../src/commands/connector/decide.ts';
import type { Call } from '../../src/http/server/route.ts';
import type { SecretVault } from '../../src/ports/secret-vault.ts';
import { VaultTrouble } from '../../src/ports/secret-vault.ts';
import { addFromCatalog, connectorsKeeper } from '../../src/reactors/connector/configure.ts';

const SCOPE = { root: '/work', key: '0123456789abcdef' };
const OWNER = 'connector-0123456789abcdef-mine';
const wanted = { id: 'mine', catalog_id: null, title: 'Mine', command: 'x', args: [], credentials: { KEY: 'secret' } };

const nextTurn = (): Promise<void> => new Promise((go) => setImmediate(go));

/** What the keeper needs; `steps` is what it did, in order. */
function connectorParts(states: Record<string, ConnectorState> = {}) {
  const steps: string[] = [];
  const kept = new Map<string, object>();
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
  const dispatcher = { load: (_: unknown, id: string) => states[`connector-${id}`] ?? 'absent' };
  const views = { all: () => [] };
  const dispatch = (async (_decider: unknown, id: string, { type }: { type: string }) => {
    steps.push(`${type} ${id}`);
    // Long enough for another command to begin meanwhile.
    for (let turns = 0; turns < 5; turns += 1) await nextTurn();
    if (broken.log) throw new Error('The disk is full.');
    states[`connector-${id}`] = type === 'RemoveConnector' ? 'absent' : 'enabled';
  }) as unknown as Call['dispatch'];
  const built = { vault, dispatcher, views } as never;
  return {
    steps,
    kept,
    dispatch,
    deps: built,
    keeper: connectorsKeeper(built),
    broken,
  };
}

describe('adding', () => {
  it('keeps the secret before the event', async () => {
    const { keeper, dispatch, steps } = connectorParts();
    await keeper.add(SCOPE, wanted, dispatch);
    expect(steps).toEqual([`keep ${OWNER}`, 'AddConnector 0123456789abcdef-mine']);
  });
  it('forgets it again when there is no event', async () => {
    const { keeper, dispatch, kept, broken } = connectorParts();
    broken.log = true;
    await expect(keeper.add(SCOPE, wanted, dispatch)).rejects.toThrow('full');
    expect([...kept.keys()]).toEqual([]);
  });
  it('makes no event of what the vault does not take', async () => {
    const { keeper, dispatch, steps, broken } = connectorParts();
    broken.vault = true;
    await expect(keeper.add(SCOPE, wanted, dispatch)).rejects.toMatchObject({ status: 503 });
    expect(steps).toEqual([]);
  });
  it('never writes over what a connector keeps, and drops what belongs to none', async () => {
    const { keeper, dispatch, kept } = connectorParts({ [OWNER]: 'disabled' });
    kept.set(OWNER, { KEY: 'first' });
    kept.set('connector-0123456789abcdef-gone', { KEY: 'orphan' });
    await keeper.add(SCOPE, wanted, dispatch);
    expect(kept.get(OWNER)).toEqual({ KEY: 'first' });
    await keeper.add(SCOPE, { ...wanted, id: 'next' }, dispatch);
    expect([...kept.keys()]).toEqual([OWNER, 'connector-0123456789abcdef-next']);
  });
  it('does not take the secret of one that is being added for one of nobody', async () => {
    const { keeper, dispatch, kept } = connectorParts();
    const adding: Promise<void>[] = [];
    for (const id of ['first', 'second', 'third']) {
      adding.push(keeper.add(SCOPE, { ...wanted, id }, dispatch));
      await nextTurn();
    }
    await Promise.all(adding);
    expect([...kept.keys()].map((owner) => owner.split('-').at(-1))).toEqual(['first', 'second', 'third']);
  });
});

describe('removing', () => {
  it('forgets before the event, and makes none when it cannot forget', async () => {
    const { keeper, dispatch, steps } = connectorParts({ [OWNER]: 'enabled' });
    expect(await keeper.remove(SCOPE, 'mine', dispatch)).toBe(0);
    expect(steps).toEqual([`forget ${OWNER}`, 'RemoveConnector 0123456789abcdef-mine']);
    expect(await keeper.remove(SCOPE, 'mine', dispatch)).toBeNull();
    const other = connectorParts({ [OWNER]: 'enabled' });
    other.broken.vault = true;
    await expect(other.keeper.remove(SCOPE, 'mine', other.dispatch)).rejects.toMatchObject({ status: 503 });
    expect(other.steps).toEqual([]);
  });
});

describe('what a bundle counts on', () => {
  const add = (of: ReturnType<typeof connectorParts>, id: string) =>
    addFromCatalog(of.deps, { scope: SCOPE, id, dispatch: of.dispatch });

  it('is added, is there already, or failed for a reason', async () => {
    const of = connectorParts();
    expect(await add(of, 'time')).toEqual({ state: 'added' });
    expect(await add(of, 'time')).toEqual({ state: 'already_configured' });
    expect(await add(of, 'nope')).toMatchObject({ state: 'failed' });
    of.broken.log = true;
    expect(await add(of, 'fetch')).toMatchObject({ state: 'failed', error: expect.stringMatching(/recorded/) });
  });
});
