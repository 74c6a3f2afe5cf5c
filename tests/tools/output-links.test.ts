/** Which files of a process count as its output, by which the processes that it left are found and killed. */
import { type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { outputLinks } from '../../src/integrations/tools/marker.ts';

function started(stdio: StdioOptions): number {
  const child = spawn('/bin/sleep', ['60'], { stdio });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  return child.pid!;
}

it.runIf(process.platform === 'linux')('pipes and sockets do; a file that others hold, too, does not', () => {
  expect([...outputLinks(started(['ignore', 'pipe', 'ignore']))]).toEqual([
    expect.stringMatching(/^(?:pipe|socket):\[\d+\]$/),
  ]);
  expect([...outputLinks(started('ignore'))]).toEqual([]);
});
