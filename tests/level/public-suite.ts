/** The public test suite of abstract-level on one engine, in a child process, because the suite runs on tape. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { memoryFolder } from '../support/folders.ts';

const PROGRAM = join(import.meta.dirname, 'suite.ts');
const OUTPUT_BYTES_MAX = 16_777_216;

/** The suite has more than this; a run that ends early has fewer. */
const ASSERTIONS_MIN = 5_000;

export const SUITE_MS_MAX = 300_000;

export async function expectPasses(engine: 'memory' | 'cow' | 'lsm' | 'embedded_kv'): Promise<void> {
  const options = { cwd: memoryFolder('level'), maxBuffer: OUTPUT_BYTES_MAX };
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, engine], options).catch(
    (failed: { stdout: string; stderr: string }) => ({ stdout: `${failed.stdout}${failed.stderr}` }),
  );
  const failures = stdout.split(/^(?=# )/m).filter((test) => /^not ok/m.test(test));
  expect(failures).toEqual([]);
  expect(Number(/^# pass\s+(\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(ASSERTIONS_MIN);
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('# ok');
}
