/** Real processes on a real disk: killed while they write, and stopped by a file-size limit during a write. */
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DiskBackend } from '../../src/storage/marker.ts';
import { openStorage } from '../../src/storage/open.ts';
import { temporaryFolder } from '../support/folders.ts';

const ROUNDS = process.env.DAYBOOK_LONG === '1' ? 50 : 2;
const WRITER = join(import.meta.dirname, 'log-writer.ts');

let directory: string;
let children: ChildProcess[];
beforeEach(() => {
  directory = join(temporaryFolder('kill'), 'data');
  children = [];
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(join(directory, '..'), { recursive: true, force: true });
});

describe('a writing process', { timeout: ROUNDS * 30_000 }, () => {
  it.each(['embedded_kv', 'cow', 'lsm'] as const)('loses nothing it acknowledged when killed: %s', async (backend) => {
    const acknowledged = new Map<number, string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const writer = start([process.execPath, WRITER, directory, backend]);
      const enough = 40 + round * 37;
      await writer.until(() => writer.lines.length >= enough);
      if (round === 0) {
        const second = openStorage({ directory, backend });
        await expect(second).rejects.toMatchObject({ code: 'STORAGE_LOCKED' });
        await expect(second).rejects.toThrow(`process ${writer.pid}`);
      }
      await writer.kill();
      for (const [position, id] of whole(writer.lines)) acknowledged.set(position, id);
      await check(backend, acknowledged);
    }
    expect(acknowledged.size).toBeGreaterThanOrEqual(40 * ROUNDS);
  });

  it('loses nothing it acknowledged when the disk refuses a write', async () => {
    await (await openStorage({ directory, backend: 'embedded_kv' })).close();
    const limited = ['sh', '-c', 'ulimit -f 600; exec "$@"', 'sh', process.execPath, WRITER, directory, 'embedded_kv'];
    const writer = start(limited);
    await writer.ended;
    expect(writer.lines.at(-1)).toBe('STORAGE_IO');
    const acknowledged = new Map(whole(writer.lines.slice(0, -1)));
    expect(acknowledged.size).toBeGreaterThan(16);
    await check('embedded_kv', acknowledged);
  });
});

/** Reopens the log: every acknowledged event is at its position, and the log verifies. */
async function check(backend: DiskBackend, acknowledged: ReadonlyMap<number, string>): Promise<void> {
  const { log, engine, close } = await openStorage({ directory, backend });
  try {
    const found = new Map([...log.readAll()].map(({ position, id }) => [position, id]));
    for (const [position, id] of acknowledged) expect(found.get(position)).toBe(id);
    expect(found.size).toBe(log.head().position);
    expect((await log.verify()).errors).toEqual([]);
    expect(await engine.verify()).toEqual([]);
  } finally {
    await close();
  }
}

function whole(lines: readonly string[]): [number, string][] {
  return lines.map((line) => line.split(' ')).map(([position, id]) => [Number(position), id!]);
}

function start([program, ...options]: readonly string[]) {
  const child = spawn(program!, options, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const lines: string[] = [];
  let rest = '';
  let wake = () => {};
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop()!;
    lines.push(...parts);
    wake();
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const until = async (isReached: () => boolean): Promise<void> => {
    let hasEnded = false;
    void ended.then(() => {
      hasEnded = true;
      wake();
    });
    while (!isReached()) {
      if (hasEnded) throw new Error(`the writer ended after ${lines.length} lines: ${lines.at(-1)}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  return { pid: child.pid, lines, ended, until, kill };
}
