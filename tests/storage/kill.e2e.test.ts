/**
 * A process appends through `openStorage` and is killed at random moments, while it opens, appends, checkpoints or
 * compacts. A second process records what was acknowledged and checks after each run: everything acknowledged is there
 * unchanged, batches are whole or absent, positions and versions are dense, `verify` is clean, and the previous log is
 * a prefix of the current one.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ENGINES } from '../support/depth.ts';
import { temporaryFolder } from '../support/folders.ts';
import { Ledger, type Moment } from './kill-helpers.ts';

const LIVES = process.env.DAYBOOK_LONG === '1' ? 100 : 4;
/** One run in this many is killed while the store opens. */
const OPENING_EVERY = 4;
const OPENING_MS = 60;
const APPENDING_MS = 200;

describe('a killed writer', { timeout: LIVES * 30_000 }, () => {
  it.each(ENGINES)('loses no acknowledged event and leaves no partial batch: %s', async (backend) => {
    const root = temporaryFolder('kill-loop');
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const ledger = new Ledger({ directory: join(root, 'data'), backend });
    for (let life = 1; life <= LIVES; life += 1) {
      const before = ledger.size;
      const moment = momentOf(life);
      await ledger.live(life, moment);
      await ledger.check();
      if (moment.after === 'acknowledged') expect(ledger.size).toBeGreaterThan(before);
    }
  });
});

function momentOf(life: number): Moment {
  const isOpening = life % OPENING_EVERY === 0;
  const within = isOpening ? OPENING_MS : APPENDING_MS;
  return { after: isOpening ? 'opening' : 'acknowledged', ms: Math.random() * within };
}
