/** Settings: file, environment, flags, in increasing precedence; every fault is reported with its source. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Flags, homeOf, loadConfig } from '../src/config/load.ts';
import { ConfigError } from '../src/config.ts';
import { temporaryFolder } from './support/folders.ts';

let home: string;
beforeEach(() => {
  home = temporaryFolder('config');
});

const load = (env: NodeJS.ProcessEnv = {}, flags: Flags = {}) =>
  loadConfig({ DAYBOOK_HOME: home, ...env }, flags, home);
const file = (text: string) => writeFileSync(join(home, 'config.json'), text);

it('says what to set where the files of Plug’n’Play cannot be synced', () => {
  const versions = Object.getOwnPropertyDescriptor(process, 'versions')!;
  onTestFinished(() => void Object.defineProperty(process, 'versions', versions));
  Object.defineProperty(process, 'versions', { ...versions, value: { ...process.versions, pnp: '3' } });
  expect(() => load()).toThrow(/set nodeLinker: node-modules in \.yarnrc\.yml/);
});

describe('defaults', () => {
  it('need no configuration', () => {
    expect(load()).toMatchObject({
      home,
      port: 7878,
      host: '127.0.0.1',
      allow_remote: false,
      workspace: home,
      approval: 'suggest',
      rate_authenticated: 60,
      rate_public: 10,
    });
  });
  it('keep everything in ~/.daybook', () => {
    expect(loadConfig({}, {}, home).home).toBe(join(homedir(), '.daybook'));
  });
});

describe('the home', () => {
  // A service manager passes the sign on: the log went into a folder named ~ of wherever it was started.
  it('that begins with ~/ is in the folder of the user, and only then', () => {
    expect(homeOf({ DAYBOOK_HOME: '~/book' })).toBe(join(homedir(), 'book'));
    expect(homeOf({}, { home: '~' })).toBe(homedir());
    expect(homeOf({ DAYBOOK_HOME: '/srv/~/book' })).toBe('/srv/~/book');
    expect(homeOf({ DAYBOOK_HOME: '/srv/~book' })).toBe('/srv/~book');
  });

  // A relative home put the log into a folder .daybook of the workspace.
  it('is that of the user database when HOME is empty', () => {
    vi.stubEnv('HOME', '');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(homeOf({})).toBe(join(userInfo().homedir, '.daybook'));
  });

  // A script with an unset variable worked on ~/.daybook, also when DAYBOOK_HOME named another.
  it('cannot be an empty flag', () => {
    expect(() => homeOf({ DAYBOOK_HOME: '/srv/book' }, { home: '' })).toThrow('flag --home: must not be empty');
  });
});

describe('order', () => {
  it('flags before environment before file', () => {
    file('{"port": 1, "provider": "file", "model": "file"}');
    const config = load({ DAYBOOK_DAEMON_PORT: '2', DAYBOOK_PROVIDER: 'env' }, { port: '3' });
    expect(config).toMatchObject({ port: 3, provider: 'env', model: 'file' });
  });
  it('honours the legacy name of the port, and the new one first', () => {
    expect(load({ ASSISTANT_DAEMON_PORT: '1234' }).port).toBe(1234);
    expect(load({ ASSISTANT_DAEMON_PORT: '1234', DAYBOOK_DAEMON_PORT: '0' }).port).toBe(0);
  });
  it('an empty variable is none', () => expect(load({ DAYBOOK_DAEMON_PORT: '' }).port).toBe(7878));
  it('reads numbers in the file as numbers or as their digits', () => {
    file('\uFEFF{"port": "4321", "runs_max": 2, "model_stall_seconds": "1.5"}');
    expect(load()).toMatchObject({ port: 4321, runs_max: 2, model_stall_seconds: 1.5 });
  });
  it('reads lists and paths', () => {
    mkdirSync(join(home, 'work'));
    const config = load({ DAYBOOK_ALLOWED_HOSTS: 'box.local, box', DAYBOOK_WORKSPACE: 'work' });
    expect(config).toMatchObject({ allowed_hosts: ['box.local', 'box'], workspace: join(home, 'work') });
  });
  it('reads every spelling of an approval', () => {
    expect(load({ DAYBOOK_APPROVAL: 'FullAuto' }).approval).toBe('full-auto');
  });
});

describe('faults', () => {
  it.each([
    [{ DAYBOOK_DAEMON_PORT: 'abc' }, /DAYBOOK_DAEMON_PORT: .*number/],
    [{ DAYBOOK_DAEMON_PORT: '70000' }, /DAYBOOK_DAEMON_PORT: .*65535/],
    [{ DAYBOOK_DAEMON_PORT: '-1' }, /DAYBOOK_DAEMON_PORT: .*0/],
    [{ DAYBOOK_APPROVAL: 'yolo' }, /DAYBOOK_APPROVAL: .*suggest, auto-edit, full-auto/],
    [{ DAYBOOK_RATE_PUBLIC: '0' }, /DAYBOOK_RATE_PUBLIC: .*1/],
    [{ DAYBOOK_PERSISTENCE_BACKEND: 'rocks' }, /DAYBOOK_PERSISTENCE_BACKEND: .*cow.*lsm.*embedded_kv/],
    [{ DAYBOOK_STORAGE_OPS_PORT: 'x' }, /DAYBOOK_STORAGE_OPS_PORT: .*off .*0 to 65535/],
    [{ DAYBOOK_DAEMON_PORT: ' ' }, /DAYBOOK_DAEMON_PORT: .*0 to 65535/],
    [{ DAYBOOK_DAEMON_PORT: '0x1F90' }, /DAYBOOK_DAEMON_PORT: .*0 to 65535/],
    [{ DAYBOOK_DAEMON_PORT: '1.5' }, /DAYBOOK_DAEMON_PORT: .*whole/],
    [{ DAYBOOK_RATE_AUTHENTICATED: 'many' }, /DAYBOOK_RATE_AUTHENTICATED: .*1 to 1000000000/],
    [{ DAYBOOK_MODEL_STALL_SECONDS: '0' }, /DAYBOOK_MODEL_STALL_SECONDS: .*3600/],
    [{ DAYBOOK_WORKSPACE: 'missing' }, /DAYBOOK_WORKSPACE: .*missing.* folder/],
  ])('%j is refused by name', (env, message) => expect(() => load(env as NodeJS.ProcessEnv)).toThrow(message));

  it('names flags', () => expect(() => load({}, { port: 'x' })).toThrow(/flag --port/));
  it('names unknown settings of the file', () => {
    file('{"prot": 1}');
    expect(() => load()).toThrow(/Unknown setting 'prot' in .*config\.json; known are port, host, .*ephemeral\.$/);
  });
  it.each(['::1', 'fe80::1', 'localhost', 'my-box.lan'])('a host may be %s', (host) => {
    file(JSON.stringify({ host }));
    expect(load().host).toBe(host);
  });
  it('the host may stand in brackets, as in a URL', () => {
    file('{"host": "[::1]"}');
    expect(load().host).toBe('::1');
  });
  it('a home in the file is refused', () => {
    file('{"home": "/somewhere/else"}');
    expect(() => load()).toThrow(/^home in .*config\.json: .*set DAYBOOK_HOME or --home\.$/);
  });
  it.each([
    ['host', 5, 'must be text'],
    ['host', '', 'must not be empty'],
    ['host', '127.0.0.1:7878', 'must be a name or an address, without scheme and port'],
    ['host', 'http://localhost', 'must be a name or an address, without scheme and port'],
    ['host', '[::1', 'must be a name or an address, without scheme and port'],
    ['provider', null, 'must be text'],
    ['webhook_secret', '', 'must not be empty'],
    ['allowed_hosts', 'box', 'must be a list of texts'],
    ['allowed_origins', [1], 'must be text'],
    ['forge_hosts', 'github.com', 'must be a list of names or addresses'],
    ['allow_remote', 'perhaps', 'must be true or false'],
    ['memory_encryption', 1, 'must be true or false'],
    ['ephemeral', 'perhaps', 'must be true or false'],
    ['backend', 'rocks', 'must be cow, lsm or embedded_kv'],
    ['approval', 'yolo', 'must be suggest, auto-edit, full-auto, read-only or chat-only'],
    ['approval', 1, 'must be text'],
    // An empty list is reported as one fault.
    ['host', [], 'must be text'],
    ['voice_local_model', '', 'must not be empty'],
    // Values that are not texts must not be converted: a number would name a folder, an empty list the current one.
    ['workspace', 5, 'must be text'],
    ['workspace', [], 'must be text'],
    ['workspace', '', 'must not be empty'],
    ['workspace', 'a\0b', 'must be a path'],
    ['storage_config', 'a\0b', 'must be a path'],
  ])('%s in the file that is %j: %s', (setting, given, sentence) => {
    file(JSON.stringify({ [setting]: given }));
    expect(() => load()).toThrow(new ConfigError(`${setting} in ${join(home, 'config.json')}: ${sentence}`));
  });
  // Of ten servers, as copied from another client, the message named none.
  it.each([
    [5, 'mcp_servers.docs', 'must be an object of servers by name, each with a command'],
    [{ url: 'https://example.org/mcp' }, 'mcp_servers.docs.command', 'must be text'],
    [{ command: '' }, 'mcp_servers.docs.command', 'must not be empty'],
    [{ command: 'docs', args: '-v' }, 'mcp_servers.docs.args', 'must be a list of texts'],
    [{ command: 'docs', args: ['-p', 80] }, 'mcp_servers.docs.args', 'must be text'],
    [{ command: 'docs', env: { PORT: 80 } }, 'mcp_servers.docs.env.PORT', 'must be text'],
  ])('the fault of the MCP server %j is at %s', (docs, field, fault) => {
    file(JSON.stringify({ mcp_servers: { clock: { command: 'clock' }, docs } }));
    expect(() => load()).toThrow(new ConfigError(`${field} in ${join(home, 'config.json')}: ${fault}`));
  });
  it.each(['/no/such/folder', '/etc/hostname', `/${'a'.repeat(256)}`])('a workspace that is no folder: %s', (path) => {
    expect(() => load({ DAYBOOK_WORKSPACE: path })).toThrow(
      new ConfigError(`DAYBOOK_WORKSPACE: ${path} is not a folder that exists and that this user can reach.`),
    );
  });
  // config.json was named, which says nothing of it: as by a command for another user that is typed in root's home.
  it('a working directory that cannot be reached is not a setting of the file', () => {
    file('{}');
    expect(() => loadConfig({ DAYBOOK_HOME: home }, {}, '/no/such/folder')).toThrow(
      new ConfigError(
        'The workspace, by default the folder here: /no/such/folder is not a folder that exists and that this user can reach.',
      ),
    );
  });
  // It counted as absent: the daemon started with none of its settings.
  it('a file that is a link to nowhere is refused', () => {
    symlinkSync(join(home, 'settings-of-mine.json'), join(home, 'config.json'));
    expect(() => load()).toThrow(/config\.json cannot be read \(ENOENT\)\./);
  });
  it.each(['{', '[]', '"x"', ''])('refuses the file %j', (text) => {
    file(text);
    expect(() => load()).toThrow(/config\.json/);
  });
  // Once `null` and `[]` were port 0, a free one, and `true` was port 1.
  it.each(['null', 'true', '[]', '""', '" "', '1e99'])('a port in the file that is %s is refused', (port) => {
    file(`{"port": ${port}}`);
    expect(() => load()).toThrow(/^port in .*config\.json: must be a whole number from 0 to 65535$/);
  });
  it('an empty flag is no port', () => expect(() => load({}, { port: '' })).toThrow(/flag --port: .*0 to 65535/));
  it('says all faults at once', () => {
    expect(() => load({ DAYBOOK_DAEMON_PORT: 'x', DAYBOOK_APPROVAL: 'y' })).toThrow(/DAEMON_PORT[\s\S]*APPROVAL/);
  });
});
