/** The systemd units: systemd finds nothing to object to, and the backup is at 02:00. Skipped where systemd is not. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folders.ts';

const UNITS = ['daybook.service', 'daybook-backup.service', 'daybook-backup.timer'];
const isThere = spawnSync('systemd-analyze', ['--version']).error === undefined;
const textOf = (unit: string): string => readFileSync(join('ops', unit), 'utf8');

describe('the units', () => {
  it.skipIf(!isThere)('are sound', () => {
    const folder = temporaryFolder('units');
    // The program is not installed here; systemd looks whether it is.
    for (const unit of UNITS) {
      writeFileSync(join(folder, unit), textOf(unit).replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true'));
    }
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...UNITS.map((unit) => join(folder, unit))]);
    expect([status, stderr.toString()]).toEqual([0, '']);
  });

  it('make the backup at 02:00, also one that was missed', () => {
    const timer = textOf('daybook-backup.timer');
    expect(timer).toMatch(/^OnCalendar=\*-\*-\* 02:00:00$/m);
    expect(timer).toMatch(/^Persistent=true$/m);
  });
});
