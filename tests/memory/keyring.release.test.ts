/**
 * Encryption at rest with the key in a real keyring. A keyring that does not answer must not block the daemon, and the
 * error for a locked keyring must not ask for a passphrase.
 */
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type KillableDaemon, killableDaemon } from '../support/daemon.ts';
import { filesWhere, temporaryFolder } from '../support/folders.ts';
import { KEYRING_VARIABLES, type KeyringSession, keyringSession, MISSING } from './keyring-session.ts';
import { type MemoryClient, memoryClient } from './support.ts';

/** Set where the programs are installed for the tests: there a skipped one is a failure. */
const isNeeded = process.env.DAYBOOK_TEST_KEYRING === 'required';
const withKeyring = describe.skipIf(MISSING.length > 0 && !isNeeded);
const PASSWORD = 'of the desktop';
const PASSPHRASE = 'correct horse battery staple';
const IN_KEYRING = { enabled: true, locked: false, warming: false, key_source: 'keyring' };
const LACKING = MISSING.length === 0 ? '' : ` (not here: ${MISSING.join(', ')})`;

const children: KillableDaemon[] = [];
const sessions: KeyringSession[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) await child.kill('SIGKILL');
  for (const session of sessions.splice(0)) await session.end();
});

async function session(folder: string, password?: string): Promise<KeyringSession> {
  const begun = await keyringSession(folder, password);
  sessions.push(begun);
  return begun;
}

/** The keyring is that of this process’s environment. */
async function start(home: string, env: NodeJS.ProcessEnv): Promise<KillableDaemon & MemoryClient> {
  for (const name of KEYRING_VARIABLES) vi.stubEnv(name, env[name]);
  const daemon = await killableDaemon({ home, env });
  children.push(daemon);
  return { ...daemon, ...memoryClient(daemon) };
}

async function contents({ get }: MemoryClient): Promise<readonly string[]> {
  return (await get('/memory/list')).body.memories.map(({ content }) => content);
}

function mentions(home: string, word: string): readonly string[] {
  return filesWhere(home, (bytes) => bytes.includes(word));
}

withKeyring(`the key in a real keyring${LACKING}`, () => {
  it('is made, kept for the next start, and found again after the session ended', async () => {
    const [keyrings, home] = [temporaryFolder('keyring'), temporaryFolder('keyring-home')];
    const first = await session(keyrings, PASSWORD);
    const daemon = await start(home, first.env);
    await daemon.add('The wisteria grows over the gate');
    expect(mentions(home, 'wisteria')).not.toEqual([]);
    expect((await daemon.post('/memory/encryption')).body).toEqual(IN_KEYRING);
    expect((await daemon.get('/memory/stats')).body.encryption).toBe(true);
    expect(mentions(home, 'wisteria')).toEqual([]);
    await daemon.kill('SIGKILL');

    expect(await contents(await start(home, first.env))).toEqual(['The wisteria grows over the gate']);
    await children.at(-1)!.kill('SIGTERM');
    await first.end();
    const second = await session(keyrings, PASSWORD);
    expect(await contents(await start(home, second.env))).toEqual(['The wisteria grows over the gate']);
  });

  it('is another one for another home', async () => {
    const { env } = await session(temporaryFolder('keyring'), PASSWORD);
    const homes = [temporaryFolder('keyring-one'), temporaryFolder('keyring-two')];
    for (const home of homes) {
      const daemon = await start(home, { ...env, DAYBOOK_MEMORY_ENCRYPTION: 'true' });
      const { enabled, locked } = (await daemon.get('/memory/encryption')).body;
      expect([enabled, locked]).toEqual([true, false]);
      await daemon.add(`This is ${home}`);
      await daemon.kill('SIGTERM');
    }
    for (const home of homes) expect(await contents(await start(home, env))).toEqual([`This is ${home}`]);
    const salts = await Promise.all(
      children.slice(-2).map(async (child) => {
        const page = await (await child.request('/v1/events?type=MemoryEncryptionEnabled')).text();
        return /"salt":"(\w+)"/.exec(page)![1];
      }),
    );
    expect(salts[0]).not.toBe(salts[1]);
  });

  it('that is locked or gone is said to be, and unlocked later nothing is lost', async () => {
    const [keyrings, home] = [temporaryFolder('keyring'), temporaryFolder('keyring-home')];
    const open = await session(keyrings, PASSWORD);
    const daemon = await start(home, open.env);
    await daemon.add('The wisteria grows over the gate');
    await daemon.post('/memory/encryption');
    await daemon.kill('SIGTERM');
    await open.end();

    const closed = await session(keyrings);
    const locked = await start(home, closed.env);
    const refused = await locked.get('/memory/list');
    expect(refused.status).toBe(503);
    expect(refused.body.error).toMatch(/locked; the keyring .*Unlock the keyring, then POST \/memory\/encryption/);
    expect(locked.stderr()).toContain(refused.body.error);
    expect((await locked.get('/health')).body.memory.status).toBe('locked');
    expect((await locked.post('/memory/add', { content: 'lost?' })).status).toBe(503);
    const still = await locked.post('/memory/encryption', { passphrase: PASSPHRASE });
    expect([still.status, still.body.error]).toEqual([403, expect.stringContaining('the keyring')]);
    await locked.kill('SIGTERM');

    const gone = await start(home, { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' });
    expect((await gone.get('/memory/list')).body.error).toContain('the keyring does not answer');
    await gone.kill('SIGTERM');
    const back = await session(keyrings, PASSWORD);
    expect(await contents(await start(home, back.env))).toEqual(['The wisteria grows over the gate']);
  });

  it('moves to a passphrase, to another one, and back, and is no longer where it was', async () => {
    const home = temporaryFolder('keyring-home');
    const { env } = await session(temporaryFolder('keyring'), PASSWORD);
    const daemon = await start(home, env);
    await daemon.add('The wisteria grows over the gate');
    await daemon.post('/memory/encryption');
    expect((await daemon.post('/memory/encryption', { key_source: 'passphrase' })).status).toBe(400);
    const moved = await daemon.post('/memory/encryption', { key_source: 'passphrase', passphrase: PASSPHRASE });
    expect(moved.body).toEqual({ ...IN_KEYRING, key_source: 'passphrase' });
    await daemon.kill('SIGKILL');

    const away = await start(home, {});
    expect((await away.get('/memory/list')).body.error).toContain('no passphrase was given');
    expect((await away.post('/memory/encryption', { passphrase: PASSPHRASE })).body.locked).toBe(false);
    expect((await away.post('/memory/encryption', { passphrase: 'quite another' })).status).toBe(403);
    const changed = await away.post('/memory/encryption', { key_source: 'passphrase', passphrase: 'quite another' });
    expect(changed.status).toBe(200);
    await away.kill('SIGTERM');
    const former = await start(home, { DAYBOOK_MEMORY_PASSPHRASE: PASSPHRASE });
    expect((await former.get('/memory/list')).body.error).toContain('the passphrase does not fit');
    await former.kill('SIGTERM');

    const returned = await start(home, { ...env, DAYBOOK_MEMORY_PASSPHRASE: 'quite another' });
    expect((await returned.post('/memory/encryption', { key_source: 'keyring' })).body).toEqual(IN_KEYRING);
    const page = await (await returned.request('/v1/events?type=MemoryKeyMoved')).text();
    expect(page.match(/"wrapped"/g)).toHaveLength(1);
    await returned.kill('SIGTERM');
    const again = await start(home, env);
    expect(await contents(again)).toEqual(['The wisteria grows over the gate']);
    expect((await again.request('/v1/views/rebuild', { method: 'POST' })).status).toBe(200);
    expect(await contents(again)).toEqual(['The wisteria grows over the gate']);
  });

  it('behind a bus that never answers does not hold the daemon still', async () => {
    const [keyrings, home] = [temporaryFolder('keyring'), temporaryFolder('keyring-home')];
    const open = await session(keyrings, PASSWORD);
    const daemon = await start(home, open.env);
    await daemon.post('/memory/encryption');
    await daemon.kill('SIGTERM');
    const silent = createServer().listen(join(keyrings, 'silent'));
    const deaf = await start(home, { DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(keyrings, 'silent')}` });
    expect((await deaf.get('/health')).status).toBe(200);
    expect((await deaf.get('/memory/list')).body.error).toContain('no answer in 5 seconds');
    expect(await deaf.kill('SIGTERM')).toBe(0);
    silent.close();
  });
});
