/** The key of the vault in a real keyring, and credentials while the keyring is locked. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { KEYRING_VARIABLES, type KeyringSession, keyringSession, MISSING } from '../memory/keyring-session.ts';
import { type KillableDaemon, killableDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';

/** Set where the programs are installed for the tests: there a skipped one is a failure. */
const isNeeded = process.env.DAYBOOK_TEST_KEYRING === 'required';
const withKeyring = describe.skipIf(MISSING.length > 0 && !isNeeded);
const LACKING = MISSING.length === 0 ? '' : ` (not here: ${MISSING.join(', ')})`;
const PATH = '/api/vibedesk/connectors';

const children: KillableDaemon[] = [];
const sessions: KeyringSession[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) await child.kill('SIGKILL');
  for (const session of sessions.splice(0)) await session.end();
});

async function daemonIn(home: string, { folder, password }: { folder: string; password?: string }) {
  const session = await keyringSession(folder, password);
  sessions.push(session);
  // The keyring is that of this process’s environment.
  for (const name of KEYRING_VARIABLES) vi.stubEnv(name, session.env[name]);
  const daemon = await killableDaemon({ home, workspace: home, env: session.env });
  children.push(daemon);
  return daemon;
}

async function missing({ request }: KillableDaemon): Promise<unknown> {
  const { connectors } = (await (await request(PATH)).json()) as { connectors: { missing_credentials: string[] }[] };
  return connectors.map((each) => each.missing_credentials);
}

withKeyring(`the key of the vault in a real keyring${LACKING}`, () => {
  it('is kept there, found again after the session ended, and missed while it is locked', async () => {
    const [home, folder] = [temporaryFolder('keyring-home'), temporaryFolder('keyring')];
    const first = await daemonIn(home, { folder, password: 'of the desktop' });
    const body = JSON.stringify({ id: 'mine', command: 'x', credentials: { KEY: 'secret-of-mine' } });
    expect((await first.request(PATH, { method: 'POST', body })).status).toBe(200);
    expect(await missing(first)).toEqual([[]]);
    expect(existsSync(join(home, 'vault/vault.json'))).toBe(true);
    expect(existsSync(join(home, 'vault/vault.key'))).toBe(false);
    await first.kill('SIGTERM');
    await sessions.pop()!.end();
    const second = await daemonIn(home, { folder, password: 'of the desktop' });
    expect(await missing(second)).toEqual([[]]);
    await second.kill('SIGTERM');
    await sessions.pop()!.end();
    const locked = await daemonIn(home, { folder });
    expect(await missing(locked)).toEqual([['KEY']]);
  });
});
