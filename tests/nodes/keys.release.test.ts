/** Keys and tokens that the daemons of one log share. */
import { copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folders.ts';
import { withPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { json, nodeHere, post } from './support.ts';

const PASSPHRASE = { DAYBOOK_MEMORY_PASSPHRASE: 'correct horse battery' };

withPostgres('the keys of a log', (cluster) => {
  it('are made once: of two daemons that start at once one signs, and the other one says who does', async () => {
    const url = await cluster().newLog();
    const both = await Promise.all([nodeHere({ url }), nodeHere({ url })]);
    const withKey = both.filter(({ home }) => existsSync(join(home, 'log.key')));
    expect(withKey).toHaveLength(1);
    const answers = await Promise.all(both.map(async (each) => (await each.request('/v1/tlog/checkpoint')).status));
    expect(answers.sort()).toEqual([200, 503]);
  });

  it('with a copy of the key another daemon signs the same log under the same name', async () => {
    const url = await cluster().newLog();
    const a = await nodeHere({ url });
    const home = temporaryFolder('home');
    copyFileSync(join(a.home, 'log.key'), join(home, 'log.key'));
    const b = await nodeHere({ url, home });
    const [first, second] = await Promise.all(
      [a, b].map(async (each) => (await each.request('/v1/tlog/checkpoint')).text()),
    );
    expect(second!.split('\n')[0]).toBe(first!.split('\n')[0]);
  });

  it('a daemon with another signing key does not start', async () => {
    const url = await cluster().newLog();
    await nodeHere({ url });
    const home = temporaryFolder('home');
    const other = await nodeHere({ url: await cluster().newLog() });
    copyFileSync(join(other.home, 'log.key'), join(home, 'log.key'));
    await expect(nodeHere({ url, home })).rejects.toThrow('The key that signs this log is another one');
  });

  it('a daemon with another passphrase of the memories does not start', async () => {
    const url = await cluster().newLog();
    const a = await nodeHere({ url, env: PASSPHRASE });
    await post(a, '/memory/encryption', { key_source: 'passphrase' });
    await nodeHere({ url, env: PASSPHRASE });
    const other = nodeHere({ url, env: { DAYBOOK_MEMORY_PASSPHRASE: 'wrong horse battery' } });
    await expect(other).rejects.toThrow('The memories of this log are encrypted with another key');
  });

  it('a daemon with another passphrase of the vault does not start', async () => {
    const url = await cluster().newLog();
    await nodeHere({ url, env: { DAYBOOK_VAULT_PASSPHRASE: 'one passphrase' } });
    await nodeHere({ url, env: { DAYBOOK_VAULT_PASSPHRASE: 'one passphrase' } });
    const other = nodeHere({ url, env: { DAYBOOK_VAULT_PASSPHRASE: 'another passphrase' } });
    await expect(other).rejects.toThrow('DAYBOOK_VAULT_PASSPHRASE is another one');
  });

  it('one bearer token from a file opens all of them', async () => {
    const url = await cluster().newLog();
    const file = join(temporaryFolder('token'), 'token');
    writeFileSync(file, 'a-token-for-all-of-them\n', { mode: 0o600 });
    const env = { DAYBOOK_TOKEN_FILE: file };
    const [a, b] = await Promise.all([nodeHere({ url, env }), nodeHere({ url, env })]);
    const headers = { authorization: 'Bearer a-token-for-all-of-them' };
    for (const { url: at } of [a, b]) expect((await fetch(`${at}/v1/nodes`, { headers })).status).toBe(200);
    await until(async () => (await json<{ nodes: unknown[] }>(a, '/v1/nodes')).nodes.length === 2, 'both are listed');
  });
});
