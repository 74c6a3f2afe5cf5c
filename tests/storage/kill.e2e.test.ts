/**
 * A process appends through `openStorage` and is killed at random moments, while it opens, appends, checkpoints or
 * compacts. A second process records what was acknowledged and checks after each run: everything acknowledged is there
 * unchanged, batches are whole or absent, positions and versions are dense, `verify` is clean, and the previous log is
 * a prefix of the current one.
 */
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DISK_BACKENDS, type DiskBackend } from '../../src/storage/marker.ts';
import { byDepth } from '../support/depth.ts';
import { removeFolder, temporaryFolder } from '../support/folders.ts';
import { Ledger, type Moment } from './kill-helpers.ts';

const LIVES = byDepth({ sample: 3, dense: 5, long: 100 });
/** One run in this many is killed while the store opens. */
const OPENING_EVERY = 3;
const OPENING_MS = 60;
const APPENDING_MS = 200;

function ledgerOf(backend: DiskBackend): Ledger {
  const root = temporaryFolder('kill-loop');
  onTestFinished(() => removeFolder(root));
  return new Ledger({ directory: join(root, 'data'), backend });
}

describe('a writer', { timeout: LIVES * 30_000 }, () => {
  it.each(DISK_BACKENDS)(
    'that is killed loses no acknowledged event and leaves no partial batch: %s',
    async (backend) => {
      const ledger = ledgerOf(backend);
      for (let life = 1; life <= LIVES; life += 1) {
        const before = ledger.size;
        const moment = momentOf(life);
        await ledger.live(life, moment);
        await ledger.check();
        if (moment.after === 'acknowledged') expect(ledger.size).toBeGreaterThan(before);
      }
    },
  );

  it('whose writes the system refuses loses no acknowledged event', async () => {
    const ledger = ledgerOf('embedded_kv');
    expect(await ledger.liveWithin(1, 600)).toBe('failed STORAGE_IO');
    expect(ledger.size).toBeGreaterThan(6);
    await ledger.check();
  });
});

function momentOf(life: number): Moment {
  const isOpening = life % OPENING_EVERY === 2;
  const within = isOpening ? OPENING_MS : APPENDING_MS;
  return { after: isOpening ? 'opening' : 'acknowledged', ms: Math.random() * within };
}
