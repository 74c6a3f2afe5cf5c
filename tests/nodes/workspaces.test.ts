/** Which runs a daemon takes by their folders. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ownLogLeases } from '../../src/integrations/leases/own-log.ts';
import { systemClock } from '../../src/integrations/system.ts';
import { systemTimers } from '../../src/lib/timers.ts';
import { Nodes } from '../../src/reactors/nodes/nodes.ts';
import { temporaryFolder } from '../support/folders.ts';

it('a run whose folder cannot be read is taken by no daemon, and the others are', async () => {
  const folder = temporaryFolder('workspaces');
  const loop = join(folder, 'loop');
  symlinkSync(loop, loop);
  const bad = [join(loop, 'x'), join(folder, 'x'.repeat(300)), join(folder, 'absent')];
  const nodes = new Nodes({
    self: { id: 'a', process: 'p', name: 'n', version: '1', since: 0, workspaces: [folder] },
    ...{ table: null, leases: ownLogLeases('a'), clock: systemClock, timers: systemTimers, elapsed: () => 0 },
    ...{ intervalMs: 1_000, position: () => 0, report: () => undefined },
    activeRuns: () => [folder, ...bad].map((workspace, at) => ({ id: `r${at}`, workspace })),
  });
  await nodes.start();
  expect([folder, ...bad].map((workspace) => nodes.takes(workspace))).toEqual([true, false, false, false]);
  expect(nodes.untaken()).toBe(3);
  await nodes.stop();
});
