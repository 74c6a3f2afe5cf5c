/**
 * A daemon that is killed while connectors are added and removed: acknowledged connectors are there with all their
 * credentials, and the vault has no credential without a connector.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startTestDaemon } from '../../src/testing/daemon.ts';
import { type ChildDaemon, childDaemon } from '../support/daemon.ts';
import { byDepth } from '../support/depth.ts';
import { temporaryFolder } from '../support/folders.ts';

const PATH = '/api/vibedesk/connectors';
const ROUNDS = byDepth({ sample: 1, dense: 3, long: 20 });
const ADDED_EACH = 25;
const KILLED_AFTER_MS_MAX = 120;

interface Connector {
  readonly id: string;
  readonly missing_credentials: readonly string[];
}

async function connectorsOf({ request }: ChildDaemon): Promise<readonly Connector[]> {
  return ((await (await request(PATH)).json()) as { connectors: Connector[] }).connectors;
}

async function post({ request }: ChildDaemon, route: string, body: object): Promise<boolean> {
  try {
    return (await request(PATH + route, { method: 'POST', body: JSON.stringify(body) })).ok;
  } catch {
    return false;
  }
}

it('keeps vault and log together, whenever it is killed', async () => {
  const [home, workspace] = [temporaryFolder('home'), temporaryFolder('workspace')];
  const [there, gone] = [new Set<string>(), new Set<string>()];
  let daemon = await childDaemon({ home, workspace });
  for (let round = 0; round < ROUNDS; round += 1) {
    const removing = [...there].slice(0, 3);
    const adding = Array.from({ length: ADDED_EACH }, async (_, index) => {
      const id = `r${round}-${index}`;
      const credentials = { KEY_A: `a of ${id}`, KEY_B: `b of ${id}` };
      if (await post(daemon, '', { id, command: 'x', credentials })) there.add(id);
    });
    const leaving = removing.map(async (id) => {
      there.delete(id);
      if (await post(daemon, '/remove', { id })) gone.add(id);
    });
    await delay(Math.random() * KILLED_AFTER_MS_MAX);
    await daemon.kill('SIGKILL');
    await Promise.all([...adding, ...leaving]);

    daemon = await childDaemon({ home, workspace });
    const connectors = await connectorsOf(daemon);
    const ids = connectors.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([...there]));
    expect(ids.filter((id) => gone.has(id))).toEqual([]);
    // A removal that was under way may have deleted the credentials already: it says so, and is asked for again.
    const halfway = connectors.filter(({ missing_credentials: missing }) => missing.length > 0).map(({ id }) => id);
    expect(removing).toEqual(expect.arrayContaining(halfway));
    for (const id of halfway) expect(await post(daemon, '/remove', { id })).toBe(true);

    expect(await post(daemon, '', { id: `last-${round}`, command: 'x', credentials: { KEY: 'k' } })).toBe(true);
    there.add(`last-${round}`);
    const kept = JSON.parse(readFileSync(join(home, 'vault/vault.json'), 'utf8')) as { owners: object };
    const owners = Object.keys(kept.owners).map((owner) => owner.replace(/^connector-[0-9a-f]{16}-/, ''));
    const configured = (await connectorsOf(daemon)).map(({ id }) => id);
    expect(owners.toSorted()).toEqual(configured.toSorted());
    for (const id of configured) there.add(id);
  }
  await daemon.kill('SIGTERM');
}, 120_000);

it('a removal whose answer is lost is answered the same when it is repeated with its key', async () => {
  await using daemon = await startTestDaemon({ backend: 'lsm' });
  const post = (route: string, body: object, key: string): Promise<Response> =>
    daemon.fetch(PATH + route, {
      ...{ method: 'POST', body: JSON.stringify(body) },
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
    });
  for (const change of [0, 1, 2, 3, 4, 5, 6]) {
    const body = { id: `c${change}` };
    await post('', { ...body, command: 'x' }, `add ${change}`);
    await daemon.killAt(change, post('/remove', body, `remove ${change}`));
    await daemon.restart();
    const again = await post('/remove', body, `remove ${change}`);
    expect(await again.json()).toEqual({ ...body, removed: true, secrets_deleted: 0 });
  }
});
