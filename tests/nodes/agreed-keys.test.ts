/**
 * The keys of a daemon that starts during an outage of its database are compared later, and the outage is no
 * difference. A key that every daemon has lost can be replaced.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Subject } from 'rxjs';
import { expect, it } from 'vitest';
import { logKey } from '../../src/commands/tlog/log-key.ts';
import { agreeOnKeys, compareOnceThere } from '../../src/compose/agreed-keys.ts';
import { ConfigError } from '../../src/config.ts';
import { systemClock, systemIds } from '../../src/integrations/system.ts';
import { createLogKeyStore } from '../../src/integrations/tlog/log-keys.ts';
import { LogKeys } from '../../src/reactors/tlog/log-keys.ts';
import { StorageError } from '../../src/storage/errors.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createCommandHandler } from '../../src/streams/command-handler.ts';
import { temporaryFolder } from '../support/folders.ts';

type Outcome = 'equal' | 'away' | 'differ';

/** A daemon whose comparisons end as given, one after the other. */
function comparing(outcomes: readonly Outcome[]) {
  const looked = new Subject<void>();
  const lines: string[] = [];
  const left = [...outcomes];
  const seen = { differs: 0 };
  const compare = async (): Promise<void> => {
    const outcome = left.shift();
    if (outcome === 'away') throw new StorageError('STORAGE_UNAVAILABLE', 'The database is away.');
    if (outcome === 'differ') throw new ConfigError('Another key.');
  };
  const started = compareOnceThere({
    compare,
    leases: {
      onTableRead(listener) {
        const subscription = looked.subscribe(listener);
        return () => subscription.unsubscribe();
      },
    },
    announce: (line) => lines.push(line),
    differ: () => {
      seen.differs += 1;
    },
  });
  const look = async (): Promise<void> => {
    looked.next();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { started, look, lines, left, seen };
}

it('are compared again after each outage, until they are equal', async () => {
  const { started, look, lines, left, seen } = comparing(['away', 'away', 'away', 'equal', 'differ']);
  await started;
  for (let looks = 0; looks < 5; looks += 1) await look();
  expect(left).toEqual(['differ']);
  expect(seen.differs).toBe(0);
  expect(lines).toHaveLength(1);
});

it('stop the daemon when they differ, at its start or later', async () => {
  await expect(comparing(['differ']).started).rejects.toThrow('Another key.');
  const { started, look, lines, seen } = comparing(['away', 'away', 'differ']);
  await started;
  for (let looks = 0; looks < 3; looks += 1) await look();
  expect(seen.differs).toBe(1);
  expect(lines.at(-1)).toBe('The daemon stops: Another key.');
});

/** The daemons of one log: each takes the key from the same file. */
async function daemonsOfOneLog() {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  const commandHandler = createCommandHandler({ log, clock: systemClock, ids: systemIds });
  const path = join(temporaryFolder('keys'), 'log.key');
  const facts: Record<string, string> = {};
  const start = async (): Promise<LogKeys> => {
    const logKeys = new LogKeys({
      ...{ log, commandHandler, ids: systemIds, announce: () => {}, origin: undefined },
      store: createLogKeyStore({ path, keyring: null }),
      encryption: { isEncrypted: () => false, cipher: () => null },
    });
    await agreeOnKeys({
      ...{ logKeys, commandHandler, encryptionProcess: { hasOtherKey: false }, vaultPassphrase: undefined },
      table: { facts: async () => facts, agree: async (own) => Object.assign(facts, { ...own, ...facts }) },
      leases: { acquire: async () => null, release: async () => {} },
    });
    return logKeys;
  };
  const origin = { actor: 'owner', correlation: null } as const;
  const rotate = (keys: LogKeys): Promise<string> =>
    keys.rotate((command) => commandHandler.dispatch(logKey, 'log-key', command, { origin }));
  return { facts, path, start, rotate };
}

it('of a log whose key is lost and was rotated before are a new key, once the fact about the old one is gone', async () => {
  const { facts, path, start, rotate } = await daemonsOfOneLog();
  await rotate(await start());
  await start();
  rmSync(path);
  await expect(start()).rejects.toThrow('The key that signs this log is another one');
  delete facts.log_key;
  await start();
  await start();
});
