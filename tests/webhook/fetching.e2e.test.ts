/** Fetching the diff of a delivery: hosts, redirects, addresses, limits, and git's two protocols. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ForgeRequest } from '../../src/events/webhook.ts';
import { createForge } from '../../src/integrations/forge/forge.ts';
import { createForgeHosts } from '../../src/integrations/forge/hosts.ts';
import { DIFF_BYTES_MAX } from '../../src/integrations/forge/http-diff.ts';
import { temporaryFolder } from '../support/folders.ts';
import { type ForgeServer, startForge } from './forge-server.ts';
import { DIFF } from './support.ts';

let forge: ForgeServer;
let other: ForgeServer;
const home = temporaryFolder('forge-home');
beforeAll(async () => {
  [forge, other] = await Promise.all([startForge(), startForge()]);
});
afterAll(() => Promise.all([forge.close(), other.close()]));

const never = new AbortController().signal;
const env = { PATH: process.env.PATH, GIT_DIR: '/nowhere', GIT_CONFIG_GLOBAL: '/nowhere', HOME: '/nowhere' };

function request(changes: Partial<ForgeRequest> = {}): ForgeRequest {
  const [base, head] = ['a', 'b'].map((digit) => ({ sha: digit.repeat(40), ref: 'x' })) as [never, never];
  const fixed = { action: 'opened', repository: 'o/r', number: 7, title: 't', base, head };
  return { ...fixed, diff_url: `${forge.url}/7.diff`, clone_url: null, ...changes };
}

const listed = (): readonly string[] => [`127.0.0.1:${forge.port}`];
const fetching = (changes: Partial<ForgeRequest>, hosts = listed()) =>
  createForge({ hosts, home, env }).diff(request(changes), never);

describe('a diff by its URL', () => {
  it('comes from a listed host and port', async () => {
    forge.page('/7.diff', { body: DIFF });
    expect(await fetching({})).toEqual({ text: DIFF, source: 'diff_url', cut: false });
  });
  it.each([
    ['without a port', () => ['127.0.0.1']],
    ['as the name localhost', () => [`localhost:${forge.port}`]],
    ['in another spelling of the address', () => [`127.1:${forge.port}`]],
    ['among others', () => ['github.com', `127.0.0.1:${forge.port}`, 'x.test:1']],
  ])('comes from a host listed %s', async (_name, hosts) => {
    forge.page('/7.diff', { body: DIFF });
    const name = hosts()[0]!.startsWith('localhost') ? 'localhost' : '127.0.0.1';
    const diff = await fetching({ diff_url: `http://${name}:${forge.port}/7.diff` }, hosts());
    expect(diff.text).toBe(DIFF);
  });
  it.each([
    ['another port', () => other.url],
    ['a name that is not listed', () => `http://localhost:${forge.port}`],
    ['the address in another family', () => `http://[::1]:${forge.port}`],
    ['a name that begins alike', () => `http://127.0.0.1.example:${forge.port}`],
    ['a user in front', () => `http://u:p@127.0.0.1:${forge.port}`],
    ['the metadata address', () => 'http://169.254.169.254'],
    ['another protocol', () => 'file:///etc'],
    ['and another', () => 'ftp://127.0.0.1'],
    ['no URL at all', () => 'no url'],
  ])('is not asked of %s', async (_name, url) => {
    const before = forge.asked.length + other.asked.length;
    await expect(fetching({ diff_url: `${url()}/7.diff` })).rejects.toThrow(
      /forge_hosts|Only http|user|cannot be read/,
    );
    expect(forge.asked.length + other.asked.length).toBe(before);
  });
  it('follows redirects to listed places, relative ones too', async () => {
    forge.page('/moved', { status: 302, headers: { location: '/moved-again' } });
    forge.page('/moved-again', { status: 307, headers: { location: `${forge.url}/7.diff` } });
    forge.page('/7.diff', { body: DIFF });
    expect((await fetching({ diff_url: `${forge.url}/moved` })).text).toBe(DIFF);
  });
  it.each([
    ['another port', () => `${other.url}/7.diff`],
    ['another name', () => `http://localhost:${forge.port}/7.diff`],
    ['a file', () => 'file:///etc/passwd'],
    ['the metadata address', () => 'http://169.254.169.254/latest'],
  ])('follows none to %s', async (_name, to) => {
    forge.page('/away', { status: 302, headers: { location: to() } });
    const before = other.asked.length;
    await expect(fetching({ diff_url: `${forge.url}/away` })).rejects.toThrow(/forge_hosts|Only http/);
    expect(other.asked.length).toBe(before);
  });
  it('gives up a circle of redirects', async () => {
    forge.page('/circle', { status: 301, headers: { location: '/circle' } });
    await expect(fetching({ diff_url: `${forge.url}/circle` })).rejects.toThrow('redirects');
  });
  it.each([
    ['another status', { status: 404, body: DIFF }, '404'],
    ['a page', { body: '<html>sign in</html>' }, 'no diff'],
    ['an encoding nobody asked for', { body: gzipSync(DIFF), headers: { 'content-encoding': 'gzip' } }, 'encoding'],
  ] as const)('is none when the answer is %s', async (_name, page, said) => {
    forge.page('/bad', page);
    await expect(fetching({ diff_url: `${forge.url}/bad` })).rejects.toThrow(said);
  });
  it('may be empty, and is cut at a line when it is too long', async () => {
    forge.page('/empty', { body: '' });
    expect((await fetching({ diff_url: `${forge.url}/empty` })).text).toBe('');
    forge.page('/long', { body: DIFF + `+${'ü'.repeat(40)}\n`.repeat(60_000) });
    const diff = await fetching({ diff_url: `${forge.url}/long` });
    expect(diff.cut).toBe(true);
    expect(Buffer.byteLength(diff.text)).toBeLessThanOrEqual(DIFF_BYTES_MAX);
    expect(diff.text.endsWith('ü\n')).toBe(true);
  });
  it('is given up when the review is', async () => {
    forge.page('/silent', { silent: true });
    const controller = new AbortController();
    const diff = createForge({ hosts: listed(), home, env }).diff(
      request({ diff_url: `${forge.url}/silent` }),
      controller.signal,
    );
    const refused = expect(diff).rejects.toThrow('enough');
    await expect.poll(() => forge.asked).toContain('/silent');
    controller.abort(new Error('enough'));
    await refused;
  });
});

describe('the address behind a listed name', () => {
  const resolving = (entries: readonly string[], ...addresses: string[]) =>
    createForgeHosts(entries, async () =>
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  const url = new URL('https://forge.test/x');

  it.each(['93.184.216.34', '2606:2800:220:1::1', '172.32.0.1', '100.128.0.1', '198.20.0.1', '::ffff:8.8.8.8'])(
    '%s is public',
    async (address) => {
      expect(await resolving(['forge.test'], address).resolve(url)).toMatchObject({ address });
    },
  );
  it.each([
    ...[
      '0.0.0.0',
      '10.0.0.1',
      '100.64.0.1',
      '127.0.0.1',
      '127.255.0.9',
      '169.254.169.254',
      '172.16.0.1',
      '172.31.255.255',
    ],
    ...[
      '192.168.1.1',
      '192.0.2.1',
      '198.18.0.1',
      '224.0.0.1',
      '255.255.255.255',
      '::',
      '::1',
      'fe80::1',
      'fc00::1',
      'fd12::1',
    ],
    ...[
      '::ffff:127.0.0.1',
      '::ffff:10.0.0.1',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
      '2001:db8::1',
      'ff02::1',
      '::127.0.0.1',
    ],
  ])('%s is refused', async (address) => {
    await expect(resolving(['forge.test'], address).resolve(url)).rejects.toThrow('not public');
    await expect(resolving(['forge.test'], '93.184.216.34', address).resolve(url)).rejects.toThrow('not public');
  });
  it('is accepted when it is listed itself, for its port', async () => {
    expect(await resolving(['forge.test', '10.0.0.1'], '10.0.0.1').resolve(url)).toMatchObject({ address: '10.0.0.1' });
    expect(await resolving(['forge.test', '10.0.0.1:443'], '10.0.0.1').resolve(url)).toMatchObject({ family: 4 });
    expect(await resolving(['forge.test', '[fd12::1]'], 'fd12::1').resolve(url)).toMatchObject({ family: 6 });
    await expect(resolving(['forge.test', '10.0.0.1:80'], '10.0.0.1').resolve(url)).rejects.toThrow('not public');
  });
  it('of localhost may be loopback and nothing else', async () => {
    const local = new URL('http://localhost:1/x');
    expect(await resolving(['localhost'], '127.0.0.1').resolve(local)).toMatchObject({ address: '127.0.0.1' });
    await expect(resolving(['localhost'], '10.0.0.1').resolve(local)).rejects.toThrow('not public');
  });
  it('that cannot be resolved is named in the error', async () => {
    const lost = createForgeHosts(['forge.test'], () =>
      Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' })),
    );
    await expect(lost.resolve(url)).rejects.toThrow('ENOTFOUND');
    await expect(resolving(['forge.test']).resolve(url)).rejects.toThrow('no address');
  });
});

describe('a diff by git', () => {
  it.each([['smart'], ['dumb']])(
    'over the %s protocol is what the change adds since it left its base',
    async (kind) => {
      const { base, head } = forge.repository(`r-${kind}`);
      const diff = await fetching({
        diff_url: `${forge.url}/none.diff`,
        clone_url: `${forge.url}/${kind}/r-${kind}.git`,
        base: { sha: base, ref: 'main' },
        head: { sha: head, ref: 'change' },
      });
      expect(diff.source).toBe('git');
      expect(diff.text).toContain('+two');
      expect(diff.text).toContain('new file.txt');
      expect(diff.text).not.toContain('unrelated');
      expect(readdirSync(join(home, 'forge'))).toEqual([]);
    },
  );
  it.each([
    ['a host that is not listed', () => `${other.url}/smart/r.git`, 'forge_hosts'],
    ['a file', () => 'file:///tmp/r.git', 'Only http'],
    ['a command', () => 'ext::sh -c touch% /tmp/acp-owned', 'Only http'],
    ['ssh', () => 'ssh://127.0.0.1/r.git', 'Only http'],
    ['a short form', () => 'git@127.0.0.1:o/r.git', 'cannot be read'],
    ['an option', () => '--upload-pack=touch /tmp/acp-owned', 'cannot be read'],
  ])('is not taken from %s', async (_name, clone_url, said) => {
    await expect(fetching({ diff_url: `${forge.url}/none.diff`, clone_url: clone_url() })).rejects.toThrow(said);
    expect(other.asked).toEqual([]);
    expect(existsSync('/tmp/acp-owned')).toBe(false);
  });
  it('follows no redirect', async () => {
    const { base, head } = other.repository('elsewhere');
    forge.page('/smart/away.git/info/refs', {
      status: 302,
      headers: { location: `${other.url}/smart/elsewhere.git/info/refs` },
    });
    const commits = { base: { sha: base, ref: 'main' }, head: { sha: head, ref: 'change' } };
    const wanted = { diff_url: `${forge.url}/none.diff`, clone_url: `${forge.url}/smart/away.git`, ...commits };
    const both = [...listed(), `127.0.0.1:${other.port}`];
    await expect(fetching(wanted, both)).rejects.toThrow('git could not fetch');
    expect(other.asked).toEqual([]);
  });
  const advertised = { 'content-type': 'application/x-git-upload-pack-advertisement' };
  it.each([
    ['is no repository', { body: 'hostile\n' }, 'fatal: it not valid: is this a git repository?'],
    ['fails', { status: 500 }, 'fatal: unable to access it: The requested URL returned error: 500'],
    ['refuses', { headers: advertised, body: `001e# service=git-upload-pack\n0000000fERR hostile` }, 'exit code 128'],
  ])('repeats neither the URL nor the text of a server that %s', async (_name, page, said) => {
    const path = `/it's/%3Cb%3E&hostile.git`;
    forge.page(`${path}/info/refs`, page);
    const wanted = { diff_url: `${forge.url}/none.diff`, clone_url: `${forge.url}${path}` };
    const error: unknown = await fetching(wanted).catch((thrown: unknown) => thrown);
    expect(String(error).split('git could not fetch the repository: ')[1]).toBe(said);
  });
  it.each(['--output=/tmp/acp-owned', 'HEAD', '', 'A'.repeat(40)])('of a commit named %j is refused', async (sha) => {
    const wanted = {
      diff_url: `${forge.url}/none.diff`,
      clone_url: `${forge.url}/smart/x.git`,
      head: { sha, ref: 'x' },
    };
    await expect(fetching(wanted)).rejects.toThrow('no valid names');
  });
  it('removes what a killed process left of its clones', async () => {
    mkdirSync(join(home, 'forge', 'clone-left'), { recursive: true });
    writeFileSync(join(home, 'forge', 'clone-left', 'pack'), 'x');
    await fetching({ diff_url: `${forge.url}/none.diff`, clone_url: `${forge.url}/dumb/none.git` }).catch(
      () => undefined,
    );
    expect(readdirSync(join(home, 'forge'))).toEqual([]);
  });
});
