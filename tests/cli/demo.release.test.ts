/** The demo passes: `examples/demo.ts` ends with 0, and all its checks run. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('npm run demo', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['examples/demo.ts'], { timeout: 90_000 });
  expect(stdout).toContain('All 19 checks held.');
  expect(stdout).not.toContain('✗');
}, 100_000);
