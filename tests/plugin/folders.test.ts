/** Signed folders: what counts as altered, what is refused, and that a failed operation changes nothing. */
import { generateKeyPairSync } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createPlugins } from '../../src/integrations/plugins/plugins.ts';
import type { InstallOptions, PluginDraft, PluginFiles, SignedPlugin } from '../../src/ports/plugins.ts';
import { temporaryFolder } from '../support/folders.ts';
import { filesOf, lock, signAnew, unlock } from './support.ts';

const DRAFT: PluginDraft = {
  name: 'core-debugging',
  title: 'Debugging',
  version: '1.0.0',
  description: 'Find causes.',
  category: 'Operations',
  components: [
    { kind: 'skill', name: 'debugging', description: 'Use when it fails.', text: '# Debugging\n' },
    { kind: 'rule', name: 'calm', description: 'Always.', text: '# Calm\n' },
  ],
  includes: [],
  connectors: [],
};

let home: string;
let project: string;
let store: string;
let files: PluginFiles;
let recorded: SignedPlugin[];

beforeEach(() => {
  home = temporaryFolder('home');
  project = temporaryFolder('project');
  store = join(project, '.vibecli/plugins');
  files = createPlugins({ home, ephemeral: false });
  recorded = [];
});

const record: InstallOptions['record'] = async ({ plugin }) => void recorded.push(plugin);
const refuse = async (): Promise<never> => {
  throw new Error('the log takes no writes');
};

function install(options: Partial<InstallOptions> = {}, draft: PluginDraft = DRAFT) {
  return files.install(draft, { project, recorded: null, force: false, record, ...options });
}

async function standing() {
  return (await files.standings(project, [DRAFT.name])).get(DRAFT.name)!;
}

const place = (path: string): string => join(store, DRAFT.name, path);

describe('an installed plugin', () => {
  it('is what was drafted, signed, and recorded as it is read back', async () => {
    const { plugin, keyPersisted } = await install();
    expect(await standing()).toEqual({ state: 'signed', plugin });
    expect(recorded).toEqual([plugin]);
    expect(keyPersisted).toBe(true);
    expect(plugin.components.map(({ file, text }) => [file, text])).toEqual([
      ['skills/debugging.md', '# Debugging\n'],
      ['rules/calm.md', '# Calm\n'],
    ]);
    expect(readdirSync(store)).toEqual([DRAFT.name]);
  });
  it('has the same manifest from the same key, of this daemon and the next', async () => {
    const first = await install();
    files = createPlugins({ home, ephemeral: false });
    const second = await install({ force: true, recorded: first.plugin.manifest });
    expect(second.plugin).toEqual(first.plugin);
    expect(statSync(join(home, 'plugin-key.pem')).mode & 0o777).toBe(0o600);
  });
  it('may lie beside files that are not its own: they are not read', async () => {
    await install();
    writeFileSync(place('notes.md'), 'mine');
    expect((await standing()).state).toBe('signed');
  });

  it.each<readonly [string, () => void, RegExp]>([
    [
      'a changed text',
      () => writeFileSync(place('skills/debugging.md'), '# Debuggins\n'),
      /skills.*not as it was signed/,
    ],
    ['a longer text', () => writeFileSync(place('rules/calm.md'), '# Calm\nand more\n'), /calm\.md is not as it was/],
    ['a text without end', () => truncateSync(place('rules/calm.md'), 1_000_000_000), /calm\.md is too large/],
    ['a missing text', () => rmSync(place('skills/debugging.md')), /debugging\.md is missing/],
    ['a missing folder', () => rmSync(place('skills'), { recursive: true }), /skills is missing/],
    ['a text behind a link', () => relink(place('rules/calm.md')), /calm\.md is a link/],
    ['a folder behind a link', () => relink(place('rules')), /rules is a link/],
    ['no manifest', () => rmSync(place('plugin.json')), /plugin\.json is missing/],
    ['no signature', () => rmSync(place('plugin.sig')), /plugin\.sig is missing/],
    ['a broken signature', () => writeFileSync(place('plugin.sig'), 'AAAA\n'), /signature does not hold/],
    ['half a manifest', () => truncateSync(place('plugin.json'), 100), /is no JSON/],
    ['another version in it', () => edit({ version: '1.0.1' }), /signature does not hold/],
    ['a field more in it', () => edit({ hooks: [] }), /not a manifest of this format/],
    ['a file elsewhere in it', () => editFile('../../../../etc/passwd'), /not a manifest of this format/],
    ['a file in its place', () => replaceByFile(), /is a link, or not what it should be/],
    ['a link in its place', () => relink(join(store, DRAFT.name)), /is a link, or not what it should be/],
  ])('is altered by %s, and says so', async (_what, alter, reason) => {
    await install();
    alter();
    expect(await standing()).toEqual({ state: 'altered', reason: expect.stringMatching(reason) });
  });
  it.each<readonly [string, (signature: string) => string]>([
    ['text after it', (signature) => `${signature}text`],
    ['a line after it', (signature) => `${signature}more\n`],
    ['a space after it', (signature) => `${signature} `],
    ['text before it', (signature) => `#${signature}`],
    ['a byte order mark', (signature) => `\ufeff${signature}`],
    ['a line break in it', (signature) => `${signature.slice(0, 40)}\n${signature.slice(40)}`],
    ['a carriage return at its end', (signature) => signature.replace('\n', '\r\n')],
    ['no line feed at its end', (signature) => signature.trimEnd()],
    ['no padding', (signature) => signature.replaceAll('=', '')],
    ['the letters of base64url', (signature) => `-${signature.slice(1).replaceAll('+', '-').replaceAll('/', '_')}`],
    ['other bits behind its last byte', (signature) => signature.replace(/.==/, (end) => `${nextLetter(end[0]!)}==`)],
  ])('is altered by a signature file with %s', async (_what, change) => {
    await install();
    const signature = readFileSync(place('plugin.sig'), 'latin1');
    expect(signature).toMatch(/^[A-Za-z0-9+/]{86}==\n$/);
    writeFileSync(place('plugin.sig'), change(signature));
    expect(await standing()).toEqual({ state: 'altered', reason: expect.stringMatching(/signature does not hold/) });
  });
  it('is altered by any other byte at any place of the signature file', async () => {
    await install();
    const signature = readFileSync(place('plugin.sig'));
    for (let at = 0; at < signature.length; at += 1) {
      const changed = Buffer.from(signature);
      changed[at] = changed[at]! ^ 0x20;
      writeFileSync(place('plugin.sig'), changed);
      expect([at, (await standing()).state]).toEqual([at, 'altered']);
    }
    writeFileSync(place('plugin.sig'), signature);
    expect((await standing()).state).toBe('signed');
  });
  it('is altered under another name', async () => {
    await install();
    renameSync(join(store, DRAFT.name), join(store, 'core-other'));
    const other = (await files.standings(project, ['core-other'])).get('core-other');
    expect(other).toEqual({ state: 'altered', reason: 'it is signed as core-debugging' });
  });
  it('signed again with another key is another plugin', async () => {
    const { plugin } = await install();
    signAnew(place('.'));
    const now = await standing();
    expect(now.state === 'signed' && now.plugin.manifest !== plugin.manifest).toBe(true);
  });
});

describe('an installation', () => {
  it.each<readonly [string, boolean, () => unknown, RegExp]>([
    ['that is there already', true, () => undefined, /is installed already; force/],
    ['that somebody else installed', false, () => rmSync(join(home, 'plugin-key.pem')), /did not install; force/],
    ['that was altered', true, () => rmSync(place('plugin.sig')), /no intact plugin; force/],
  ])('over one %s needs force', async (_what, isKnown, alter, message) => {
    const { plugin } = await install();
    alter();
    files = createPlugins({ home, ephemeral: false });
    const before = filesOf(store);
    const known = { recorded: isKnown ? plugin.manifest : null };
    await expect(install(known)).rejects.toThrow(message);
    expect([filesOf(store), recorded.length]).toEqual([before, 1]);
    await install({ ...known, force: true });
    expect([(await standing()).state, recorded.length]).toEqual(['signed', 2]);
    expect(readdirSync(store)).toEqual([DRAFT.name]);
  });
  it.each([
    ['a first one', null],
    ['one over an older version', 'd'.repeat(64)],
  ])('that a crash kept from being recorded is completed, not refused: %s', async (_what, before) => {
    await install({ recorded: before, force: true });
    files = createPlugins({ home, ephemeral: false });
    await install({ recorded: before });
    expect(recorded[1]).toEqual(recorded[0]);
  });
  it('that cannot be recorded leaves nothing', async () => {
    await expect(install({ record: refuse })).rejects.toThrow('the log takes no writes');
    expect(readdirSync(store)).toEqual([]);
  });
  it('with force that cannot be recorded leaves what was there', async () => {
    const { plugin } = await install();
    writeFileSync(place('notes.md'), 'mine');
    const before = filesOf(store);
    const draft = { ...DRAFT, version: '2.0.0' };
    await expect(install({ force: true, recorded: plugin.manifest, record: refuse }, draft)).rejects.toThrow(
      'no writes',
    );
    expect(filesOf(store)).toEqual(before);
  });
  it('that was cut off while the plugin was moved away can be undone', async () => {
    const { plugin } = await install();
    const aside = join(store, `.daybook-old-${DRAFT.name}`);
    renameSync(join(store, DRAFT.name), aside);
    await files.putBack(project, DRAFT.name, '0'.repeat(64));
    expect(await standing()).toEqual({ state: 'absent' });
    await files.putBack(project, DRAFT.name, plugin.manifest);
    expect(await standing()).toEqual({ state: 'signed', plugin });
    cpSync(join(store, DRAFT.name), aside, { recursive: true });
    writeFileSync(place('plugin.sig'), 'altered');
    await files.putBack(project, DRAFT.name, plugin.manifest);
    expect(await standing()).toMatchObject({ state: 'altered' });
  });
  it('clears what an earlier one left unfinished', async () => {
    for (const kind of ['new', 'old']) {
      mkdirSync(join(store, `.daybook-${kind}-${DRAFT.name}/skills`), { recursive: true });
      writeFileSync(join(store, `.daybook-${kind}-${DRAFT.name}/skills/x.md`), 'half');
    }
    await install();
    await install({ force: true });
    expect(readdirSync(store)).toEqual([DRAFT.name]);
  });
  it('replaces a link by force without following it', async () => {
    const elsewhere = temporaryFolder('elsewhere');
    writeFileSync(join(elsewhere, 'keep.txt'), 'mine');
    mkdirSync(store, { recursive: true });
    symlinkSync(elsewhere, join(store, DRAFT.name));
    await install({ force: true });
    expect((await standing()).state).toBe('signed');
    expect(filesOf(elsewhere)).toEqual({ 'keep.txt': 'mine' });
  });
});

describe('a project', () => {
  it.each(['.vibecli', '.vibecli/plugins'])(
    'with a link for %s that leads out is refused, and nothing is written there',
    async (link) => {
      const elsewhere = temporaryFolder('elsewhere');
      mkdirSync(join(project, link, '..'), { recursive: true });
      symlinkSync(elsewhere, join(project, link));
      await expect(install()).rejects.toThrow(/leads outside the workspace/);
      await expect(standing()).rejects.toThrow(/leads outside the workspace/);
      expect(readdirSync(elsewhere)).toEqual([]);
    },
  );
  it('with a link for .vibecli that stays inside is refused as well', async () => {
    mkdirSync(join(project, 'real/plugins'), { recursive: true });
    symlinkSync('real', join(project, '.vibecli'));
    await expect(install()).rejects.toThrow(/must be a folder/);
    await expect(standing()).rejects.toThrow(/must be a folder/);
    expect(readdirSync(join(project, 'real/plugins'))).toEqual([]);
  });
  it('with a file for .vibecli is refused', async () => {
    writeFileSync(join(project, '.vibecli'), '');
    await expect(install()).rejects.toThrow(/not a directory|must be a folder/);
  });
  it('that may not be written is refused in words, and stays as it was', async (context) => {
    if (!lock(project)) return context.skip('this file system cannot be locked for root');
    try {
      await expect(install()).rejects.toThrow(/may not be (?:read or )?written by the daemon/);
    } finally {
      unlock(project);
    }
    expect([readdirSync(project), recorded]).toEqual([[], []]);
  });
  it('is not written by looking', async () => {
    expect((await standing()).state).toBe('absent');
    expect(await files.names(project)).toEqual([]);
    expect(readdirSync(project)).toEqual([]);
    expect(readdirSync(home)).toEqual([]);
  });
  it('names what could be plugins, not what is unfinished', async () => {
    await install();
    mkdirSync(join(store, '.daybook-new-core-x'));
    mkdirSync(join(store, 'mine'));
    expect(await files.names(project)).toEqual(['core-debugging', 'mine']);
  });
});

describe('removing', () => {
  it('takes the whole folder, and says whether there was one', async () => {
    await install();
    writeFileSync(place('notes.md'), 'mine');
    let records = 0;
    const count = async () => {
      records += 1;
    };
    expect(await files.remove(project, DRAFT.name, count)).toBe(true);
    expect(readdirSync(store)).toEqual([]);
    expect(await files.remove(project, DRAFT.name, count)).toBe(false);
    expect(records).toBe(2);
  });
  it('that cannot be recorded leaves the plugin in its place', async () => {
    await install();
    const before = filesOf(store);
    await expect(files.remove(project, DRAFT.name, refuse)).rejects.toThrow('the log takes no writes');
    expect(filesOf(store)).toEqual(before);
  });
});

describe('the key', () => {
  it('is one, also for installations at the same time', async () => {
    const drafts = ['core-a', 'core-b', 'core-c'].map((name) => ({ ...DRAFT, name }));
    const done = await Promise.all(drafts.map((draft) => install({}, draft)));
    expect(new Set(done.map(({ plugin }) => plugin.publisher)).size).toBe(1);
    expect(done.map(({ keyPersisted }) => keyPersisted)).toEqual([true, true, true]);
  });
  it('that cannot be kept says so, and signs all the same', async () => {
    rmSync(home, { recursive: true });
    const { plugin, keyPersisted } = await install();
    expect(keyPersisted).toBe(false);
    expect(await standing()).toEqual({ state: 'signed', plugin });
    files = createPlugins({ home, ephemeral: false });
    expect((await install({ force: true })).plugin.publisher).not.toBe(plugin.publisher);
    mkdirSync(home);
    expect((await install({ force: true })).keyPersisted).toBe(true);
  });
  it('of a daemon that keeps nothing is not kept', async () => {
    files = createPlugins({ home, ephemeral: true });
    expect((await install()).keyPersisted).toBe(false);
    expect(existsSync(join(home, 'plugin-key.pem'))).toBe(false);
  });
  it.each([
    ['no key at all', 'not a key'],
    ['a key of another kind', generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })],
  ])('is not overwritten where %s lies', async (_what, content) => {
    writeFileSync(join(home, 'plugin-key.pem'), content);
    expect((await install()).keyPersisted).toBe(false);
    expect(readFileSync(join(home, 'plugin-key.pem'), 'utf8')).toBe(content);
  });
});

function relink(path: string): void {
  renameSync(path, `${path}.real`);
  symlinkSync(`${path}.real`, path);
}

function replaceByFile(): void {
  rmSync(join(store, DRAFT.name), { recursive: true });
  writeFileSync(join(store, DRAFT.name), '');
}

function edit(changes: Readonly<Record<string, unknown>>): void {
  const manifest = JSON.parse(readFileSync(place('plugin.json'), 'utf8')) as object;
  writeFileSync(place('plugin.json'), JSON.stringify({ ...manifest, ...changes }));
}

function editFile(file: string): void {
  const { components } = JSON.parse(readFileSync(place('plugin.json'), 'utf8')) as { components: object[] };
  edit({ components: [{ ...components[0], file }] });
}

/** The letter whose value is one more: the bits that the decoder drops differ. */
function nextLetter(letter: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return letters[letters.indexOf(letter) + 1]!;
}
