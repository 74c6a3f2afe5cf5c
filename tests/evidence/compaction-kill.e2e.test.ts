/**
 * SIGKILL during the compaction that removes erased texts from the disk, several times. In the end only the erased
 * texts are gone, and the log verifies.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { DiskBackend } from '../../src/storage/marker.ts';
import { openStorage } from '../../src/storage/open.ts';
import { Erasures } from '../../src/storage/ops/erasures.ts';
import { systemClock } from '../../src/storage/ops/schedule.ts';
import { ENGINES } from '../support/depth.ts';
import { filesWhere, temporaryFolder } from '../support/folders.ts';
import { WORD } from './compaction-writer.ts';
import { tracesIn } from './traces.ts';

vi.setConfig({ testTimeout: 120_000 });

const WRITER = join(import.meta.dirname, 'compaction-writer.ts');

/** A share of the work, where the engine says how far it is; or milliseconds after the compaction began. */
type Moment = { readonly share: number } | { readonly ms: number };

interface Life {
  /** The tree when the compaction began. */
  readonly treeHash: string;
  readonly size: number;
  /** Leaf hashes of what was acknowledged, by position. */
  readonly acknowledged: ReadonlyMap<number, string>;
  readonly isCompacted: boolean;
}

async function killedWhileCompacting(directory: string, backend: DiskBackend, moment: Moment): Promise<Life> {
  const share = 'share' in moment ? moment.share : 1;
  const child = spawn(process.execPath, [WRITER, directory, backend, String(share)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const acknowledged = new Map<number, string>();
  let [treeHash, size, isCompacted] = ['', 0, false];
  for await (const line of createInterface({ input: child.stdout })) {
    const [step, first, second] = line.split(' ');
    if (step === 'erased') [treeHash, size] = [first!, Number(second)];
    if (step === 'done') acknowledged.set(Number(first), second!);
    if (step === 'compacting' && 'ms' in moment) void pause(moment.ms).then(() => child.kill('SIGKILL'));
    isCompacted ||= step === 'compacted';
  }
  await ended;
  expect(child.signalCode).toBe('SIGKILL');
  return { treeHash, size, acknowledged, isCompacted };
}

/** SQLite's `VACUUM` says nothing of how far it is: so many times it must have been killed before it was over. */
const MOMENTS: Readonly<Record<DiskBackend, readonly Moment[]>> = {
  cow: [{ share: 0.01 }, { share: 0.5 }, { share: 0.95 }],
  lsm: [{ share: 0.01 }, { share: 0.5 }, { share: 0.9 }],
  embedded_kv: Array.from({ length: 10 }, (_, number) => ({ ms: 2 + number })),
};
const KILLS = 3;

function holdsWord(directory: string): boolean {
  return filesWhere(directory, (bytes) => bytes.includes(WORD)).length > 0;
}

describe.each(ENGINES)('a compaction of %s that is killed', (backend) => {
  it('is done again: what was erased is gone in the end, and nothing else', async () => {
    const directory = join(temporaryFolder(`killed-${backend}`), 'data');
    const lives: Life[] = [];
    const kills = () => lives.filter(({ isCompacted }) => !isCompacted).length;
    for (const moment of MOMENTS[backend]) {
      if (kills() === KILLS) break;
      const life = await killedWhileCompacting(directory, backend, moment);
      lives.push(life);
      // A search that finds nothing would be a search that cannot.
      if (!life.isCompacted) expect([moment, holdsWord(directory)]).toEqual([moment, true]);
    }
    expect(kills()).toBe(KILLS);

    const storage = await openStorage({ directory });
    const { log, engine } = storage;
    const erasures = new Erasures({ storage, clock: systemClock, report: () => undefined });
    erasures.start();
    await erasures.finish();
    erasures.stop();
    expect(holdsWord(directory)).toBe(false);
    expect([await engine.verify(), (await log.verify()).errors]).toEqual([[], []]);
    for (const { treeHash, size, acknowledged } of lives) {
      expect(log.treeHash(size)).toBe(treeHash);
      for (const [position, leafHash] of acknowledged) expect(log.at(position)?.leafHash).toBe(leafHash);
    }
    const texts = [...log.readStream('kept')].map(({ version, data }) => [
      version,
      JSON.stringify(data).length > 4_000,
    ]);
    expect(texts).toEqual(texts.map((_, at) => [at + 1, (at + 1) % 10 !== 0]));
    expect(texts.length).toBe(4_000);
    await storage.close();
    expect(tracesIn(directory, [WORD])).toEqual([]);
  });
});
