/** The memory of the control group of the process, in folders like those of the kernel. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { memoryUse } from '../../src/storage/machine.ts';
import { memoryFolder } from '../support/folders.ts';

const MIB = 1_048_576;

interface Group {
  /** Path below the root. */
  readonly path: string;
  /** MiB; none: no limit. */
  readonly limit?: number;
  readonly used: number;
}

/** The root group has no files of its memory, as in the kernel. */
function controlGroups(own: string, groups: readonly Group[]) {
  const folder = memoryFolder('groups');
  const root = join(folder, 'cgroup');
  for (const { path, limit, used } of groups) {
    mkdirSync(join(root, path), { recursive: true });
    writeFileSync(join(root, path, 'memory.max'), limit === undefined ? 'max\n' : `${limit * MIB}\n`);
    writeFileSync(join(root, path, 'memory.current'), `${(used + 8) * MIB}\n`);
    writeFileSync(join(root, path, 'memory.stat'), `anon 1\ninactive_file ${8 * MIB}\n`);
  }
  writeFileSync(join(folder, 'own'), own);
  return { root, own: join(folder, 'own') };
}

const unit = 'system.slice/daybook.service';

it.each<[string, string, readonly Group[], number, number]>([
  [
    'of a systemd unit',
    `0::/${unit}\n`,
    [
      { path: 'system.slice', used: 90 },
      { path: unit, limit: 64, used: 16 },
    ],
    64,
    16,
  ],
  [
    'of a slice above it',
    `0::/${unit}\n`,
    [
      { path: 'system.slice', limit: 50, used: 45 },
      { path: unit, limit: 64, used: 16 },
    ],
    50,
    45,
  ],
  ['beside groups of version 1', `4:memory:/other\n0::/${unit}\n`, [{ path: unit, limit: 64, used: 16 }], 64, 16],
  ['of a container that sees its group as the root', '0::/\n', [{ path: '.', limit: 64, used: 16 }], 64, 16],
  ['of a container that sees the name outside', '0::/docker/abc\n', [{ path: '.', limit: 64, used: 16 }], 64, 16],
])('memory is a share of the limit %s', (_, own, groups, limit, used) => {
  expect(memoryUse(controlGroups(own, groups))).toEqual({ usedRatio: used / limit, freeBytes: (limit - used) * MIB });
});

it.each([
  ['without a limit', `0::/${unit}\n`],
  ['where the kernel names no group', ''],
])('memory is that of the machine %s', (_, own) => {
  const groups = controlGroups(own, [{ path: unit, used: 16 }]);
  const { usedRatio, freeBytes } = memoryUse(groups);
  expect(freeBytes / (1 - usedRatio)).toBeCloseTo(totalmem(), -1);
});
