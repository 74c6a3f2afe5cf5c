/** The vault on a real folder: records by owner, file permissions, wrong keys and damaged files. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTextCipher, keyFromPassphrase } from '../../src/integrations/vault/text-cipher.ts';
import { createSecretVault } from '../../src/integrations/vault/vault.ts';
import { type SecretVault, VaultTrouble } from '../../src/ports/secret-vault.ts';
import { type SecretStore, SecretsUnavailable } from '../../src/ports/secrets.ts';
import { temporaryFolder } from '../support/folders.ts';

const OWNER = 'connector-0123456789abcdef-github';
const SECRET = 'ghp_nobody-shall-see-this';

const unavailable = (): never => {
  throw new SecretsUnavailable('there is none');
};
const noKeyring: SecretStore = {
  get: async () => unavailable(),
  set: async () => unavailable(),
};

function keyringOf(entries: Map<string, string>): SecretStore {
  return {
    get: async (name) => entries.get(name) ?? null,
    set: async (name, secret) => void entries.set(name, secret),
  };
}

interface At {
  readonly keyring?: SecretStore;
  readonly passphrase?: string;
}

function vaultAt(home: string | null, { keyring = noKeyring, passphrase }: At = {}): SecretVault {
  return createSecretVault({ home, keyring, passphrase, cipher: createTextCipher, stretch: keyFromPassphrase });
}

const fileOf = (home: string): string => join(home, 'vault/vault.json');
const textOf = (home: string): string => readFileSync(fileOf(home), 'utf8');
const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('the vault', () => {
  it('keeps secrets by owner and name, also for the next daemon', async () => {
    const home = temporaryFolder('vault');
    const vault = vaultAt(home);
    expect(await vault.read(OWNER)).toEqual({});
    expect(existsSync(join(home, 'vault'))).toBe(false);
    await vault.keep(OWNER, { KEY: SECRET, URL: 'two\nlines' });
    await vault.keep('other', { KEY: 'another' });
    expect(await vaultAt(home).read(OWNER)).toEqual({ KEY: SECRET, URL: 'two\nlines' });
    expect(await vault.owners()).toEqual([OWNER, 'other']);
    expect(await vault.names([OWNER, 'nobody'])).toEqual(new Map([[OWNER, new Set(['KEY', 'URL'])]]));
    expect(await vault.forget(OWNER)).toBe(2);
    expect(await vault.forget(OWNER)).toBe(0);
    expect(await vault.read(OWNER)).toEqual({});
    expect(await vault.read('other')).toEqual({ KEY: 'another' });
  });
  it('replaces what an owner had, and loses nothing of writes at the same time', async () => {
    const vault = vaultAt(temporaryFolder('vault'));
    await vault.keep(OWNER, { OLD: 'old' });
    const owners = Array.from({ length: 20 }, (_, index) => `owner-${index}`);
    await Promise.all([vault.keep(OWNER, { NEW: 'new' }), ...owners.map((owner) => vault.keep(owner, { A: owner }))]);
    expect(await vault.read(OWNER)).toEqual({ NEW: 'new' });
    for (const owner of owners) expect(await vault.read(owner)).toEqual({ A: owner });
  });
  it('writes no secret as it is, and is its owner’s alone', async () => {
    const home = temporaryFolder('vault');
    await vaultAt(home).keep(OWNER, { KEY: SECRET });
    for (const form of [SECRET, Buffer.from(SECRET).toString('base64').slice(0, 20)])
      expect(textOf(home)).not.toContain(form);
    expect(modeOf(join(home, 'vault'))).toBe(0o700);
    expect(modeOf(fileOf(home))).toBe(0o600);
    expect(modeOf(join(home, 'vault/vault.key'))).toBe(0o600);
  });
  it('closes a key that others could read', async () => {
    const home = temporaryFolder('vault');
    await vaultAt(home).keep(OWNER, { KEY: SECRET });
    const key = join(home, 'vault/vault.key');
    chmodSync(key, 0o644);
    expect(await vaultAt(home).read(OWNER)).toEqual({ KEY: SECRET });
    expect(modeOf(key)).toBe(0o600);
  });
  it('lives in memory without a home', async () => {
    const vault = vaultAt(null);
    await vault.keep(OWNER, { KEY: SECRET });
    expect(await vault.read(OWNER)).toEqual({ KEY: SECRET });
    expect(await vaultAt(null).owners()).toEqual([]);
  });
});

describe('the key', () => {
  it('is in the keyring when there is one, and the vault is locked without it', async () => {
    const home = temporaryFolder('vault');
    const entries = new Map<string, string>();
    await vaultAt(home, { keyring: keyringOf(entries) }).keep(OWNER, { KEY: SECRET });
    expect(existsSync(join(home, 'vault/vault.key'))).toBe(false);
    expect([...entries.keys()]).toEqual([expect.stringMatching(/^vault-[0-9a-f]{32}$/)]);
    expect(await vaultAt(home, { keyring: keyringOf(entries) }).read(OWNER)).toEqual({ KEY: SECRET });
    await expect(vaultAt(home).read(OWNER)).rejects.toThrow('The vault is locked: its key is in the keyring');
    await expect(vaultAt(home, { keyring: keyringOf(new Map()) }).read(OWNER)).rejects.toThrow(VaultTrouble);
  });
  it('is in a file when the keyring keeps nothing', async () => {
    const home = temporaryFolder('vault');
    const forgetful = { ...keyringOf(new Map()), get: async () => null };
    await vaultAt(home, { keyring: forgetful }).keep(OWNER, { KEY: SECRET });
    expect(existsSync(join(home, 'vault/vault.key'))).toBe(true);
    expect(await vaultAt(home).read(OWNER)).toEqual({ KEY: SECRET });
  });
  it('is made of a passphrase when there is one, and needs it again', async () => {
    const home = temporaryFolder('vault');
    await vaultAt(home, { passphrase: 'correct horse' }).keep(OWNER, { KEY: SECRET });
    expect(existsSync(join(home, 'vault/vault.key'))).toBe(false);
    expect(await vaultAt(home, { passphrase: 'correct horse' }).read(OWNER)).toEqual({ KEY: SECRET });
    await expect(vaultAt(home).read(OWNER)).rejects.toThrow('DAYBOOK_VAULT_PASSPHRASE');
    const wrong = vaultAt(home, { passphrase: 'wrong horse' });
    await expect(wrong.read(OWNER)).rejects.toThrow('is another one');
    await expect(wrong.keep(OWNER, { KEY: 'x' })).rejects.toThrow('is another one');
    expect(await vaultAt(home, { passphrase: 'correct horse' }).read(OWNER)).toEqual({ KEY: SECRET });
    for (const passphrase of ['short', '🐎'.repeat(7)]) {
      const short = vaultAt(temporaryFolder('vault'), { passphrase });
      await expect(short.keep(OWNER, { KEY: SECRET })).rejects.toThrow('at least 8 characters');
    }
  });
  it('of a file that was replaced, lost or led elsewhere opens nothing, and nothing is written over', async () => {
    const home = temporaryFolder('vault');
    await vaultAt(home).keep(OWNER, { KEY: SECRET });
    const key = join(home, 'vault/vault.key');
    const [before, right] = [textOf(home), readFileSync(key, 'utf8')];
    for (const wrong of [Buffer.alloc(32).toString('base64'), 'short', '']) {
      writeFileSync(key, wrong);
      await expect(vaultAt(home).read(OWNER)).rejects.toThrow(VaultTrouble);
      await expect(vaultAt(home).keep(OWNER, { KEY: 'x' })).rejects.toThrow(VaultTrouble);
    }
    rmSync(key);
    await expect(vaultAt(home).read(OWNER)).rejects.toThrow('its key is not in');
    const elsewhere = join(temporaryFolder('vault'), 'key');
    writeFileSync(elsewhere, right);
    symlinkSync(elsewhere, key);
    await expect(vaultAt(home).read(OWNER)).rejects.toThrow('its key is not in');
    expect(textOf(home)).toBe(before);
  });
  it('of a vault that was moved away is kept for when it comes back', async () => {
    const home = temporaryFolder('vault');
    await vaultAt(home).keep(OWNER, { KEY: SECRET });
    renameSync(fileOf(home), `${fileOf(home)}.aside`);
    await vaultAt(home).keep(OWNER, { KEY: 'new' });
    renameSync(`${fileOf(home)}.aside`, fileOf(home));
    expect(await vaultAt(home).read(OWNER)).toEqual({ KEY: SECRET });
  });
});

describe('a damaged vault', () => {
  it.each(['', '{', 'null', '[]', '{"format":1}', '{"format":1,"owners":{"a":"b"}}'])(
    'is not written over: %j',
    async (text) => {
      const home = temporaryFolder('vault');
      await vaultAt(home).keep(OWNER, { KEY: SECRET });
      writeFileSync(fileOf(home), text);
      await expect(vaultAt(home).read(OWNER)).rejects.toThrow('is damaged');
      await expect(vaultAt(home).keep(OWNER, { KEY: 'x' })).rejects.toThrow(VaultTrouble);
      await expect(vaultAt(home).forget(OWNER)).rejects.toThrow(VaultTrouble);
      expect(textOf(home)).toBe(text);
    },
  );
  it('of a later format says so', async () => {
    const home = temporaryFolder('vault');
    mkdirSync(join(home, 'vault'));
    writeFileSync(fileOf(home), '{"format":2}');
    await expect(vaultAt(home).owners()).rejects.toThrow(/has format 2; .* Use the program that wrote it\.$/);
  });
  it('gives out no value that was changed, or that was sealed for another name or owner', async () => {
    const home = temporaryFolder('vault');
    await vaultAt(home).keep(OWNER, { A: SECRET, B: 'b', C: 'c' });
    await vaultAt(home).keep('other', { A: 'of another' });
    const content = JSON.parse(textOf(home)) as { owners: Record<string, Record<string, string>> };
    const [mine, others] = [content.owners[OWNER]!, content.owners.other!];
    const flipped = Buffer.from(mine.C!, 'base64');
    flipped[flipped.length - 1]! ^= 1;
    const owners = { [OWNER]: { A: others.A, B: mine.A, C: flipped.toString('base64') }, other: { ...others, D: '' } };
    writeFileSync(fileOf(home), JSON.stringify({ ...content, owners }));
    expect(await vaultAt(home).read(OWNER)).toEqual({});
    expect(await vaultAt(home).read('other')).toEqual({ A: 'of another' });
  });
  it('left by a write that did not finish is as it was before', async () => {
    const home = temporaryFolder('vault');
    await vaultAt(home).keep(OWNER, { KEY: SECRET });
    writeFileSync(`${fileOf(home)}.new`, '{"half":');
    await vaultAt(home).keep('other', { A: 'a' });
    expect(await vaultAt(home).read(OWNER)).toEqual({ KEY: SECRET });
    expect(existsSync(`${fileOf(home)}.new`)).toBe(false);
  });
});
