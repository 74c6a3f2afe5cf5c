/** The keys of the log: where they are kept, sealed with the home, and the state after a crash during a rotation. */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { logKey, type RotateLogKey } from '../../src/commands/tlog/log-key.ts';
import { systemClock, systemIds } from '../../src/integrations/system.ts';
import { createLogKeyStore, readPublicKeys } from '../../src/integrations/tlog/log-keys.ts';
import { createTextCipher } from '../../src/integrations/vault/text-cipher.ts';
import { type LogKeyStore, LogKeyTrouble } from '../../src/ports/log-keys.ts';
import { type SecretStore, SecretsUnavailable } from '../../src/ports/secrets.ts';
import type { ByteCipher } from '../../src/ports/text-cipher.ts';
import { LogKeys, type OpenKeys, vkeyOf } from '../../src/reactors/tlog/log-keys.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createCommandHandler } from '../../src/streams/command-handler.ts';
import { fill } from '../storage/log-helpers.ts';
import { temporaryFolder } from '../support/folders.ts';

interface Home {
  readonly path: string;
  readonly announced: string[];
  keyring?: SecretStore;
  /** Encrypted, and its cipher while it is unlocked. */
  encryption?: { cipher: ByteCipher | null };
}

async function commandsOf() {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  return Object.assign(createCommandHandler({ log, clock: systemClock, ids: systemIds }), { log });
}

function newHome(): Home {
  return { path: join(temporaryFolder('keys'), 'log.key'), announced: [] };
}

type Commands = Awaited<ReturnType<typeof commandsOf>>;

function keysOf(home: Home, commandHandler: Commands, origin?: string, store?: LogKeyStore): LogKeys {
  const { path, keyring = null } = home;
  return new LogKeys({
    store: store ?? createLogKeyStore({ path, keyring }),
    encryption: { isEncrypted: () => home.encryption !== undefined, cipher: () => home.encryption?.cipher ?? null },
    commandHandler,
    log: commandHandler.log,
    announce: (line) => void home.announced.push(line),
    ids: systemIds,
    origin,
  });
}

const opened = async (home: Home, commands?: Commands): Promise<string> => {
  const { origin, log } = await keysOf(home, commands ?? (await commandsOf())).open();
  return vkeyOf(origin, log);
};

function keyringOf(answers: { available: boolean }): SecretStore & { readonly secrets: Map<string, string> } {
  const secrets = new Map<string, string>();
  const check = (): void => {
    if (!answers.available) throw new SecretsUnavailable('it is locked');
  };
  return {
    secrets,
    async get(name) {
      check();
      return secrets.get(name) ?? null;
    },
    async set(name, secret) {
      check();
      secrets.set(name, secret);
    },
  };
}

const kept = (home: Home): string => (JSON.parse(readFileSync(home.path, 'utf8')) as { kept: string }).kept;

describe('the file of the keys', () => {
  it('is made once, mode 0600, and its public part is read without a key', async () => {
    const home = newHome();
    const vkey = await opened(home);
    expect([await opened(home), kept(home), statSync(home.path).mode & 0o777]).toEqual([vkey, 'plain', 0o600]);
    const { logId, log } = (await readPublicKeys(home.path))!;
    expect(vkeyOf(`daybook.local/${logId.slice(0, 16)}`, { publicKey: log })).toBe(vkey);
    chmodSync(home.path, 0o644);
    await opened(home);
    expect(statSync(home.path).mode & 0o777).toBe(0o600);
  });

  it('the settings may name the log; the key stays the same', async () => {
    const home = newHome();
    const [, , key] = (await opened(home)).split('+');
    const { origin, log } = await keysOf(home, await commandsOf(), 'example.org/log').open();
    expect([origin, vkeyOf(origin, log).split('+')[2]]).toEqual(['example.org/log', key]);
  });

  it('that is missing beside a log with events is made anew, which is said', async () => {
    const home = newHome();
    const commands = await commandsOf();
    const before = await opened(home, commands);
    await fill(commands.log, 3);
    await opened(home, commands);
    expect(home.announced).toEqual([]);
    rmSync(home.path);
    expect(await opened(home, commands)).not.toBe(before);
    expect(home.announced).toEqual([
      'The log had 3 events and no key here: it has a new one now. ' +
        'If it had a key before, stop the daemon and put the file of that key back.',
    ]);
  });

  it('of a new log is made after its first events without a word', async () => {
    const home = newHome();
    const commands = await commandsOf();
    const keys = keysOf(home, commands);
    await fill(commands.log, 3);
    await keys.open();
    expect(home.announced).toEqual([]);
  });

  it('is never replaced when it is damaged, for any byte of it', async () => {
    const home = newHome();
    await opened(home);
    const bytes = readFileSync(home.path);
    const commands = await commandsOf();
    const accepted: string[] = [];
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      writeFileSync(home.path, changed);
      try {
        await opened(home, commands);
        accepted.push(bytes.subarray(Math.max(0, at - 12), at + 1).toString());
      } catch (error) {
        expect(error).toBeInstanceOf(LogKeyTrouble);
      }
      expect(readFileSync(home.path).equals(changed)).toBe(true);
    }
    // White space between the fields means nothing.
    expect(accepted.filter((text) => !/[\n ]$/.test(text))).toEqual([]);
  });

  it('of a later format is not called damaged, and stays as it is', async () => {
    const home = newHome();
    await opened(home);
    const later = readFileSync(home.path, 'utf8').replace('"format": 1', '"format": 2');
    writeFileSync(home.path, later);
    await expect(opened(home)).rejects.toThrow(
      'The key of the log in log.key has format 2; this program reads format 1. Use the program that wrote it.',
    );
    expect(readFileSync(home.path, 'utf8')).toBe(later);
  });

  it('is not read through a link', async () => {
    const [home, other] = [newHome(), newHome()];
    await opened(other);
    symlinkSync(other.path, home.path);
    await expect(opened(home)).rejects.toThrow('cannot be read: log.key (ELOOP)');
  });
});

describe('a home that is encrypted', () => {
  it('has its key sealed from then on; without the cipher nothing is signed', async () => {
    const home = newHome();
    const commands = await commandsOf();
    const keys = keysOf(home, commands);
    const vkey = vkeyOf((await keys.open()).origin, (await keys.open()).log);
    const plain = readFileSync(home.path, 'utf8');
    const { secret } = JSON.parse(plain) as { secret: string };
    const cipher = createTextCipher(randomBytes(32));
    home.encryption = { cipher };
    await keys.open();
    expect([kept(home), readFileSync(home.path, 'utf8').includes(secret)]).toEqual(['sealed', false]);
    expect(await opened(home)).toBe(vkey);
    home.encryption = { cipher: null };
    await expect(opened(home)).rejects.toThrow('locked');
    home.encryption = { cipher: createTextCipher(randomBytes(32)) };
    await expect(opened(home)).rejects.toThrow('does not open');
    delete home.encryption;
    // As after the restore of a backup from before the encryption.
    await expect(opened(home)).rejects.toThrow('restore a backup from after their encryption');
    home.encryption = { cipher };
    expect(await opened(home)).toBe(vkey);
  });

  it('makes no key while it is locked', async () => {
    const home = { ...newHome(), encryption: { cipher: null } };
    await expect(opened(home)).rejects.toThrow(LogKeyTrouble);
    expect(existsSync(home.path)).toBe(false);
  });
});

it('the keyring has the secret part; the file names the entry', async () => {
  const answers = { available: true };
  const keyring = keyringOf(answers);
  const home: Home = { ...newHome(), keyring };
  const vkey = await opened(home);
  const [entry] = keyring.secrets;
  expect([kept(home), readFileSync(home.path, 'utf8').includes(entry![0])]).toEqual(['keyring', true]);
  expect(readFileSync(home.path, 'utf8')).not.toContain(entry![1]);
  expect(await opened(home)).toBe(vkey);
  answers.available = false;
  await expect(opened(home)).rejects.toThrow('does not answer (it is locked)');
  answers.available = true;
  keyring.secrets.clear();
  await expect(opened(home)).rejects.toThrow('has no entry');
  delete home.keyring;
  await expect(opened(home)).rejects.toThrow('set log_key to keyring');
});

describe('a rotation', () => {
  const send =
    (commands: Commands) =>
    (command: RotateLogKey): Promise<unknown> =>
      commands.dispatch(logKey, 'log-key', command, { origin: { actor: 'owner', correlation: null } });

  it('that a crash interrupts ends as the log says', async () => {
    const home = newHome();
    const commands = await commandsOf();
    const before = await opened(home, commands);
    const stop = new Error('the process is killed');
    const stopped = keysOf(home, commands).rotate(() => Promise.reject(stop));
    await expect(stopped).rejects.toBe(stop);
    expect(JSON.parse(readFileSync(home.path, 'utf8'))).toHaveProperty('next');
    const interrupted = readFileSync(home.path);
    expect(await opened(home, commands)).toBe(before);
    expect(JSON.parse(readFileSync(home.path, 'utf8'))).not.toHaveProperty('next');
    // The same file, and the log has the event.
    writeFileSync(home.path, interrupted);
    const next = (JSON.parse(interrupted.toString()) as { next: string }).next;
    const to = vkeyOf(before.split('+')[0]!, { publicKey: Buffer.from(next, 'base64') });
    const command = { type: 'RotateLogKey', log_id: '', from: before, to, statement: '' } as const;
    await commands.dispatch(logKey, 'log-key', command, { origin: { actor: 'owner', correlation: null } });
    expect(await opened(home, commands)).toBe(to);
    const { log_id } = JSON.parse(readFileSync(home.path, 'utf8')) as { log_id: string };
    expect(to).toContain(log_id.slice(0, 16));
  });

  it('in the keyring ends as the log says when the file could not be written after the keyring', async () => {
    const home: Home = { ...newHome(), keyring: keyringOf({ available: true }) };
    const commands = await commandsOf();
    const vkey = await opened(home, commands);
    const inTheWay = `${home.path}.new`;
    const isCutOff = async (work: () => Promise<unknown>): Promise<void> => {
      await expect(work()).rejects.toThrow('cannot be written');
      rmdirSync(inTheWay);
    };
    // Before the rotation is recorded, when it is undone, and after it was recorded.
    mkdirSync(inTheWay);
    await isCutOff(() => keysOf(home, commands).rotate(send(commands)));
    expect(await opened(home, commands)).toBe(vkey);
    const stop = new Error('the process is killed');
    await expect(keysOf(home, commands).rotate(() => Promise.reject(stop))).rejects.toBe(stop);
    mkdirSync(inTheWay);
    await isCutOff(() => opened(home, commands));
    expect(await opened(home, commands)).toBe(vkey);
    await isCutOff(() =>
      keysOf(home, commands).rotate(async (command) => {
        await send(commands)(command);
        mkdirSync(inTheWay);
      }),
    );
    const { current } = commands.load(logKey, 'log-key');
    expect([await opened(home, commands), await opened(home, commands)]).toEqual([current, current]);
    expect(current).not.toBe(vkey);
    const { log } = (await readPublicKeys(home.path))!;
    expect(vkeyOf(vkey.split('+')[0]!, { publicKey: log })).toBe(current);
  });

  it('keeps the name of the log and the key of the witness', async () => {
    const home = newHome();
    const commands = await commandsOf();
    const keys = keysOf(home, commands);
    const before = await keys.open();
    const vkey = await keys.rotate(send(commands));
    const after = await keys.open();
    expect([after.origin, after.witness.publicKey]).toEqual([before.origin, before.witness.publicKey]);
    expect(vkeyOf(after.origin, after.log)).toBe(vkey);
    rmSync(home.path);
  });

  it('lets nobody sign until it is recorded, and then with the new key alone', async () => {
    const commands = await commandsOf();
    const keys = keysOf(newHome(), commands);
    const opened: Promise<OpenKeys>[] = [];
    const vkey = await keys.rotate(async (command) => {
      opened.push(keys.open());
      const dispatched = await send(commands)(command);
      opened.push(keys.open());
      return dispatched;
    });
    const vkeys = (await Promise.all(opened)).map(({ origin, log }) => vkeyOf(origin, log));
    expect(vkeys).toEqual([vkey, vkey]);
  });

  it('that is refused leaves the key, also in the running daemon', async () => {
    const home = newHome();
    const keys = keysOf(home, await commandsOf());
    const { origin, log } = await keys.open();
    await expect(keys.rotate(() => Promise.reject(new Error('the disk is full')))).rejects.toThrow('full');
    expect(vkeyOf(origin, (await keys.open()).log)).toBe(vkeyOf(origin, log));
    expect(JSON.parse(readFileSync(home.path, 'utf8'))).not.toHaveProperty('next');
  });

  it('that was recorded and whose key could not be written is completed before the next one', async () => {
    const home = newHome();
    const commands = await commandsOf();
    const store = createLogKeyStore({ path: home.path, keyring: null });
    let writes = 0;
    const failing: LogKeyStore = {
      read: (cipher) => store.read(cipher),
      write: async (record, cipher) => {
        writes += 1;
        // The first key, the next one, and the write after the event.
        if (writes === 3) throw new LogKeyTrouble('The disk is full.');
        return store.write(record, cipher);
      },
    };
    const keys = keysOf(home, commands, undefined, failing);
    const both = [keys.rotate(send(commands)), keys.rotate(send(commands))] as const;
    await expect(both[0]).rejects.toThrow('full');
    const { origin, log } = await keys.open();
    expect(vkeyOf(origin, log)).toBe(await both[1]);
    expect(commands.load(logKey, 'log-key').current).toBe(await both[1]);
    expect(await opened(home, commands)).toBe(await both[1]);
  });

  it('makes an older copy of the file sign nothing, and leaves it as it is', async () => {
    const home = newHome();
    const commands = await commandsOf();
    const keys = keysOf(home, commands);
    await keys.openToSign();
    const older = readFileSync(home.path);
    await keys.rotate(send(commands));
    await expect(keys.openToSign()).resolves.toMatchObject({ origin: (await keys.open()).origin });
    writeFileSync(home.path, older);
    const restarted = keysOf(home, commands);
    await expect(restarted.openToSign()).rejects.toThrow(/is one that the log has replaced\. Put back the newest copy/);
    await expect(restarted.rotate(send(commands))).rejects.toThrow(LogKeyTrouble);
    expect([keys.areSigning, restarted.areSigning]).toEqual([true, false]);
    expect(readFileSync(home.path).equals(older)).toBe(true);
  });
});
