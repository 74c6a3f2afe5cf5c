/** The address, the token file and the certificate of a daemon. */
import { once } from 'node:events';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { type RequestOptions, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Flags } from '../../src/config/load.ts';
import { reachableAddresses } from '../../src/host-names.ts';
import { systemHost } from '../../src/integrations/system.ts';
import { LOCK_FILE } from '../../src/storage/lock.ts';
import { selfSigned } from '../support/certificate.ts';
import { daemonHere, testDaemon } from '../support/daemon.ts';
import { memoryFolder, temporaryFolder } from '../support/folders.ts';
import { runProgram } from '../support/program.ts';

const TOKEN = 'a-token-of-many-characters';

function tokenFile(content: string, mode = 0o600): string {
  const path = join(temporaryFolder('token'), 'token');
  writeFileSync(path, content, { mode });
  chmodSync(path, mode);
  return path;
}

/** Sends a request without a body over TLS. */
function sendOverTls(
  url: string,
  options: RequestOptions,
): Promise<{ status: number; allowed: unknown; body: string }> {
  return new Promise((resolve, reject) => {
    request(url, options, (response) => {
      const { statusCode: status = 0, headers } = response;
      text(response).then((body) => resolve({ status, allowed: headers['access-control-allow-origin'], body }), reject);
    })
      .on('error', reject)
      .end();
  });
}

describe('a token file', () => {
  it('gives the token, also to a daemon with a log of its own, and the same one at the next start', async () => {
    const daemon = await daemonHere({ env: {}, flags: { ephemeral: true, token_file: tokenFile(`${TOKEN}\n`) } });
    expect(daemon.token).toBe(TOKEN);
    expect((await daemon.request('/jobs')).status).toBe(200);
  });

  it.each([
    ['that others can read', () => tokenFile(TOKEN, 0o640), 'can be read by others'],
    ['that is empty', () => tokenFile('\n'), 'one token of 16 to 512 visible characters'],
    ['with a short token', () => tokenFile('short'), 'one token of 16 to 512 visible characters'],
    ['with two lines', () => tokenFile(`${TOKEN}\n${TOKEN}\n`), 'one token of 16 to 512 visible characters'],
    ['that is not there', () => join(temporaryFolder('token'), 'none'), 'cannot be read (ENOENT)'],
  ])('%s is refused with a sentence', async (_, file, sentence) => {
    await expect(testDaemon({ flags: { ephemeral: true, token_file: file() } })).rejects.toThrow(sentence);
  });
});

it.each([
  ['at its token', { token_file: '/none' }, 'folder', 'The token file /none cannot be read'],
  ['once the log is open', {}, 'node.json', 'node.json'],
])('a start that fails: %s leaves a home on which the next one works', async (_, flags, folder, sentence) => {
  const home = memoryFolder('home');
  mkdirSync(join(home, folder));
  await expect(testDaemon({ home, flags })).rejects.toThrow(sentence);
  expect(existsSync(join(home, 'data', LOCK_FILE))).toBe(false);
  rmdirSync(join(home, folder));
  const daemon = await daemonHere({ home });
  expect((await daemon.request('/jobs')).status).toBe(200);
});

describe('an address that other machines reach', () => {
  it('needs a certificate where the log is in a database, whatever allow_remote says', async () => {
    const flags = { host: '0.0.0.0', allow_remote: true, log: 'postgres://nobody@127.0.0.1:1/none' };
    await expect(testDaemon({ flags })).rejects.toThrow('this needs DAYBOOK_TLS_CERT and DAYBOOK_TLS_KEY');
  });

  it('is allowed by a certificate', async () => {
    const { DAYBOOK_TLS_CERT: tls_cert, DAYBOOK_TLS_KEY: tls_key } = selfSigned();
    const daemon = await daemonHere({ flags: { host: '0.0.0.0', ephemeral: true, tls_cert, tls_key } });
    const listening = daemon.lines.find((line) => line.startsWith('listening'));
    expect(listening).toMatch(/^listening https:\/\/127\.0\.0\.1:\d+$/);
  });
});

describe('the beacon', () => {
  it.each<readonly [string, Flags, () => object, boolean]>([
    ['with a certificate on every address', { host: '0.0.0.0' }, selfSigned, true],
    ['on every address', { host: '0.0.0.0', allow_remote: true }, () => ({}), true],
    ['on a loopback address', { allow_remote: true }, () => ({}), false],
  ])('of a daemon %s names the addresses at which it is reached', async (_, flags, variables, isRemote) => {
    const daemon = await daemonHere({ env: { ...variables() }, flags: { ephemeral: true, ...flags } });
    const beacon = await daemon.app.inject('/mobile/beacon');
    const reached = isRemote ? reachableAddresses('0.0.0.0', systemHost.addresses()) : [];
    expect(beacon.json()).toMatchObject({ lan_ips: reached.length === 0 ? ['127.0.0.1'] : reached });
  });

  it('names an address that the daemon alone listens on, and none beside it', () => {
    const addresses = ['192.0.2.7', '198.51.100.7'];
    expect(reachableAddresses('198.51.100.7', addresses)).toEqual(['198.51.100.7']);
    expect(reachableAddresses('::', addresses)).toEqual(addresses);
    expect(reachableAddresses('daybook.lan', addresses)).toEqual(addresses);
    expect(reachableAddresses('fd00::7', addresses)).toEqual([]);
    expect(reachableAddresses('::1', addresses)).toEqual([]);
  });
});

describe('a certificate', () => {
  it('makes the daemon speak HTTPS only; the command line finds and trusts it', async () => {
    const env = selfSigned();
    const daemon = await daemonHere({ env });
    expect(daemon.url).toMatch(/^https:/);
    const facts = JSON.parse(readFileSync(join(daemon.home, 'daemon.json'), 'utf8'));
    expect([facts.url, facts.certificate]).toEqual([daemon.url, env.DAYBOOK_TLS_CERT]);
    const headers = { authorization: `Bearer ${daemon.token}` };
    const ca = readFileSync(env.DAYBOOK_TLS_CERT);
    expect((await sendOverTls(`${daemon.url}/v1/nodes`, { headers, ca })).status).toBe(200);
    await expect(fetch(daemon.url.replace('https', 'http'))).rejects.toThrow();
    await expect(daemon.request('/jobs')).rejects.toThrow();
    const listed = await runProgram(['jobs', '--json'], { env: { DAYBOOK_HOME: daemon.home } });
    expect([listed.code, listed.stderr, JSON.parse(listed.stdout)]).toEqual([0, '', []]);
  });

  it('for a name of another machine only is taken; the URL has that name', async () => {
    const { DAYBOOK_TLS_CERT: tls_cert, DAYBOOK_TLS_KEY: tls_key } = selfSigned('DNS:desk.example');
    const daemon = await daemonHere({ flags: { ephemeral: true, tls_cert, tls_key } });
    const listening = daemon.lines.find((line) => line.startsWith('listening'));
    expect(listening).toMatch(/^listening https:\/\/desk\.example:\d+$/);
  });

  it('makes https the scheme of the origins that are allowed, and of the pairing URL', async () => {
    const { DAYBOOK_TLS_CERT: tls_cert, DAYBOOK_TLS_KEY: tls_key } = selfSigned();
    const daemon = await daemonHere({ flags: { ephemeral: true, tls_cert, tls_key } });
    const { url, port, token } = daemon;
    const ca = readFileSync(tls_cert);
    const send = (method: string, path: string, origin: string) =>
      sendOverTls(url + path, { method, ca, headers: { authorization: `Bearer ${token}`, origin } });
    for (const origin of [`https://127.0.0.1:${port}`, `https://localhost:${port}`]) {
      expect(await send('POST', '/collab/rooms', origin)).toMatchObject({ status: 400, allowed: origin });
      expect(await send('OPTIONS', '/collab/rooms', origin)).toMatchObject({ status: 200, allowed: origin });
      const client = new WebSocket(`wss://127.0.0.1:${port}/ws/collab/r?token=${token}`, { origin, ca });
      await once(client, 'open');
      client.terminate();
    }
    expect((await send('POST', '/collab/rooms', `http://127.0.0.1:${port}`)).status).toBe(403);
    const offer = await send('GET', '/pair', `https://127.0.0.1:${port}`);
    expect(JSON.parse(offer.body).url).toMatch(new RegExp(`^https://127\\.0\\.0\\.1:${port}/pair\\?token=`));
  });

  it('that is renewed in its files is used from the next connection on; one that cannot be used is announced', async () => {
    const [first, second] = [selfSigned(), selfSigned()];
    const { DAYBOOK_TLS_CERT: tls_cert, DAYBOOK_TLS_KEY: tls_key } = first;
    const daemon = await daemonHere({ flags: { ephemeral: true, tls_cert, tls_key } });
    const trusting = async (path: string) => {
      const { status } = await sendOverTls(`${daemon.url}/health`, { ca: readFileSync(path), agent: false });
      return status;
    };
    expect(await trusting(tls_cert)).toBe(200);
    const old = join(temporaryFolder('old'), 'cert.pem');
    copyFileSync(tls_cert, old);
    copyFileSync(second.DAYBOOK_TLS_CERT, tls_cert);
    expect(await trusting(old)).toBe(200);
    expect(daemon.lines.at(-1)).toMatch(/^The certificate in use stays: .* and its key cannot be used/);
    copyFileSync(second.DAYBOOK_TLS_KEY, tls_key);
    expect(await trusting(tls_cert)).toBe(200);
    await expect(trusting(old)).rejects.toThrow('self-signed certificate');
  });

  it('without its key, or with another one, is refused with a sentence', async () => {
    const [one, other] = [selfSigned(), selfSigned()];
    const alone = testDaemon({ flags: { ephemeral: true, tls_cert: one.DAYBOOK_TLS_CERT } });
    await expect(alone).rejects.toThrow('DAYBOOK_TLS_CERT and DAYBOOK_TLS_KEY go together');
    const mixed = { ephemeral: true, tls_cert: one.DAYBOOK_TLS_CERT, tls_key: other.DAYBOOK_TLS_KEY };
    await expect(testDaemon({ flags: mixed })).rejects.toThrow('and its key cannot be used');
  });
});
